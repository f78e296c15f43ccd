package staff

import (
	"context"
	"io"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/password"
	"storefront/shop/secret"
	"storefront/shop/sequence"
)

// Config is the configuration of [Staff]. Every field is required unless its comment says
// otherwise.
type Config struct {
	Store   *db.Store
	ID      db.ID // of the shop
	Now     func() time.Time
	Rand    io.Reader
	IDs     *sequence.Source
	Hasher  *password.Hasher
	Secrets *secret.Store
	// Settings returns the current settings of the shop.
	Settings func(ctx context.Context) (Settings, error)
	// SendText sends a text message to a phone number in E.164. An error of code sms_unavailable means
	// that nothing was sent; after any other error that is unknown.
	SendText func(ctx context.Context, to, text string) (messageID string, err error)
	// IsCustomer reports whether the caller has sent a valid access token of a customer.
	IsCustomer func(ctx context.Context, caller access.Caller) (bool, error)
	// DemoLink is a token that signs in as the shop's first owner, any number of times; "" if there is
	// none.
	DemoLink string
	// IsOperatorSignedIn reports whether the session of an operator in the installation, by its ID,
	// has not ended. nil means that no operator enters the shop.
	IsOperatorSignedIn func(ctx context.Context, sessionID string) (bool, error)
	// Operators means that the data is the installation's: its members are operators of the server.
	Operators bool
}

// Settings are the shop settings that staff members depend on.
type Settings struct {
	Name                string
	Country             string // ISO 3166, two letters: how phone numbers are read
	RequireSecondFactor Requirement
	// WrongPasswords is the number of wrong passwords for a user from one client address before
	// further attempts are delayed.
	WrongPasswords int64
	// WrongPasswordsPerMember is the number of wrong passwords for a user in an hour, from all
	// addresses. Beyond it, addresses that never signed in as that user must wait.
	WrongPasswordsPerMember int64
}

// Staff holds the staff members, API keys and audit log of one shop. It is safe for concurrent use.
// Create one with [New].
type Staff struct {
	cfg      Config
	data     access.Data
	maxAudit int // entries of the audit log
}

// New returns the staff of the shop cfg.ID in cfg.Store. It reads nothing.
func New(cfg Config) *Staff {
	s := &Staff{cfg: cfg, maxAudit: maxAuditRows}
	s.data = access.Data{Store: cfg.Store, ID: cfg.ID, Authorize: s.Authorize}
	return s
}

// updateOrRefuse runs fn in a write transaction, as [access.Data.Update] does, and returns the
// refusal if fn returns one. A refusal commits, unlike err: the failure that fn has counted must
// stay.
func (s *Staff) updateOrRefuse(ctx context.Context, fn func(tx *db.Tx) (refusal, err error)) error {
	var refusal error
	err := s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		refusal, err = fn(tx)
		return err
	})
	if err != nil {
		return err
	}
	return refusal
}
