package tenants

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// Days before a deletion.
const (
	defaultDeletionDays = 7
	maxDeletionDays     = 90
)

// DeletionInput is the input of [Tenants.DeleteShopLater].
type DeletionInput struct {
	Reason string `json:"reason" doc:"For staff members"`
	Days   *int   `json:"days,omitempty" doc:"From now, 1 to 90. Defaults to 7"`
}

// DeletionDate is the time at which a shop will be deleted.
type DeletionDate struct {
	DeleteAt time.Time `json:"deleteAt" doc:"Until then resumeShopAsOperator cancels it"`
}

// DeleteShopLater suspends a shop with a reason that its staff members read, and deletes it after
// some days. Until then they read their data, and [Tenants.ResumeShop] cancels the deletion. The
// data goes to the folder trash. Codes: tenant_not_found, validation_failed, unauthenticated,
// forbidden, proof_required.
func (t *Tenants) DeleteShopLater(ctx context.Context, caller access.Caller, uid string, in DeletionInput) (*DeletionDate, error) {
	var bad fault.Invalid
	if input.IsBlank(&in.Reason) {
		bad.Add("reason", fault.CodeRequired, "A reason is required: staff members of the shop read it.")
	}
	days := defaultDeletionDays
	if in.Days != nil {
		days = *in.Days
	}
	if days < 1 || days > maxDeletionDays {
		bad.Add("days", fault.CodeInvalidValue, "Must be 1 to %d.", maxDeletionDays)
	}
	as := shop.Suspension{Reason: in.Reason, DeleteAt: t.now().UTC().AddDate(0, 0, days).Truncate(time.Second)}
	if as.Check(&bad); bad.Err() != nil {
		return nil, bad.Err()
	}
	s, by, err := t.actOn(ctx, caller, access.ToDeleteShop, uid, access.Set("reason", as.Reason), access.Set("deleteAt", as.DeleteAt))
	if err != nil {
		return nil, err
	}
	if _, err := s.Suspend(ctx, by.Caller(), as); err != nil {
		return nil, err
	}
	t.overview.expire()
	return &DeletionDate{as.DeleteAt}, nil
}

// deletionPause is the interval at which a server deletes the shops that are due.
const deletionPause = 10 * time.Minute

// RunDeletions deletes shops at the time set by [Tenants.DeleteShopLater], until ctx ends. Several
// servers of a database may run it.
func (t *Tenants) RunDeletions(ctx context.Context, log *slog.Logger) {
	for {
		if err := t.deleteDue(ctx, log); err != nil && ctx.Err() == nil {
			log.Error("deletion of shops failed", "error", err)
		}
		if !sleep(ctx, deletionPause) {
			return
		}
	}
}

// deleteDue deletes the shops that are due. It opens only those.
func (t *Tenants) deleteDue(ctx context.Context, log *slog.Logger) error {
	rows, err := t.shopRows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.DeleteAt == nil || row.DeleteAt.After(t.now()) {
			continue
		}
		if err := t.deleteIfDue(ctx, row.UID, log); err != nil && !fault.HasCode(err, fault.CodeTenantNotFound) {
			log.Error("deletion of a shop failed", "tenant", row.UID, "error", err)
		}
	}
	return nil
}

// deleteIfDue deletes a shop unless it was resumed after the list was read.
func (t *Tenants) deleteIfDue(ctx context.Context, uid string, log *slog.Logger) error {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	if set.Suspension == nil || set.Suspension.DeleteAt.IsZero() || set.Suspension.DeleteAt.After(t.now()) {
		return nil
	}
	if err := t.Delete(ctx, uid); err != nil {
		return fmt.Errorf("delete shop %s: %w", uid, err)
	}
	t.overview.expire()
	log.Info("shop deleted", "tenant", uid, "reason", set.Suspension.Reason, "suspended at", set.Suspension.At)
	return nil
}
