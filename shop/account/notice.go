package account

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/throttle"
)

// Budget of security notices, messages that notify the owner of an account of a change. They do not
// count towards the limits of codes.
const (
	noticesPerContact = 5  // a day; the first has a budget of its own
	noticeShare       = 10 // a shop sends one tenth of its daily messages as further notices
	noticeWindow      = 24 * time.Hour
)

// accountChange is a change that the owner of an account is notified of.
type accountChange int

// The changes.
const (
	passwordChanged accountChange = iota
	passwordEnded                 // by the shop
	phoneChanged
	emailChanged
	accountsJoined
	accountDeleted
	passkeyAdded
	passkeyRemoved
)

// notifyContactsChanged notifies the owner of an account of changed contacts, at the contacts that
// were verified before. old and row are the account before and after it.
func (a *Accounts) notifyContactsChanged(ctx context.Context, old, row Account) {
	var changes []accountChange
	if old.phone != nil && db.TextOf(old.phone) != db.TextOf(row.phone) {
		changes = append(changes, phoneChanged)
	}
	if db.TextOf(old.email) != db.TextOf(row.email) {
		changes = append(changes, emailChanged)
	}
	if len(changes) > 0 {
		a.notifyOwner(ctx, old, changes...)
	}
}

// notifyOwner sends a security notice to the verified contacts of an account, after the change has
// been committed, and returns the kinds of contacts that it was sent to. A notice that cannot be
// sent, or that exceeds its budget, is dropped: it never fails the change.
func (a *Accounts) notifyOwner(ctx context.Context, row Account, changes ...accountChange) (sent []string) {
	sent = []string{}
	ctx = context.WithoutCancel(ctx) // the change is committed even if the caller does not wait
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return sent
	}
	if phone := row.VerifiedPhone(); phone != nil {
		reaches, err := a.cfg.Sender.ReachesPhone(ctx, *phone)
		if err == nil && reaches && a.reserveNotice(ctx, byPhone, *phone) {
			texts := smsTexts(set.Language)
			text := sender.Compose(set.Language, texts.notice, set.Name, texts.change(changes))
			if _, err := a.cfg.Sender.SendText(ctx, *phone, text); err == nil {
				sent = append(sent, "phone")
			}
		}
	}
	if email := row.VerifiedEmail(); email != nil {
		err := a.cfg.Sender.CheckMail(ctx)
		if err == nil && a.reserveNotice(ctx, byEmail, *email) {
			notice := mailTexts(set.Language).notice(*email, set.Name, changes)
			if _, err := a.cfg.Sender.SendMail(ctx, notice); err == nil {
				sent = append(sent, "email")
			}
		}
	}
	return sent
}

// reserveNotice reports whether the budget allows another notice to a contact, and counts it. The
// first notice of a day to a contact counts towards a budget that is as large as the shop's daily
// messages: changing a few accounts all the time does not silence the others.
func (a *Accounts) reserveNotice(ctx context.Context, kind contactKind, contact string) bool {
	t, err := a.loadThrottles(ctx)
	if err != nil {
		return false
	}
	suffix, perDay := "", t.MessagesPerDay
	if kind == byEmail {
		suffix, perDay = " by e-mail", t.EmailsPerDay
	}
	budget := func(limit int64, name string, parts ...string) throttle.Throttle {
		return throttle.New(t.Hash(name, parts...), limit, noticeWindow)
	}
	first := []throttle.Throttle{
		budget(1, "first notice to", contact), budget(perDay, "first notices"+suffix),
	}
	further := []throttle.Throttle{
		budget(noticesPerContact-1, "notices to", contact),
		budget(max(1, perDay/noticeShare), "notices"+suffix),
	}
	err = a.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		budgets := first
		if err := throttle.CheckAll(tx, first); fault.HasCode(err, fault.CodeRateLimited) {
			budgets = further
		}
		if err := throttle.CheckAll(tx, budgets); err != nil {
			return err
		}
		return throttle.CountAll(tx, budgets)
	})
	return err == nil
}
