package catalogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
)

// Product is a published product with the fields for buyers.
type Product struct {
	ID              string          `json:"_id"`
	Handle          string          `json:"handle" doc:"URL slug"`
	Title           string          `json:"title"`
	DescriptionHTML string          `json:"descriptionHtml" doc:"Sanitized HTML"`
	Vendor          string          `json:"vendor"`
	Type            string          `json:"type"`
	Tags            []string        `json:"tags" nullable:"false"`
	Images          []Image         `json:"images" nullable:"false"`
	Options         []Option        `json:"options" nullable:"false"`
	Variants        []Variant       `json:"variants" nullable:"false"`
	Price           money.Money     `json:"price" doc:"Lowest price of its variants"`
	CompareAtPrice  *money.Money    `json:"compareAtPrice" doc:"Price before a sale of the first variant with the lowest price; null if not on sale"`
	PriceRange      PriceRange      `json:"priceRange"`
	Rating          *Rating         `json:"rating" doc:"Of its published reviews; null if there are none"`
	QuantityPrices  []QuantityPrice `json:"quantityPrices" nullable:"false" doc:"Prices of several units together; an order costs the best combination"`
	Available       bool            `json:"available" doc:"Whether any variant can be bought now"`
	StockStatus     StockStatus     `json:"stockStatus" doc:"Best stock status of its variants"`
	SEO             SEO             `json:"seo"`
	CollectionIDs   []string        `json:"collectionIds" nullable:"false"`
	Metadata        map[string]any  `json:"metadata" nullable:"false"`
	PublishedAt     *time.Time      `json:"publishedAt"`
	CreatedAt       time.Time       `json:"createdAt"`
	UpdatedAt       time.Time       `json:"updatedAt"`
}

// Image is an image of a product or a collection.
type Image struct {
	ID     string `json:"_id"`
	URL    string `json:"url"`
	Alt    string `json:"alt"`
	Width  *int   `json:"width" doc:"Width in pixels"`
	Height *int   `json:"height" doc:"Height in pixels"`
	// Renditions are the renditions of an uploaded image.
	Renditions []Rendition `json:"renditions" nullable:"false" doc:"Sizes of the image, the largest first; empty if it is on another host"`
	Colour     string      `json:"-"` // the most frequent one of an uploaded image, such as #a1b2c3; "" means unknown
}

// Option is a dimension in which variants of a product differ, such as size.
type Option struct {
	Name   string   `json:"name"`
	Values []string `json:"values" nullable:"false"`
}

// OptionValue is the value of one option of a variant.
type OptionValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Variant is the unit that a buyer buys: a product in one combination of option values.
type Variant struct {
	ID                string        `json:"_id"`
	SKU               *string       `json:"sku"`
	Barcode           *string       `json:"barcode"`
	Title             string        `json:"title" doc:"Its option values, or the product's title if it has no options"`
	OptionValues      []OptionValue `json:"optionValues" nullable:"false"`
	Price             money.Money   `json:"price"`
	CompareAtPrice    *money.Money  `json:"compareAtPrice" doc:"Price before a sale; null unless above price"`
	Available         bool          `json:"available" doc:"Whether it can be bought now"`
	StockStatus       StockStatus   `json:"stockStatus"`
	AvailableQuantity *int          `json:"availableQuantity" doc:"Units in stock; null if stock is not tracked"`
	WeightGrams       int           `json:"weightGrams"`
	Image             *Image        `json:"image"`
}

// Orderable returns how many of a number of units can be ordered now.
func (v *Variant) Orderable(units int) int {
	switch {
	case !v.Available:
		return 0
	case v.AvailableQuantity != nil && v.StockStatus != StockBackorder:
		return min(units, *v.AvailableQuantity)
	}
	return units
}

// PriceRange is the range of the prices of a product's variants.
type PriceRange struct {
	Min money.Money `json:"min"`
	Max money.Money `json:"max"`
}

// SEO is the text for search engines on the product's page.
type SEO struct {
	Title       *string `json:"title"`
	Description *string `json:"description"`
}

// StockStatus is the stock status of a product or a variant.
//
//api:enum StockStatus
type StockStatus string

// The stock statuses. All except StockOut can be bought.
const (
	StockIn  StockStatus = "IN_STOCK"     // in stock, or stock is not tracked
	StockLow StockStatus = "LOW_STOCK"    // few units are left
	StockOut StockStatus = "OUT_OF_STOCK" // out of stock
	// Out of stock, but can be ordered and is delivered later.
	StockBackorder StockStatus = "BACKORDER"
)

