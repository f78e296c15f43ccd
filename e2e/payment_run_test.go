package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/provider/simulator"
	"storefront/shop"
)

// paymentRun is one order's way through payment, with a server that is killed on it. Every call to
// the server, and from it to its gateway, passes the test and makes three moments to be killed at:
// before it is done, when it is done and not answered, and with its answer on the way.
type paymentRun struct {
	t        *testing.T
	scenario paymentScenario
	data     string
	product  string
	sim      *simulator.Simulator
	host     *httptest.Server // the gateways, as the server reaches them
	front    *process         // the server, as the world reaches it: one address while processes come and go

	mu      sync.Mutex
	moments []string // those that were, by name
	killAt  int      // the one of them to be killed at; -1: none
	killed  bool
	own     int // the first of the moments that are of this way alone
	server  *process
	staff   *exec.Cmd // the last command beside the server; nil: none
}

// paymentScenario is what happens to an order where nobody is killed.
type paymentScenario struct {
	gateway string
	fault   simulator.Fault // of the gateway; "": none
	refund  bool            // after payment the order is cancelled and refunded
	part    string          // of the payment that is refunded while the order stays; "": none
	end     string          // of the order
}

// newPaymentRun begins a day with a copy of a data folder.
func newPaymentRun(t *testing.T, data string, way paymentScenario, killAt int) *paymentRun {
	t.Helper()
	d := &paymentRun{t: t, scenario: way, killAt: killAt, data: filepath.Join(t.TempDir(), "data"), sim: simulator.New()}
	if out, err := exec.Command("cp", "-a", data, d.data).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	dbtest.CopyDatabase(t, data, d.data, script(t))
	d.sim.Switch(way.fault, way.fault != "")
	d.host = httptest.NewServer(d.watch(d.sim.Handler()))
	t.Cleanup(d.host.Close)
	front := httptest.NewServer(d.watch(&httputil.ReverseProxy{
		Rewrite: d.toServer, Transport: &http.Transport{DisableKeepAlives: true}, ErrorLog: log.New(io.Discard, "", 0),
	}))
	t.Cleanup(front.Close)
	d.front = &process{t: t, url: front.URL}
	d.start()
	d.product, _ = d.server.product("acme", "item-0")
	return d
}

// toServer sends a request on to the server of the moment.
func (d *paymentRun) toServer(r *httputil.ProxyRequest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	to, err := url.Parse(d.server.url)
	if err != nil {
		d.t.Error(err)
	}
	r.SetURL(to)
}

// watch makes the moments of the calls to next.
func (d *paymentRun) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := strings.ReplaceAll(r.URL.Path[1:], "/", " ")
		if d.moment("before " + call) {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		done := httptest.NewRecorder()
		next.ServeHTTP(done, r)
		if d.moment("after " + call) {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		for name, values := range done.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(done.Code)
		_, _ = w.Write(done.Body.Bytes()) // who was killed does not read it
		_ = http.NewResponseController(w).Flush()
		d.moment("with the answer to " + call)
	})
}

// moment notes a moment, and kills if it is the one to be killed at.
func (d *paymentRun) moment(name string) (killed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moments = append(d.moments, name)
	if len(d.moments)-1 != d.killAt {
		return false
	}
	d.kill()
	return true
}

// kill ends every process, as a power cut does. It is for who holds d.mu.
func (d *paymentRun) kill() {
	d.killed = true
	d.server.kill()
	if d.staff != nil {
		_ = d.staff.Process.Kill() // it may have ended
	}
}

// records returns the moments so far, and whether the server was killed at one.
func (d *paymentRun) records() (moments []string, killed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.moments, d.killed
}

// setOwn notes that what comes now is of this way alone.
func (d *paymentRun) setOwn() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.own = len(d.moments)
}

// args returns the arguments of a command that reaches the data and the gateway.
func (d *paymentRun) args(args ...string) []string {
	return append(args, "--data", d.data, "--private-providers", "--provider-url", d.scenario.gateway+":live="+d.host.URL+"/"+d.scenario.gateway)
}

// start starts a server on what the last one left.
func (d *paymentRun) start() {
	d.t.Helper()
	server := serve(d.t, d.args("--rate", "0", "--public-url", d.front.url)...)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.server = server
}

// buy is all that a buyer does, from the beginning each time, as far as anything answers.
func (d *paymentRun) buy() {
	d.t.Helper()
	body := orderOf(d.product, 1)
	body["paymentMethod"] = d.scenario.gateway
	order, _ := d.front.do(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: body,
		header: map[string]string{"Idempotency-Key": "mine"}})
	page := order.text("payment", "redirectUrl")
	if _, killed := d.records(); killed { // the page may be as dead as the server that began it
		again, _ := d.front.do(request{
			method: "POST", path: "/api/v1/orders/" + order.text("_id") + "/payments", tenant: "acme",
			header: map[string]string{"X-Order-Token": order.text("orderToken")}, body: map[string]any{"paymentMethod": d.scenario.gateway},
		})
		page = again.text("redirectUrl")
	}
	if page == "" {
		return
	}
	if d.scenario.fault != "" {
		d.setOwn()
	}
	back, err := d.sim.Finish(d.t.Context(), path.Base(page), simulator.Pays)
	if err != nil {
		d.t.Fatal(err)
	}
	visit, err := http.NewRequestWithContext(d.t.Context(), back.Method, back.URL, strings.NewReader(back.Form.Encode()))
	if err != nil {
		d.t.Fatal(err)
	}
	visit.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if res, err := client.Do(visit); err == nil {
		res.Body.Close()
	}
}

