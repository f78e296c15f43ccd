// Package campaign owns what led buyers to the shop: the first and the last touch that are stored
// with an order, the visits of campaigns, and the money that was spent on them.
//
// It must not know orders beyond their numbers. Package sales has the report.
package campaign

import (
	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
)

// Config configures [Campaigns]. Every field is required.
type Config struct {
	Data access.Data
	// CurrencyIn returns the shop's currency inside a transaction.
	CurrencyIn func(tx *db.Tx) (money.Currency, error)
}

// Campaigns counts visits and stores spend. It is safe for concurrent use.
type Campaigns struct {
	data access.Data
	cfg  Config
}

// New returns the campaigns of a shop. It does not access the store.
func New(cfg Config) *Campaigns { return &Campaigns{data: cfg.Data, cfg: cfg} }
