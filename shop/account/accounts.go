package account

import (
	"context"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/password"
	"storefront/shop/secret"
	"storefront/shop/sequence"
)

// Config is the configuration of [Accounts]. Every field is required unless its comment says
// otherwise.
type Config struct {
	Store   *db.Store
	ID      db.ID // of the shop
	Now     func() time.Time
	Rand    io.Reader
	IDs     *sequence.Source
	Hasher  *password.Hasher
	Secrets *secret.Store
	NewSMS  NewSMS // nil means that no text messages are sent

	// Settings returns the current settings of the shop.
	Settings func(ctx context.Context) (Settings, error)
	// Authorize returns an error unless the caller may administer the shop.
	// Codes: unauthenticated, forbidden.
	Authorize func(ctx context.Context, caller access.Caller) error
	// PhoneVerified is called in the transaction in which a customer signs in with a code, which
	// verifies the phone.
	PhoneVerified func(tx *db.Tx, customerID, phone string) error
	// HasOrders reports whether an account has any order.
	HasOrders func(tx *db.Tx, customerID string) (bool, error)
	Observer  Observer
}

// Settings are the shop settings that accounts depend on.
type Settings struct {
	Name    string
	Country string // ISO 3166, two letters: how phone numbers are read
	Limits  Limits
	Work    []WorkPurpose // for which a proof of work is required
}

// RequiresWork reports whether the purpose requires a proof of work.
func (set Settings) RequiresWork(purpose WorkPurpose) bool { return slices.Contains(set.Work, purpose) }

// Observer is notified of text messages. It must not block and must be safe for concurrent use.
type Observer interface {
	// MessageSent is called with the outcome of each text message.
	MessageSent(outcome SMSOutcome)
}

// SMSOutcome is the outcome of sending a text message.
type SMSOutcome string

// Outcomes of sending a text message.
const (
	SMSAccepted SMSOutcome = "sent"    // the gateway accepted it
	SMSRefused  SMSOutcome = "refused" // nothing was sent
	SMSUnknown  SMSOutcome = "unknown" // it may or may not have been sent
)

// SMSOutcomes returns every outcome.
func SMSOutcomes() []SMSOutcome { return []SMSOutcome{SMSAccepted, SMSRefused, SMSUnknown} }

// Accounts are the customers' accounts of one shop. It is safe for concurrent use. Create one with
// [New].
type Accounts struct {
	cfg     Config
	sms     atomic.Pointer[cachedSMS]
	sending chan struct{} // one element for each text message being sent
}

// New returns the accounts of the shop whose file cfg.Store has under cfg.ID. It reads nothing.
func New(cfg Config) *Accounts {
	return &Accounts{cfg: cfg, sending: make(chan struct{}, maxSending)}
}

func (a *Accounts) view(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return a.cfg.Store.View(ctx, a.cfg.ID, fn)
}

// update runs fn in a write transaction. fn may run again, so it assigns its results and has no
// effect outside the transaction.
func (a *Accounts) update(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return a.cfg.Store.Update(ctx, a.cfg.ID, fn)
}
