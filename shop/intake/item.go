package intake

import (
	"slices"
	"strings"

	"storefront/shop/input"
)

// item is a product in a message with its quantity.
type item struct {
	product, variant int // -1: none, or not certain
	first, last      int // its tokens
	number           int // 0: not stated
	asked            bool
	sure             bool
	stated           bool // the variant, by its options
}

// maxClause limits the words of a clause; longer ones are read in parts.
const maxClause = 100

// readGoods finds products and quantities clause by clause, except in values of other labels.
func (r *reader) readGoods() {
	r.goods = newGoods(r)
	var items []item
	for start := 0; start < len(r.tokens); {
		if r.tokens[start].gap == line {
			r.inList = r.isList(start)
		}
		if !r.isGoodsToken(start) {
			if r.tokens[start].role == countRole {
				items = r.addLabelledCount(items, start)
			}
			start++
			continue
		}
		end := start + 1
		for end < len(r.tokens) && end < start+maxClause && r.isGoodsToken(end) && !r.startsClause(end) {
			end++
		}
		first := start
		if r.is("and", r.tokens[start].key) && end > start+1 {
			first++
		}
		items = r.readClause(items, first, end)
		start = end
	}
	for n := range items {
		items[n] = r.withEarlierOption(items, n)
	}
	r.items = items
}

// addItems adds the products and quantities to the order. One that is only mentioned in a question
// is added if the message has an address.
func (r *reader) addItems() {
	for n, it := range r.items {
		if it.number == 0 && n+1 < len(r.items) && r.precedesOr(it) {
			continue // "white mug or blue mug - blue 2 ta"
		}
		if it.number == 0 && r.isCountedElsewhere(it) {
			continue // "clay pot 3 ta (clay pot)"
		}
		isCounted := func(other item) bool { return other.number > 0 }
		if !it.asked || it.number > 0 || r.Address != "" && !slices.ContainsFunc(r.items, isCounted) {
			r.addQuantity(it)
		}
	}
}

// isCountedElsewhere reports whether another item has the product, with a quantity.
func (r *reader) isCountedElsewhere(it item) bool {
	return it.product >= 0 && slices.ContainsFunc(r.items, func(other item) bool {
		return other.number > 0 && other.product == it.product &&
			(it.variant < 0 || it.variant == other.variant)
	})
}

// precedesOr reports whether another item may be meant in place of one.
func (r *reader) precedesOr(it item) bool {
	next := it.last + 1
	return next < len(r.tokens) && r.tokens[next].gap <= space && r.is("or", r.tokens[next].key)
}

// isGoodsToken reports whether a token may be of goods.
func (r *reader) isGoodsToken(i int) bool {
	role := r.tokens[i].role
	return role == noRole || role == productRole || role == quoteRole
}

// startsClause reports whether a clause begins at a token.
func (r *reader) startsClause(i int) bool {
	t := &r.tokens[i]
	return t.gap >= comma || t.role != r.tokens[i-1].role || r.is("and", t.key)
}

// readClause adds the products and quantities of a clause.
func (r *reader) readClause(items []item, start, end int) []item {
	if q, ok := r.skuItem(start, end); ok {
		return append(items, r.withQuantity(q, start, end))
	}
	mentions := r.findMentions(start, end)
	mentions = slices.DeleteFunc(
		mentions,
		func(m mention) bool { return !r.isOrdered(m, start, end) },
	)
	if len(mentions) == 0 {
		return r.readRest(items, start, end)
	}
	quantities := r.findQuantities(mentions, start, end)
	prefixed := len(quantities) > 0 && quantities[0].last < mentions[0].first
	asked := r.inquires(start, end)
	from := start
	for n, m := range mentions {
		to := end
		if n+1 < len(mentions) {
			to = mentions[n+1].first
		}
		it := item{product: m.product, variant: -1, first: m.first, last: m.last}
		it.sure = m.sure && m.product >= 0
		it.asked = asked || r.tokens[m.first].asked
		part := to
		if q := nearest(quantities, from, m, to, prefixed); q != nil {
			q.used = true
			items = r.countItem(items, &it, *q)
			if q.first > m.last {
				part = q.last + 1
			}
		}
		r.mark(m.first, m.last, goodsRole)
		items = append(items, r.measured(r.withVariant(it, from, part), from, part))
		items = r.readOthers(items, quantities, part, to)
		from = m.last + 1
	}
	r.markOptions(start, end)
	return items
}

// inquires reports whether a clause is a question about a price or stock.
func (r *reader) inquires(start, end int) bool {
	for i := start; i < end; i++ {
		if r.is("question", r.tokens[i].key) {
			return true
		}
	}
	return false
}

