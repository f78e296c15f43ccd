package order

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// RemoveCredit removes a credit line that was recorded by mistake. Its units leave the stock again,
// and the buyer is to pay its amount. A credit of a refund requires the permission to refund.
// Codes: not_found, forbidden, state_conflict (the order is closed, money was refunded for the
// credit, or its units have been sold).
func (s *Orders) RemoveCredit(
	ctx context.Context, caller access.Caller, invoiceUID, creditID string,
) (*StaffOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return s.changeStaffOrder(ctx, caller, access.ToRemoveCredit, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			return nil, s.changeAsStaff(tx, o, who).removeCredit(who, creditID, set)
		})
}

// removeCredit is the change of [Orders.RemoveCredit].
func (c *orderChange) removeCredit(who access.Staff, creditID string, set *Settings) error {
	o := c.o
	i := slices.IndexFunc(o.credits, func(credit creditRow) bool { return credit.id == creditID })
	if i < 0 {
		return fault.Errorf(fault.CodeNotFound, "The order has no such credit.")
	}
	if err := o.checkRemoveCredit(); err != nil {
		return err
	}
	credit := o.credits[i]
	if !credit.uncollected && !who.Permits(access.PaymentsWrite) {
		return fault.Errorf(fault.CodeForbidden, "Your role does not include this. An owner of the shop can allow it.")
	}
	o.credits = slices.Delete(slices.Clone(o.credits), i, i+1)
	if credit.uncollected {
		o.roundNotAccepted(set)
	}
	if err := c.applyCredits(); err != nil {
		return err
	}
	if err := c.checkNotRefunded(credit, set.Currency); err != nil {
		return err
	}
	if credit.uncollected && !o.hasNotAccepted() {
		if err := c.reopenPartBack(); err != nil {
			return err
		}
	}
	return c.save()
}

// checkRemoveCredit is the rule of [Orders.RemoveCredit].
func (o *orderRow) checkRemoveCredit() error {
	switch {
	case o.status.IsClosed():
		return fault.StatusConflict(o.status, "The order is %s: its credits cannot be removed.", o.status)
	case len(o.credits) == 0:
		return fault.Errorf(fault.CodeStateConflict, "The order has no credits.")
	}
	return nil
}

// checkNotRefunded checks that nothing was refunded for a credit that was just removed: the other
// credits and an overpayment cover what was sent back or is on its way. Codes: state_conflict.
func (c *orderChange) checkNotRefunded(removed creditRow, currency money.Currency) error {
	o := c.o
	underWay, err := o.refundsUnderWay(c.tx)
	if err != nil {
		return err
	}
	covered := o.credited - o.uncollected + max(0, o.paid-(o.total-o.uncollected))
	excess := min(removed.amount, o.refunded+underWay-covered)
	if excess <= 0 {
		return nil
	}
	e := fault.Errorf(fault.CodeStateConflict,
		"The buyer was refunded %s for this credit, or it is on its way: the credit cannot be removed.",
		currency.Text(excess))
	e.Details = map[string]any{"refundedAmount": excess}
	return e
}

// roundNotAccepted rounds the rest of a cash order again, after a change of its credits for units
// that were not accepted. An amount that staff stated remains.
func (o *orderRow) roundNotAccepted(set *Settings) {
	last, rest := -1, o.total
	for i, credit := range o.credits {
		if !credit.uncollected {
			rest -= credit.amount
			continue
		}
		share := o.items[credit.position-1].shareOf(credit.quantity)
		if rounded := credit.amount - share; rounded < 0 || set.cashRoundingOf(rounded) != 0 {
			return
		}
		last, rest = i, rest-share
	}
	if last < 0 || o.method != status.PayCOD {
		return
	}
	for i := range o.credits {
		if credit := &o.credits[i]; credit.uncollected {
			credit.amount = o.items[credit.position-1].shareOf(credit.quantity)
		}
	}
	o.credits[last].amount += set.cashRoundingOf(max(0, rest))
}

// hasNotAccepted reports whether units are recorded that the buyer did not accept.
func (o *orderRow) hasNotAccepted() bool {
	return slices.ContainsFunc(o.credits, func(credit creditRow) bool { return credit.uncollected })
}

// resolvePartBack marks the flags for a part that came back as resolved: it is recorded.
func (c *orderChange) resolvePartBack() error { return c.setPartBack(&c.now) }

// reopenPartBack raises the flags for a part that came back again: it is no longer recorded.
func (c *orderChange) reopenPartBack() error { return c.setPartBack(nil) }

func (c *orderChange) setPartBack(resolvedAt *int64) error {
	n, err := c.tx.Exec(`
		UPDATE order_flags
		SET resolved_at = ?
		WHERE order_id = ? AND code = ? AND message = ?`, resolvedAt, c.o.id, FlagCourierProblem, plugin.PartBack)
	if err != nil {
		return fmt.Errorf("update flags of a part: %w", err)
	}
	c.wrote.flags = c.wrote.flags || n > 0
	return nil
}
