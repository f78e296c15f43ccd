package intake

import (
	"slices"
)

// isList reports whether the line that begins at a token lists goods by numbers, such as "1 mango
// pickle, 2 honey", and no places, as in "12 Green Road, 5 Mirpur".
func (r *reader) isList(start int) bool {
	parts := 0
	for i := start; i < len(r.tokens) && (i == start || r.tokens[i].gap < line); i++ {
		t := &r.tokens[i]
		switch {
		case t.role != noRole, r.is("address", t.key), r.isPlace(i):
			return false
		case i > start && t.gap < comma:
			continue
		case t.number < 1,
			t.number > 99,
			i+1 == len(r.tokens),
			r.tokens[i+1].gap != space,
			r.tokens[i+1].number >= 0:
			return false
		}
		parts++
	}
	return parts > 1 // one alone may be a place: "12 Shantinagar"
}

// readRest reads a clause without a product: a quantity or an option of the product before, or
// goods that the shop does not have.
func (r *reader) readRest(items []item, start, end int) []item {
	before := mention{first: -1, last: -2, product: -1}
	if len(items) > 0 {
		before.product = items[len(items)-1].product
	}
	quantities := r.findQuantities([]mention{before}, start, end)
	isBare := func(q quantity) bool { return q.first == q.last && r.tokens[q.first].number >= 0 }
	counted := slices.DeleteFunc(slices.Clone(quantities), isBare)
	words := r.contentWords(start, end)
	if before.product >= 0 {
		if all, ok := r.readOption(items, counted, quantities, start, end); ok {
			return all
		}
	}
	if r.inList && len(counted) == 0 && len(quantities) > 0 && quantities[0].first == start {
		counted = quantities
	}
	switch {
	case len(counted) > 0:
		return r.readCounted(items, quantities, counted[0], len(words) == 0, start, end)
	case len(words) == 0 && len(items) > 0:
		items[len(items)-1] = r.measured(items[len(items)-1], start, end)
	}
	r.unmark(quantities)
	return items
}

// readCounted adds the quantity of a clause to the item before, or with the words around it. bare
// means that it has no such words.
func (r *reader) readCounted(
	items []item, quantities []quantity, q quantity, bare bool, start, end int,
) []item {
	if n := len(items); n > 0 && (bare || items[n-1].number == 0) {
		if items[n-1].number == 0 || r.is("instead", r.tokens[start].key) {
			items = r.countItem(items, &items[n-1], q)
		}
		return items
	}
	first, last, ok := r.unknownGoods(q, start, end)
	switch {
	case !ok && bare: // "2 pcs", of something shown in a picture
		first, last = q.first, q.last
	case !ok:
		r.unmark(quantities)
		return items
	default:
		r.mark(first, last, goodsRole)
	}
	return append(items, item{product: -1, variant: -1, first: first, last: last, number: q.number})
}

// readOption reads a clause that has only options and a quantity of the product before.
func (r *reader) readOption(
	items []item, counted, quantities []quantity, start, end int,
) (all []item, ok bool) {
	p := &items[len(items)-1]
	it := item{product: p.product, variant: -1, first: start, last: end - 1, sure: true}
	if it = r.withVariant(it, start, end); !it.stated || len(r.contentWords(start, end)) > 0 {
		return items, false
	}
	switch {
	case len(quantities) == 0 && (p.variant < 0 || p.asked):
		p.variant, p.sure = it.variant, true
	case p.number == 0 && p.variant < 0 && len(counted) > 0:
		p.number, p.variant, p.stated, p.sure = counted[0].number, it.variant, true, true
	default:
		return r.addEllipsis(items, it, append(counted, quantities...)), true
	}
	r.mark(start, end-1, goodsRole)
	return items, true
}

// addEllipsis adds another variant of the product before: "40 size 1 ta ar 44 size 1 ta".
func (r *reader) addEllipsis(items []item, it item, quantities []quantity) []item {
	if len(quantities) > 0 {
		items = r.countItem(items, &it, quantities[0])
	}
	r.mark(it.first, it.last, goodsRole)
	return append(items, it)
}

