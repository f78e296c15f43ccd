package account

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/locale"
	"storefront/shop/password"
	"storefront/shop/secret"
	"storefront/shop/sender"
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
	Sender  *sender.Sender
	Log     *slog.Logger

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
}

// Settings are the shop settings that accounts depend on.
type Settings struct {
	Name     string
	Country  string // ISO 3166, two letters: for parsing phone numbers
	Language locale.Language
	Limits   Limits
	Work     []WorkPurpose // for which a proof of work is required
}

// RequiresWork reports whether the purpose requires a proof of work.
func (set Settings) RequiresWork(purpose WorkPurpose) bool { return slices.Contains(set.Work, purpose) }

// Accounts holds the customers' accounts of one shop. It is safe for concurrent use. Create one
// with [New].
type Accounts struct {
	cfg Config
}

// New returns the accounts of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Accounts { return &Accounts{cfg} }

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
