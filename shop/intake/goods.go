package intake

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"storefront/shop/input"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Product is a product that a message may mention.
type Product struct {
	ID       string
	Title    string
	Variants []Variant
}

// Variant is a variant of a [Product].
type Variant struct {
	ID      string
	SKU     string
	Options []string // the values of the product's options
}

// goods are the products in a form in which words are looked up.
type goods struct {
	products []product
	byForm   map[string][]unit // by a form of a word, or of two words joined
	bySKU    map[string][2]int // product and variant
	models   map[string]bool   // letters and digits of a title without a space between: "t500"
}

// product is a Product with the words of its title.
type product struct {
	Product
	units []titleUnit
}

// titleUnit is a word of a title.
type titleUnit struct {
	length     int // in letters
	consonants int
	telling    bool // it distinguishes the product from most others
	optional   bool // a number or a part of a model
}

// unit is a word of a title, by numbers.
type unit struct {
	product, unit int
	bySound       bool
}

// newGoods returns the products of a reader for looking up.
func newGoods(r *reader) *goods {
	g := &goods{byForm: map[string][]unit{}, bySKU: map[string][2]int{}, models: map[string]bool{}}
	for i, p := range r.Products {
		g.products = append(g.products, product{Product: p})
		words := scan(p.Title)
		for n := range words {
			g.addUnit(r, i, words[n].key, r.forms(words[n].word))
			if n > 0 && words[n].gap <= space {
				g.joinUnits(r, i, words[n-1].word, words[n].word)
				if r.isModel(words[n-1], words[n]) {
					g.models[words[n-1].key+words[n].key] = true
				}
			}
		}
		for n, v := range p.Variants {
			if key := skuKey(v.SKU); utf8.RuneCountInString(key) >= 3 {
				g.bySKU[key] = [2]int{i, n}
			}
		}
	}
	return g
}

// isModel reports whether two words are a model: letters and digits without a space between them,
// and no measure.
func (r *reader) isModel(a, b token) bool {
	return b.gap <= soft && (a.number >= 0) != (b.number >= 0) && r.units[a.key] == "" &&
		r.units[b.key] == "" && !r.is("counter", b.key)
}

// addUnit adds a word of a title with its forms.
func (g *goods) addUnit(r *reader, i int, word string, forms []string) {
	p := &g.products[i]
	number := parseCount(word) >= 0
	u := titleUnit{
		length:     utf8.RuneCountInString(word),
		consonants: len(input.Sound(word)),
		optional: number || utf8.RuneCountInString(word) < 2 || r.units[word] != "" ||
			word == "mah",
	}
	u.telling = !u.optional && !r.is("common", word) && !r.isPlaceName(word)
	n := len(p.units)
	p.units = append(p.units, u)
	for _, form := range forms {
		g.byForm[form] = append(g.byForm[form], unit{i, n, false})
	}
	if sound := input.Sound(word); len(sound) >= 2 && !number {
		g.byForm["~"+sound] = append(g.byForm["~"+sound], unit{i, n, true})
	}
}

// joinUnits adds the last two words of a title as one: "Face Wash" is also written ফেসওয়াশ.
func (g *goods) joinUnits(r *reader, i int, a, b string) {
	word := a + b
	n := len(g.products[i].units)
	add := func(form string, bySound bool) {
		g.byForm[form] = append(g.byForm[form], unit{i, n - 2, bySound}, unit{i, n - 1, bySound})
	}
	add(wordKey(word), false)
	for _, other := range r.spellings(word) {
		add(other, false)
	}
	sound := input.Sound(word)
	if len(sound) >= 2 && sound != input.Sound(a) && sound != input.Sound(b) {
		add("~"+sound, true)
	}
}

// skuKey returns an SKU without case and punctuation.
func skuKey(sku string) string {
	var b strings.Builder
	for _, t := range scan(sku) {
		b.WriteString(t.key)
	}
	return b.String()
}

// spellings returns the keys of the other spellings of a word of goods.
func (r *reader) spellings(word string) []string {
	if r.Spellings == nil {
		return nil
	}
	var all []string
	for _, other := range r.Spellings(word) {
		key := strings.ReplaceAll(phraseKey(other), " ", "")
		all = append(all, strings.ReplaceAll(key, "-", ""))
	}
	return all
}

// forms returns the keys of a folded word, its stems and their other spellings.
func (r *reader) forms(word string) (forms []string) {
	for _, stem := range append([]string{word}, stems(word)...) {
		forms = append(append(forms, wordKey(stem)), r.spellings(stem)...)
	}
	return forms
}

// isPlaceName reports whether a word is the name of a place.
func (r *reader) isPlaceName(word string) bool {
	_, ok := r.findCity(word)
	return ok
}

// hitsAt returns the words of titles that begin at a token, and the number of tokens of each.
func (r *reader) hitsAt(i, end int) (hits []unit, tokens []int) {
	seen := map[unit]bool{}
	add := func(forms []string, sound string, n int) {
		for _, form := range forms {
			for _, u := range r.goods.byForm[form] {
				if !u.bySound && !seen[u] {
					seen[u] = true
					hits, tokens = append(hits, u), append(tokens, n)
				}
			}
		}
		if len(sound) < 2 {
			return
		}
		for _, u := range r.goods.byForm["~"+sound] {
			if !seen[unit{u.product, u.unit, false}] && !seen[u] {
				seen[u] = true
				hits, tokens = append(hits, u), append(tokens, n)
			}
		}
	}
	t := &r.tokens[i]
	if i+1 < end && r.tokens[i+1].gap <= space {
		pair := t.word + r.tokens[i+1].word
		sound := ""
		if isBangla(pair) && len(input.Sound(t.word)) < minSound { // two short words: চুই ঝাল
			sound = input.Sound(pair)
		}
		add(append([]string{wordKey(pair)}, r.spellings(pair)...), sound, 2)
	}
	add(r.forms(t.word), input.Sound(t.word), 1)
	for _, stem := range stems(t.word) {
		add(nil, input.Sound(stem), 1)
	}
	return hits, tokens
}
