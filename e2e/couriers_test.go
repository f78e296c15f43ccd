package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/provider/simulator"
	"storefront/shop/plugin"
)

// A command's change is in effect for the running server when the command returns: a webhook that
// follows a new secret must not be refused.
func TestCommand_EffectiveOnReturn(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	p := serve(t, "--data", data, "--rate", "0")
	for i := range 20 {
		secret := fmt.Sprintf("secret-%d", i)
		run(t, "plugin", "configure", "acme", "courier_a", "webhook_secret="+secret, "--data", data)
		got := p.must(request{
			method: "POST", path: "/courier/webhook/courier_a/acme", header: map[string]string{"X-CourierA-Signature": secret},
			body: map[string]any{"event": "webhook_integration"},
		})
		if got.status != 202 {
			t.Errorf("webhook %d: got %d %s, want 202", i, got.status, got.body)
		}
	}
}

// A webhook that was lost more than a day ago is made good when the server starts.
func TestSweep_LostWebhook(t *testing.T) {
	t.Parallel()
	sim := simulator.New()
	host := httptest.NewServer(sim.Handler())
	t.Cleanup(host.Close)
	data := newShop(t, "acme", 5)
	flags := func(args ...string) []string {
		return append(args, "--data", data, "--private-providers", "--provider-url", "courier_b:live="+host.URL+"/courier_b")
	}
	run(t, "plugin", "configure", "acme", "courier_b", "webhook_token=hush", "api_key=k", "secret_key=s", "--data", data)
	p := serve(t, flags("--rate", "0")...)
	id, _ := p.product("acme", "item-0")
	invoice := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}).text("invoiceUid")
	run(t, flags("order", "ship", "acme", invoice, "--courier", "courier_b")...)
	if !sim.MoveShipment(plugin.CourierB, "1424101", "delivered") {
		t.Fatal("no shipment was booked")
	}
	status := func() string {
		return p.must(request{method: "GET", path: "/api/v1/orders/" + invoice, tenant: "acme"}).text("status")
	}
	if got := status(); got != "processing" {
		t.Errorf("before: got order %s, want processing", got)
	}
	p.kill()
	age(t, data, 25*time.Hour)
	p = serve(t, flags("--rate", "0")...)
	dbtest.Eventually(t, "the order is completed by a look-up", func() bool { return status() == "completed" })
}

// An unpaid order expires 30 minutes after it was placed, with a payment that its gateway reports
// as open, and not before.
func TestExpiry_OpenPayment(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(simulator.New().Handler())
	t.Cleanup(host.Close)
	data := newShop(t, "acme", 5)
	run(t, "plugin", "configure", "acme", "gateway_a", "store_id=acme", "store_password=hush", "--data", data)
	args := []string{"--data", data, "--rate", "0", "--private-providers", "--provider-url", "gateway_a:live=" + host.URL + "/gateway_a"}
	p := serve(t, args...)
	id, _ := p.product("acme", "item-0")
	body := orderOf(id, 1)
	body["paymentMethod"] = "gateway_a"
	invoice := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: body}).text("invoiceUid")
	status := func() string {
		return p.must(request{method: "GET", path: "/api/v1/orders/" + invoice, tenant: "acme"}).text("status")
	}
	for _, step := range []struct {
		by   time.Duration
		want string
	}{{25 * time.Minute, "pending_payment"}, {5 * time.Minute, "expired"}} {
		p.kill()
		age(t, data, step.by)
		p = serveSwept(t, data, args)
		if got := status(); got != step.want {
			t.Errorf("after %s: got order %s, want %s", step.by, got, step.want)
		}
	}
}

// serveSwept starts a server and waits until its background work has run once.
func serveSwept(t *testing.T, data string, args []string) *process {
	t.Helper()
	state := filepath.Join(data, "background.json")
	if err := os.Remove(state); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	p := serve(t, args...)
	dbtest.Eventually(t, "the background work has run", func() bool {
		_, err := os.Stat(state)
		return err == nil
	})
	return p
}

// A sweep sends a bounded number of queries to a courier, and queries each shipment again only
// after a pause.
func TestSweep_Budget(t *testing.T) {
	t.Parallel()
	var booked, queries atomic.Int64
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/create_order") {
			fmt.Fprintf(w, `{"status":200,"consignment":{"consignment_id":%d,"status":"in_review"}}`, 500+booked.Add(1))
			return
		}
		if strings.Contains(r.URL.Path, "/status_by_cid/") {
			queries.Add(1)
		}
		fmt.Fprint(w, `{"status":"200","delivery_status":"in_review"}`)
	}))
	t.Cleanup(host.Close)
	const shipments, budget = 30, 20
	data := newShop(t, "acme", shipments)
	args := []string{"--data", data, "--rate", "0", "--private-providers", "--provider-url", "courier_b:live=" + host.URL}
	run(t, "plugin", "configure", "acme", "courier_b", "webhook_token=hush", "api_key=k", "secret_key=s", "--data", data)
	p := serve(t, args...)
	id, _ := p.product("acme", "item-0")
	ship := []string{"order", "ship", "acme", "--courier", "courier_b", "--data", data, "--private-providers",
		"--provider-url", "courier_b:live=" + host.URL}
	for range shipments {
		ship = append(ship, p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}).text("invoiceUid"))
	}
	run(t, ship...)
	for _, want := range []int64{budget, shipments} { // the next start queries the rest, and nothing twice
		p.kill()
		if want == budget {
			age(t, data, 25*time.Hour)
		}
		p = serveSwept(t, data, args)
		if got := queries.Load(); got != want {
			t.Errorf("got %d queries, want %d", got, want)
		}
	}
}

// gateway_a answers a query with its only transaction instead of a list. It pays the order whose
// webhook was lost.
func TestSweep_SingleTransaction(t *testing.T) {
	t.Parallel()
	var total atomic.Value
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/gwprocess/v4/api.php") {
			total.Store(r.FormValue("total_amount"))
			fmt.Fprintf(w, "\xEF\xBB\xBF"+`{"status":"SUCCESS","sessionkey":"S1","GatewayPageURL":"http://%s/pay"}`, r.Host)
			return
		}
		fmt.Fprintf(w, "\xEF\xBB\xBF"+`{"APIConnect":"DONE","no_of_trans_found":"1","element":{"status":"VALID","tran_id":%q,"bank_tran_id":"B1",`+
			`"val_id":"V1","currency_type":"BDT","currency_amount":"%s000000000000","risk_level":"0"}}`, r.FormValue("tran_id"), total.Load())
	}))
	t.Cleanup(host.Close)
	data := newShop(t, "acme", 5)
	run(t, "plugin", "configure", "acme", "gateway_a", "store_id=acme", "store_password=hush", "--data", data)
	args := []string{"--data", data, "--rate", "0", "--private-providers", "--provider-url", "gateway_a:live=" + host.URL}
	p := serve(t, args...)
	id, _ := p.product("acme", "item-0")
	body := orderOf(id, 1)
	body["paymentMethod"] = "gateway_a"
	invoice := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: body}).text("invoiceUid")
	status := func() string {
		order := p.must(request{method: "GET", path: "/api/v1/orders/" + invoice, tenant: "acme"})
		return order.text("status") + " " + order.text("paymentStatus")
	}
	if got := status(); got != "pending_payment pending" {
		t.Errorf("before: got order %s, want pending_payment pending", got)
	}
	p.kill()
	age(t, data, 10*time.Minute)
	p = serve(t, args...)
	dbtest.Eventually(t, "the order is paid", func() bool { return status() == "confirmed paid" })
}
