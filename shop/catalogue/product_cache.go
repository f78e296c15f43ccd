package catalogue

import (
	"fmt"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"storefront/db"
	"storefront/shop/money"
)

// ProductCache keeps products in the form in which answers show them, for all shops of a process. It
// serves answers that have to be put together anew: after an order, all but the products that were
// bought are as they were. A product is taken from it only where its revision in the file, read in
// the same transaction, is that of the kept one.
type ProductCache struct {
	entries *otter.Cache[productKey, cachedProduct]
	shops   atomic.Uint64 // numbers given out
}

// productKey names a product among those of all shops. Shops are numbered, since an identifier may
// be that of another file by now.
type productKey struct {
	shop uint64
	id   string
}

type cachedProduct struct {
	revision int64
	product  Product // shared by all answers: not to be changed
}

// NewProductCache gives a cache that takes about maxBytes of memory, which is more than 0.
func NewProductCache(maxBytes int64) *ProductCache {
	return &ProductCache{entries: otter.Must(&otter.Options[productKey, cachedProduct]{
		MaximumWeight: uint64(maxBytes),
		Weigher:       func(_ productKey, k cachedProduct) uint32 { return k.product.weight() },
	})}
}

// number gives the next shop its number; nil has none to give.
func (c *ProductCache) number() uint64 {
	if c == nil {
		return 0
	}
	return c.shops.Add(1)
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

// weight is about how many bytes of memory the product takes.
func (p *Product) weight() uint32 {
	const product, part = 1024, 256
	parts := 1 + len(p.Tags) + len(p.CollectionIDs) + 2*len(p.Images) + 2*len(p.Options) + 4*len(p.Metadata)
	for _, v := range p.Variants {
		parts += 3 + len(v.OptionValues)
	}
	return uint32(product + part*parts + len(p.DescriptionHTML))
}

// loadProduct gives one product as buyers see it, and keeps it.
func (c *Catalogue) loadProduct(tx *db.Tx, id string, revision int64, money money.Currency) (*Product, error) {
	row, err := findProductRow(tx, id)
	if err != nil {
		return nil, err
	}
	p := row.product(money)
	c.products.put(productKey{c.number, id}, revision, &p)
	return &p, nil
}

// loadProducts gives the products with these ids, in this order, as buyers see them.
func (c *Catalogue) loadProducts(tx *db.Tx, ids []string, money money.Currency) ([]Product, error) {
	revisions, err := c.findRevisions(tx, ids)
	if err != nil {
		return nil, err
	}
	products := make([]Product, len(ids))
	var missing []string
	at := make(map[string]int)
	for i, id := range ids {
		if p := c.products.find(productKey{c.number, id}, revisions[id]); p != nil {
			products[i] = *p
			continue
		}
		missing, at[id] = append(missing, id), i
	}
	rows, err := findProductRows(tx, missing)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		p := &products[at[row.id]]
		*p = row.product(money)
		c.products.put(productKey{c.number, row.id}, revisions[row.id], p)
	}
	return products, nil
}

// findRevisions gives the revisions of products by id; without a cache nobody asks.
func (c *Catalogue) findRevisions(tx *db.Tx, ids []string) (map[string]int64, error) {
	if c.products == nil {
		return nil, nil
	}
	revisions := make(map[string]int64, len(ids))
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT p.id, p.revision
			FROM products p
			WHERE p.id IN `+list, args, func(r db.Row) error {
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

// raiseRevision is the part of an UPDATE of products that tells that buyers see something else from
// now on; it takes the time twice. Counting on from the time, a file that was brought back from an
// older copy gives no revision a second time.
const raiseRevision = `revision = CASE WHEN revision < ? THEN ? ELSE revision + 1 END`

// touchProduct raises the revision of a product some part of which has changed.
func TouchProduct(tx *db.Tx, id string) error {
	now := db.Millis(tx.Now())
	_, err := tx.Exec(`
		UPDATE products
		SET `+raiseRevision+`
		WHERE id = ?`, now, now, id)
	if err != nil {
		return fmt.Errorf("raise the revision of a product: %w", err)
	}
	return nil
}
