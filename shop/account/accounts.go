package account

import (
	"context"
	"io"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/outbox"
	"storefront/shop/password"
	"storefront/shop/secret"
	"storefront/shop/sequence"
)

// Config is the configuration of [Accounts]. Every field is required unless its comment says
// otherwise.
type Config struct {
	Data    access.Data // of the shop
	Now     func() time.Time
	Rand    io.Reader
	IDs     *sequence.Source
	Hasher  *password.Hasher
	Secrets *secret.Store
	NewSMS  NewSMS  // nil means that no text messages are sent
	NewMail NewMail // nil means that no e-mails are sent

	// Settings returns the current settings of the shop.
	Settings func(ctx context.Context) (Settings, error)
	// PhoneVerified is called in the transaction of a sign-in with a code, which verifies the phone.
	PhoneVerified func(tx *db.Tx, customerID, phone string) error
	// EmailVerified is called in the transaction in which a code proves an e-mail address.
	EmailVerified func(tx *db.Tx, customerID, email string) error
	// ReleaseOrders turns the orders of an account with an e-mail address into a guest's.
	ReleaseOrders func(tx *db.Tx, customerID, email string) error
	// MoveOrders moves the orders of an account to another one.
	MoveOrders func(tx *db.Tx, from, to string) error
	// HasOrders reports whether an account has any order.
	HasOrders func(tx *db.Tx, customerID string) (bool, error)
	Observer  Observer
}

// Settings are the shop settings that accounts depend on.
type Settings struct {
	Name     string
	Country  string // ISO 3166, two letters: for parsing phone numbers
	Language Language
	Limits   Limits
	Work     []WorkPurpose // for which a proof of work is required
}

// RequiresWork reports whether the purpose requires a proof of work.
func (set Settings) RequiresWork(purpose WorkPurpose) bool { return slices.Contains(set.Work, purpose) }

// Observer is notified of messages. It must not block and must be safe for concurrent use.
type Observer interface {
	// MessageSent is called with the outcome of each text message.
	MessageSent(outcome SMSOutcome)
	// MailSent is called with the outcome of each e-mail.
	MailSent(outcome SMSOutcome)
}

// SMSOutcome is the outcome of sending a text message or an e-mail.
type SMSOutcome string

// Outcomes of sending a message.
const (
	SMSAccepted SMSOutcome = "sent"    // the gateway or mail server accepted it
	SMSRefused  SMSOutcome = "refused" // nothing was sent
	SMSUnknown  SMSOutcome = "unknown" // it may or may not have been sent
)

// SMSOutcomes returns every outcome.
func SMSOutcomes() []SMSOutcome { return []SMSOutcome{SMSAccepted, SMSRefused, SMSUnknown} }

// Accounts holds the customers' accounts of one shop. It is safe for concurrent use. Create one
// with [New].
type Accounts struct {
	cfg         Config
	sms         senderCache[SMS]
	mail        senderCache[Mailer]
	sending     chan struct{} // one element for each text message being sent
	sendingMail chan struct{} // one element for each e-mail being sent
}

// New returns the accounts of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Accounts {
	return &Accounts{cfg: cfg, sending: make(chan struct{}, maxSending), sendingMail: make(chan struct{}, maxSending)}
}

// updateOrRefuse runs fn in a write transaction, as [access.Data.Update] does, and returns the
// refusal if fn returns one. Unlike err, a refusal commits: the failure counted by fn must stay.
func (a *Accounts) updateOrRefuse(ctx context.Context, fn func(tx *db.Tx) (refusal, err error)) error {
	var refusal error
	err := a.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		refusal, err = fn(tx)
		return err
	})
	if err != nil {
		return err
	}
	return refusal
}

// replaceConfig replaces a sealed configuration. The audit log records it as the subject on.
func (a *Accounts) replaceConfig(ctx context.Context, who access.Staff, name string, on access.SubjectKind, config []byte) error {
	return a.cfg.Secrets.Replace(ctx, name, config, func(tx *db.Tx) error {
		change := access.Set("config", nil)
		if config != nil {
			change.After = access.Secret
		}
		if err := outbox.Append(tx, outbox.Event{Type: outbox.SettingsChanged, Subject: name}); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: on}, change)
	})
}
