package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"storefront/db/dbtest"
)

// act is what a client requests of a shop with one product and one coupon.
type act struct {
	kind   string // place, cancel, adjust, stock or used
	units  int
	coupon bool
}

// shelf is what such a shop has.
type shelf struct{ stock, used int }

const (
	shelfUnits = 12
	shelfUses  = 8 // how often the coupon can be used
)

// shelfModel states the responses, as status and code or as a figure, of a shop that does one thing
// at a time.
var shelfModel = porcupine.Model{
	Init: func() any { return shelf{stock: shelfUnits} },
	Step: func(state, input, output any) (bool, any) {
		s, a, got := state.(shelf), input.(act), output.(string)
		uses := 0
		if a.coupon {
			uses = 1
		}
		switch a.kind {
		case "place":
			switch got {
			case "201":
				next := shelf{s.stock - a.units, s.used + uses}
				return next.stock >= 0 && next.used <= shelfUses, next
			case "409 out_of_stock":
				return s.stock < a.units, s
			case "422 coupon_usage_limit":
				return a.coupon && s.used == shelfUses, s
			}
		case "cancel":
			return got == "200", shelf{s.stock + a.units, s.used - uses}
		case "adjust":
			return got == "200", shelf{s.stock + a.units, s.used}
		case "stock":
			return got == fmt.Sprint(s.stock), s
		case "used":
			return got == fmt.Sprint(s.used), s
		}
		return false, s
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %s", input, output) },
}

// Buyers and staff at all servers of a shop place and cancel orders, use a coupon, count and read,
// while servers are killed, and repeat what got no response at another server. The responses are
// those of a shop that does one thing at a time: no read is older than what was acknowledged before
// it, nothing is sold or used twice, and nobody is refused what there was.
func TestEngines_History(t *testing.T) {
	for _, c := range []struct {
		name    string
		servers func(t *testing.T) []string // their data folders
	}{
		{"files", func(t *testing.T) []string {
			dbtest.NeedFiles(t, "the other case has two servers of PostgreSQL")
			return []string{newShop(t, "ledger", shelfUnits)}
		}},
		{"two servers of PostgreSQL", func(t *testing.T) []string {
			useDatabase(t, dbtest.NewCluster(t, "fsync=on").Address("postgres"))
			shareImages(t)
			return []string{newShop(t, "ledger", shelfUnits), filepath.Join(t.TempDir(), "data")}
		}},
	} {
		t.Run(c.name, func(t *testing.T) { testHistory(t, c.servers(t)) })
	}
}

func testHistory(t *testing.T, folders []string) {
	run(t, "coupon", "create", "ledger", "--code", "SOME", "--amount", "50", "--limit", fmt.Sprint(shelfUses), "--data", folders[0])
	key := adminKey(t, folders[0], "ledger", "products.read,stock.write,coupons.read,orders.read,orders.write")
	servers := make([]atomic.Pointer[process], len(folders))
	begin := func(n int) { servers[n].Store(serve(t, "--data", folders[n], "--rate", "0")) }
	for n := range folders {
		begin(n)
	}
	h := &history{t: t, servers: servers, key: key, began: time.Now()}
	product := servers[0].Load().must(request{method: "GET", path: "/api/v1/products/handle/item-0", tenant: "ledger"})
	h.product, h.variant = product.text("_id"), product.text("variants", 0, "_id")

	var work sync.WaitGroup
	const clients, each = 6, 60
	for id := range clients {
		work.Go(func() { h.client(id, each) })
	}
	for n := range 4 {
		want := int64(clients * each * (n + 1) / 6)
		dbtest.Eventually(t, fmt.Sprintf("%d responses", want), func() bool { return h.responses.Load() >= want })
		at := n % len(servers)
		servers[at].Load().kill()
		begin(at)
	}
	work.Wait()
	seen := map[string]bool{}
	for _, o := range h.operations {
		seen[o.Output.(string)] = true
	}
	for _, output := range []string{"201", "200", "409 out_of_stock", "422 coupon_usage_limit", "0", fmt.Sprint(shelfUses)} {
		if !seen[output] {
			t.Errorf("no act got %s: the shop is not busy enough", output)
		}
	}
	if !porcupine.CheckOperations(shelfModel, h.operations) {
		result, info := porcupine.CheckOperationsVerbose(shelfModel, h.operations, 0)
		file := filepath.Join(t.ArtifactDir(), "history.html")
		err := porcupine.VisualizePath(shelfModel, info, file)
		t.Errorf("%s: no order of the %d acts explains their responses: %s %v", result, len(h.operations), file, err)
	}
	run(t, "doctor", "ledger", "--public-url", servers[0].Load().url, "--data", folders[0])
}

// history is what clients requested, and the responses that they got.
type history struct {
	t                     *testing.T
	servers               []atomic.Pointer[process]
	key, product, variant string
	began                 time.Time
	responses             atomic.Int64

	mu         sync.Mutex
	operations []porcupine.Operation
}

// client acts at random.
func (h *history) client(id, acts int) {
	random := rand.New(rand.NewPCG(uint64(id), 1))
	type placed struct {
		invoice string
		act     act
	}
	var orders []placed
	for n := range acts {
		a := act{kind: "place", units: 1 + random.IntN(2), coupon: random.IntN(2) == 0}
		path, body := "/api/v1/orders", any(h.order(id, a))
		switch random.IntN(8) {
		case 0, 1:
			if len(orders) == 0 {
				break
			}
			last := orders[len(orders)-1]
			orders = orders[:len(orders)-1]
			a = last.act
			a.kind = "cancel"
			path, body = "/admin/v1/shops/ledger/orders/"+last.invoice+"/cancel", map[string]any{}
		case 2:
			a = act{kind: "adjust", units: 1}
			path, body = "/admin/v1/shops/ledger/stock/"+h.variant, map[string]any{"adjust": a.units}
		case 3:
			a, path, body = act{kind: "stock"}, "/admin/v1/shops/ledger/stock/"+h.variant+"/history?limit=1", nil
		case 4:
			a, path, body = act{kind: "used"}, "/admin/v1/shops/ledger/coupons/SOME", nil
		}
		if got := h.do(id, fmt.Sprint(id, "-", n), random.IntN(2), a, path, body); a.kind == "place" && got.status == http.StatusCreated {
			orders = append(orders, placed{got.text("invoiceUid"), a})
		}
	}
}

func (h *history) order(client int, a act) map[string]any {
	order := orderOf(h.product, a.units)
	order["customer"] = map[string]any{"name": "Rahim Uddin", "phoneNumber": fmt.Sprintf("01711-%06d", client)}
	if a.coupon {
		order["couponCode"] = "SOME"
	}
	return order
}

// do sends a request until a server responds, and records it.
func (h *history) do(id int, key string, at int, a act, path string, body any) response {
	r := request{method: "GET", path: path, tenant: "ledger", token: h.key, body: body}
	if body != nil {
		r.method, r.header = "POST", map[string]string{"Idempotency-Key": key}
	}
	if a.kind == "place" {
		r.token = ""
	}
	began := time.Since(h.began)
	for ; ; at++ {
		got, err := h.servers[at%len(h.servers)].Load().do(r)
		if err != nil || got.status >= 500 {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		output := fmt.Sprint(got.status)
		switch {
		case got.status >= 400:
			output += " " + got.text("code")
		case a.kind == "stock":
			output = fmt.Sprint(got.at("stock"))
		case a.kind == "used":
			output = fmt.Sprint(got.at("used"))
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.responses.Add(1)
		h.operations = append(h.operations, porcupine.Operation{
			ClientId: id, Input: a, Output: output, Call: began.Nanoseconds(), Return: time.Since(h.began).Nanoseconds(),
		})
		return got
	}
}
