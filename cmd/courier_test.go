package cmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/shop/cash"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// courierFixture is a running server with a shop, and a console on the same data folder.
type courierFixture struct {
	*console
	server  *process
	ready   ready
	product string // an order line
	variant string
}

// courierFolder is a folder with the shops acme and demo.
var courierFolder dbtest.Prepared

// newCourierFixture starts a server with simulated couriers and a shop.
func newCourierFixture(t *testing.T) *courierFixture {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	courierFolder.Copy(t, dir, script(t), func(dir string) {
		c := consoleOf(t, dir)
		c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
		c.must("seed", "acme", "--no-orders")
		c.must("tenant", "set", "acme", "openOrdersPerPhone=1000")
		p, _ := serve(t, dir, "--dev")
		p.stop(os.Interrupt)
	})
	f := &courierFixture{console: consoleOf(t, dir)}
	f.server, f.ready = serve(t, f.dir, "--dev")
	f.env["STOREFRONT_API_PUBLIC_URL"] = f.ready.URL
	f.env["STOREFRONT_PROVIDER_URL"] = fmt.Sprintf("courier_a:live=%[1]s/courier_a,courier_b:live=%[1]s/courier_b", f.ready.Simulator)
	f.env["STOREFRONT_PRIVATE_PROVIDERS"] = "true"
	_, body := get(t, f.ready.URL+"/api/v1/products?limit=1&inStock=true&maxPrice=200000", "acme")
	var list struct {
		Nodes []struct {
			Variants []struct {
				ID string `json:"_id"`
			}
			ID string `json:"_id"`
		}
	}
	if err := json.Unmarshal(body, &list); err != nil || len(list.Nodes) == 0 {
		t.Fatalf("list products: got %s, %v", body, err)
	}
	f.variant = list.Nodes[0].Variants[0].ID
	f.product = fmt.Sprintf(`{"productId":%q,"variantId":%q,"quantity":1}`, list.Nodes[0].ID, list.Nodes[0].Variants[0].ID)
	return f
}

// place places a cash-on-delivery order and returns its invoice UID.
func (f *courierFixture) place() string {
	f.t.Helper()
	return f.placeBody(`{"items":[` + f.product + `],"customer":{"name":"Rahima Khatun","phoneNumber":"01711-223344"},` +
		`"shippingAddress":{"line1":"House 12, Road 5","area":"Mirpur","city":"Dhaka"}}`)
}

// placeBody places an order and returns its invoice UID.
func (f *courierFixture) placeBody(body string) string {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.ready.URL+"/api/v1/orders", strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("x-tenant", "acme")
	r.Header.Set("Content-Type", "application/json")
	status, response := send(f.t, r)
	var order struct{ InvoiceUID string }
	if err := json.Unmarshal(response, &order); err != nil || status != http.StatusCreated {
		f.t.Fatalf("place order: got %d, %s, want 201", status, response)
	}
	return order.InvoiceUID
}

// sendWebhook sends a webhook of courier_a and returns the response's status.
func (f *courierFixture) sendWebhook(url, secret, body string) int {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("X-CourierA-Signature", secret)
	status, _ := send(f.t, r)
	return status
}

// sendB sends a webhook of courier_b.
func (f *courierFixture) sendB(token, body string) {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.ready.URL+"/courier/webhook/courier_b/acme", strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if status, body := send(f.t, r); status != http.StatusOK {
		f.t.Fatalf("webhook: got %d, %s", status, body)
	}
}

func (f *courierFixture) order(invoice string) (o order.Order) {
	f.t.Helper()
	if err := json.Unmarshal([]byte(f.must("order", "show", "acme", invoice, "--json")), &o); err != nil {
		f.t.Fatal(err)
	}
	return o
}

// wantFlags checks the codes of an order's flags, in alphabetical order, and returns the flags.
func (f *courierFixture) wantFlags(invoice string, want ...order.FlagCode) []order.Flag {
	f.t.Helper()
	flags := nodes[order.Flag](f.console, "api", "acme", "listFlags", "--order-id", invoice)
	var got []order.FlagCode
	for _, flag := range flags {
		got = append(got, flag.Code)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		f.t.Errorf("flags of order %s: got %q, want %q", invoice, got, want)
	}
	return flags
}

