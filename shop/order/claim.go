package order

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/outbox"
)

// claimLifetime is the lifetime of a claim after its holder's last activity.
const claimLifetime = 5 * time.Minute

// Claim states who works on an order. It is shown to others and prevents nothing.
type Claim struct {
	By    *access.Actor `json:"claimedBy"` // null if there is nobody
	Until *time.Time    `json:"claimedUntil"`
	Own   bool          `json:"own"` // the caller has the claim
}

// claimState is the stored claim of an order.
type claimState struct {
	by    *string // as JSON; nil if there is nobody
	until *int64
}

// holder returns the holder of the claim; nil if there is none.
func (c *claimState) holder(now time.Time) (*access.Actor, error) {
	if c.by == nil || c.until == nil || *c.until <= db.Millis(now) {
		return nil, nil
	}
	actor, err := parseActor(*c.by)
	return &actor, err
}

// ClaimOrder records that the caller works on an order for the next five minutes, unless somebody
// else does, and returns the holder. It renews the caller's claim; so does every change of the
// order by the caller. Codes: not_found.
func (s *Orders) ClaimOrder(ctx context.Context, caller access.Caller, invoiceUID string) (*Claim, error) {
	return s.changeClaim(ctx, caller, access.ToClaimOrder, invoiceUID, func(tx *db.Tx, who access.Staff, o *orderRow, holder *access.Actor) error {
		if holder != nil && !isSame(*holder, who.Actor()) {
			return nil
		}
		text, err := formatActor(who.Actor())
		if err != nil {
			return err
		}
		o.claim = claimState{&text, new(db.Millis(tx.Now().Add(claimLifetime)))}
		if err := saveClaim(tx, o); err != nil {
			return err
		}
		if holder != nil {
			return nil
		}
		return s.publishClaim(tx, who, o)
	})
}

// ReleaseOrder ends the caller's claim of an order, and returns the claim of another caller. Codes:
// not_found.
func (s *Orders) ReleaseOrder(ctx context.Context, caller access.Caller, invoiceUID string) (*Claim, error) {
	return s.changeClaim(ctx, caller, access.ToReleaseOrder, invoiceUID, func(tx *db.Tx, who access.Staff, o *orderRow, holder *access.Actor) error {
		if holder == nil || !isSame(*holder, who.Actor()) {
			return nil
		}
		o.claim = claimState{}
		if err := saveClaim(tx, o); err != nil {
			return err
		}
		return s.publishClaim(tx, who, o)
	})
}

// changeClaim runs change on an order with the holder of its claim, and returns the new holder.
func (s *Orders) changeClaim(
	ctx context.Context, caller access.Caller, use access.UseCase, invoiceUID string,
	change func(tx *db.Tx, who access.Staff, o *orderRow, holder *access.Actor) error,
) (*Claim, error) {
	return access.Write(ctx, s.data, caller, use,
		func(tx *db.Tx, who access.Staff) (*Claim, error) {
			o, err := findClaimed(tx, invoiceUID)
			if err != nil {
				return nil, err
			}
			holder, err := o.claim.holder(tx.Now())
			if err == nil {
				err = change(tx, who, o, holder)
			}
			if err != nil {
				return nil, err
			}
			return o.claimView(tx.Now(), who)
		})
}

// claimView returns the order's claim in the form for the caller.
func (o *orderRow) claimView(now time.Time, who access.Staff) (*Claim, error) {
	holder, err := o.claim.holder(now)
	if err != nil {
		return &Claim{}, err
	}
	if holder == nil {
		return &Claim{}, nil
	}
	return &Claim{By: holder, Until: timeOfMillis(o.claim.until), Own: isSame(*holder, who.Actor())}, nil
}

// publishClaim audits that a claim began or ended and publishes it, so that others see it
// immediately.
func (s *Orders) publishClaim(tx *db.Tx, who access.Staff, o *orderRow) error {
	if err := who.Audit(tx, o.subject()); err != nil {
		return err
	}
	return outbox.Append(tx, o.event(outbox.OrderEdited, string(o.status)))
}

// renewClaim renews the claim of a caller who changes an order.
func renewClaim(tx *db.Tx, who access.Staff, o *orderRow) error {
	holder, err := o.claim.holder(tx.Now())
	if err != nil {
		return err
	}
	if holder == nil || !isSame(*holder, who.Actor()) {
		return nil
	}
	o.claim.until = new(db.Millis(tx.Now().Add(claimLifetime)))
	return saveClaim(tx, o)
}

// findClaimed returns an order without its parts. Codes: not_found.
func findClaimed(tx *db.Tx, invoiceUID string) (*orderRow, error) {
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	rows, err := findOrderParts(tx, []string{uid})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoOrder()
	}
	return rows[0], nil
}

func saveClaim(tx *db.Tx, o *orderRow) error {
	n, err := tx.Exec(`
		UPDATE orders
		SET claimed_by = ?, claimed_until = ?
		WHERE number = ?`, o.claim.by, o.claim.until, o.number)
	if err == nil && n != 1 {
		err = errors.New("no such order")
	}
	if err != nil {
		return fmt.Errorf("save claim: %w", err)
	}
	return nil
}
