// Package conversion reports orders to advertisers: a conversion is one order on its way to one
// receiver, such as Meta's Conversions API.
//
// The package is a consumer of the outbox, so that each order of a buyer who has consented is sent
// at least once, with the same event ID in every attempt. Receivers count an event once if it is
// repeated within [DoubtTime]: an attempt with an unknown result is repeated only that long. No
// transaction is open while an event is sent. A [Sender] implements the protocol of a receiver.
//
// A row of the queue has no personal data: an attempt reads the order, what led to it, and the
// buyer's browser, which is erased once every receiver has answered.
package conversion

import (
	"context"
	"log/slog"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/dispatch"
	"storefront/shop/money"
	"storefront/shop/secret"
	"storefront/shop/sequence"
)

// Config is the configuration of [Conversions]. Every field is required.
type Config struct {
	Data    access.Data // of the shop
	Now     func() time.Time
	IDs     *sequence.Source
	Log     *slog.Logger
	Secrets *secret.Store
	Runner  *dispatch.Runner // shared by all shops of the process: see [NewRunner]
	// Senders send events to the receivers. One that is missing receives nothing.
	Senders map[Receiver]Sender
	// IsWorking reports whether this process does the shop's work, among all servers.
	IsWorking func(context.Context) bool
	// Settings returns the shop's settings inside a transaction.
	Settings func(tx *db.Tx) (*ShopSettings, error)
	// Record stores whether a receiver works with its settings. isTest means that the event was sent
	// to prove it.
	Record func(ctx context.Context, receiver Receiver, isTest bool, a Answer)
	// Replaced is called when the access token of a receiver was replaced.
	Replaced func(tx *db.Tx, name string) error
}

// ShopSettings are the settings of a shop that conversions depend on.
type ShopSettings struct {
	Settings
	Currency money.Currency
	Home     string // URL of the shop's pages; "" if it has none
}

// Conversions holds the conversions of one shop. It is safe for concurrent use. Create one with
// [New].
type Conversions struct{ cfg Config }

// New returns the conversions of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Conversions { return &Conversions{cfg} }
