package catalogue

import (
	"fmt"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"storefront/db"
	"storefront/shop/locale"
)

// ProductCache caches products in the form for buyers, for all shops of a process. It speeds up
// creating responses for a new content version: after an order, only the bought products have
// changed. A cached product is used only if its revision equals the stored one, which is read in
// the same transaction. It also caches a facetTable for each shop. A nil *ProductCache caches
// nothing. It is safe for concurrent use.
type ProductCache struct {
	entries *otter.Cache[productKey, cachedProduct]
	tables  *otter.Cache[uint64, *facetTable] // by Catalogue.cacheNumber
	last    atomic.Uint64                     // the last number returned by nextNumber
}

// productKey identifies a product among all shops. Catalogues are numbered because a shop with the
// same UID may be opened later on another file.
type productKey struct {
	catalogue uint64 // Catalogue.cacheNumber
	id        string
	media     MediaAddress // of its images
	language  locale.Language
}

func (c *Catalogue) productKey(id string, shown display) productKey {
	return productKey{c.cacheNumber, id, shown.media, shown.language}
}

type cachedProduct struct {
	revision int64
	product  Product // shared by all responses; must not be modified
}

// NewProductCache returns a cache that uses about maxBytes of memory for products, which must be
// above 0, and half as much for tables.
func NewProductCache(maxBytes int64) *ProductCache {
	return &ProductCache{
		entries: otter.Must(&otter.Options[productKey, cachedProduct]{
			MaximumWeight: uint64(maxBytes),
			Weigher:       func(_ productKey, k cachedProduct) uint32 { return k.product.weight() },
		}),
		tables: otter.Must(&otter.Options[uint64, *facetTable]{
			MaximumWeight: uint64(maxBytes) / 2,
			// A larger table than the cache would be loaded for each request.
			Weigher: func(_ uint64, t *facetTable) uint32 { return uint32(min(t.weight(), maxBytes/4)) },
		}),
	}
}

// nextNumber returns a number for a new catalogue. It returns 0 on a nil cache.
func (c *ProductCache) nextNumber() uint64 {
	if c == nil {
		return 0
	}
	return c.last.Add(1)
}

func (c *ProductCache) find(key productKey, revision int64) (p *Product) {
	if c == nil {
		return nil
	}
	k, ok := c.entries.GetIfPresent(key)
	if !ok || k.revision != revision {
		return nil
	}
	return &k.product
}

func (c *ProductCache) put(key productKey, revision int64, p *Product) {
	if c != nil {
		c.entries.Set(key, cachedProduct{revision, *p})
	}
}

func (c *ProductCache) findTable(catalogue uint64) *facetTable {
	if c == nil {
		return nil
	}
	table, _ := c.tables.GetIfPresent(catalogue)
	return table
}

func (c *ProductCache) putTable(catalogue uint64, table *facetTable) {
	if c != nil {
		c.tables.Set(catalogue, table)
	}
}

// weight estimates the memory that the product uses, in bytes.
func (p *Product) weight() uint32 {
	const product, part = 1024, 256
	parts := 1 + len(p.Tags) + len(p.CollectionIDs) + 2*len(p.Images) + 2*len(p.Options) + 4*len(p.Metadata)
	for _, v := range p.Variants {
		parts += 3 + len(v.OptionValues)
	}
	return uint32(product + part*parts + len(p.DescriptionHTML))
}

// loadProduct returns a product in the form for buyers, and caches it.
func (c *Catalogue) loadProduct(tx *db.Tx, id string, revision int64, shown display) (*Product, error) {
	row, err := findProductRow(tx, id)
	if err == nil {
		err = translateProducts(tx, []*productRow{row}, shown.language)
	}
	if err != nil {
		return nil, err
	}
	p := row.product(shown)
	c.products.put(c.productKey(id, shown), revision, &p)
	return &p, nil
}

// loadProducts returns the products with these IDs, in this order, in the form for buyers. It
// caches them.
func (c *Catalogue) loadProducts(tx *db.Tx, ids []string, shown display) ([]Product, error) {
	revisions, err := c.findRevisions(tx, ids)
	if err != nil {
		return nil, err
	}
	products := make([]Product, len(ids))
	var missing []string
	at := make(map[string]int)
	for i, id := range ids {
		if p := c.products.find(c.productKey(id, shown), revisions[id]); p != nil {
			products[i] = *p
			continue
		}
		missing, at[id] = append(missing, id), i
	}
	for chunk := range db.Chunks(missing) { // the rows of a whole list are not held at the same time
		rows, err := findProductRows(tx, chunk)
		if err == nil {
			err = translateProducts(tx, rows, shown.language)
		}
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			p := &products[at[row.id]]
			*p = row.product(shown)
			c.products.put(c.productKey(row.id, shown), revisions[row.id], p)
		}
	}
	return products, nil
}

// findRevisions returns the revisions of products by ID. Without a cache it returns nil.
func (c *Catalogue) findRevisions(tx *db.Tx, ids []string) (map[string]int64, error) {
	if c.products == nil {
		return nil, nil
	}
	revisions := make(map[string]int64, len(ids))
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT product_id, revision
			FROM product_revisions
			WHERE product_id IN `+list, args, func(r db.Row) error {
			var id string
			var revision int64
			err := r.Scan(&id, &revision)
			revisions[id] = revision
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find revisions of products: %w", err)
		}
	}
	return revisions, nil
}

// raiseRevisions marks products as changed for buyers. Its two parameters are the time of the
// transaction. Revisions increase from the time, so a file restored from a backup does not use a
// revision twice.
const raiseRevisions = `
		UPDATE product_revisions
		SET revision = CASE WHEN revision < ? THEN ? ELSE revision + 1 END, changed = ` + nextContent + `
		WHERE product_id `

// TouchProducts is [TouchProduct] for several products.
func TouchProducts(tx *db.Tx, ids []string) error {
	now := db.Millis(tx.Now())
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		if err := tx.Do(raiseRevisions+"IN "+list, append([]any{now, now}, args...)...); err != nil {
			return fmt.Errorf("raise product revisions: %w", err)
		}
	}
	return nil
}

// TouchProduct raises the revision of a product after a part of it has changed. Every change that
// buyers can see must raise it; see [ProductCache].
func TouchProduct(tx *db.Tx, id string) error {
	now := db.Millis(tx.Now())
	if err := tx.Do(raiseRevisions+"= ?", now, now, id); err != nil {
		return fmt.Errorf("raise product revision: %w", err)
	}
	return nil
}
