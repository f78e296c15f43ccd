package catalogue

import (
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/page"
)

// maxRanked is the largest number of matches that are ranked. The ranking of a broader search would
// mean little.
const maxRanked = 1000

// searchRanks are the ranks of matches, best first, by field and kind of match. A whole word
// outranks the beginning of one, except that the description comes after the other fields, since
// anything may be mentioned there. Typed words outrank other spellings.
var searchRanks = []searchView{
	{columns: inTitle, whole: true, typed: true},
	{columns: inFields, whole: true, typed: true},
	{columns: inTitle, typed: true},
	{columns: inFields, typed: true},
	{columns: inTitle, typed: true, any: true},
	{whole: true, typed: true},
	{typed: true},
	{columns: inTitle},
	{columns: inFields},
}

// hit is a product that a search has found.
type hit struct {
	id     string
	number int64
}

// findRanked returns one page of the products that match, best first, and the number of all
// matches. Products of the same rank are sorted by age, newest first. version is the content
// version read before the transaction began.
func (c *Catalogue) findRanked(tx *db.Tx, version uint64, q *productQuery) (ids []string, total int, err error) {
	hits, err := q.findHits(tx, maxRanked+1)
	if err != nil {
		return nil, 0, err
	}
	if len(hits) > maxRanked {
		return c.findBroad(tx, version, q, hits)
	}
	if hits, err = rankHits(tx, q.search, hits); err != nil {
		return nil, 0, err
	}
	if q.worstFirst {
		slices.Reverse(hits)
	}
	return hitIDs(pageOf(hits, q.window.Offset(), q.window.Limit)), len(hits), nil
}

// findBroad is findRanked for a search with too many matches to rank: matches with all words in the
// title are first, unless they are too many as well.
func (c *Catalogue) findBroad(tx *db.Tx, version uint64, q *productQuery, newest []hit) (ids []string, total int, err error) {
	if total, err = c.totals.total(tx, version, q); err != nil {
		return nil, 0, err
	}
	offset, limit := q.window.Offset(), q.window.Limit
	rest := *q
	if q.worstFirst {
		rest.orderBy = q.sql.number + " " + ascending
		ids, err = rest.findIDs(tx, offset, limit)
		return ids, total, err
	}
	title := q.sql.expression(q.search, searchRanks[0])
	best := *q
	best.match(title)
	first, err := best.findHits(tx, maxRanked+1)
	if err != nil {
		return nil, 0, err
	}
	if len(first) > maxRanked {
		first = nil
	}
	ids = hitIDs(pageOf(first, offset, limit))
	offset -= len(first)
	if limit != page.NoLimit {
		limit -= len(ids)
	}
	if limit == 0 {
		return ids, total, nil
	}
	newest = slices.DeleteFunc(newest, func(h hit) bool { return slices.Contains(first, h) })
	if offset = max(offset, 0); limit != page.NoLimit && offset+limit <= len(newest) {
		return append(ids, hitIDs(newest[offset:offset+limit])...), total, nil
	}
	if len(first) > 0 {
		rest.filter("NOT "+q.sql.number+q.sql.filter, title)
	}
	others, err := rest.findIDs(tx, offset, limit)
	return append(ids, others...), total, err
}

// rankHits sorts the hits by rank. Hits of equal rank remain sorted from the newest to the oldest.
func rankHits(tx *db.Tx, e searchExpression, hits []hit) ([]hit, error) {
	ranked := make([]hit, 0, len(hits))
	left := hits
	for _, view := range searchRanks {
		if len(left) < 2 {
			break
		}
		if !e.distinguishes(view) {
			continue
		}
		best, rest, err := splitHits(tx, e, view, left)
		if err != nil {
			return nil, err
		}
		ranked, left = append(ranked, best...), rest
	}
	return append(ranked, left...), nil
}

// splitHits returns the hits that match a view of the expression, and the rest.
func splitHits(tx *db.Tx, e searchExpression, view searchView, hits []hit) (best, rest []hit, err error) {
	sql := searchOn(tx.Dialect())
	numbers, ok, err := findMatches(tx, sql, sql.expression(e, view), maxRanked)
	if err != nil {
		return nil, hits, err
	}
	if !ok {
		return nil, hits, nil
	}
	matches := make(map[int64]bool, len(numbers))
	for _, n := range numbers {
		matches[n] = true
	}
	for _, h := range hits {
		if matches[h.number] {
			best = append(best, h)
		} else {
			rest = append(rest, h)
		}
	}
	return best, rest, nil
}

// distinguishes reports whether a view matches less than the next wider one.
func (e searchExpression) distinguishes(view searchView) bool {
	if view.any {
		return len(e) > 1
	}
	if !view.typed || view == (searchView{typed: true}) {
		return e.hasAlternatives()
	}
	return view.whole || e.hasPrefix()
}

// hasPrefix reports whether beginnings of words match.
func (e searchExpression) hasPrefix() bool {
	for _, u := range e {
		for _, p := range u.typed {
			if p.prefix != notPrefix {
				return true
			}
		}
	}
	return false
}

// pageOf returns a slice of a list. It is empty beyond the end.
func pageOf(hits []hit, offset, limit int) []hit {
	offset = min(offset, len(hits))
	if limit == page.NoLimit || limit > len(hits)-offset {
		return hits[offset:]
	}
	return hits[offset : offset+limit]
}

func hitIDs(hits []hit) []string {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}
	return ids
}

// findHits returns at most limit of the products that the query selects, newest first.
func (q *productQuery) findHits(tx *db.Tx, limit int) ([]hit, error) {
	query, args := q.hitsSQL(db.Millis(tx.Now()), limit)
	hits, err := db.Query(tx, func(r db.Row) (h hit, err error) { return h, r.Scan(&h.id, &h.number) }, query, args...)
	if err != nil {
		return nil, fmt.Errorf("search products: %w", err)
	}
	return hits, nil
}

func (q *productQuery) hitsSQL(now int64, limit int) (query string, args []any) {
	return `
		SELECT p.id, p.number
		FROM ` + q.from + `
		WHERE ` + q.whereSQL(publishedInOrder) + `
		ORDER BY ` + q.orderBy + `
		LIMIT ? + 0`, append(q.arguments(now), limit)
}
