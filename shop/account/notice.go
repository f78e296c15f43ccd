package account

import (
	"context"
	"strings"
	"time"

	"storefront/db"
)

// Budget of security notices, text messages that notify the owner of an account of a change. They are
// not sign-in codes and do not count towards the limits of those.
const (
	noticesPerPhone = 5  // a day
	noticeShare     = 10 // a shop sends one tenth of its daily messages as notices
	noticeWindow    = 24 * time.Hour
)

// notifyContactsChanged notifies the owner of an account of changed contacts, at the phone that was
// verified before the change. old and row are the account before and after it.
func (a *Accounts) notifyContactsChanged(ctx context.Context, old, row Account) {
	var changed []string
	if old.phone != nil && db.TextOf(old.phone) != db.TextOf(row.phone) {
		changed = append(changed, "phone number")
	}
	if db.TextOf(old.email) != db.TextOf(row.email) {
		changed = append(changed, "e-mail address")
	}
	if len(changed) > 0 {
		a.notifyOwner(ctx, old, "The "+strings.Join(changed, " and the ")+" of your account was changed.")
	}
}

// notifyOwner sends a security notice to the verified phone of an account, after the change has been
// committed. A notice that cannot be sent, or that exceeds its budget, is dropped: it never fails the
// change.
func (a *Accounts) notifyOwner(ctx context.Context, row Account, change string) {
	phone := row.VerifiedPhone()
	if phone == nil {
		return
	}
	ctx = context.WithoutCancel(ctx) // the change is committed, whether or not the caller waits
	sender, err := a.loadSMS(ctx)
	if err != nil {
		return
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil || !a.reserveNotice(ctx, *phone) {
		return
	}
	text := shortName(set.Name) + ": " + change + " If this was not you, contact the shop."
	_, _ = a.sendSMS(ctx, sender, *phone, text)
}

// reserveNotice reports whether the budget allows another notice to a phone, and counts it.
func (a *Accounts) reserveNotice(ctx context.Context, phone string) bool {
	t, err := a.loadThrottles(ctx)
	if err != nil {
		return false
	}
	budgets := []Throttle{
		{key: t.hash("notices to", phone), limit: noticesPerPhone, window: noticeWindow},
		{key: t.hash("notices"), limit: max(1, t.MessagesPerDay/noticeShare), window: noticeWindow},
	}
	err = a.update(ctx, func(_ context.Context, tx *db.Tx) error {
		for _, budget := range budgets {
			if err := budget.Check(tx); err != nil {
				return err
			}
		}
		for _, budget := range budgets {
			if err := budget.Count(tx); err != nil {
				return err
			}
		}
		return nil
	})
	return err == nil
}
