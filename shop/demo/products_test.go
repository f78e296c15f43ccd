package demo_test

import (
	"encoding/csv"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/demo"
)

// row is one line of the catalogue by column name.
type row map[string]string

// product is the rows of one handle; the first has the product's own fields.
type product struct {
	row
	rows []row
}

// variants returns the rows that are not only an image.
func (p product) variants() []row {
	return slices.DeleteFunc(slices.Clone(p.rows), func(r row) bool { return r["Variant SKU"] == "" })
}

func readProducts(t *testing.T) []product {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(string(demo.ProductsCSV()))).ReadAll()
	if err != nil {
		t.Fatalf("parse products.csv: %v", err)
	}
	var products []product
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		r := row{}
		for i, column := range lines[0] {
			r[column] = line[i]
		}
		handle := r["Handle"]
		if n := len(products); n > 0 && products[n-1].row["Handle"] == handle {
			products[n-1].rows = append(products[n-1].rows, r)
			continue
		}
		if seen[handle] {
			t.Errorf("rows of %s are not together", handle)
		}
		seen[handle] = true
		products = append(products, product{r, []row{r}})
	}
	return products
}

func TestProductsCSV_Encoding(t *testing.T) {
	t.Parallel()
	text := demo.ProductsCSV()
	if !utf8.Valid(text) || !norm.NFC.IsNormal(text) {
		t.Error("products.csv is not UTF-8 in NFC")
	}
	if strings.ContainsAny(string(text), "\r\t\x00\ufeff\u200b") {
		t.Error("products.csv contains a carriage return, tab, NUL, BOM or zero-width space")
	}
}

func TestProducts_Fields(t *testing.T) {
	t.Parallel()
	handle := regexp.MustCompile(`^[a-z0-9-]+$`)
	status := map[string]string{"active": "true", "draft": "false", "archived": "false"}
	for _, p := range readProducts(t) {
		name := p.row["Handle"]
		if !handle.MatchString(name) {
			t.Errorf("got invalid handle %q", name)
		}
		for _, column := range []string{"Title", "Vendor", "Product Category", "Type", "Tags", "Option1 Name", "Collections"} {
			if p.row[column] == "" {
				t.Errorf("%s: %s is empty", name, column)
			}
		}
		if published, ok := status[p.row["Status"]]; !ok || p.row["Published"] != published {
			t.Errorf("%s: got status %q, published %q", name, p.row["Status"], p.row["Published"])
		}
		if err := wellFormed("<div>" + p.row["Body (HTML)"] + "</div>"); err != nil || !strings.HasPrefix(p.row["Body (HTML)"], "<p>") {
			t.Errorf("%s: description is not simple HTML: %v", name, err)
		}
		for _, r := range p.rows[1:] {
			if r["Title"] != "" || r["Option1 Name"] != "" {
				t.Errorf("%s: a later row repeats fields of the product", name)
			}
		}
	}
}

func TestProducts_VariantFields(t *testing.T) {
	t.Parallel()
	amount := regexp.MustCompile(`^[1-9][0-9]*\.[0-9]{2}$`)
	skus, barcodes := map[string]bool{}, map[string]bool{}
	for _, p := range readProducts(t) {
		combinations := map[string]bool{}
		for _, v := range p.variants() {
			sku := v["Variant SKU"]
			if skus[sku] {
				t.Errorf("SKU %s is used twice", sku)
			}
			skus[sku] = true
			if code := v["Variant Barcode"]; code != "" {
				if barcodes[code] || !validEAN13(code) {
					t.Errorf("%s: barcode %q is repeated or wrong", sku, code)
				}
				barcodes[code] = true
			}
			if !amount.MatchString(v["Variant Price"]) || !amount.MatchString(v["Cost per item"]) {
				t.Errorf("%s: got price %q, cost %q", sku, v["Variant Price"], v["Cost per item"])
			}
			before := v["Variant Compare At Price"]
			if before != "" && (!amount.MatchString(before) || minor(t, before) <= minor(t, v["Variant Price"])) {
				t.Errorf("%s: got compare-at price %q with price %s", sku, before, v["Variant Price"])
			}
			if minor(t, v["Cost per item"]) >= minor(t, v["Variant Price"]) {
				t.Errorf("%s: the price does not exceed the cost", sku)
			}
			if atoi(t, v["Variant Grams"]) <= 0 || atoi(t, v["Variant Inventory Qty"]) < 0 {
				t.Errorf("%s: got %s g, stock %s", sku, v["Variant Grams"], v["Variant Inventory Qty"])
			}
			if !slices.Contains([]string{"deny", "continue"}, v["Variant Inventory Policy"]) ||
				!slices.Contains([]string{"shopify", ""}, v["Variant Inventory Tracker"]) {
				t.Errorf("%s: got policy %q, tracker %q", sku, v["Variant Inventory Policy"], v["Variant Inventory Tracker"])
			}
			values := options(t, p, v)
			if combinations[values] {
				t.Errorf("%s: options %q are repeated", sku, values)
			}
			combinations[values] = true
		}
		if len(combinations) == 0 {
			t.Errorf("%s has no variant", p.row["Handle"])
		}
	}
}

