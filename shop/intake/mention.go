package intake

import (
	"cmp"
	"slices"
)

// mention is a product that tokens name.
type mention struct {
	product     int // -1: several products fit equally
	first, last int // its tokens
	score       int // the letters of its title that are found, doubled unless found by sound
	missing     int // the letters of its title that are not found
	sure        bool
}

// hit is a word of a title at a token.
type hit struct {
	unit
	token, tokens int
	model         bool // see isModel
}

// maxGap is the maximum number of other words between two words of a title.
const maxGap = 2

// findMentions returns the products that the tokens of a clause name, in their order.
func (r *reader) findMentions(start, end int) []mention {
	byProduct := map[int][]hit{}
	var order []int
	for i := start; i < end; i++ {
		hits, tokens := r.hitsAt(i, end)
		for n, u := range hits {
			if byProduct[u.product] == nil {
				order = append(order, u.product)
			}
			isModel := tokens[n] == 2 && r.isModel(r.tokens[i], r.tokens[i+1]) &&
				r.goods.models[r.tokens[i].key+r.tokens[i+1].key]
			byProduct[u.product] = append(byProduct[u.product], hit{u, i, tokens[n], isModel})
		}
	}
	var all []mention
	for _, p := range order {
		all = r.addWindows(all, p, byProduct[p])
	}
	slices.SortStableFunc(all, func(a, b mention) int {
		return cmp.Or(compareMentions(b, a), (a.last-a.first)-(b.last-b.first))
	})
	return choose(all, start, end)
}

// choose returns the best mentions that have no token in common, in their order. If two products
// fit the same tokens equally, none of them is certain.
func choose(all []mention, start, end int) (found []mention) {
	owner := make([]int, end-start) // of the tokens, from 1
	for _, m := range all {
		taken := 0
		for i := m.first; i <= m.last && taken == 0; i++ {
			taken = owner[i-start]
		}
		if taken > 0 {
			if other := &found[taken-1]; other.product != m.product &&
				compareMentions(m, *other) == 0 {
				other.product = -1
			}
			continue
		}
		found = append(found, m)
		for i := m.first; i <= m.last; i++ {
			owner[i-start] = len(found)
		}
	}
	slices.SortFunc(found, func(a, b mention) int { return a.first - b.first })
	return found
}

// compareMentions is positive if a fits better than b: its score is higher or, at equal scores, its
// title alone is complete. Zero means that neither does.
func compareMentions(a, b mention) int {
	switch {
	case a.score != b.score:
		return a.score - b.score
	case a.missing == 0 || b.missing == 0:
		return b.missing - a.missing
	}
	return 0
}

// addWindows adds the mentions of a product by tokens near one another.
func (r *reader) addWindows(all []mention, p int, hits []hit) []mention {
	var window []hit
	flush := func() {
		if m, ok := r.mentionOf(p, window); ok {
			all = append(all, m)
		}
	}
	for _, h := range hits {
		if n := len(window); n > 0 {
			last := window[n-1]
			repeated := slices.IndexFunc(
				window,
				func(w hit) bool { return w.unit.unit == h.unit.unit },
			)
			switch {
			case h.token < last.token+last.tokens && repeated < 0:
			case h.token < last.token+last.tokens: // another reading of the same word
				continue
			case r.isApart(last, h):
				flush()
				window = window[:0]
			case repeated >= 0:
				flush()
				window = slices.Delete(window, 0, repeated+1)
			}
		}
		window = append(window, h)
	}
	flush()
	return all
}

// isApart reports whether two hits are of different goods: far from one another, or with a number
// in between.
func (r *reader) isApart(a, b hit) bool {
	for i := a.token + a.tokens; i < b.token; i++ {
		if _, next := r.measureAt(i, b.token); next > i {
			i = next - 1
			continue
		}
		if number, _ := r.numberAt(i); number > 0 {
			return true
		}
	}
	return b.token > a.token+a.tokens+maxGap
}

// mentionOf returns the mention of a product by words of its title, if they suffice to distinguish
// it from others.
func (r *reader) mentionOf(p int, window []hit) (m mention, ok bool) {
	if len(window) == 0 {
		return m, false
	}
	of := &r.goods.products[p]
	m = mention{product: p, first: window[0].token, last: window[0].token}
	found := make([]bool, len(of.units))
	exact, plain, required := false, false, 0
	for _, h := range window {
		u := of.units[h.unit.unit]
		found[h.unit.unit] = true
		m.add(h, u)
		m.sure = m.sure || r.distinguishes(h, u)
		plain = plain || h.tokens > 1 || !r.isChat(h.token)
		m.sure = m.sure || h.model
		if !u.optional || h.model {
			exact = exact || !h.bySound
			required++
		}
	}
	m.missing = of.missing(found)
	m.sure = m.sure || m.missing == 0 && plain && (exact || required > 1)
	return m, required > 0 && m.sure
}

// missing returns the letters of the words of a title that are not found.
func (p *product) missing(found []bool) (letters int) {
	for i, u := range p.units {
		if !found[i] && !u.optional {
			letters += u.length
		}
	}
	return letters
}

// add adds a word of the title.
func (m *mention) add(h hit, u titleUnit) {
	m.last = max(m.last, h.token+h.tokens-1)
	m.score += u.length
	if !h.bySound {
		m.score += u.length
	}
}

// distinguishes reports whether a word of a title suffices to recognize the product, if no other
// one has it.
func (r *reader) distinguishes(h hit, u titleUnit) bool {
	strong := !h.bySound && u.length >= 2 || u.consonants >= minSound && u.length >= 5
	return u.telling && strong && (h.tokens > 1 || !r.isCommonWord(h.token))
}

// isCommonWord reports whether a token is a word that also means something else than goods.
func (r *reader) isCommonWord(i int) bool {
	key := r.tokens[i].key
	return r.is("address", key) || r.is("chat", key) || r.is("common", key) || r.names[key] ||
		r.isPlace(i) ||
		r.unitOf(i) != ""
}
