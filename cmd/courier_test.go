package cmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"storefront/cmd"
	"storefront/shop"
)

// courierDesk is a running server with a shop, and a console beside it.
type courierDesk struct {
	*console
	server  *process
	ready   ready
	product string
}

// newCourierDesk starts a server whose couriers are simulated, and a shop of its own in it.
func newCourierDesk(t *testing.T) *courierDesk {
	t.Helper()
	d := &courierDesk{console: newConsole(t)}
	d.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	d.must("seed", "acme")
	d.server, d.ready = serve(t, d.dir, "--dev")
	d.env["STOREFRONT_API_PUBLIC_URL"] = d.ready.URL
	d.env["STOREFRONT_PROVIDER_URL"] = fmt.Sprintf("courier_a:live=%[1]s/courier_a,courier_b:live=%[1]s/courier_b", d.ready.Simulator)
	d.env["STOREFRONT_PRIVATE_PROVIDERS"] = "true"
	_, body := get(t, d.ready.URL+"/api/v1/products?limit=1&inStock=true&maxPrice=200000", "acme")
	var list struct {
		Nodes []struct {
			Variants []struct {
				ID string `json:"_id"`
			}
			ID string `json:"_id"`
		}
	}
	if err := json.Unmarshal(body, &list); err != nil || len(list.Nodes) == 0 {
		t.Fatalf("no products: %v, %s", err, body)
	}
	d.product = fmt.Sprintf(`{"productId":%q,"variantId":%q,"quantity":1}`, list.Nodes[0].ID, list.Nodes[0].Variants[0].ID)
	return d
}

// place places a cash order.
func (d *courierDesk) place() string {
	d.t.Helper()
	body := `{"items":[` + d.product + `],"customer":{"name":"Rahima Khatun","phoneNumber":"01711-223344"},"shippingAddress":{"line1":"House 12, Road 5","area":"Mirpur","city":"Dhaka"}}`
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.ready.URL+"/api/v1/orders", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("x-tenant", "acme")
	r.Header.Set("Content-Type", "application/json")
	status, answer := send(d.t, r)
	var order struct{ InvoiceUID string }
	if err := json.Unmarshal(answer, &order); err != nil || status != http.StatusCreated {
		d.t.Fatalf("place order: %d %s", status, answer)
	}
	return order.InvoiceUID
}

// call makes a call of courier_a.
func (d *courierDesk) call(url, secret, body string) int {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("X-CourierA-Signature", secret)
	status, _ := send(d.t, r)
	return status
}

func (d *courierDesk) order(invoice string) (o shop.Order) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(d.must("order", "show", "acme", invoice, "--json")), &o); err != nil {
		d.t.Fatal(err)
	}
	return o
}

