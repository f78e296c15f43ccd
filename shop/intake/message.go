// Package intake reads an order out of a message in which a buyer orders by chat, which staff paste
// into a form: a phone number of the shop's country, products of the shop's catalogue with their
// quantities, a name and an address, in Bangla, English and Bangla in Latin letters. A field that
// is not certain stays empty. It is pure: it must not know a shop or an order.
package intake

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/shop/input"
	"storefront/shop/phone"
)

// Parser parses messages of the buyers of one shop. All fields except the last two are required.
type Parser struct {
	Country       string // ISO 3166, of the shop
	MaxQuantities int    // of one message
	MaxQuantity   int    // of one product
	MaxText       int    // characters of an address, or of the words around a quantity
	// Products are the products that a message may mention, found by its [Words].
	Products []Product
	// Spellings returns other spellings of a word of goods; nil means that it is no such word.
	Spellings func(word string) []string
}

// Order is what a message says about an order. A text that the message does not have, or not
// certainly, is "".
type Order struct {
	Name       string
	Phone      string // E.164
	Address    string
	Area       string
	City       string
	Postcode   string
	Quantities []Quantity
	Sources    []Source
	Unsure     []Field
}

// Field is a part of an order in a message.
//
//api:enum ParsedField
type Field string

// The fields that are found in a message.
const (
	FieldName       Field = "name"       // the buyer's name
	FieldPhone      Field = "phone"      // the phone number
	FieldAddress    Field = "address"    // house, street and directions
	FieldArea       Field = "area"       // a part of the city or district
	FieldCity       Field = "city"       // the city or district
	FieldPostcode   Field = "postcode"   // the postcode
	FieldQuantities Field = "quantities" // products and quantities
)

// Source is where a field comes from.
type Source struct {
	Field Field  `json:"field"`
	Text  string `json:"text"  doc:"The words of the message, as they were written"`
}

// Quantity is a quantity in a message, with the words around it.
type Quantity struct {
	Quantity int    `json:"quantity"`
	Text     string `json:"text"      doc:"The product in the message's words"`
	// ProductID and VariantID are nil unless the words certainly mean one of the shop.
	ProductID *string `json:"productId" doc:"The product that the words mean; null if that is not certain"`
	VariantID *string `json:"variantId" doc:"The variant that the words mean; null if that is not certain"`
	Title     *string `json:"title"     doc:"The product's title"`
	Sure      bool    `json:"sure"      doc:"Whether the message states this quantity and product, and the variant if there are several"`
}

// reader reads one message.
type reader struct {
	Parser
	Order
	*vocabulary
	text   string // without headers
	tokens []token
	places []place // by token, at which they begin
	goods  *goods
	items  []item
	inList bool // the line lists goods, see isList
	steps  int  // words looked up so far
}

// is reports whether a key is a word of a kind, and counts a step.
func (r *reader) is(kind, key string) bool {
	r.steps++
	return r.vocabulary.is(kind, key)
}

// Words returns the words of a message that may be of products, folded, with their stems and with
// pairs that are one word in other spellings. At most limit, each once.
func (p Parser) Words(text string, limit int) []string {
	r := &reader{Parser: p, vocabulary: loadVocabulary()}
	var words []string
	seen := map[string]bool{}
	add := func(all ...string) {
		for _, word := range all {
			if len(words) < limit && !seen[word] && utf8.RuneCountInString(word) >= 2 {
				seen[word] = true
				words = append(words, word)
			}
		}
	}
	tokens := scan(withoutHeaders(text))
	for i, t := range tokens {
		if i > 0 && t.gap <= space {
			pair := tokens[i-1].word + t.word
			if len(r.spellings(pair)) > 0 || r.isModel(tokens[i-1], t) {
				add(pair)
			}
		}
		if t.number >= 0 || r.is("chat", t.key) && len(r.spellings(t.word)) == 0 {
			continue
		}
		add(t.word)
		add(stems(t.word)...)
	}
	return words
}

// Parse parses a message in NFC. Its time grows with the length of the message.
func (p Parser) Parse(text string) Order { return p.read(text).Order }

func (p Parser) read(text string) *reader {
	r := &reader{Parser: p, vocabulary: loadVocabulary(), text: withoutHeaders(text)}
	r.tokens = r.splitCompounds(scan(r.text))
	if len(r.tokens) == 0 {
		return r
	}
	r.readQuotes()
	r.readPhones()
	r.readPrices()
	r.readLabels()
	r.findPlaces()
	r.readGoods()
	r.readName()
	r.readAddress()
	r.addItems()
	r.finish()
	return r
}

// set adds the source of a field.
func (r *reader) set(field Field, first, last int) {
	text := strings.TrimSpace(r.text[r.tokens[first].start:r.tokens[last].end])
	r.Sources = append(r.Sources, Source{field, input.Cut(text, r.MaxText)})
}

// finish drops the sources of fields that are empty, and lists what the message has but not
// certainly.
func (r *reader) finish() {
	empty := map[Field]bool{
		FieldName: r.Name == "", FieldPhone: r.Phone == "", FieldAddress: r.Address == "",
		FieldArea: r.Area == "", FieldCity: r.City == "", FieldPostcode: r.Postcode == "",
	}
	r.Sources = slices.DeleteFunc(r.Sources, func(s Source) bool { return empty[s.Field] })
	for _, field := range []Field{FieldName, FieldPhone, FieldAddress, FieldCity} {
		if empty[field] {
			r.Unsure = append(r.Unsure, field)
		}
	}
	unsure := func(q Quantity) bool { return !q.Sure }
	if len(r.Quantities) == 0 || slices.ContainsFunc(r.Quantities, unsure) {
		r.Unsure = append(r.Unsure, FieldQuantities)
	}
}

// written returns the text of tokens with ASCII digits, single spaces and commas for line breaks.
func (r *reader) written(first, last int) string {
	text := r.text[r.tokens[first].start:r.tokens[last].end]
	var lines []string
	for one := range strings.Lines(text) {
		if one = tidyLine(foldDigits(one)); one != "" {
			lines = append(lines, one)
		}
	}
	return strings.Join(lines, ", ")
}

// foldDigits replaces digits of all scripts by ASCII digits.
func foldDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if d, ok := phone.DigitValue(r); ok && r > unicode.MaxASCII {
			return rune('0' + d)
		}
		return r
	}, text)
}

// tidyLine returns a line with single spaces, and without separators at its ends and the signs with
// which messaging programs emphasize.
func tidyLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if isSymbol(r) || strings.ContainsRune("*_~", r) {
			return ' '
		}
		return r
	}, text)
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), " ,", ",")
	return strings.Trim(text, " ,;:।-–—*•|/.")
}
