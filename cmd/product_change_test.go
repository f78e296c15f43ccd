package cmd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/cmd"
)

// productRecord is the part of a product's JSON that these tests compare.
type productRecord struct {
	Handle, Title, Status string
	Stock                 int
	PublishedAt           *string
	Price                 struct{ Amount int64 }
	CompareAtPrice        *struct{ Amount int64 }
	Variants              []struct {
		ID, SKU string
		Stock   *int
		Price   struct{ Amount int64 }
	}
}

func TestProduct_Set(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	before := c.must("product", "export", "acme")

	var lamp productRecord
	c.json(&lamp, "product", "set", "acme", "lamp", "--title", "Desk lamp", "--price", "1,100", "--compare-at", "1200.50", "--stock", "9")
	if lamp.Title != "Desk lamp" || lamp.Price.Amount != 110000 || lamp.CompareAtPrice == nil || lamp.CompareAtPrice.Amount != 120050 ||
		lamp.Stock != 9 || lamp.Status != "draft" {
		t.Errorf("product set: got %+v, want a draft with the new title, prices and stock", lamp)
	}
	if out := c.must("stock", "history", "acme", "LAMP"); !strings.Contains(out, "+8") || !strings.Contains(out, "adjustment") {
		t.Errorf("stock history: got\n%s\nwant a movement of 8", out)
	}
	if out := c.must("product", "list", "acme", "--search", "desk"); !strings.Contains(out, "Desk lamp") {
		t.Errorf("search for the new title: got\n%s", out)
	}
	c.must("product", "set", "acme", "lamp", "--title", "Lamp", "--price", "1200.50", "--compare-at", "0", "--stock", "1")
	if after := c.must("product", "export", "acme"); after != before {
		t.Errorf("after changes and back: got\n%s\nwant\n%s", after, before)
	}

	var mug productRecord
	c.json(&mug, "product", "set", "acme", "mug", "--variant", "MUG-S", "--price", "300")
	if mug.Price.Amount != 30000 || mug.Variants[0].Price.Amount != 30000 || mug.Variants[1].Price.Amount != 45000 {
		t.Errorf("product set --variant: got %+v, want one of two prices changed", mug)
	}
	c.json(&mug, "product", "set", "acme", "mug", "--status", "archived")
	if mug.Status != "archived" {
		t.Errorf("product set --status: got %+v", mug)
	}
	var shown productRecord
	if c.json(&shown, "product", "show", "acme", "mug"); shown.Status != "archived" || len(shown.Variants) != 2 {
		t.Errorf("product show: got %+v", shown)
	}
	if got := []*int{shown.Variants[0].Stock, shown.Variants[1].Stock}; !cmp.Equal(got, []*int{new(5), new(2)}) {
		t.Errorf("product show: got stock %v, want 5 and 2", got)
	}
	for _, want := range []string{"archived", "MUG-S", "৳300.00", "STOCK"} {
		if out := c.must("product", "show", "acme", "mug"); !strings.Contains(out, want) {
			t.Errorf("product show: got\n%s\nwant %s", out, want)
		}
	}

	c.fails(cmd.ExitFailed, "has 2 variants", "product", "set", "acme", "mug", "--price", "1")
	c.fails(cmd.ExitFailed, "no variant NOPE", "product", "set", "acme", "mug", "--variant", "NOPE", "--price", "1")
	c.fails(cmd.ExitFailed, "active, draft or archived", "product", "set", "acme", "mug", "--status", "sold")
	c.fails(cmd.ExitFailed, "title is required", "product", "set", "acme", "mug", "--title", "")
	c.fails(cmd.ExitFailed, "must not be below zero", "product", "set", "acme", "lamp", "--stock", "-1")
	c.fails(cmd.ExitUsage, "--price must be an amount", "product", "set", "acme", "lamp", "--price", "cheap")
	c.fails(cmd.ExitUsage, "product set needs --title or --status", "product", "set", "acme", "lamp")
	c.fails(cmd.ExitFailed, "product list acme", "product", "show", "acme", "nope")
	c.must("stock", "set", "acme", "LAMP", "--tracked=false")
	c.fails(cmd.ExitFailed, "stock set acme VARIANT QUANTITY --tracked", "product", "set", "acme", "lamp", "--stock", "4")
}

