package intake

import (
	"slices"
	"strings"
	"unicode/utf8"

	"storefront/shop/input"
)

// maxSKUWords is the maximum number of tokens of an SKU.
const maxSKUWords = 6

// skuItem returns the item that an SKU in a clause means.
func (r *reader) skuItem(start, end int) (it item, ok bool) {
	for i := start; i < end; i++ {
		key := ""
		for n := i; n < end && n < i+maxSKUWords; n++ {
			if n > i && r.tokens[n].gap > soft {
				break
			}
			key += r.tokens[n].key
			at, known := r.goods.bySKU[key]
			if !known || utf8.RuneCountInString(key) < 3 || n+1 < end && r.tokens[n+1].gap <= soft {
				continue
			}
			r.mark(i, n, goodsRole)
			return item{product: at[0], variant: at[1], first: i, last: n, sure: true}, true
		}
	}
	return item{}, false
}

// withQuantity adds the quantity in a clause to its only item.
func (r *reader) withQuantity(it item, start, end int) item {
	m := mention{first: it.first, last: it.last, product: it.product}
	quantities := r.findQuantities([]mention{m}, start, end)
	if q := nearest(quantities, start, m, end, false); q != nil {
		it.number = q.number
	}
	return it
}

// option is a word of a clause in the form of variants.
type option struct {
	word  string
	forms []string
	sound string // of a word in Bangla
	token int
}

// optionsOf returns the words of tokens that may be of options, with measures in one form.
func (r *reader) optionsOf(start, end int) (all []option) {
	for i := start; i < end; i++ {
		if words, next := r.measureAt(i, end); next > i {
			for n, word := range words {
				all = append(all, option{word, []string{word}, "", min(i+n, next-1)})
			}
			i = next - 1
			continue
		}
		key := r.tokens[i].key
		one := option{word: key, forms: r.forms(r.tokens[i].word), token: i}
		known := r.is("address", key) || r.isInName(i) || len(r.spellings(r.tokens[i].word)) > 0
		if isBangla(key) && !known {
			one.sound = input.Sound(key)
		}
		all = append(all, one)
	}
	return all
}

// wordsOfOption returns the words of an option of a variant, in the same form.
func (r *reader) wordsOfOption(value string) (words []string) {
	for _, t := range scan(value) {
		word := t.key
		if unit := r.units[word]; unit != "" {
			word = unit
		}
		words = append(words, word)
	}
	return words
}

// withVariant sets the variant of an item if the words of a clause mean one.
func (r *reader) withVariant(it item, start, end int) item {
	if it.product < 0 {
		return it
	}
	variants := r.goods.products[it.product].Variants
	if len(variants) == 1 {
		it.variant = 0
		return it
	}
	options := r.optionsOf(start, end)
	best, ties := 0, 0
	for n, v := range variants {
		score := 0
		for _, value := range v.Options {
			words := r.wordsOfOption(value)
			if at := findWords(options, words); at >= 0 {
				score += len(words)
			}
		}
		switch {
		case score > best:
			best, ties, it.variant = score, 0, n
		case score == best:
			ties++
		}
	}
	if best == 0 || ties > 0 {
		it.variant = -1
		return it
	}
	it.stated = true
	for _, value := range variants[it.variant].Options {
		words := r.wordsOfOption(value)
		for n, at := 0, findWords(options, words); at >= 0 && n < len(words); n++ {
			if t := &r.tokens[options[at+n].token]; t.role == noRole || t.role == productRole {
				t.role = goodsRole
			}
		}
	}
	return it
}

// maxEarlier is the maximum number of words between an option and the product behind it.
const maxEarlier = 12

// withEarlierOption sets the variant of an item that has none by an option in the clauses before
// it: "black hole nibo, smart watch 1 ta". It is not certain.
func (r *reader) withEarlierOption(items []item, n int) item {
	it := items[n]
	if it.product < 0 || it.variant >= 0 {
		return it
	}
	from := 0
	if n > 0 {
		from = items[n-1].last + 1
	}
	start := it.first
	for start > from && it.first-start < maxEarlier && r.isOptionToken(start-1) {
		start--
	}
	for i := start; i+1 < it.first; i++ {
		if next := r.afterOr(i, it); next > 0 {
			start = next
		}
	}
	if found := r.withVariant(it, start, it.first); found.stated {
		it.variant, it.sure = found.variant, false
	}
	return it
}

// isOptionToken reports whether a token may be of an option that is stated before its product.
func (r *reader) isOptionToken(i int) bool {
	role := r.tokens[i].role
	return (role == noRole || role == goodsRole) && r.tokens[i].gap < line
}

// afterOr returns the token behind two options that are an alternative, "red/black" or "red or
// black", and begin at a token. Otherwise it returns 0.
func (r *reader) afterOr(i int, it item) int {
	next := i + 1
	if r.is("or", r.tokens[next].key) {
		next++
	} else if !strings.Contains(r.tokens[next].before, "/") {
		return 0
	}
	if next >= it.first || !r.hasOption(it.product, r.tokens[i].key) ||
		!r.hasOption(it.product, r.tokens[next].key) {
		return 0
	}
	return next + 1
}

// findWords returns where words follow one another in options, or -1.
func findWords(options []option, words []string) int {
	for i := 0; len(words) > 0 && i+len(words) <= len(options); i++ {
		all := true
		for n, word := range words {
			if !options[i+n].means(word) {
				all = false
				break
			}
		}
		if all {
			return i
		}
	}
	return -1
}

// means reports whether a word of a message is one of an option. A word in Bangla is also
// recognized by its sound: রুবি.
func (o *option) means(word string) bool {
	return o.word == word || slices.Contains(o.forms, word) ||
		len(o.sound) >= 2 && !isBangla(word) && o.sound == input.Sound(word)
}

// hasOption reports whether a word is an option of a product.
func (r *reader) hasOption(p int, key string) bool {
	for _, v := range r.goods.products[p].Variants {
		for _, value := range v.Options {
			if slices.Contains(r.wordsOfOption(value), key) {
				return true
			}
		}
	}
	return false
}

// markOptions marks what is left of a clause that names goods: sizes, colours and chat. A name or
// an address in the same clause stays.
func (r *reader) markOptions(start, end int) {
	for i := start; i < end; i++ {
		t := &r.tokens[i]
		if t.role != noRole && t.role != productRole {
			continue
		}
		if r.is("origin", t.key) && i+1 < end && r.tokens[i+1].role == noRole && r.isPlace(i+1) {
			for n := i; n < max(i+1, r.places[i+1].end); n++ {
				r.tokens[n].role = goodsRole
			}
		}
		if t.role == productRole || r.is("chat", t.key) || r.is("common", t.key) ||
			r.is("size", t.key) ||
			r.units[t.key] != "" ||
			r.is("counter", t.key) ||
			t.number >= 0 && r.besideGoods(i) {
			t.role = goodsRole
		}
	}
}

// besideGoods reports whether a token follows or precedes goods directly.
func (r *reader) besideGoods(i int) bool {
	near := func(n int) bool {
		return n >= 0 && n < len(r.tokens) &&
			(r.tokens[n].role == goodsRole || r.tokens[n].role == quantityRole)
	}
	return near(i-1) || near(i+1)
}
