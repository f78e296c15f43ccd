// Package cash accounts for a shop's cash on delivery: the ledger of what couriers have to collect,
// have collected, deduct and pay out, their statements, and what each of them holds.
//
// It owns the ledger's entries, its sums and its SQL, in which orders and shipments are read. It
// must not change an order or know who else counts fees: what follows from a statement is passed as
// functions in [Config]. Orders add what they learn of a shipment's cash with [Ledger.AddEntry] and
// [Ledger.Sync], in their own transaction.
package cash

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/sequence"
)

// Config configures a [Ledger]. Every field is required.
type Config struct {
	Data access.Data
	Now  func() time.Time
	IDs  *sequence.Source
	// Settings returns the settings of the shop that reports depend on.
	Settings func(ctx context.Context) (Settings, error)
	// CurrencyIn returns the shop's currency inside a transaction.
	CurrencyIn func(tx *db.Tx) (money.Currency, error)
	// Rates returns the couriers' shares of the collected cash.
	Rates func(ctx context.Context) (Rates, error)
	// Search returns the finder of the orders that have the words of a text, nil if it has no words,
	// and the state of a search index that is behind.
	Search func(ctx context.Context, text string) (OrderFinder, *page.Indexing, error)
	// Follow updates orders after a courier's statement about their shipments.
	Follow func(tx *db.Tx, courier plugin.Provider, orderIDs []string) error
	// FeesChanged follows a change of the fees of shipments.
	FeesChanged func(tx *db.Tx, shipmentIDs []string) error
}

// Settings are the settings of the shop that reports depend on.
type Settings struct {
	Currency money.Currency
	Zone     *time.Location // of the times in files
}

// OrderFinder returns the query of the numbers of the orders that it finds.
type OrderFinder func(tx *db.Tx) (query string, args []any, err error)

// Ledger has a shop's cash on delivery. It is safe for concurrent use.
type Ledger struct {
	cfg Config
}

// New returns the ledger of the shop whose data cfg has. It does not access the store.
func New(cfg Config) *Ledger { return &Ledger{cfg} }