// refund cancels a paid order and refunds it, or refunds a part, as a staff member does.
func (d *paymentRun) refund() {
	d.t.Helper()
	for _, o := range d.orders() {
		if o.PaymentStatus == "unpaid" || o.PaymentStatus == "pending" {
			continue
		}
		if d.scenario.part != "" {
			for _, a := range o.Payment.Attempts {
				if a.Status == "succeeded" && !d.isRefunding(a.ID) { // a second part would be another refund
					d.command("payment", "refund", "acme", a.ID, "--amount", d.scenario.part)
				}
			}
			continue
		}
		d.command("order", "cancel", "acme", o.ID)
		for _, a := range o.Payment.Attempts {
			d.command("payment", "refund", "acme", a.ID)
		}
	}
}

// isRefunding reports whether a payment has a refund, made or under way.
func (d *paymentRun) isRefunding(id string) bool {
	d.t.Helper()
	var payment struct{ Refunds []struct{ Status string } }
	if err := json.Unmarshal([]byte(run(d.t, d.args("api", "acme", "getPayment", "--id", id, "--json")...)), &payment); err != nil {
		d.t.Fatal(err)
	}
	for _, r := range payment.Refunds {
		if r.Status != "failed" {
			return true
		}
	}
	return false
}

// command runs a command of the staff's, which may be killed, or have nothing to do.
func (d *paymentRun) command(args ...string) {
	d.t.Helper()
	d.mu.Lock()
	d.staff = storefront(d.t, d.args(args...)...)
	err := d.staff.Start()
	d.mu.Unlock()
	if err != nil {
		d.t.Fatal(err)
	}
	_ = d.staff.Wait()
}

// advance kills the server, lets time pass, and waits until a new one has looked after the
// payments.
func (d *paymentRun) advance(by time.Duration) {
	d.t.Helper()
	d.server.kill()
	d.age(by)
	for looked := false; !looked; {
		told := filepath.Join(d.data, "background.json")
		if err := os.Remove(told); err != nil && !os.IsNotExist(err) {
			d.t.Fatal(err)
		}
		d.start()
		dbtest.Eventually(d.t, "a look at all shops, or the server's end", func() bool {
			select {
			case <-d.server.done:
				return true
			default:
				_, err := os.Stat(told)
				looked = err == nil
				return looked
			}
		})
	}
}

// checkInvariants checks the sums of the shop's file, as doctor does.
func (d *paymentRun) checkInvariants() {
	d.t.Helper()
	inShop(d.t, d.data, "acme", func(tx *db.Tx) error {
		faults, err := shop.BrokenInvariants(tx)
		if len(faults) > 0 {
			d.t.Errorf("broken invariants: %q", faults)
		}
		return err
	})
}

// inShop runs do in a transaction of a shop, as another process than a server.
func inShop(t *testing.T, data string, uid db.ID, do func(tx *db.Tx) error) {
	t.Helper()
	store := openStore(t, data)
	defer store.Close(context.Background())
	if err := store.Update(t.Context(), uid, func(_ context.Context, tx *db.Tx) error { return do(tx) }); err != nil {
		t.Fatal(err)
	}
}

// age moves the times in the shop into the past.
func (d *paymentRun) age(by time.Duration) {
	d.t.Helper()
	age(d.t, d.data, by)
}

// age moves the times in the shop acme into the past.
func age(t *testing.T, data string, by time.Duration) {
	t.Helper()
	inShop(t, data, "acme", func(tx *db.Tx) (err error) {
		for table, columns := range map[string][]string{
			"orders": {"placed_at", "expires_at"}, "payment_attempts": {"created_at"}, "payment_checks": {"claimed_at", "due_at"},
			"refunds": {"claimed_at", "due_at"}, "shipments": {"updated_at"}, "jobs": {"claimed_until"}, "job_items": {"started_at"},
			"parcel_bookings": {"asked_at"}, "customers": {"last_order_at"}, "contacts": {"last_order_at"},
		} {
			for _, column := range columns {
				_, fault := tx.Exec("UPDATE "+table+" SET "+column+" = "+column+" - ? WHERE "+column+" > 0", by.Milliseconds())
				err = cmp.Or(err, fault)
			}
		}
		return err
	})
}

// listedOrder is an order as order list prints it.
type listedOrder struct {
	ID                    string `json:"_id"`
	Status, PaymentStatus string
	Payment               struct {
		Attempts []struct {
			ID     string `json:"_id"`
			Status string

			RefundedAmount struct{ Amount int64 } // of the attempt
		}
	}
}

func (d *paymentRun) orders() []listedOrder {
	d.t.Helper()
	var list struct{ Nodes []listedOrder }
	if err := json.Unmarshal([]byte(run(d.t, d.args("order", "list", "acme", "--json")...)), &list); err != nil {
		d.t.Fatal(err)
	}
	return list.Nodes
}