// readOthers adds the other variants of the last item that a clause states: "black 2 ta pink 1 ta".
func (r *reader) readOthers(items []item, quantities []quantity, start, end int) []item {
	of := items[len(items)-1]
	for i := range quantities {
		q := &quantities[i]
		if q.used || q.first < start || q.last >= end || of.product < 0 {
			continue
		}
		it := item{
			product: of.product,
			variant: -1,
			first:   start,
			last:    q.last,
			number:  q.number,
			sure:    true,
		}
		if it = r.withVariant(it, start, q.last+1); it.stated {
			q.used = true
			items = append(items, it)
		}
		start = q.last + 1
	}
	return items
}

// measured returns an item with the measure in a clause as its quantity, "2 kg", if it has no other
// one and no variants that are measured.
func (r *reader) measured(it item, start, end int) item {
	if it.number > 0 || it.product < 0 || it.stated {
		return it
	}
	for i := start; i < end; i++ {
		words, next := r.measureAt(i, end)
		if next == i {
			continue
		}
		if n := parseCount(words[0]); (words[1] == "kg" || words[1] == "l") && n <= r.MaxQuantity {
			it.number = n
		}
		r.mark(i, next-1, quantityRole)
		break
	}
	return it
}

// countEach sets the quantity of the items before that have none.
func (r *reader) countEach(items []item, number int) []item {
	for i := len(items) - 1; i >= 0 && items[i].number == 0; i-- {
		items[i].number = number
	}
	return items
}

// countItem sets the quantity of an item, and of those before it if it counts for each.
func (r *reader) countItem(items []item, it *item, q quantity) []item {
	it.number = q.number
	if q.each {
		return r.countEach(items, q.number)
	}
	return items
}

// unmark returns the tokens of quantities to the rest of the message.
func (r *reader) unmark(quantities []quantity) {
	for _, q := range quantities {
		r.mark(q.first, q.last, noRole)
	}
}

// contentWords returns the tokens of a clause that are neither chat nor numbers nor options.
func (r *reader) contentWords(start, end int) (words []int) {
	for i := start; i < end; i++ {
		t := &r.tokens[i]
		if t.role != noRole && t.role != productRole || t.number >= 0 || r.isFiller(t.key) ||
			r.is("and", t.key) ||
			r.is("for", t.key) ||
			r.precedes(i, "for") ||
			r.unitOf(i) != "" ||
			r.is("counter", t.key) ||
			r.is("each", t.key) {
			continue
		}
		words = append(words, i)
	}
	return words
}

// isFiller reports whether a word, or one without its ending, is of chat, a size or a colour.
func (r *reader) isFiller(key string) bool {
	for _, word := range append([]string{key}, stems(key)...) {
		if r.is("chat", word) || r.is("common", word) || r.is("size", word) {
			return true
		}
	}
	return false
}

// unknownGoods returns the words around a quantity that may be goods: no place, and no name of a
// person.
func (r *reader) unknownGoods(q quantity, start, end int) (first, last int, ok bool) {
	plain := func(i int) bool {
		t := &r.tokens[i]
		return t.role == noRole && !r.isPlace(i) && !r.is("address", t.key) && !r.isName(t.key) ||
			t.role == productRole
	}
	first, last = q.last+1, q.last
	for last+1 < end && plain(last+1) {
		last++
	}
	if last < first || len(r.contentWords(first, last+1)) == 0 {
		first, last = q.first, q.first-1
		for first > start && plain(first-1) {
			first--
		}
	}
	for first <= last && r.is("chat", r.tokens[first].key) {
		first++
	}
	for first <= last && r.is("chat", r.tokens[last].key) {
		last--
	}
	return first, last, first <= last
}

// addLabelledCount sets a labelled quantity.
func (r *reader) addLabelledCount(items []item, i int) []item {
	number, _ := r.numberAt(i)
	if number < 1 || number > r.MaxQuantity {
		return items
	}
	if n := len(items); n > 0 && items[n-1].number == 0 {
		items[n-1].number = number
		return items
	}
	if i > 0 && r.tokens[i-1].role == countRole {
		return items
	}
	return append(items, item{product: -1, variant: -1, first: i, last: i, number: number})
}