func TestProducts_Variety(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, p := range readProducts(t) {
		count["products"]++
		count[p.row["Status"]]++
		switch latin, bangla := scripts(p.row["Title"]); {
		case latin && bangla:
			count["bilingual title"]++
		case bangla:
			count["Bangla title"]++
		case latin:
			count["English title"]++
		}
		if p.row["SEO Title"] != "" && p.row["SEO Description"] != "" {
			count["SEO"]++
		}
		count["image-only row"] += len(p.rows) - len(p.variants())
		soldOut := true
		for _, v := range p.variants() {
			state := stock(t, v)
			count[state]++
			soldOut = soldOut && state == "out of stock"
			if v["Variant Compare At Price"] != "" {
				count["on sale"]++
			}
			if minor(t, v["Variant Price"])%100 != 0 {
				count["price with poisha"]++
			}
		}
		if soldOut && p.row["Status"] == "active" {
			count["sold-out product"]++
		}
	}
	for what, least := range map[string]int{
		"products": 60, "draft": 1, "archived": 1, "bilingual title": 60, "Bangla title": 1, "English title": 2, "SEO": 40,
		"out of stock": 15, "sold-out product": 3, "low stock": 12, "backorder": 3, "untracked": 2,
		"on sale": 25, "image-only row": 4, "price with poisha": 2,
	} {
		if count[what] < least {
			t.Errorf("%s: got %d, want at least %d", what, count[what], least)
		}
	}
}

func stock(t *testing.T, v row) string {
	quantity := atoi(t, v["Variant Inventory Qty"])
	switch {
	case v["Variant Inventory Tracker"] == "":
		return "untracked"
	case quantity == 0 && v["Variant Inventory Policy"] == "continue":
		return "backorder"
	case quantity == 0:
		return "out of stock"
	case quantity <= 5:
		return "low stock"
	}
	return "in stock"
}

// options returns the option values of a variant, joined. Each named option must have a value.
func options(t *testing.T, p product, v row) string {
	var values []string
	for _, n := range []string{"1", "2", "3"} {
		value := v["Option"+n+" Value"]
		if (p.row["Option"+n+" Name"] == "") != (value == "") {
			t.Errorf("%s: option %s: got name %q, value %q", v["Variant SKU"], n, p.row["Option"+n+" Name"], value)
		}
		values = append(values, value)
	}
	return strings.Join(values, "\x00")
}

func scripts(s string) (latin, bangla bool) {
	for _, r := range s {
		latin = latin || unicode.Is(unicode.Latin, r)
		bangla = bangla || unicode.Is(unicode.Bengali, r)
	}
	return latin, bangla
}

func validEAN13(code string) bool {
	if len(code) != 13 {
		return false
	}
	sum := 0
	for i, digit := range code {
		weight := 1 + i%2*2
		sum += int(digit-'0') * weight
	}
	return sum%10 == 0
}

func minor(t *testing.T, amount string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.Replace(amount, ".", "", 1), 10, 64)
	if err != nil {
		t.Errorf("amount %q: %v", amount, err)
	}
	return n
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Errorf("number %q: %v", s, err)
	}
	return n
}

func wellFormed(document string) error {
	d := xml.NewDecoder(strings.NewReader(document))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