// The setup that the specification recommends, and a parcel's way after it.
func TestCourier_SetUp(t *testing.T) {
	t.Parallel()
	d := newCourierDesk(t)
	url := d.ready.URL + "/courier/webhook/courier_a/acme"
	if status := d.call(url, "hush", `{"event":"webhook_integration"}`); status != http.StatusUnauthorized {
		t.Errorf("before it is configured: %d, want 401", status)
	}
	d.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush",
		"client_id=c", "client_secret=s", "username=shop@example.com", "password=p", "store_id=1")
	if urls := d.must("plugin", "urls", "acme"); !strings.Contains(urls, url) {
		t.Fatalf("the address is not %s:\n%s", url, urls)
	}
	eventually(t, "the handshake is taken", func() bool {
		return d.call(url, "hush", `{"event":"webhook_integration"}`) == http.StatusAccepted
	})
	d.must("plugin", "validate", "acme", "courier_a")
	if said := d.must("doctor", "acme"); !strings.Contains(said, "takes the shop's secret") || !strings.Contains(said, "providers can not reach it") {
		t.Errorf("doctor says:\n%s", said)
	}

	invoice := d.place()
	d.must("order", "ship", "acme", invoice, "--courier", "courier_a")
	d.fails(cmd.ExitFailed, "under way", "order", "ship", "acme", invoice, "--courier", "courier_a")
	d.must("order", "track", "acme", invoice)
	if price := d.must("order", "price", "acme", invoice, "--courier", "courier_a", "--city", "1", "--zone", "298"); price != "৳60.00\n" {
		t.Errorf("the price is %q", price)
	}
	d.must("simulate", "acme", "courier_a", "journey", "--order", invoice)
	if o := d.order(invoice); o.Status != shop.OrderCompleted || o.PaymentStatus != shop.PaymentPaid || len(o.Shipments) != 1 {
		t.Errorf("after its journey the order is %s, %s with %d parcels", o.Status, o.PaymentStatus, len(o.Shipments))
	}
	if shown := d.must("order", "show", "acme", invoice); !strings.Contains(shown, "CONSIGNMENT") {
		t.Errorf("order show has no parcel:\n%s", shown)
	}
	refused := d.place()
	d.must("order", "ship", "acme", refused, "--courier", "courier_a", "--consignment", "DL9")
	d.call(d.ready.URL+"/courier/webhook/courier_a/acme", "hush", `{"event":"order.returned","consignment_id":"DL9","reason":"Not at home","timestamp":"2026-01-05T10:00:00Z"}`)
	if told := d.must("order", "shipments", "acme", refused); !strings.Contains(told, "order.returned") || !strings.Contains(told, "Not at home") {
		t.Errorf("order shipments says:\n%s", told)
	}
	d.fails(cmd.ExitFailed, "no such order", "order", "shipments", "acme", "0123456789ABCDEF")
	if report := d.must("cod", "report", "acme"); !strings.Contains(report, "courier_a") {
		t.Errorf("cod report says:\n%s", report)
	}
	statement := filepath.Join(t.TempDir(), "statement.csv")
	if err := os.WriteFile(statement, []byte("consignment,paid\nDL-unknown,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := d.must("cod", "reconcile", "acme", statement, "--courier", "courier_a"); !strings.Contains(said, "No order has this consignment.") {
		t.Errorf("cod reconcile says:\n%s", said)
	}
	if calls := d.must("webhook", "list", "acme"); !strings.Contains(calls, "order.delivered") || !strings.Contains(calls, "401: ") {
		t.Errorf("webhook list says:\n%s", calls)
	}
}

// A power cut in the middle of a parcel's events loses none that was acknowledged, and those that
// come again are applied once.
func TestCourier_KilledBetweenEvents(t *testing.T) {
	t.Parallel()
	d := newCourierDesk(t)
	d.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush")
	invoice := d.place()
	d.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--consignment", "DL1")
	const events = 60
	body := func(i int) string {
		return fmt.Sprintf(`{"event":"order.updated","consignment_id":"DL1","timestamp":"2026-01-01T00:00:%02dZ"}`, i)
	}
	address := func() string { return d.ready.URL + "/courier/webhook/courier_a/acme" }
	eventually(t, "the server knows the settings", func() bool {
		return d.call(address(), "hush", `{"event":"webhook_integration"}`) == http.StatusAccepted
	})
	var acknowledged sync.Map
	var group sync.WaitGroup
	for i := range events {
		group.Go(func() {
			r, err := http.NewRequest(http.MethodPost, address(), strings.NewReader(body(i)))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("X-CourierA-Signature", "hush")
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				return // the server has died
			}
			defer answer.Body.Close()
			if answer.StatusCode == http.StatusAccepted {
				acknowledged.Store(i, true)
			}
			if i == events/3 {
				_ = d.server.Process.Kill()
			}
		})
	}
	group.Wait()
	_ = d.server.Wait()
	count := func() (n int) {
		for _, entry := range d.order(invoice).Timeline {
			if entry.Type == "shipment_update" {
				n++
			}
		}
		return n
	}
	kept, told := count(), 0
	acknowledged.Range(func(any, any) bool { told++; return true })
	if kept < told {
		t.Errorf("%d events were acknowledged and %d are there", told, kept)
	}
	_, d.ready = serve(t, d.dir, "--dev")
	for i := range events {
		if status := d.call(address(), "hush", body(i)); status != http.StatusAccepted {
			t.Errorf("event %d again: %d", i, status)
		}
	}
	if n := count(); n != events {
		t.Errorf("%d events are in the timeline, want each of %d once", n, events)
	}
}