// The recommended setup of a courier, and a shipment from booking to statement.
func TestCourier_Setup(t *testing.T) {
	t.Parallel()
	f := newCourierFixture(t)
	url := f.ready.URL + "/courier/webhook/courier_a/acme"
	if status := f.sendWebhook(url, "hush", `{"event":"webhook_integration"}`); status != http.StatusUnauthorized {
		t.Errorf("webhook before configuration: got %d, want 401", status)
	}
	f.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush",
		"client_id=c", "client_secret=s", "username=shop@example.com", "password=p", "store_id=1")
	if urls := f.must("plugin", "urls", "acme"); !strings.Contains(urls, url) {
		t.Fatalf("plugin urls: got\n%s\nwant %s", urls, url)
	}
	dbtest.Eventually(t, "handshake accepted", func() bool {
		return f.sendWebhook(url, "hush", `{"event":"webhook_integration"}`) == http.StatusAccepted
	})
	f.must("plugin", "validate", "acme", "courier_a")
	for _, help := range []string{f.mustBare("plugin", "configure", "--help"), f.must("plugin", "list", "acme")} {
		if !strings.Contains(help, "header_prefix") {
			t.Errorf("got\n%s\nwant the setting header_prefix", help)
		}
	}
	if out := f.run("doctor", "acme").stdout; !strings.Contains(out, "accepts the shop's secret") || !strings.Contains(out, "providers cannot reach") {
		t.Errorf("doctor: got\n%s", out)
	}
	// The webhook from before the configuration is reported, those by which doctor tests the address
	// are not.
	out := f.run("doctor", "acme").stdout
	if !strings.Contains(out, "Webhooks refused in the last day: 1,") || !strings.Contains(out, "not configured") {
		t.Errorf("doctor: got\n%s\nwant one refused webhook with the reason", out)
	}
	if out := f.must("plugin", "list", "acme"); !strings.Contains(out, "1 × 401: the plugin is not configured") {
		t.Errorf("plugin show: got\n%s\nwant one refused webhook", out)
	}

	invoice := f.place()
	f.must("order", "ship", "acme", invoice, "--courier", "courier_a")
	f.fails(cmd.ExitFailed, "under way", "order", "ship", "acme", invoice, "--courier", "courier_a")
	f.must("order", "track", "acme", invoice)
	f.prints("amount: 6000\ncurrency: BDT\nformatted: ৳60.00\ncash basis points: 100\n",
		"api", "acme", "priceShipment", "--order-id", invoice, "--provider", "courier_a", "--city", "1", "--zone", "298")
	f.must("simulate", "acme", "courier_a", "journey", "--order", invoice)
	if o := f.order(invoice); o.Status != status.OrderCompleted || o.PaymentStatus != status.PaymentPaid || len(o.Shipments) != 1 {
		t.Errorf("after delivery: got %s, %s, %d shipments, want completed, paid, 1", o.Status, o.PaymentStatus, len(o.Shipments))
	}
	if shown := f.must("order", "show", "acme", invoice); !strings.Contains(shown, "CONSIGNMENT") {
		t.Errorf("order show: got\n%s\nwant a shipment", shown)
	}
	returned := f.place()
	f.must("order", "ship", "acme", returned, "--courier", "courier_a", "--consignment", "DL9")
	f.sendWebhook(url, "hush",
		`{"event":"order.returned","consignment_id":"DL9","reason":"Not at home","timestamp":"2026-01-05T10:00:00Z"}`)
	history := f.must("api", "acme", "getOrder", "--order-id", returned)
	if !strings.Contains(history, "order.returned") || !strings.Contains(history, "Not at home") {
		t.Errorf("order shipments: got\n%s\nwant the return and its reason", history)
	}
	f.fails(cmd.ExitFailed, "No such order", "api", "acme", "getOrder", "--order-id", "0123456789ABCDEF")
	var report cash.Report
	f.json(&report, "api", "acme", "getCash")
	if c := report.Couriers[0]; c.Provider != plugin.CourierA || c.PaidOut.Amount != 395_40 || len(report.Differences) != 0 {
		t.Errorf("cod report: got %+v, want 395.40 paid out by courier_a", report)
	}
	statement := filepath.Join(t.TempDir(), "statement.csv")
	if err := os.WriteFile(statement, []byte("consignment,paid\nDL-unknown,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.prints("Courier    courier_a\nShipments  0\nCollected  not in the file\nFees       not in the file\nPaid out   ৳0\n\n"+
		"Sums that differ:\nOF       THE FILE'S TOTAL  ITS ROWS  RECORDED\npaidOut  -                 ৳1        ৳0\n\n"+
		"Differences:\nCOURIER    CONSIGNMENT  ORDER  EXPECTED  REPORTED  DIFFERENCE\n"+
		"courier_a  DL-unknown   -      -         -         No shipment has this consignment ID.\n",
		"cod", "reconcile", "acme", statement, "--courier", "courier_a")
	if out := f.must("webhook", "list", "acme"); !strings.Contains(out, "order.delivered") || !strings.Contains(out, "401: ") {
		t.Errorf("webhook list: got\n%s\nwant a delivery and a refused webhook", out)
	}
}

