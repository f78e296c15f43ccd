package order_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/district"
	"storefront/shop/order"
	"storefront/shop/phone"
	"storefront/shop/shoptest"
)

// message is a message of the corpus in shop/intake/testdata, with what a careful person would
// enter. An empty field means that it is not in the message.
type message struct {
	Shop     string   `json:"shop"`
	Text     string   `json:"text"`
	Name     string   `json:"name"`
	Phone    string   `json:"phone"`
	Line1    string   `json:"line1"`
	Area     string   `json:"area"`
	City     string   `json:"city"`
	Postcode string   `json:"postcode"`
	Items    []string `json:"items"` // "2 × Title / Option", "2 × ?" for goods that several products fit
}

func readCorpus[T any](tb testing.TB, name string) (v T) {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("..", "intake", "testdata", name))
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// newMessageShops returns the shops of the corpus by name.
func newMessageShops(tb testing.TB) map[string]*orderShop {
	tb.Helper()
	type product struct {
		Title    string   `json:"title"`
		Variants []string `json:"variants"`
		SKUs     []string `json:"skus"`
	}
	clock := shoptest.NewClock()
	shops := map[string]*orderShop{}
	for name, products := range readCorpus[map[string][]product](tb, "shops.json") {
		s := orderShopOf(&shoptest.Stocked{Shop: shoptest.New(tb, &shoptest.Options{Store: shoptest.NewStore(tb, clock), Clock: clock})})
		for n, p := range products {
			in := catalogue.ProductInput{Handle: fmt.Sprint("p", n), Title: p.Title}
			for i, v := range p.Variants {
				values := strings.Split(v, " / ")
				in.Options = []string{"Size", "Colour"}[:len(values)]
				in.Variants = append(in.Variants, catalogue.VariantInput{Options: values, Price: 100})
				if i < len(p.SKUs) {
					in.Variants[i].SKU = p.SKUs[i]
				}
			}
			if len(in.Variants) == 0 {
				in.Variants = []catalogue.VariantInput{{Price: 100}}
				if len(p.SKUs) > 0 {
					in.Variants[0].SKU = p.SKUs[0]
				}
			}
			s.sell(tb, in)
		}
		shops[name] = s
	}
	return shops
}

// tally counts how a field was filled.
type tally struct{ right, wrong, empty, needless int }

func (s *tally) add(got, want string) {
	switch {
	case got == want && want == "":
	case got == want:
		s.right++
	case got == "":
		s.empty++
	case want == "":
		s.needless++
	default:
		s.wrong++
	}
}

// parsedMessage returns the fields of a message as the shop parses it, in the form of the corpus.
func parsedMessage(t *testing.T, s *orderShop, m message) map[string]string {
	t.Helper()
	got, err := s.Orders.ParseOrder(t.Context(), access.Operator(), m.Text)
	if err != nil {
		t.Fatal(err)
	}
	var items []string
	for _, q := range got.Quantities {
		text := "?"
		if q.Title != nil {
			text = *q.Title
		}
		if q.VariantID != nil {
			products, err := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range products.Nodes {
				for _, v := range p.Variants {
					for _, o := range v.OptionValues {
						if v.ID == *q.VariantID {
							text += " / " + o.Value
						}
					}
				}
			}
		}
		items = append(items, fmt.Sprintf("%d × %s", q.Quantity, text))
	}
	slices.Sort(items)
	words := func(text string) string { return strings.Join(district.Words(text), " ") }
	return map[string]string{
		"name": words(db.TextOf(got.Customer.Name)), "phone": db.TextOf(got.Customer.PhoneNumber),
		"line1": words(got.ShippingAddress.Line1), "area": words(db.TextOf(got.ShippingAddress.Area)),
		"city": got.ShippingAddress.City, "postcode": db.TextOf(got.ShippingAddress.Postcode), "items": strings.Join(items, ", "),
	}
}

// wantedMessage returns the fields of a message in the same form.
func wantedMessage(m message) map[string]string {
	number, _ := phone.Parse(m.Phone, "BD")
	slices.Sort(m.Items)
	words := func(text string) string { return strings.Join(district.Words(text), " ") }
	return map[string]string{
		"name": words(m.Name), "phone": number, "line1": words(m.Line1), "area": words(m.Area), "city": m.City,
		"postcode": m.Postcode, "items": strings.Join(m.Items, ", "),
	}
}

var messageFields = []string{"name", "phone", "line1", "area", "city", "postcode", "items"}

// What the parser fills in is right: a wrong name or address is worse than none.
func TestParseOrder_Corpus(t *testing.T) {
	t.Parallel()
	shops := newMessageShops(t)
	sums := map[string]*tally{}
	for _, field := range messageFields {
		sums[field] = &tally{}
	}
	for _, m := range readCorpus[[]message](t, "messages.json") {
		got, want := parsedMessage(t, shops[m.Shop], m), wantedMessage(m)
		for _, field := range messageFields {
			sums[field].add(got[field], want[field])
			if got[field] != want[field] {
				t.Logf("%s\n%s: got  %s\n%s: want %s", m.Text, field, got[field], field, want[field])
			}
		}
	}
	for _, field := range messageFields {
		sum := *sums[field]
		t.Logf("%s: %+v", field, sum)
		stated := sum.right + sum.wrong + sum.empty
		if bad := sum.wrong + sum.needless; 100*bad > stated || 100*sum.right < 85*stated {
			t.Errorf("%s: got %+v, want at most 1 %% wrong and at least 85 %% right", field, sum)
		}
	}
}

// A phone number that the shop knows proposes its last name and address, beside those that the
// message states.
func TestParseOrder_KnownPhone(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	in := guestOrder(wants(s.card, 1))
	in.Customer.PhoneNumber = new("01711223344")
	s.Place(t, access.Caller{}, in)
	known := &order.ProposedBuyer{Name: "Rahima Khatun", ShippingAddress: account.Address{
		Line1: "House 12, Road 5", Line2: new("Flat 4B"), Area: new("Mirpur"), City: "Dhaka",
		Postcode: new("1216"), Country: new("BD"),
	}}
	for _, tc := range []struct {
		text, name string
		want       *order.ProposedBuyer
	}{
		{"2 card\n01711223344", "", known},
		{"2 card\nSadia Afrin\n01711223344", "Sadia Afrin", known},
		{"2 card\n01811223344", "", nil},
		{"2 card", "", nil},
	} {
		got, err := s.Orders.ParseOrder(t.Context(), access.Operator(), tc.text)
		if err != nil {
			t.Fatal(err)
		}
		if name := db.TextOf(got.Customer.Name); name != tc.name {
			t.Errorf("%q: got the name %q, want %q", tc.text, name, tc.name)
		}
		if diff := cmp.Diff(tc.want, got.Proposed); diff != "" {
			t.Errorf("%q: proposed buyer (-want +got):\n%s", tc.text, diff)
		}
	}
}
