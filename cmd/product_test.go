package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/cmd"
)

// importReport is the part of an import's JSON that these tests compare.
type importReport struct {
	DryRun                                bool
	Products, Created, Changed, Unchanged int
}

const twoProducts = `Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Tracker,Variant Inventory Qty,Status
mug,Mug — মগ,Size,Small,MUG-S,350.00,shopify,5,active
mug,,,Large,MUG-L,450.00,shopify,2,active
lamp,Lamp,,,LAMP,1200.50,shopify,1,draft
`

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProduct(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	file := writeFile(t, "products.csv", twoProducts)

	var report importReport
	c.json(&report, "product", "import", "acme", file, "--dry-run")
	if want := (importReport{DryRun: true, Products: 2, Created: 2}); report != want {
		t.Errorf("dry run: got %+v, want %+v", report, want)
	}
	if out := c.must("product", "list", "acme"); !strings.Contains(out, "No products found") {
		t.Errorf("after a dry run: got\n%s\nwant no products", out)
	}
	report = importReport{}
	c.json(&report, "product", "import", "acme", file)
	if want := (importReport{Products: 2, Created: 2}); report != want {
		t.Errorf("import: got %+v, want %+v", report, want)
	}
	var list []struct {
		Handle, Title, Status string
		Stock                 int
	}
	c.json(&list, "product", "list", "acme", "--status", "active")
	if len(list) != 1 || list[0].Handle != "mug" || list[0].Title != "Mug — মগ" || list[0].Stock != 7 {
		t.Errorf("product list: got %+v, want the mug", list)
	}
	c.fails(cmd.ExitFailed, "active, draft or archived", "product", "list", "acme", "--status", "lost")

	// Importing an unmodified export changes nothing, whether from a file or the standard input.
	exported := filepath.Join(t.TempDir(), "export.csv")
	c.must("product", "export", "acme", exported)
	content, err := os.ReadFile(exported)
	if err != nil {
		t.Fatal(err)
	}
	if out := c.must("product", "export", "acme"); out != string(content) {
		t.Errorf("export to standard output: got\n%s\nwant the content of the file\n%s", out, content)
	}
	c.stdin = string(content)
	report = importReport{}
	c.json(&report, "product", "import", "acme", "-")
	if want := (importReport{Products: 2, Unchanged: 2}); report != want {
		t.Errorf("import of an export: got %+v, want %+v", report, want)
	}
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(exported), ".*")); err != nil || len(files) > 0 {
		t.Errorf("temporary files after export: got %v, %v, want none", files, err)
	}
	c.fails(cmd.ExitFailed, "no such file", "product", "import", "acme", exported+".missing")
	c.fails(cmd.ExitFailed, "no such file", "product", "export", "acme", filepath.Join(exported+".folder", "x.csv"))
}

func TestProductImport_InvalidRows(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	file := writeFile(t, "bad.csv", strings.Replace(strings.Replace(twoProducts, "450.00", "cheap", 1), ",Lamp,", ",,", 1))
	c.fails(cmd.ExitFailed, file+":3: Variant Price: ", "product", "import", "acme", file)
	c.fails(cmd.ExitFailed, file+":4: Title: ", "product", "import", "acme", file)
	c.fails(cmd.ExitFailed, "nothing was imported", "product", "import", "acme", file)
	mistyped := writeFile(t, "mistyped.csv", "Handle,Titel,Variant Price,Colour\nmug,Mug,90,Blue\n")
	c.fails(cmd.ExitFailed, "Ignored columns: Titel (did you mean Title?), Colour.", "product", "import", "acme", mistyped)

	r := c.run("product", "import", "acme", file, "--json")
	var got struct {
		Problems []struct {
			Line   int
			Column string
		}
		Total int
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != cmd.ExitFailed {
		t.Fatalf("got exit code %d, %v, want 1\n%s", r.code, err, r.stdout)
	}
	if got.Total != 2 || len(got.Problems) != 2 || got.Problems[0].Line != 3 || got.Problems[0].Column != "Variant Price" {
		t.Errorf("got problems %+v, want lines 3 and 4", got)
	}
	if out := c.must("product", "list", "acme"); !strings.Contains(out, "No products found") {
		t.Errorf("after a failed import: got\n%s\nwant no products", out)
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "test", "--name", "Test")
	var first, second importReport
	c.json(&first, "seed", "test")
	c.json(&second, "seed", "test")
	if first.Created < 50 || second.Created != 0 || second.Changed != 0 || second.Unchanged != first.Created {
		t.Errorf("seed twice: got %+v and %+v, want an unchanged second result", first, second)
	}
	c.fails(cmd.ExitFailed, "No shop has this UID", "seed", "nobody")
}

// With --keep-stock an old file changes prices, and the stock stays at what was sold meanwhile.
func TestProduct_ImportKeepStock(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "LAMP", "40")
	file := writeFile(t, "products.csv", strings.Replace(twoProducts, "1200.50", "1300", 1)+"vase,Vase,,,VASE,90,shopify,6,active\n")

	var report importReport
	c.json(&report, "product", "import", "acme", file, "--keep-stock")
	if want := (importReport{Products: 3, Created: 1, Changed: 1, Unchanged: 1}); report != want {
		t.Errorf("import --keep-stock: got %+v, want %+v", report, want)
	}
	type record struct {
		Stock int
		Price struct{ Amount int64 }
	}
	var lamp, vase record
	c.json(&lamp, "api", "acme", "getProduct", "--id", "lamp")
	c.json(&vase, "api", "acme", "getProduct", "--id", "vase")
	if lamp.Stock != 40 || lamp.Price.Amount != 1300_00 || vase.Stock != 6 {
		t.Errorf("got stock %d at %d and a new product with %d, want 40 at 130000 and 6", lamp.Stock, lamp.Price.Amount, vase.Stock)
	}
	c.must("product", "import", "acme", file)
	if c.json(&lamp, "api", "acme", "getProduct", "--id", "lamp"); lamp.Stock != 1 {
		t.Errorf("without --keep-stock: got stock %d, want 1", lamp.Stock)
	}
}
