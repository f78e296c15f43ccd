package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/e2e/browsertest"
)

// wholeProduct is what the form of a product has, as the Admin API returns it.
type wholeProduct struct {
	ID, Title, Handle, Status string
	Tags, CollectionIDs       []string
	SEO                       struct{ Title, Description string }
	QuantityPrices            []struct {
		Quantity int
		Price    struct{ Amount int64 }
	}
	Variants []struct {
		Price, CompareAtPrice, Cost struct{ Amount int64 }
		SKU, Barcode                string
		WeightGrams                 int
		Stock, LowStock             int
		Backorder                   bool
	}
}

func (m *merchant) wholeProduct(search string) (one wholeProduct) {
	m.t.Helper()
	var raw json.RawMessage
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/products?search=" + encodeURIComponent(%q)).then((response) => response.json())
		.then((list) => list.nodes[0])`, search), &raw)
	if err := json.Unmarshal(raw, &one); err != nil {
		m.t.Fatal(err)
	}
	return one
}

// Every field of the form is saved, is there again after a reload, and changes alone.
func TestDashboard_ProductFields(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--rate", "0", "--data", demoData(t))
	m := openDashboard(t, p, 360)
	collection := m.collection(m.collections()[1]).ID
	unfold := func() {
		t.Helper()
		m.Eval(`([...document.querySelectorAll(".folds details")].forEach((one) => { one.open = true }), true)`, nil)
	}
	m.show("product/new", "#title")
	var open int
	if m.Eval(`document.querySelectorAll(".folds details[open]").length`, &open); open != 0 {
		t.Errorf("got %d parts unfolded, want the first fields alone", open)
	}
	unfold()
	for name, text := range map[string]string{
		"title": "Zinnia seeds", "price": "4,500", "compareAtPrice": "5000", "stock": "12", "cost": "২,১০০.৫০", "weightGrams": "1800", "sku": "KQ-1",
		"barcode": "8941100512000", "lowStock": "3", "seo.title": "Mixed zinnias", "seo.description": "Saved by hand.", "handle": "mixed-zinnias",
	} {
		m.Fill(fmt.Sprintf(`#product [name=%q]`, name), text)
	}
	m.waitText(".under-pair", "10 % off")
	m.Click("#add-quantity-price")
	m.Fill(`#product [name="quantityPrices[0].price"]`, "9000")
	m.Click("#add-quantity-price")
	m.Fill(`#product [name="quantityPrices[1].price"]`, "১২,০০০")
	m.Fill("#tags", "quilt")
	m.Press(browsertest.Enter)
	m.Eval(`(document.querySelectorAll("#fold-organize .chip input[type=checkbox]")[1].click(),
		document.querySelectorAll("#fold-rules .checkbox")[1].click(), true)`, nil)
	m.check("product-whole")
	m.AllowProblem("status of 422") // two cost as much one by one
	m.Click("#save-draft")
	m.Wait(`document.activeElement.name === "quantityPrices[0].price" && document.activeElement.getAttribute("aria-invalid") === "true"`)
	m.Fill(`#product [name="quantityPrices[0].price"]`, "8500")
	m.waitText("#fold-quantity-prices .summary", "2 for ৳8,500, 3 for ৳12,000")
	m.Click("#save-draft")
	m.Wait(`/\/product\/\w{20,}$/.test(location.hash) && document.querySelector("#status")`)
	got := m.wholeProduct("zinnia seeds")
	var want wholeProduct
	if err := json.Unmarshal([]byte(`{"title":"Zinnia seeds","handle":"mixed-zinnias","status":"draft","tags":["quilt"],
		"collectionIds":["`+collection+`"],"seo":{"title":"Mixed zinnias","description":"Saved by hand."},
		"quantityPrices":[{"quantity":2,"price":{"amount":850000}},{"quantity":3,"price":{"amount":1200000}}],
		"variants":[{"price":{"amount":450000},"compareAtPrice":{"amount":500000},"cost":{"amount":210050},"sku":"KQ-1","barcode":"8941100512000",
			"weightGrams":1800,"stock":12,"lowStock":3,"backorder":true}]}`), &want); err != nil {
		t.Fatal(err)
	}
	want.ID = got.ID
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("product (-want +got):\n%s", diff)
	}

	m.Reload()
	m.Wait(`document.querySelector("#status")`)
	unfold()
	var shown string
	m.Eval(`["title", "price", "compareAtPrice", "stock", "cost", "weightGrams", "sku", "barcode", "lowStock", "seo.title", "seo.description", "handle",
		"quantityPrices[0].quantity", "quantityPrices[1].price"]
		.map((name) => document.querySelector("#product [name='" + name + "']").value).join("|")`, &shown)
	fields := "Zinnia seeds|4500|5000|12|2100.5|1800|KQ-1|8941100512000|3|Mixed zinnias|Saved by hand.|mixed-zinnias|2|12000"
	if strings.ReplaceAll(shown, ",", "") != fields {
		t.Errorf("got the fields %s, want %s", shown, fields)
	}
	m.Fill("#product [name=handle]", "zinnias")
	m.Fill("#product [name=compareAtPrice]", "")
	m.set("#status", "active")
	m.Click("#save")
	m.Wait(`document.querySelector("#save:disabled")`)
	for _, handle := range []string{"zinnias", "mixed-zinnias"} { // the earlier one continues to lead there
		found := p.must(request{method: "GET", path: "/api/v1/products/handle/" + handle, tenant: "demo"})
		if found.status != 200 || !strings.Contains(string(found.body), `"compareAtPrice":null`) || strings.Contains(string(found.body), "210050") {
			t.Errorf("%s: got %d %s, want the product without its earlier price and cost", handle, found.status, found.body)
		}
	}
}
