package catalogue_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/shoptest"
)

func quantityPrices(pairs ...int64) (prices catalogue.QuantityPrices) {
	for i := 0; i < len(pairs); i += 2 {
		prices = append(prices, catalogue.QuantityPriceInput{Quantity: int(pairs[i]), Price: pairs[i+1]})
	}
	return prices
}

func TestQuantityPrices_Discount(t *testing.T) {
	t.Parallel()
	units := func(pairs ...int64) (all []catalogue.Units) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, catalogue.Units{Price: pairs[i], Quantity: int(pairs[i+1])})
		}
		return all
	}
	for name, tc := range map[string]struct {
		prices catalogue.QuantityPrices
		units  []catalogue.Units
		want   int64
	}{
		"none":                      {nil, units(600_00, 5), 0},
		"too few":                   {quantityPrices(2, 1100_00), units(600_00, 1), 0},
		"two":                       {quantityPrices(2, 1100_00), units(600_00, 2), 100_00},
		"three, one at its price":   {quantityPrices(2, 1100_00), units(600_00, 3), 100_00},
		"a price without a divisor": {quantityPrices(3, 1000_00), units(350_00, 3), 50_00},
		"two times":                 {quantityPrices(3, 1000_00), units(350_00, 7), 100_00},
		"the largest is not best":   {quantityPrices(3, 24, 5, 45), units(10, 6), 12},
		"of two variants":           {quantityPrices(2, 1100_00), units(600_00, 1, 650_00, 1), 150_00},
		"the dearest units":         {quantityPrices(2, 1100_00), units(600_00, 2, 650_00, 1), 150_00},
		"dearer than the units":     {quantityPrices(2, 1100_00), units(500_00, 4), 0},
		"dearer than some units":    {quantityPrices(2, 1100_00), units(500_00, 1, 700_00, 2), 300_00},
		"many": {quantityPrices(2, 1100_00, 3, 1500_00), units(600_00, 100_001),
			600_00*100_001 - (33333*1500_00 + 1100_00)},
		"many of several prices": {quantityPrices(7, 6), units(1, 70_000, 2, 70_000), 3*70_000 - 20_000*6},
		"many, not cheaper":      {quantityPrices(2, 1100_00), units(500_00, 100_001), 0},
		"the largest amounts":    {quantityPrices(2, money.MaxAmount), units(1, 100_000), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.prices.Discount(tc.units); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

// TestQuantityPrices_Random compares random prices with a search of all combinations.
func TestQuantityPrices_Random(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var prices catalogue.QuantityPrices
		for quantity := 1; rnd.IntN(3) > 0; {
			quantity += 1 + rnd.IntN(4)
			prices = append(prices, catalogue.QuantityPriceInput{Quantity: quantity, Price: 1 + rnd.Int64N(1000)})
		}
		var units []catalogue.Units
		var single []int64
		for range 1 + rnd.IntN(4) {
			u := catalogue.Units{Price: rnd.Int64N(300), Quantity: 1 + rnd.IntN(4)}
			units = append(units, u)
			for range u.Quantity {
				single = append(single, u.Price)
			}
		}
		var whole int64
		for _, price := range single {
			whole += price
		}
		if got, want := prices.Discount(units), whole-cheapest(prices, single); got != want {
			t.Fatalf("%v at %v: got %d, want %d", units, prices, got, want)
		}
	}
}

// cheapest returns the lowest price of units by trying, for each number of units that quantity
// prices cover, each of these.
func cheapest(prices catalogue.QuantityPrices, single []int64) int64 {
	single = append([]int64{}, single...)
	lowest := int64(0)
	for _, price := range single {
		lowest += price
	}
	for _, p := range prices {
		if p.Quantity <= len(single) {
			rest := append([]int64{}, single...)
			for range p.Quantity { // the dearest
				at := 0
				for i, price := range rest {
					if price > rest[at] {
						at = i
					}
				}
				rest = append(rest[:at], rest[at+1:]...)
			}
			lowest = min(lowest, p.Price+cheapest(prices, rest))
		}
	}
	return lowest
}

// Quantity prices are stored, shown as far as they are cheaper, and part of a duplicate.
func TestQuantityPrices_Product(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	shown := func(list []catalogue.QuantityPrice) (pairs []int64) {
		for _, p := range list {
			pairs = append(pairs, int64(p.Quantity), p.Price.Amount)
		}
		return pairs
	}
	update := func(change catalogue.ProductChange) *catalogue.ProductRecord {
		t.Helper()
		record, err := s.Catalogue.UpdateProduct(t.Context(), access.Operator(), s.Mug.ID, change)
		if err != nil {
			t.Fatal(err)
		}
		return record
	}
	public := func() []int64 {
		t.Helper()
		product, err := s.Catalogue.FindProduct(t.Context(), s.Mug.ID)
		if err != nil {
			t.Fatal(err)
		}
		return shown(product.QuantityPrices)
	}
	two, three := []int64{2, 850_00}, []int64{2, 850_00, 3, 1200_00}
	update(catalogue.ProductChange{QuantityPrices: quantityPrices(three...)})
	if diff := gocmp.Diff(three, public()); diff != "" {
		t.Error(diff)
	}
	if update(catalogue.ProductChange{Title: new("Cup")}); len(public()) != 4 {
		t.Errorf("after another change: got %v, want the same", public())
	}
	record := update(catalogue.ProductChange{Variants: []catalogue.VariantChange{{Price: new(int64(430_00))}}})
	if diff := gocmp.Diff(three, shown(record.QuantityPrices)); diff != "" {
		t.Errorf("staff, after the price has fallen: %s", diff)
	}
	if diff := gocmp.Diff(three, public()); diff != "" {
		t.Error(diff)
	}
	update(catalogue.ProductChange{Variants: []catalogue.VariantChange{{Price: new(int64(400_00))}}})
	if got := public(); len(got) != 0 {
		t.Errorf("buyers, after the price has fallen: got %v, want none", got)
	}
	update(catalogue.ProductChange{Variants: []catalogue.VariantChange{{Price: new(int64(450_00))}}, QuantityPrices: quantityPrices(two...)})
	copied, err := s.Catalogue.DuplicateProduct(t.Context(), access.Operator(), s.Mug.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(two, shown(copied.QuantityPrices)); diff != "" {
		t.Errorf("a duplicate: %s", diff)
	}
	update(catalogue.ProductChange{QuantityPrices: catalogue.QuantityPrices{}})
	if got := public(); len(got) != 0 {
		t.Errorf("removed: got %v, want none", got)
	}
	s.CheckBooks(t)
}

func TestQuantityPrices_Invalid(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	var many catalogue.QuantityPrices
	for n := int64(2); n < 13; n++ {
		many = append(many, quantityPrices(n, n*100)...)
	}
	for name, tc := range map[string]struct {
		prices catalogue.QuantityPrices
		field  string
	}{
		"one unit":              {quantityPrices(1, 100_00), "quantityPrices[0].quantity"},
		"too many units":        {quantityPrices(1001, 100_00), "quantityPrices[0].quantity"},
		"descending":            {quantityPrices(3, 1200_00, 2, 800_00), "quantityPrices[1].quantity"},
		"twice":                 {quantityPrices(2, 850_00, 2, 800_00), "quantityPrices[1].quantity"},
		"free":                  {quantityPrices(2, 0), "quantityPrices[0].price"},
		"negative":              {quantityPrices(2, -1), "quantityPrices[0].price"},
		"beyond every amount":   {quantityPrices(2, money.MaxAmount+1), "quantityPrices[0].price"},
		"not cheaper":           {quantityPrices(2, 900_00), "quantityPrices[0].price"},
		"not cheaper than both": {quantityPrices(2, 850_00, 4, 1700_00), "quantityPrices[1].price"},
		"eleven":                {many, "quantityPrices"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Catalogue.UpdateProduct(t.Context(), access.Operator(), s.Mug.ID, catalogue.ProductChange{QuantityPrices: tc.prices})
			invalid := shop.AsError(err)
			if invalid.Kind() != fault.KindInvalid || len(invalid.Fields) != 1 || invalid.Fields[0].Field != tc.field {
				t.Errorf("got error %v with %v, want %s", err, invalid.Fields, tc.field)
			}
		})
	}
}

// A product file has the quantity prices in one cell. An empty cell removes them, and a file
// without the column leaves them unchanged, even if the price has fallen since.
func TestQuantityPrices_File(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	const header = "Handle,Title,Variant Price,Quantity Prices\n"
	shown := func() string {
		t.Helper()
		var prices []string
		for _, p := range mustFindHandle(t, s, "mug").QuantityPrices {
			prices = append(prices, fmt.Sprint(p.Quantity, " for ", p.Price.Formatted))
		}
		return strings.Join(prices, "; ")
	}
	for _, step := range []struct{ name, file, want string }{
		{"two prices", header + "mug,Mug,450,\"2 for 850; 3 for 1,200.50\"\n", "2 for ৳850.00; 3 for ৳1,200.50"},
		{"an export", "", "2 for ৳850.00; 3 for ৳1,200.50"},
		{"no column", "Handle,Title,Variant Price\nmug,Mug,420\n", "3 for ৳1,200.50"},
		{"the same", header + "mug,Mug,420,2 for 850.00; 3 for 1200.50\n", "3 for ৳1,200.50"},
		{"digits of Bangla", header + "mug,Mug,450,২ FOR ৮০০\n", "2 for ৳800.00"},
		{"an empty cell", header + "mug,Mug,450,\n", ""},
	} {
		mustImport(t, s, cmp.Or(step.file, mustExport(t, s)), catalogue.ImportOptions{})
		if got := shown(); got != step.want {
			t.Errorf("%s: got %s, want %s", step.name, got, step.want)
		}
	}
	for name, cell := range map[string]string{
		"a time": "2:850", "no price": "2 for", "no amount": "2 for many", "one unit": "1 for 400", "not cheaper": "2 for 900",
		"descending": "3 for 1200; 2 for 850", "an empty entry": "2 for 850;",
	} {
		_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(),
			strings.NewReader(header+"mug,Mug,450,"+cell+"\n"), catalogue.ImportOptions{})
		problems := shoptest.ImportProblems(err)
		if problems == nil || !strings.Contains(problems.Error(), "Quantity Prices") {
			t.Errorf("%s: got %v, want a problem of the column", name, problems)
		}
	}
}
