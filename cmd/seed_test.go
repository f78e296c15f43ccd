package cmd_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// seededFolder is a folder with a shop that the demo has filled.
var seededFolder dbtest.Prepared

// newSeeded returns a console on a new folder whose shop acme the demo has filled.
func newSeeded(t *testing.T) *console {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	seededFolder.Copy(t, dir, script(t), func(dir string) {
		c := consoleOf(t, dir)
		c.must("tenant", "create", "acme", "--name", "Acme")
		c.must("seed", "acme")
	})
	return consoleOf(t, dir)
}

// What a merchant has set is not replaced by the demo's.
func TestSeed_ExistingContent(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme Dhaka")
	c.must("tenant", "set", "acme", `deliveryCharges=[{"name": "Courier", "charge": 9900}]`)
	c.must("product", "import", "acme", writeFile(t, "products.csv", "Handle,Title,Variant Price\nmango-pickle,My pickle,99\n"))
	c.must("api", "acme", "saveCollection", "--title", "My collection", "--handle", "eid-collection")
	c.must("coupon", "create", "acme", "--code", "WELCOME10", "--percent", "5")
	c.must("seed", "acme")
	for command, want := range map[string]string{
		"tenant show acme": "Acme Dhaka", "tenant show acme --json": `"charge": 9900`, "api acme getProduct --id mango-pickle": "My pickle",
		"collection list acme": "My collection", "coupon list acme": "5 %", "product list acme": "Panjabi",
	} {
		if out := c.must(strings.Fields(command)...); !strings.Contains(out, want) {
			t.Errorf("%s: got\n%s\nwant %s", command, out, want)
		}
	}
}

// A real shop that is filled with the demo catalogue has the default limits of open orders. Only
// the shop of serve --dev has none that a developer could notice.
func TestSeed_OrderLimits(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	_, r := serve(t, c.dir, "--dev")
	for uid, want := range map[string]int{"acme": 5, "demo": 7} {
		var placed int
		for range 7 {
			body := `{"items":[{"productId":"0ZRJS5B790K7P6HF38ZGHBY4KD","quantity":1}],"customer":{"name":"Rahima Khatun","phoneNumber":"01711-223344"},` +
				`"shippingAddress":{"line1":"House 12, Road 5","area":"Mirpur","city":"Dhaka"}}`
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/api/v1/orders", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("x-tenant", uid)
			request.Header.Set("Content-Type", "application/json")
			status, text := send(t, request)
			var problem struct{ Code string }
			switch err := json.Unmarshal(text, &problem); {
			case err != nil:
				t.Fatal(err)
			case status == http.StatusCreated:
				placed++
			case problem.Code != "too_many_open_orders":
				t.Fatalf("%s: got %d %s, want 201 or too_many_open_orders", uid, status, text)
			}
		}
		if placed != want {
			t.Errorf("%s: got %d orders with one phone, want %d", uid, placed, want)
		}
	}
}

// The pictures of a seeded shop are served without --dev too.
func TestSeed_Images(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	_, r := serve(t, c.dir)
	var page struct {
		Nodes []struct{ Images []struct{ URL string } }
	}
	if _, body := get(t, r.URL+"/api/v1/products?limit=1", "acme"); json.Unmarshal(body, &page) != nil || len(page.Nodes) != 1 {
		t.Fatalf("got %s, want a product", body)
	}
	for _, image := range page.Nodes[0].Images {
		if status, body := get(t, r.URL+image.URL, ""); status != http.StatusOK || !strings.Contains(string(body), "<svg") {
			t.Errorf("%s: got %d %s, want an SVG image", image.URL, status, body)
		}
	}
}