// A morning's orders are booked by one command. What the courier refuses does not stop the others.
func TestOrderShip_Several(t *testing.T) {
	t.Parallel()
	f := newCourierFixture(t)
	f.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush", "client_id=c", "client_secret=s", "username=u", "password=p", "store_id=1")
	first, booked, third := f.place(), f.place(), f.place()
	f.must("order", "ship", "acme", booked, "--courier", "courier_a")
	r := f.run("order", "ship", "acme", first, booked, "1003", "--courier", "courier_a")
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "order "+booked+": ") ||
		!strings.HasPrefix(r.stdout, "Order 1001\n") || !strings.Contains(r.stdout, "\n\nOrder 1003\n") || strings.Contains(r.stdout, "Order 1002") {
		t.Errorf("got exit code %d and\n%s%s\nwant shipments of two orders and the reason for the third", r.code, r.stdout, r.stderr)
	}
	for _, invoice := range []string{first, booked, third} {
		if o := f.order(invoice); len(o.Shipments) != 1 {
			t.Errorf("order %d: got %d shipments, want 1", o.OrderNumber, len(o.Shipments))
		}
	}
}

// The simulated courier's look-up follows what it reports, also without a webhook, and it can
// collect another amount than is due.
func TestSimulateCourier_LookupAndCash(t *testing.T) {
	t.Parallel()
	f := newCourierFixture(t)
	f.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush", "client_id=c", "client_secret=s", "username=u", "password=p", "store_id=1")
	f.must("plugin", "configure", "acme", "courier_b", "webhook_token=hush", "api_key=k", "secret_key=s")
	for courier, events := range map[string][][2]string{
		"courier_a": {{"order.picked", "picked"}, {"order.delivery-failed", "delivery_failed"}, {"order.delivered", "delivered"}},
		"courier_b": {{"pending", "in_transit"}, {"cancelled", "returning"}, {"cancelled_return_received", "returned"}},
	} {
		invoice := f.place()
		f.must("order", "ship", "acme", invoice, "--courier", courier)
		for _, event := range events {
			f.must("simulate", "acme", courier, event[0], "--order", invoice, "--lost")
			f.must("order", "track", "acme", invoice)
			if got := string(f.order(invoice).Shipments[0].Status); got != event[1] {
				t.Errorf("%s, %s: got shipment %s, want %s", courier, event[0], got, event[1])
			}
		}
	}
	invoice := f.place()
	f.must("order", "ship", "acme", invoice, "--courier", "courier_b")
	f.must("simulate", "acme", "courier_b", "pending", "--order", invoice)
	f.must("simulate", "acme", "courier_b", "delivered", "--order", invoice, "--collect", "123.50")
	flags := f.wantFlags(invoice, order.FlagCashDiffers)
	want := "The courier collected ৳123.50, and ৳460 was due."
	if len(flags) != 1 || flags[0].Message != want {
		t.Errorf("got flags %+v, want %s", flags, want)
	}
	var report cash.Report
	f.json(&report, "api", "acme", "getCash")
	if len(report.Differences) != 1 || report.Differences[0].Reported.Amount != 123_50 {
		t.Errorf("cod report: got %+v, want a difference of ৳123.50", report.Differences)
	}
	unpaid := f.place()
	f.must("order", "ship", "acme", unpaid, "--courier", "courier_b")
	f.must("simulate", "acme", "courier_b", "delivered", "--order", unpaid, "--collect", "0")
	if o := f.order(unpaid); o.PaymentStatus != status.PaymentUnpaid {
		t.Errorf("nothing collected: got payment %s, want unpaid", o.PaymentStatus)
	}
	f.fails(cmd.ExitUsage, "--collect must be", "simulate", "acme", "courier_b", "delivered", "--order", unpaid, "--collect", "much")
}

