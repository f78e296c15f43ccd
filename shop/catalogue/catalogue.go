// Package catalogue implements the catalogue of a shop: products with their variants and images,
// collections, search, stock and its movements, and product files. Files of Shopify, Matrixify and
// WooCommerce are imported; the export has Shopify's format.
//
// It owns their types, rules, use cases and SQL. It must not depend on orders, accounts or any
// other part of the shop: its needs (the currency, the authorization of a caller) are passed as
// functions in [Config]. Orders reserve and release stock through [ReserveVariants],
// [ReleaseVariant] and [Catalogue.RecordMovements], in their own transaction.
package catalogue

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/sequence"
)

// Config configures a [Catalogue]. Every field is required unless its comment says otherwise.
type Config struct {
	Data access.Data
	Now  func() time.Time
	IDs  *sequence.Source
	// Currency returns the shop's currency.
	Currency func(ctx context.Context) (money.Currency, error)
	// TimeZone returns the zone of the shop's days.
	TimeZone func(ctx context.Context) (*time.Location, error)
	// SecondLanguage returns the language into which texts can be translated; "" means none. nil means
	// that there is none.
	SecondLanguage func(ctx context.Context) (locale.Language, error)
	// Synonyms returns the synonyms of the shop's search. nil means the built-in ones.
	Synonyms func(ctx context.Context) (*Synonyms, error)
	// MediaAddress returns the URL below which the files of uploaded images are served.
	MediaAddress func(ctx context.Context) (MediaAddress, error)
	// Media creates and stores the files of uploaded images; nil means that none can be uploaded.
	Media MediaFiles
	// MediaQuota limits the bytes of the shop's uploaded images; 0 means 5 GiB.
	MediaQuota int64
	// MediaRetention is the time for which the files of an image are stored after its last use. The
	// minimum is [MediaRetention].
	MediaRetention time.Duration
	// OrderedImages returns the stored URLs of the uploaded images that lines of orders show, each
	// once. nil means that there are no orders.
	OrderedImages func(tx *db.Tx) ([]string, error)
	// OrdersShowing returns the number of orders that show an uploaded image, most at most. nil means
	// that there are none.
	OrdersShowing func(tx *db.Tx, mediaID string, most int) (int, error)
	// PostOrders counts what orders have sold and records their stock movements; nil means that there
	// are no orders.
	PostOrders func(ctx context.Context) error
	Products   *ProductCache // shared by all shops of the process; nil disables caching
}

// Catalogue holds the products, collections and stock of one shop. It is safe for concurrent use.
type Catalogue struct {
	data           access.Data
	now            func() time.Time
	ids            *sequence.Source
	currency       func(ctx context.Context) (money.Currency, error)
	timeZone       func(ctx context.Context) (*time.Location, error)
	secondLanguage func(ctx context.Context) (locale.Language, error)
	mediaAddress   func(ctx context.Context) (MediaAddress, error)
	synonyms       func(ctx context.Context) (*Synonyms, error)
	media          MediaFiles // may be nil
	mediaQuota     int64
	mediaKeep      time.Duration
	ordered        func(tx *db.Tx) ([]string, error)
	postOrders     func(ctx context.Context) error
	ordersOf       func(tx *db.Tx, mediaID string, most int) (int, error)
	products       *ProductCache
	cacheNumber    uint64          // identifies this catalogue in products
	language       locale.Language // of the texts that buyers get; "" means the shop's own
	*state
}

// state is the state that a catalogue shares with its translations; see [Catalogue.In].
type state struct {
	mediaSweep atomic.Int64 // time of the next sweep of images, in milliseconds
	totals     productTotals
	tableLock  sync.Mutex // held while a facetTable is updated
}

// New returns the catalogue of the shop in cfg.Data. It does not access the store.
func New(cfg Config) *Catalogue {
	if cfg.Synonyms == nil {
		cfg.Synonyms = func(context.Context) (*Synonyms, error) { return shippedSynonyms(), nil }
	}
	if cfg.SecondLanguage == nil {
		cfg.SecondLanguage = func(context.Context) (locale.Language, error) { return "", nil }
	}
	if cfg.OrderedImages == nil {
		cfg.OrderedImages = func(*db.Tx) ([]string, error) { return nil, nil }
	}
	if cfg.PostOrders == nil {
		cfg.PostOrders = func(context.Context) error { return nil }
	}
	if cfg.OrdersShowing == nil {
		cfg.OrdersShowing = func(*db.Tx, string, int) (int, error) { return 0, nil }
	}
	return &Catalogue{
		data: cfg.Data, now: cfg.Now, ids: cfg.IDs, currency: cfg.Currency, timeZone: cfg.TimeZone, secondLanguage: cfg.SecondLanguage,
		synonyms: cfg.Synonyms, mediaAddress: cfg.MediaAddress, media: cfg.Media,
		mediaQuota: cmp.Or(cfg.MediaQuota, defaultMediaQuota), mediaKeep: max(cfg.MediaRetention, MediaRetention),
		ordered: cfg.OrderedImages, ordersOf: cfg.OrdersShowing, postOrders: cfg.PostOrders,
		products: cfg.Products, cacheNumber: cfg.Products.nextNumber(), state: &state{},
	}
}

// In returns the catalogue with the texts that buyers get in a language, where they are translated.
func (c *Catalogue) In(language locale.Language) *Catalogue {
	translated := *c
	translated.language = language
	return &translated
}

// display determines how amounts and uploaded images of the shop are shown.
type display struct {
	money.Currency
	media    MediaAddress
	language locale.Language // as of Catalogue
}

// display returns how the shop shows amounts and images.
func (c *Catalogue) display(ctx context.Context) (d display, err error) {
	d.language = c.language
	if d.Currency, err = c.currency(ctx); err != nil {
		return display{}, err
	}
	d.media, err = c.mediaAddress(ctx)
	return d, err
}
