package sales

import (
	"cmp"
	"slices"

	"storefront/shop/page"
)

// rankedSales is a row with its sort key, or the number of a product for which no row is made yet.
type rankedSales struct {
	sales  int64
	key    string
	row    *salesRow // nil means the product's row
	number int
}

// compareSales sorts by sales, the largest first.
func compareSales(a, b rankedSales) int {
	return cmp.Or(cmp.Compare(b.sales, a.sales), cmp.Compare(a.key, b.key))
}

// maxSelected is the number of rows up to which the largest are selected, without sorting all.
const maxSelected = 200

// largest returns the rows with the largest sales, the largest first: limit of them, or all with
// [page.NoLimit]. more reports whether there are others. It makes rows of products for these alone:
// a shop has many products.
func (p *periodSums) largest(limit int) (rows []*salesRow, more bool) {
	var best []rankedSales
	selects := limit != page.NoLimit && limit <= maxSelected
	add := func(r rankedSales) {
		if !selects {
			best = append(best, r)
			return
		}
		if len(best) == limit {
			more = true
			if compareSales(best[limit-1], r) < 0 {
				return
			}
			best = best[:limit-1]
		}
		at, _ := slices.BinarySearchFunc(best, r, compareSales)
		best = slices.Insert(best, at, r)
	}
	for _, row := range p.rows {
		add(rankedSales{row.sums[sumSales], row.key, row, 0})
	}
	for n := range p.products {
		if p.products[n] != (productSums{{}})[0] {
			add(rankedSales{p.products[n][sumSales], p.numbers.ids[n], nil, n})
		}
	}
	if !selects {
		slices.SortFunc(best, compareSales)
		if limit != page.NoLimit && len(best) > limit {
			best, more = best[:limit], true
		}
	}
	rows = make([]*salesRow, len(best))
	for i, r := range best {
		if rows[i] = r.row; r.row == nil {
			rows[i] = &salesRow{key: r.key}
			p.products.addTo(rows[i], r.number)
		}
	}
	return rows, more
}

// find returns the row of a key, nil if there is none.
func (p *periodSums) find(key string) *salesRow {
	if p.fold != nil {
		key = p.fold(key)
	}
	if row, ok := p.rows[key]; ok || p.numbers == nil {
		return row
	}
	n, ok := p.numbers.find(key)
	if !ok || p.products[n] == (productSums{{}})[0] {
		return nil
	}
	row := &salesRow{key: key}
	p.products.addTo(row, n)
	return row
}
