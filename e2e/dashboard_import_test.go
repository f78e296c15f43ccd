package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// chooseFile chooses a file of that text, as a phone provides one of its downloads.
func (m *merchant) chooseFile(name, text string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(() => {
		const files = new DataTransfer(), input = document.querySelector("#file")
		files.items.add(new File([%q], %q, {type: "text/comma-separated-values"}))
		input.files = files.files
		return input.dispatchEvent(new Event("change", {bubbles: true}))
	})()`, text, name), nil)
}

// A merchant imports products with a phone: what is wrong in the file is shown by line and column,
// then what it would change, and only a button writes it.
func TestDashboard_Import(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 422")
	m.show("products", "[data-product]")
	m.Click("#files")
	m.WaitVisible("#to-import")
	m.check("product-files")
	m.Click("#to-import")
	m.WaitVisible(".file")
	m.check("import")
	m.chooseFile("products.xlsx", "PK")
	m.waitText("#faults", "workbook")

	const header = "Handle,Title,Variant SKU,Variant Price,Variant Inventory Qty,Variant Grams,Colour of box\n"
	m.chooseFile("products.csv", header+"clay-bowl,Clay bowl,CB-1,free,4,200,red\nclay-jug,Clay jug,CJ-1,90,many,200,red\n")
	m.waitText("#faults", "2 problems")
	m.waitText("#faults", "Line 2, Variant Price")
	m.waitText("#faults", "Line 3, Variant Inventory Qty")
	m.check("import-faults")
	file := header + "clay-bowl,Clay bowl,CB-1,120,4,200,red\nclay-jug,Clay jug,CJ-1,90,-3,226.8,red\n"
	m.chooseFile("products.csv", file)
	m.WaitVisible("#import-it")
	m.waitText("#preview", "Colour of box")
	m.waitText("#import-it", "Import 2 products")
	m.Eval(`([...document.querySelectorAll("#notes details")].forEach((one) => { one.open = true }), true)`, nil)
	m.waitText("#notes", "Line 3, Variant Inventory Qty")
	m.check("import-preview")
	if found := m.products("clay jug"); len(found) != 0 {
		t.Fatalf("got %+v before the import, want nothing written", found)
	}
	m.Click("#import-it")
	m.waitText("#done", "2 new")
	m.check("import-done")
	if got := m.product("clay jug").Variants[0]; got.Price.Amount != 9000 || *got.Stock != 0 {
		t.Errorf("got %+v, want the price of the file and no stock", got)
	}

	// The stock of today stays if the merchant chooses that; the export comes back unchanged.
	m.adjustStock(m.product("clay bowl").Variants[0].ID, 5)
	m.show("products", "[data-product]")
	m.show("import", ".file")
	m.Click("#keepStock")
	m.chooseFile("products.csv", file)
	m.waitText("#import-it", "has all of it already")
	m.Eval(`(document.querySelector("header .icon-button").click(), true)`, nil)
	m.Wait(`location.hash.endsWith("/products")`)
	m.downloads()
	m.Click("#files")
	m.Click("#export-products")
	exported := m.saved(1)
	if !strings.HasPrefix(exported.Name, "products-demo-20") || !strings.Contains(exported.Text, "clay-bowl") {
		t.Errorf("got the file %s: %.100s, want the products", exported.Name, exported.Text)
	}
	m.show("import", ".file")
	m.chooseFile("products.csv", exported.Text)
	m.waitText("#import-it", "has all of it already")
	for _, language := range some([]string{"bn", "en"}, 0, 2) {
		m.use(language, "dark")
		m.show("import", ".file")
		m.chooseFile("products.csv", file)
		m.WaitVisible("#import-it")
		m.check("import-preview")
	}
}
