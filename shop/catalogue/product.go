package catalogue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
)

// Product is one product as buyers see it.
type Product struct {
	ID              string         `json:"_id"`
	Handle          string         `json:"handle" doc:"URL slug"`
	Title           string         `json:"title"`
	DescriptionHTML string         `json:"descriptionHtml" doc:"Sanitized HTML"`
	Vendor          string         `json:"vendor"`
	Type            string         `json:"type"`
	Tags            []string       `json:"tags" nullable:"false"`
	Images          []Image        `json:"images" nullable:"false"`
	Options         []Option       `json:"options" nullable:"false"`
	Variants        []Variant      `json:"variants" nullable:"false"`
	Price           money.Money    `json:"price" doc:"The lowest price of its variants"`
	CompareAtPrice  *money.Money   `json:"compareAtPrice" doc:"The price before a sale, of the first variant that price is from; null where it is not on sale"`
	PriceRange      PriceRange     `json:"priceRange"`
	Available       bool           `json:"available" doc:"Some variant can be bought now"`
	StockStatus     StockStatus    `json:"stockStatus" doc:"The best of its variants"`
	SEO             SEO            `json:"seo"`
	CollectionIDs   []string       `json:"collectionIds" nullable:"false"`
	Metadata        map[string]any `json:"metadata" nullable:"false"`
	PublishedAt     *time.Time     `json:"publishedAt"`
	CreatedAt       time.Time      `json:"createdAt"`
	UpdatedAt       time.Time      `json:"updatedAt"`
}

// Image is a picture of a product or a collection.
type Image struct {
	ID     string `json:"_id"`
	URL    string `json:"url"`
	Alt    string `json:"alt"`
	Width  *int   `json:"width" doc:"Pixels"`
	Height *int   `json:"height" doc:"Pixels"`
}

// Option is something that a buyer chooses, such as a size.
type Option struct {
	Name   string   `json:"name"`
	Values []string `json:"values" nullable:"false"`
}

// OptionValue is the choice that a variant stands for.
type OptionValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Variant is what is bought: a product in one size and colour.
type Variant struct {
	ID                string        `json:"_id"`
	SKU               *string       `json:"sku"`
	Barcode           *string       `json:"barcode"`
	Title             string        `json:"title" doc:"Its option values, or the product's title where it has none"`
	OptionValues      []OptionValue `json:"optionValues" nullable:"false"`
	Price             money.Money   `json:"price"`
	CompareAtPrice    *money.Money  `json:"compareAtPrice" doc:"The price before a sale; null where it is not above price"`
	Available         bool          `json:"available" doc:"It can be bought now"`
	StockStatus       StockStatus   `json:"stockStatus"`
	AvailableQuantity *int          `json:"availableQuantity" doc:"Units left; null where stock is not counted"`
	WeightGrams       int           `json:"weightGrams"`
	Image             *Image        `json:"image"`
}

// PriceRange is the lowest and the highest price of a product's variants.
type PriceRange struct {
	Min money.Money `json:"min"`
	Max money.Money `json:"max"`
}

// SEO is what a page about the product tells search engines.
type SEO struct {
	Title       *string `json:"title"`
	Description *string `json:"description"`
}

// StockStatus says whether something can be bought.
type StockStatus string

// The stock states. Those that can be bought are all but StockOut.
const (
	StockIn        StockStatus = "IN_STOCK"
	StockLow       StockStatus = "LOW_STOCK"
	StockOut       StockStatus = "OUT_OF_STOCK"
	StockBackorder StockStatus = "BACKORDER"
)

// ProductFilter chooses and orders products. The zero value is the first page of all, newest first.
type ProductFilter struct {
	page.Request
	SortBy        string   // one of ProductSorts; "": createdAt, or relevance with Search
	Sort          string   // one of SortDirections; "": desc for createdAt, updatedAt, bestSelling and relevance, else asc
	Search        string   // words of which each must begin a word of the product; blank: no search
	CollectionIDs []string // in any of them; blank ones do not count
	Tags          []string // with any of them, ignoring case and accents; blank ones do not count
	MinPrice      *int64   // minor units; compared with the product's price, as lists show it
	MaxPrice      *int64   // minor units; compared with the product's price, as lists show it
	InStock       *bool    // as the product's available: whether some variant can be bought now
	OnSale        *bool    // whether some variant is below its price before a sale
}

// FindProducts gives one page of the published products. A page past the end is empty, and so is
// a search without a letter or a number. Codes: validation_failed.
func (c *Catalogue) FindProducts(ctx context.Context, filter ProductFilter) (*page.Page[Product], error) {
	query, err := filter.query()
	if err != nil {
		return nil, err
	}
	if query.nothing {
		return &page.Page[Product]{Nodes: []Product{}, Meta: query.window.MetaFor(0)}, nil
	}
	currency, err := c.currency(ctx)
	if err != nil {
		return nil, err
	}
	version, err := c.store.Version(ctx, c.id)
	if err != nil {
		return nil, err
	}
	var nodes []Product
	var total int
	err = c.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		ids, err := query.findIDs(tx)
		if err != nil {
			return err
		}
		if total, err = c.totals.count(tx, version, query, len(ids)); err != nil {
			return err
		}
		nodes, err = c.loadProducts(tx, ids, currency)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &page.Page[Product]{Nodes: nodes, Meta: query.window.MetaFor(total)}, nil
}

// FindProduct gives one published product by its id. Codes: not_found.
func (c *Catalogue) FindProduct(ctx context.Context, id string) (*Product, error) {
	return c.findPublished(ctx, "id", id)
}

// FindProductByHandle gives one published product by its URL slug. Codes: not_found.
func (c *Catalogue) FindProductByHandle(ctx context.Context, handle string) (*Product, error) {
	return c.findPublished(ctx, "handle", CleanHandle(handle))
}

func (c *Catalogue) findPublished(ctx context.Context, by, value string) (*Product, error) {
	currency, err := c.currency(ctx)
	if err != nil {
		return nil, err
	}
	var id string
	var revision int64
	find := func(_ context.Context, tx *db.Tx) (err error) {
		id, revision, err = findPublishedID(tx, by, value)
		if errors.Is(err, db.ErrNotFound) {
			return fault.Errorf(fault.CodeNotFound, "There is no such product.")
		} else if err != nil {
			return fmt.Errorf("find product: %w", err)
		}
		return nil
	}
	if err := c.viewOne(ctx, find); err != nil {
		return nil, err
	}
	if p := c.products.find(productKey{c.number, id}, revision); p != nil {
		return p, nil
	}
	var product *Product
	err = c.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := find(ctx, tx); err != nil {
			return err
		}
		product, err = c.loadProduct(tx, id, revision, currency)
		return err
	})
	return product, err
}