// ProductFilter selects and sorts published products. The zero value selects the first page of all,
// newest first.
type ProductFilter struct {
	page.Request
	// SortBy is one of ProductSorts. Empty means createdAt, or relevance with Search.
	SortBy string
	// Sort is one of SortDirections. Empty means desc for createdAt, updatedAt, bestSelling and
	// relevance, otherwise asc.
	Sort string
	// Search matches products with all its words, their beginnings or other spellings of them. If
	// there is none, misspelt words are corrected. Blank disables the search.
	Search        string
	CollectionIDs []string // selects products in any of them; blank values are ignored
	Tags          []string // selects products with any of them, ignoring case, accents and blank values
	Vendors       []string // selects products of any of them, as Tags
	Types         []string // selects products of any of them, as Tags
	// Options are names and values of options, such as Size:L. They select products with a variant
	// that has one of the values of each name, as Tags.
	Options  []string
	MinPrice *int64 // minor units; compared with Product.Price
	MaxPrice *int64 // minor units; compared with Product.Price
	// InStock is compared with Product.Available, or with the availability of the variants that have
	// the options.
	InStock *bool
	OnSale  *bool // whether any variant has a compareAtPrice above its price
}

// FindProducts returns one page of the published products. A page beyond the last is empty, and so
// is a search without a letter or digit. Codes: validation_failed.
func (c *Catalogue) FindProducts(ctx context.Context, filter ProductFilter) (*page.Page[Product], error) {
	list := &page.Page[Product]{Nodes: []Product{}}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	list.Meta, err = c.find(ctx, filter, func(tx *db.Tx, ids []string) (err error) {
		list.Nodes, err = c.loadProducts(tx, ids, shown)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// FindProductIDs is FindProducts for the IDs alone, so that a long list can be read in parts.
func (c *Catalogue) FindProductIDs(ctx context.Context, filter ProductFilter) (ids []string, err error) {
	_, err = c.find(ctx, filter, func(_ *db.Tx, found []string) error {
		ids = found
		return nil
	})
	return ids, err
}

// FindPublished returns the products with these IDs, in this order, without those that are not
// published.
func (c *Catalogue) FindPublished(ctx context.Context, ids []string) (products []Product, err error) {
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	err = c.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) error {
		list, args := db.InList(ids)
		found, err := db.Query(tx, db.ScanText, `
			SELECT p.id
			FROM products p
			WHERE p.id IN `+list+` AND `+Published, append(args, db.Millis(tx.Now()))...)
		if err != nil {
			return fmt.Errorf("find published products: %w", err)
		}
		visible := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(found, id) })
		products, err = c.loadProducts(tx, visible, shown)
		return err
	})
	return products, err
}

// FindByVariants returns the published products that have one of these variants, in the order of
// their creation.
func (c *Catalogue) FindByVariants(ctx context.Context, variants []string) (products []Product, err error) {
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	err = c.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) error {
		list, args := db.InList(variants)
		ids, err := db.Query(tx, db.ScanText, `
			SELECT p.id
			FROM products p
			WHERE p.id IN (SELECT v.product_id FROM variants v WHERE v.id IN `+list+`) AND `+Published+`
			ORDER BY p.number`, append(args, db.Millis(tx.Now()))...)
		if err != nil {
			return fmt.Errorf("find products by variants: %w", err)
		}
		products, err = c.loadProducts(tx, ids, shown)
		return err
	})
	return products, err
}

// find calls read with the IDs of one page of the published products, if there may be any, in the
// transaction that found them.
func (c *Catalogue) find(
	ctx context.Context, filter ProductFilter, read func(tx *db.Tx, ids []string) error,
) (meta page.Meta, err error) {
	synonyms, err := c.synonyms(ctx)
	if err != nil {
		return meta, err
	}
	dialect := c.data.Store.Dialect(c.data.ID)
	query, err := filter.query(searchOn(dialect), synonyms, c.language)
	if err != nil {
		return meta, err
	}
	if query.noMatch {
		return query.window.MetaFor(0), nil
	}
	version, _, err := c.data.Store.ContentVersion(ctx, c.data.ID)
	if err != nil {
		return meta, err
	}
	err = c.data.ViewMany(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if tx.Dialect() != dialect { // the shop has moved to another engine
			if query, err = filter.query(searchOn(tx.Dialect()), synonyms, c.language); err != nil {
				return err
			}
		}
		ids, total, err := c.findSelected(ctx, tx, version, query, synonyms)
		if err != nil {
			return err
		}
		meta = query.window.MetaFor(total)
		return read(tx, ids)
	})
	return meta, err
}

