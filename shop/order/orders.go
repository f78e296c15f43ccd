package order

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/inbox"
	"storefront/shop/job"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/secret"
	"storefront/shop/sequence"
	"storefront/shop/status"
)

// Config configures [Orders]. Every field is required, unless its comment says otherwise.
type Config struct {
	Data      access.Data
	Now       func() time.Time
	IDs       *sequence.Source
	Log       *slog.Logger
	Secrets   *secret.Store
	Catalogue *catalogue.Catalogue
	Accounts  *account.Accounts
	Inbox     *inbox.Inbox
	Cash      *cash.Ledger
	Observer  Observer
	Placed    func()          // called after the commit of each order, except test orders; may be nil
	Plugins   []plugin.Plugin // may be nil
	// PublicURL is the server's address as providers know it, without a slash at its end.
	PublicURL string
	// Settings returns the settings that orders depend on. The result is not modified.
	Settings func(context.Context) (*Settings, error)
	// Checkout returns the same settings with the gateways that are ready.
	Checkout func(context.Context) (CheckoutSettings, error)
	// CurrencyIn and ZoneIn return the shop's currency and time zone inside a transaction.
	CurrencyIn func(tx *db.Tx) (money.Currency, error)
	ZoneIn     func(tx *db.Tx) (*time.Location, error)
	// Plugin returns the plugin of a provider with the shop's access in a mode; "" means the active
	// one. ok is false if the shop has no such plugin or a setting of the capability is missing.
	Plugin func(
		ctx context.Context, provider plugin.Provider, can plugin.Capability, mode plugin.Mode,
	) (adapter *plugin.Plugin, access plugin.Access, ok bool, err error)
	// MissingSettings returns the names of the settings that a plugin lacks for a capability.
	MissingSettings func(
		ctx context.Context, provider plugin.Provider, can plugin.Capability, mode plugin.Mode,
	) ([]string, error)
	// SaveCashRate saves the share of collected cash that a courier reports, unless it is set.
	SaveCashRate func(ctx context.Context, caller access.Caller, provider plugin.Provider, rate int64) error
	// CreateJob creates a job on many orders.
	CreateJob func(context.Context, access.Caller, job.Request) (*job.Job, error)
	// Followers bring up to date what depends on an order, in their order.
	Followers []Follower
}

// Observer receives events of orders after they are committed.
type Observer interface {
	// AttemptMoved is called for every status of a payment attempt, including its first.
	AttemptMoved(method status.PaymentMethod, to status.Attempt)
}

// Orders are the orders of a shop with their coupons, payments, refunds and shipments. They are
// safe for concurrent use.
type Orders struct {
	cfg  Config
	data access.Data
	now  func() time.Time
	ids  *sequence.Source

	courierSweeps courierSweeps  // bounds the queries to couriers
	courierLists  courierLists   // places of couriers
	balances      accountCache   // at couriers
	couponLocks   [16]sync.Mutex // each serialises the coupon codes of some of the clients
	// starting are the payment attempts being started at their gateways, by id.
	starting singleflight.Group
}

// New returns the orders of a shop. It does not access the store.
func New(cfg Config) *Orders {
	return &Orders{cfg: cfg, data: cfg.Data, now: cfg.Now, ids: cfg.IDs}
}

// UID returns the tenant's UID.
func (s *Orders) UID() string { return string(s.data.ID) }

// providerURL returns the address of a path of the server that the tenant's UID follows.
func (s *Orders) providerURL(path string) string { return s.cfg.PublicURL + path + s.UID() }
