package catalogue

import (
	"cmp"
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// maxRelated limits the related products of a product.
const maxRelated = 24

// RelatedWork returns the cost of a page of related products for rate limits.
func RelatedWork(request page.Request) int { return selectWork + request.Work() }

// FindRelated returns one page of at most 24 published products that have collections, the type,
// tags or the vendor in common with a published product: first the available ones, of these the
// ones with most in common, then the newest. Codes: not_found, validation_failed.
func (c *Catalogue) FindRelated(ctx context.Context, id string, request page.Request) (*page.Page[Product], error) {
	var bad fault.Invalid
	window := request.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	version, _, err := c.data.Store.ContentVersion(ctx, c.data.ID)
	if err != nil {
		return nil, err
	}
	var list *page.Page[Product]
	err = c.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) error {
		table, err := c.facetTable(tx, version)
		if err != nil {
			return err
		}
		now := db.Millis(tx.Now())
		product := table.find(id)
		if product == nil || product.publishedAt > now {
			return fault.Errorf(fault.CodeNotFound, "The product does not exist.")
		}
		related := table.related(product, now)
		list = &page.Page[Product]{Meta: window.MetaFor(len(related))}
		list.Nodes, err = c.loadProducts(tx, hitIDs(pageOf(related, window.Offset(), window.Limit)), shown)
		return err
	})
	return list, err
}

// related returns the products related to a product, the best first.
func (t *facetTable) related(product *facetProduct, now int64) []hit {
	type candidate struct {
		*facetProduct
		score int
	}
	compare := func(a, b candidate) int {
		return cmp.Or(-cmp.Compare(db.BoolInt(a.canBuy()), db.BoolInt(b.canBuy())), cmp.Compare(b.score, a.score), cmp.Compare(b.number, a.number))
	}
	var best []candidate
	for _, p := range t.products {
		c := candidate{p, t.score(product, p)}
		if p == product || p.publishedAt > now || c.score == 0 {
			continue
		}
		if len(best) == maxRelated && compare(c, best[maxRelated-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, c, compare)
		best = slices.Insert(best, at, c)
		best = best[:min(len(best), maxRelated)]
	}
	hits := make([]hit, len(best))
	for i, c := range best {
		hits[i] = hit{id: c.id, number: c.number}
	}
	return hits
}

// score returns how much two products have in common.
func (t *facetTable) score(a, b *facetProduct) int {
	score := 4*common(&t.collections, a.collections, b.collections) + 2*common(&t.tags, a.tags, b.tags)
	if a.kind != 0 && t.types.firsts[a.kind] == t.types.firsts[b.kind] {
		score += 3
	}
	if a.vendor != 0 && t.vendors.firsts[a.vendor] == t.vendors.firsts[b.vendor] {
		score++
	}
	return score
}

// common returns the number of terms that are in both lists.
func common(terms *facetTerms, a, b []uint32) (n int) {
	for _, x := range a {
		for _, y := range b {
			if terms.firsts[x] == terms.firsts[y] {
				n++
				break
			}
		}
	}
	return n
}

// canBuy reports whether a variant can be bought now.
func (p *facetProduct) canBuy() bool {
	return slices.ContainsFunc(p.variants, func(v facetVariant) bool { return v.canBuy })
}