// isOrdered reports whether a mention is of goods: not the name of a place, by words that are also
// in the product's title.
func (r *reader) isOrdered(m mention, start, end int) bool {
	if m.missing == 0 {
		return true
	}
	counted, evidence := false, false
	for i := start; i < end; i++ {
		if i >= m.first && i <= m.last {
			continue
		}
		if _, next := r.measureAt(i, end); next > i {
			i = next - 1
			continue
		}
		_, isCounted := r.quantityAt(i, end)
		counted = counted || isCounted
		evidence = evidence || r.is("address", r.tokens[i].key) || r.isPlace(i) && m.score < 8
	}
	return counted || !evidence
}

// nearest returns the unused quantity of a mention: behind it or, if the quantities of the clause
// precede the goods, before it.
func nearest(all []quantity, from int, m mention, to int, prefixed bool) *quantity {
	var before, behind *quantity
	for i := range all {
		q := &all[i]
		switch {
		case q.used:
		case q.first >= from && q.last < m.first:
			before = q
		case q.first > m.last && q.last < to && behind == nil,
			q.first >= m.first && q.last <= m.last:
			behind = q
		}
	}
	if prefixed && before != nil || behind == nil {
		return before
	}
	return behind
}

// findQuantities returns the quantities of a clause, and marks their tokens. Numbers that stand
// alone count if no other number does, and if they are no size of the product before them.
func (r *reader) findQuantities(mentions []mention, start, end int) []quantity {
	all := r.findCounted(mentions, start, end)
	for i := start; i < end && !r.inquires(start, end); i++ {
		if r.tokens[i].role == priceRole || r.isMentioned(mentions, i) || r.isOption(mentions, i) ||
			slices.ContainsFunc(all, func(q quantity) bool { return q.first <= i && i <= q.last }) {
			continue
		}
		if q, ok := r.bareQuantity(i, end); ok &&
			(!r.isNear(all, mentions, i) || r.tokens[i].gap == space && r.isOption(mentions, i-1)) {
			all = append(all, q)
		}
	}
	slices.SortFunc(all, func(a, b quantity) int { return a.first - b.first })
	for _, q := range all {
		r.mark(q.first, q.last, quantityRole)
	}
	return all
}

// findCounted returns the quantities of a clause with a word that counts: "2 pcs", "ekta".
func (r *reader) findCounted(mentions []mention, start, end int) (all []quantity) {
	for i := start; i < end; i++ {
		if r.tokens[i].role == priceRole || r.isMentioned(mentions, i) {
			continue
		}
		if _, next := r.measureAt(i, end); next > i {
			i = next - 1
			continue
		}
		if q, ok := r.quantityAt(i, end); ok && !r.isSizeWithArticle(mentions, q) {
			all = append(all, q)
			i = q.last
		}
	}
	return all
}

// minSize is the least number that is a size rather than a quantity if a product has both.
const minSize = 20

// isSizeWithArticle reports whether a quantity is the size of a mentioned product: "borka 54 ta".
func (r *reader) isSizeWithArticle(mentions []mention, q quantity) bool {
	return q.number >= minSize && q.last > q.first && r.is("article", r.tokens[q.last].key) &&
		r.isOption(mentions, q.first)
}

// isNear reports whether the mention nearest to a number has another quantity.
func (r *reader) isNear(all []quantity, mentions []mention, i int) bool {
	for _, q := range all {
		between := slices.ContainsFunc(mentions, func(m mention) bool {
			return min(i, q.first) < m.first && m.last < max(i, q.last) && len(mentions) > 1
		})
		if !between {
			return true
		}
	}
	return false
}

func (r *reader) isMentioned(mentions []mention, i int) bool {
	return slices.ContainsFunc(
		mentions,
		func(m mention) bool { return m.first <= i && i <= m.last },
	)
}

// isOption reports whether a number is the option of a mentioned product.
func (r *reader) isOption(mentions []mention, i int) bool {
	return slices.ContainsFunc(mentions, func(m mention) bool {
		return m.product >= 0 && r.hasOption(m.product, r.tokens[i].key)
	})
}

// mark sets the role of tokens.
func (r *reader) mark(first, last int, to role) {
	for i := first; i <= last; i++ {
		r.tokens[i].role = to
	}
}

// addQuantity adds an item to the order.
func (r *reader) addQuantity(it item) {
	if len(r.Quantities) == r.MaxQuantities {
		return
	}
	q := Quantity{Quantity: max(it.number, 1), Sure: it.number > 0 && it.sure}
	if role := r.tokens[it.first].role; role != countRole && role != quantityRole {
		q.Text = input.Cut(strings.ReplaceAll(r.written(it.first, it.last), ", ", " "), r.MaxText)
	}
	if it.product >= 0 {
		p := &r.goods.products[it.product]
		q.ProductID, q.Title = &p.ID, &p.Title
		if it.variant >= 0 {
			q.VariantID = &p.Variants[it.variant].ID
		} else {
			q.Sure = false
		}
	}
	r.Quantities = append(r.Quantities, q)
	r.set(FieldQuantities, it.first, it.last)
}
