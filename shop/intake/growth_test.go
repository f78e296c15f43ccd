package intake

import (
	"strings"
	"testing"
	"unicode/utf8"

	"storefront/shop/input"
)

// maxSteps is the most that a message may take, by its characters.
func maxSteps(text string) int { return 2_000 + 250*utf8.RuneCountInString(text) }

// long are the parts of messages that take longest, each repeated to any length.
var long = map[string]string{
	"names":           "Rahima Khatun ",
	"lines of names":  "Rahima Khatun\n",
	"names in Bangla": "রহিমা খাতুন, ",
	"numbers":         "1 ",
	"digits":          "7",
	"phone numbers":   "01711-223344 ",
	"prices":          "500 taka ",
	"labels":          "name: phone: address: ",
	"labelled lines":  "Name: Rahima\nAddress: House 5, Dhaka\n",
	"places":          "Mirpur Dhaka ",
	"places, commas":  "Mirpur, Dhaka, ",
	"addresses":       "House 12, Road 5, Mirpur, Dhaka\n",
	"quantities":      "2 pcs mug, ",
	"one long clause": "2 blue mug 40 ",
	"variants":        "blue mug 40 2 ta ar 2-3 y 1 ta M-1 ",
	"questions":       "blue mug ache? ",
	"headers":         "[12/05/24, 10:22] Rafi: mug\n",
	"signs":           ":=-–,+",
	"compounds":       "bluemugdhakamirpur",
	"words of goods":  "mug ",
}

// Parsing takes time in proportion to the message, counted in steps.
func TestParse_Growth(t *testing.T) {
	t.Parallel()
	for name, part := range long {
		short := strings.Repeat(part, 1+1000/utf8.RuneCountInString(part))
		large := strings.Repeat(short, 4)
		one, four := withProducts("BD").read(short).steps, withProducts("BD").read(large).steps
		if four > 5*one+100 {
			t.Errorf("%s: got %d steps, and %d for four times the text", name, one, four)
		}
		if limit := maxSteps(large); four > limit {
			t.Errorf("%s: got %d steps, want at most %d", name, four, limit)
		}
		t.Logf("%s: %d, %d steps; %d a character", name, one, four, four/utf8.RuneCountInString(large))
	}
}

// FuzzParse_Steps finds messages that take longer than others of their length.
func FuzzParse_Steps(f *testing.F) {
	for _, part := range long {
		f.Add(strings.Repeat(part, 20))
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = input.Cut(text, 5000)
		if got := withProducts("BD").read(text).steps; got > maxSteps(text) {
			t.Errorf("%q: got %d steps, want at most %d", text, got, maxSteps(text))
		}
	})
}

// withProducts is parser with products that messages mention.
func withProducts(country string) Parser {
	p := parser(country)
	p.Products = []Product{{ID: "1", Title: "Blue Mug", Variants: []Variant{
		{ID: "2", SKU: "M-1", Options: []string{"Blue", "40"}}, {ID: "3", Options: []string{"2-3 Y"}},
	}}}
	return p
}
