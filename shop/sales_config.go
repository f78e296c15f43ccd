package shop

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
)

// ReportsConfig configures [Reports]. Every field is required.
type ReportsConfig struct {
	Data access.Data
	Now  func() time.Time
	// Settings returns the settings of the shop that reports depend on.
	Settings func(ctx context.Context) (ReportsSettings, error)
	// ZoneIn returns the shop's time zone inside a transaction.
	ZoneIn func(tx *db.Tx) (*time.Location, error)
}

// ReportsSettings are the settings of the shop that reports depend on.
type ReportsSettings struct {
	Currency money.Currency
	Zone     *time.Location // of the days
	Country  string         // ISO 3166, two letters: how names of cities are compared
}

// Reports counts what a shop has sold. It is safe for concurrent use.
type Reports struct {
	cfg ReportsConfig
}

// NewReports returns the reports of the shop whose data cfg has. It does not access the store.
func NewReports(cfg ReportsConfig) *Reports { return &Reports{cfg} }
