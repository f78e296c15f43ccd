package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
)

// FindPlaced returns the order that a customer placed with an idempotency key and the same input,
// to a guest with the customer's phone number: the code by which the customer signed in for that
// order is used up, and the response may have been lost. The key alone proves who it is, so callers
// must generate it at random. Codes: not_found, idempotency_key_reused, validation_failed.
func (s *Orders) FindPlaced(ctx context.Context, caller access.Caller, in Input, idempotencyKey string) (*Placed, error) {
	cmd, err := s.newOrderCommand(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	key, err := newIdempotency(idempotencyKey, in)
	if err != nil {
		return nil, err
	}
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return nil, err
	}
	var order *orderRow
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		owner, err := account.FindContactOwner(tx, cmd.req.phone, nil)
		if err != nil {
			return err
		}
		id, err := key.replay(tx, customerScope(owner))
		if err != nil {
			return err
		}
		if id == "" {
			return fault.Errorf(fault.CodeNotFound, "No order was placed with this key.")
		}
		order, err = findOrderRow(tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Placed{Order: order.view(cmd.set.Display, viewMasked), OrderToken: tokens.create(order.id, 0), Replayed: true}, nil
}