// findSelected is findPage for a query that may have conditions that are checked in memory.
func (c *Catalogue) findSelected(
	ctx context.Context, tx *db.Tx, version uint64, q *productQuery, synonyms *Synonyms,
) (ids []string, total int, err error) {
	if !q.conditions.inMemory() {
		return c.findPage(ctx, tx, version, q, synonyms)
	}
	table, err := c.facetTable(tx, version)
	if err != nil {
		return nil, 0, err
	}
	numbers := table.selectNumbers(&q.conditions, db.Millis(tx.Now()))
	if len(numbers) == 0 {
		return nil, 0, nil
	}
	restricted := *q
	restricted.restrict(numbers)
	return c.findPage(ctx, tx, version, &restricted, synonyms)
}

// findPage returns the IDs of the products on the query's page, and the number of all matches. If a
// search finds nothing, its misspelt words are corrected. version is the content version read
// before the transaction began.
func (c *Catalogue) findPage(
	ctx context.Context, tx *db.Tx, version uint64, q *productQuery, synonyms *Synonyms,
) (ids []string, total int, err error) {
	find := func(q *productQuery) (ids []string, total int, err error) {
		if q.ranked {
			return c.findRanked(tx, version, q)
		}
		if ids, err = q.findIDs(tx, q.window.Offset(), q.window.Limit); err != nil {
			return nil, 0, err
		}
		total, err = c.totals.count(tx, version, q, len(ids))
		return ids, total, err
	}
	ids, total, err = find(q)
	if err != nil {
		return ids, total, err
	}
	if total > 0 || q.search == nil {
		return ids, total, nil
	}
	visible := visibility{Published, []any{db.Millis(tx.Now())}}
	corrected, err := correctSearch(ctx, tx, q.search, synonyms, visible, len(q.where) > 1)
	if err != nil {
		return nil, 0, err
	}
	if corrected == nil {
		return nil, 0, nil
	}
	again := *q
	again.search = corrected
	again.match(q.sql.expression(corrected, searchView{}))
	return find(&again)
}

// FindProduct returns the published product with this ID. Codes: not_found.
func (c *Catalogue) FindProduct(ctx context.Context, id string) (*Product, error) {
	return c.findPublished(ctx, "id", id)
}

// FindProductByHandle returns the published product with this URL slug; otherwise the product that
// had it earlier. Codes: not_found.
func (c *Catalogue) FindProductByHandle(ctx context.Context, handle string) (*Product, error) {
	handle = input.CleanHandle(handle)
	product, missing := c.findPublished(ctx, "handle", handle)
	if !fault.HasCode(missing, fault.CodeNotFound) {
		return product, missing
	}
	var id string
	err := c.data.Store.ViewOne(ctx, c.data.ID, func(_ context.Context, tx *db.Tx) (err error) {
		id, err = findByEarlierHandle(tx, handle)
		return err
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, missing
	case err != nil:
		return nil, fmt.Errorf("find product by earlier handle: %w", err)
	}
	return c.findPublished(ctx, "id", id)
}

func (c *Catalogue) findPublished(ctx context.Context, by, value string) (*Product, error) {
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	var id string
	var revision int64
	find := func(_ context.Context, tx *db.Tx) (err error) {
		id, revision, err = findPublishedID(tx, by, value)
		if errors.Is(err, db.ErrNotFound) {
			return fault.Errorf(fault.CodeNotFound, "The product does not exist.")
		} else if err != nil {
			return fmt.Errorf("find product: %w", err)
		}
		return nil
	}
	if err := c.data.Store.ViewOne(ctx, c.data.ID, find); err != nil {
		return nil, err
	}
	if p := c.products.find(c.productKey(id, shown), revision); p != nil {
		return p, nil
	}
	var product *Product
	err = c.data.View(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if err := find(ctx, tx); err != nil {
			return err
		}
		product, err = c.loadProduct(tx, id, revision, shown)
		return err
	})
	return product, err
}
