// Package sales reports what a shop has sold, by day, product, courier and other groups. It stores
// the sums of past days, so that a report of a year reads no order.
//
// It owns the reports, the sums and their SQL, in which orders are read. It must not change an
// order or know who else writes one: whatever changes the sums of a day without an event calls
// [InvalidateOrder], [InvalidateBuyer] or [InvalidateShipments] in its own transaction.
package sales

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
)

// Config configures [Reports]. Every field is required.
type Config struct {
	Data access.Data
	Now  func() time.Time
	// Settings returns the settings of the shop that reports depend on.
	Settings func(ctx context.Context) (Settings, error)
	// ZoneIn returns the shop's time zone inside a transaction.
	ZoneIn func(tx *db.Tx) (*time.Location, error)
}

// Settings are the settings of the shop that reports depend on.
type Settings struct {
	Currency money.Currency
	Zone     *time.Location // of the days
	Country  string         // ISO 3166, two letters: how names of cities are compared
}

// Reports counts what a shop has sold. It is safe for concurrent use.
type Reports struct {
	cfg Config
}

// New returns the reports of the shop whose data cfg has. It does not access the store.
func New(cfg Config) *Reports { return &Reports{cfg} }
