package shop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/secret"
	"storefront/shop/staff"
)

// Backlog is overdue work of a shop, for staff or for the server's background work.
type Backlog struct {
	// NeedReview and RefundDue count payment attempts by status: staff must resolve or refund them.
	NeedReview, RefundDue int
	// UnclearRefunds counts refunds with a result that staff must look up at the gateway, or that the
	// gateway has not confirmed for over an hour.
	UnclearRefunds int
	// FailedStarts counts the payments of the last day that could not be started. FailedStart is the
	// reason of the last one, in the gateway's words.
	FailedStarts int
	FailedStart  string
	// Overdue counts payment attempts with a status check at the gateway that is over an hour late.
	Overdue int
	// Unmatched, Failed and Stored count webhooks that were not applied, by verdict: they match no
	// record, processing them failed, or they were stored over an hour ago.
	Unmatched, Failed, Stored int
	// Refused counts the webhooks of the last day that were refused, such as with a wrong secret.
	Refused int
	// Incomplete are the plugins that have some settings but lack others, in the active mode.
	Incomplete []string
	// KeysEnding counts the API keys that have expired or will within a week.
	KeysEnding int
	// DisabledEndpoints counts the webhook endpoints that the program has disabled.
	DisabledEndpoints int
	// Flags counts the open flags of orders; see [order.Orders.ListFlags].
	Flags int
	// Unanswered are orders with a booking without a response, Stray are cancelled or expired
	// orders with an open shipment: at most 10 invoice UIDs each.
	Unanswered, Stray []string
	// Moving reports whether the shop has an unfinished move to another place.
	Moving bool
}

// backlogAge is the age from which unfinished background work counts as a backlog.
const backlogAge = time.Hour

// failedStartAge is the time for which a failed start of a payment belongs to the backlog.
const failedStartAge = 24 * time.Hour

// countBacklogQuery counts overdue work, each kind from an index of open work.
const countBacklogQuery = `
		SELECT
			(SELECT COUNT(*) FROM payment_attempts WHERE status = 'needs_review' AND ` + order.AttemptWaits + `),
			(SELECT COUNT(*) FROM payment_attempts WHERE status = 'refund_due' AND ` + order.AttemptWaits + `),
			(SELECT COUNT(*) FROM refunds WHERE status IN ('requested', 'unclear') AND (status = 'unclear' OR created_at <= ?)),
			(SELECT COUNT(*) FROM payment_attempts WHERE error_code <> '' AND created_at > ?),
			(SELECT COUNT(*) FROM payment_checks WHERE due_at <= ?) +
			(SELECT COUNT(*) FROM refunds WHERE due_at <= ?) +
			(SELECT COUNT(*) FROM payment_attempts a WHERE a.status IN ('initiated', 'pending') AND a.created_at <= ?
				AND NOT EXISTS (SELECT 1 FROM payment_checks c WHERE c.attempt_id = a.id)),
			(SELECT COUNT(*) FROM provider_webhooks WHERE verdict = 'unmatched'),
			(SELECT COUNT(*) FROM provider_webhooks WHERE verdict = 'failed'),
			(SELECT COUNT(*) FROM provider_webhooks WHERE verdict = 'stored' AND received_at <= ?),
			(SELECT COUNT(*) FROM order_flags WHERE resolved_at IS NULL),
			(SELECT COUNT(*) FROM webhook_endpoints WHERE disabled_reason IS NOT NULL),
			(SELECT COALESCE(SUM(received), 0) FROM refused_webhooks WHERE at > ?)`

// FindBacklog returns the overdue work, for staff and for the command doctor. Counts of payments
// are zero without the permission payments.read, and counts of plugins without providers.read. The
// orders are omitted without orders.read. Codes: unauthenticated, forbidden.
func (s *Shop) FindBacklog(ctx context.Context, caller access.Caller) (backlog Backlog, err error) {
	who, err := s.data.Authorize(ctx, caller, access.ToFindBacklog)
	if err != nil {
		return Backlog{}, err
	}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		before := db.Millis(tx.Now().Add(-backlogAge))
		err := tx.QueryRow(countBacklogQuery,
			before, db.Millis(tx.Now().Add(-failedStartAge)), before, before, before, before,
			db.Millis(tx.Now().Add(-refusedShown))).
			Scan(&backlog.NeedReview, &backlog.RefundDue, &backlog.UnclearRefunds, &backlog.FailedStarts, &backlog.Overdue,
				&backlog.Unmatched, &backlog.Failed, &backlog.Stored, &backlog.Flags, &backlog.DisabledEndpoints,
				&backlog.Refused)
		if err != nil {
			return fmt.Errorf("count backlog: %w", err)
		}
		if err := backlog.findFailedStart(tx); err != nil {
			return err
		}
		if backlog.KeysEnding, err = staff.CountEndingKeys(tx); err != nil {
			return err
		}
		if !who.Permits(access.PaymentsRead) {
			backlog.NeedReview, backlog.RefundDue, backlog.UnclearRefunds, backlog.FailedStarts, backlog.FailedStart = 0, 0, 0, 0, ""
		}
		if !who.Permits(access.OrdersRead) {
			return nil
		}
		return backlog.findShipments(tx)
	})
	if err == nil && who.Permits(access.ProvidersRead) {
		backlog.Incomplete, err = s.findIncompletePlugins(ctx)
	} else {
		backlog.Refused = 0
	}
	backlog.Moving = s.isMoving()
	return backlog, err
}

// findIncompletePlugins returns the plugins with settings that lack others of a capability.
// Settings that do not open are a finding of the command doctor.
func (s *Shop) findIncompletePlugins(ctx context.Context) (names []string, err error) {
	set, values, err := s.loadPluginValues(ctx)
	if errors.Is(err, secret.ErrSealed) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range s.plugins {
		status := pluginStatus(&s.plugins[i], set.ActiveMode, values[s.plugins[i].Provider])
		if status.Configured && slices.ContainsFunc(status.Capabilities, func(c PluginCapability) bool { return !c.Ready }) {
			names = append(names, string(status.Provider))
		}
	}
	return names, nil
}

const failedStartQuery = `
	SELECT a.method, COALESCE(c.reason, '')
	FROM payment_attempts a
	LEFT JOIN payment_checks c ON c.attempt_id = a.id
	WHERE a.error_code <> ''
	ORDER BY a.created_at DESC, a.id DESC
	LIMIT 1`

// findFailedStart finds the reason of the newest failed start of a payment.
func (b *Backlog) findFailedStart(tx *db.Tx) error {
	if b.FailedStarts == 0 {
		return nil
	}
	var method, reason string
	err := tx.QueryRow(failedStartQuery).Scan(&method, &reason)
	if err != nil {
		return fmt.Errorf("find failed start: %w", err)
	}
	b.FailedStart = method + ": " + reason
	return nil
}

func (b *Backlog) findShipments(tx *db.Tx) (err error) {
	b.Unanswered, b.Stray, err = order.FindUnfinishedShipments(tx)
	return err
}
