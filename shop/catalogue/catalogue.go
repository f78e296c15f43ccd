package catalogue

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
	"storefront/shop/sequence"
)

// CatalogueConfig sets what a [Catalogue] works with. Every field must be set, except Products.
type Config struct {
	Store *db.Store
	ID    db.ID // the tenant's UID
	Now   func() time.Time
	IDs   *sequence.Source
	// Currency returns the shop's currency.
	Currency func(ctx context.Context) (money.Currency, error)
	// Authorize returns an error unless the caller may change the catalogue and read drafts and stock.
	// Codes: unauthenticated, forbidden.
	Authorize func(ctx context.Context, caller access.Caller) error
	Products  *ProductCache // shared by all shops of the process; nil means that products are read each time
}

// Catalogue is the products, collections and stock of one shop. It is safe for concurrent use.
type Catalogue struct {
	store     *db.Store
	id        db.ID
	now       func() time.Time
	ids       *sequence.Source
	currency  func(ctx context.Context) (money.Currency, error)
	authorize func(ctx context.Context, caller access.Caller) error
	products  *ProductCache
	number    uint64 // among the shops of products
	totals    productTotals
}

// NewCatalogue returns the catalogue in the file of cfg.ID. It reads nothing yet.
func New(cfg Config) *Catalogue {
	return &Catalogue{
		store: cfg.Store, id: cfg.ID, now: cfg.Now, ids: cfg.IDs, currency: cfg.Currency, authorize: cfg.Authorize,
		products: cfg.Products, number: cfg.Products.number(),
	}
}

func (c *Catalogue) view(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return c.store.View(ctx, c.id, fn)
}

// viewOne is view for a function of one statement.
func (c *Catalogue) viewOne(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return c.store.ViewOne(ctx, c.id, fn)
}

func (c *Catalogue) update(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return c.store.Update(ctx, c.id, fn)
}

// updateAlone is update for a function that writes many rows.
func (c *Catalogue) updateAlone(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return c.store.UpdateAlone(ctx, c.id, fn)
}
