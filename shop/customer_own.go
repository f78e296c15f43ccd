package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/campaign"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/passkey"
	"storefront/shop/review"
)

// AccountExport is the shop's data about a customer, for the customer.
type AccountExport struct {
	Customer account.Customer `json:"customer"`
	Orders   []order.Order    `json:"orders" nullable:"false" doc:"All of the account's orders, oldest first"`
	Reviews  []review.Review  `json:"reviews" nullable:"false" doc:"The reviews of their products"`

	Attributions     []campaign.OrderAttribution `json:"attributions" nullable:"false" doc:"The advertisements that led the customer to the orders"`
	Passkeys         []passkey.Passkey           `json:"passkeys" nullable:"false" doc:"The account's passkeys, without their keys"`
	IncompleteOrders []order.ExportedIncomplete  `json:"incompleteOrders" nullable:"false" doc:"Typed with the verified number without ordering"`
}

// ExportAccount returns the caller's account, all its orders and their reviews. Codes:
// unauthenticated, token_expired, token_invalid.
func (s *Shop) ExportAccount(ctx context.Context, caller access.Caller) (*AccountExport, error) {
	who, err := s.Accounts.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var export AccountExport
	err = s.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := who.Customer(tx)
		if err != nil {
			return err
		}
		if export.Customer, err = row.View(tx); err != nil {
			return err
		}
		if export.Passkeys, err = row.Passkeys(tx); err != nil {
			return err
		}
		ids, err := order.FindBuyerOrderIDs(tx, row.ID(), "")
		if err != nil {
			return err
		}
		if export.Orders, err = order.FindBuyerOrders(tx, ids, set.orders.Display); err != nil {
			return err
		}
		if export.Attributions, err = campaign.FindOfOrders(tx, ids); err != nil {
			return err
		}
		if export.IncompleteOrders, err = order.ExportIncomplete(tx, row); err != nil {
			return err
		}
		export.Reviews, err = review.FindOfOrders(tx, ids)
		return err
	})
	if err == nil {
		err = s.Reviews.AddPhotos(ctx, export.Reviews)
	}
	if err != nil {
		return nil, err
	}
	return &export, nil
}

// AccountDeleted is the result of [Shop.DeleteAccount].
type AccountDeleted struct {
	Success bool `json:"success"`
	Orders  int  `json:"orders" doc:"Orders that stay in the shop without personal data"`
}

// DeleteAccount deletes the caller's account, as [Shop.DeleteCustomer] does. It requires
// re-authentication and no open order: the address of an open order is still needed. Codes:
// reauthentication_required, invalid_credentials, otp_invalid, state_conflict (an order is open),
// validation_failed, rate_limited, unauthenticated, token_expired, token_invalid.
func (s *Shop) DeleteAccount(ctx context.Context, caller access.Caller, in account.ProofInput) (*AccountDeleted, error) {
	who, err := s.Accounts.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	proof, err := s.Accounts.NewProof(ctx, caller, who, in)
	if err != nil {
		return nil, err
	}
	subjects, err := s.Orders.BuyerSubjects(ctx)
	if err != nil {
		return nil, err
	}
	var row account.Account
	var refusal error // separate from err, because a refusal must commit its count
	orders := 0
	err = s.data.UpdateAlone(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		row, refusal, err = proof.Use(tx)
		if err != nil {
			return err
		}
		if refusal != nil {
			return nil
		}
		ids, err := order.FindBuyerOrderIDs(tx, row.ID(), db.TextOf(row.VerifiedPhone()))
		if err != nil {
			return err
		}
		open, err := order.HasOpenOrders(tx, row.ID(), db.TextOf(row.VerifiedPhone()))
		if err != nil {
			return err
		}
		if open {
			return fault.Errorf(fault.CodeStateConflict,
				"An order of this account is not completed: cancel it, or delete the account after it was delivered.")
		}
		orders = len(ids)
		if err := s.Orders.EraseBuyer(tx, subjects, row, ids); err != nil {
			return err
		}
		return account.Delete(tx, row)
	})
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return nil, refusal
	}
	s.Accounts.NotifyDeleted(ctx, row)
	return &AccountDeleted{Success: true, Orders: orders}, nil
}