// A shipment that was deleted in the courier's panel is cancelled, and its replacement collects the
// cash.
func TestCourier_DeletedShipment(t *testing.T) {
	t.Parallel()
	f := newCourierFixture(t)
	f.must("plugin", "configure", "acme", "courier_b", "webhook_token=hush", "api_key=k", "secret_key=s")
	invoice := f.place()
	total := f.order(invoice).Total.Text()
	if out := f.must("order", "ship", "acme", invoice, "--courier", "courier_b"); !strings.Contains(out, total) {
		t.Errorf("order ship: got\n%s\nwant the amount to collect, %s", out, total)
	}
	if out := f.must("order", "ship", "acme", invoice, "--courier", "courier_b", "--another"); !strings.Contains(out, "৳0") {
		t.Errorf("second booking: got\n%s\nwant ৳0 to collect", out)
	}
	for range 2 {
		f.must("simulate", "acme", "courier_b", "delete", "--order", invoice, "--simulator", f.ready.Simulator)
		f.fails(cmd.ExitFailed, "cancel the shipment", "order", "track", "acme", invoice)
		var order struct {
			Shipments []struct{ ConsignmentID, Status string }
		}
		if err := json.Unmarshal([]byte(f.must("order", "show", "acme", invoice, "--json")), &order); err != nil {
			t.Fatal(err)
		}
		for _, p := range slices.Backward(order.Shipments) {
			if p.Status != "cancelled" {
				f.must("api", "acme", "cancelShipment", "--order-id", invoice, "--consignment-id", p.ConsignmentID)
				break
			}
		}
	}
	if out := f.must("order", "ship", "acme", invoice, "--courier", "courier_b"); strings.Count(out, total) != 1 {
		t.Errorf("replacement: got\n%s\nwant %s to collect once", out, total)
	}
	f.must("simulate", "acme", "courier_b", "journey", "--order", invoice)
	if o := f.order(invoice); o.Status != status.OrderCompleted {
		t.Errorf("delivered: got order %s, want completed", o.Status)
	}
	f.sendB("hush", `{"notification_type":"delivery_status","consignment_id":1424101,"status":"delivered","cod_amount":200}`)
	f.wantFlags(invoice, order.FlagCashUndelivered, order.FlagContradicted)
	if out := f.must("order", "list", "acme", "--limit", "1"); !strings.Contains(out, "cash_undelivered") {
		t.Errorf("order list: got\n%s\nwant cash_undelivered", out)
	}
	if out := f.must("order", "show", "acme", invoice); !strings.Contains(out, "cash_undelivered") {
		t.Errorf("order show: got\n%s\nwant cash_undelivered", out)
	}
	f.must("api", "acme", "resolveFlags", "--order-id", invoice)
	f.wantFlags(invoice)
}

// A crash between a shipment's events loses no acknowledged event, and repeated events are applied
// once.
func TestCourier_CrashBetweenEvents(t *testing.T) {
	t.Parallel()
	f := newCourierFixture(t)
	f.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush")
	invoice := f.place()
	f.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--consignment", "DL1")
	const events = 60
	body := func(i int) string {
		return fmt.Sprintf(`{"event":"order.in-transit","consignment_id":"DL1","timestamp":"2026-01-01T00:00:%02dZ"}`, i)
	}
	address := func() string { return f.ready.URL + "/courier/webhook/courier_a/acme" }
	dbtest.Eventually(t, "settings in use", func() bool {
		return f.sendWebhook(address(), "hush", `{"event":"webhook_integration"}`) == http.StatusAccepted
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
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				return // the server was killed
			}
			defer response.Body.Close()
			if response.StatusCode == http.StatusAccepted {
				acknowledged.Store(i, true)
			}
			if i == events/3 {
				_ = f.server.Process.Kill()
			}
		})
	}
	group.Wait()
	_ = f.server.Wait()
	count := func() (n int) {
		for _, entry := range f.order(invoice).Timeline {
			if entry.Type == "shipment_in_transit" {
				n++
			}
		}
		return n
	}
	stored, want := count(), 0
	acknowledged.Range(func(any, any) bool { want++; return true })
	if stored < want {
		t.Errorf("got %d events in the timeline, want at least the %d acknowledged ones", stored, want)
	}
	_, f.ready = serve(t, f.dir, "--dev")
	for i := range events {
		if status := f.sendWebhook(address(), "hush", body(i)); status != http.StatusAccepted {
			t.Errorf("event %d repeated: got status %d, want 202", i, status)
		}
	}
	if n := count(); n != events {
		t.Errorf("got %d events in the timeline, want %d", n, events)
	}
}