// A deleted product is gone, but not from the orders of it.
func TestProduct_Delete(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("collection", "create", "acme", "--title", "Kitchen")
	c.must("collection", "add", "acme", "kitchen", "mug")
	invoice := placeOrder(t, c.dir, "acme")

	c.fails(cmd.ExitFailed, "confirm with --yes", "product", "delete", "acme", "mug")
	c.fails(cmd.ExitFailed, "product set acme mug --status archived", "product", "delete", "acme", "mug", "--yes")
	c.must("product", "set", "acme", "mug", "--status", "archived")
	if out := c.must("product", "delete", "acme", "mug", "--yes"); out != "Deleted the product mug.\n" {
		t.Errorf("product delete: got %q", out)
	}
	c.fails(cmd.ExitFailed, `The product "mug" does not exist.`, "product", "delete", "acme", "mug", "--yes")
	if out := c.must("product", "list", "acme", "--search", "mug"); !strings.Contains(out, "No products") {
		t.Errorf("search: got\n%s\nwant no products", out)
	}
	var collections []struct{ ProductCount int }
	if c.json(&collections, "collection", "list", "acme"); len(collections) != 1 || collections[0].ProductCount != 0 {
		t.Errorf("got collections %+v, want an empty one", collections)
	}
	if out := c.must("order", "show", "acme", invoice); !strings.Contains(out, "Mug — মগ") || !strings.Contains(out, "৳900.00") {
		t.Errorf("order show: got\n%s\nwant the title and total of the deleted product", out)
	}
	c.must("order", "cancel", "acme", invoice) // releases stock of a variant that is gone
	if r := c.run("doctor", "acme"); !strings.Contains(r.stdout, "Stock, orders, coupons and prices are consistent.") {
		t.Errorf("doctor: got\n%s\nwant consistent sums", r.stdout)
	}
}

func TestCollection_Delete(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("collection", "create", "acme", "--title", "Kitchen")
	c.must("collection", "add", "acme", "kitchen", "mug", "lamp")
	c.fails(cmd.ExitFailed, "confirm with --yes", "collection", "delete", "acme", "kitchen")
	c.must("collection", "delete", "acme", "kitchen", "--yes")
	c.fails(cmd.ExitFailed, `The collection "kitchen" does not exist.`, "collection", "delete", "acme", "kitchen", "--yes")
	if out := c.must("product", "list", "acme"); !strings.Contains(out, "mug") || !strings.Contains(out, "lamp") {
		t.Errorf("product list: got\n%s\nwant both products", out)
	}
}

func TestCoupon_EnableDelete(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("coupon", "create", "acme", "--code", "EID", "--percent", "10", "--limit", "5")
	c.must("coupon", "create", "acme", "--code", "UNUSED", "--percent", "10")
	placeOrderWith(t, c.dir, "acme", "EID")

	c.must("coupon", "disable", "acme", "eid")
	var coupon struct {
		Active bool
		Used   int
	}
	if c.json(&coupon, "coupon", "enable", "acme", "eid"); !coupon.Active || coupon.Used != 1 {
		t.Errorf("coupon enable: got %+v, want an active coupon with its use", coupon)
	}
	c.fails(cmd.ExitFailed, "coupon list acme", "coupon", "enable", "acme", "NOPE")

	c.fails(cmd.ExitFailed, "confirm with --yes", "coupon", "delete", "acme", "UNUSED")
	c.fails(cmd.ExitFailed, "Orders have used the coupon EID, so it cannot be deleted: disable it instead.", "coupon", "delete", "acme", "eid", "--yes")
	c.must("order", "cancel", "acme", "1001") // closed orders, too, name the coupon
	c.fails(cmd.ExitFailed, "coupon disable acme eid", "coupon", "delete", "acme", "eid", "--yes")
	c.must("coupon", "delete", "acme", "unused", "--yes")
	if out := c.must("coupon", "list", "acme"); strings.Contains(out, "UNUSED") || !strings.Contains(out, "EID") {
		t.Errorf("coupon list: got\n%s\nwant EID only", out)
	}
}
