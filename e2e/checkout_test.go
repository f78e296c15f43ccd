package e2e

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/order"
)

var buyFor = flag.Duration("buy.for", time.Second, "how long the buyers of TestCheckout_ConcurrentBuyers buy")

// atOnce sends n requests at the same moment and returns the responses.
func (p *process) atOnce(n int, r func(i int) request) []response {
	p.t.Helper()
	answers := make([]response, n)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range answers {
		wg.Go(func() {
			<-start
			a, err := p.do(r(i))
			if err != nil {
				p.t.Error(err)
			}
			answers[i] = a
		})
	}
	close(start)
	wg.Wait()
	return answers
}

// outcomes counts answers by status and code.
func outcomes(answers []response) map[string]int {
	got := map[string]int{}
	for _, a := range answers {
		got[fmt.Sprintf("%d %s", a.status, a.text("code"))]++
	}
	return got
}

func TestCoupon_ConcurrentUseLimit(t *testing.T) {
	t.Parallel()
	data := newShop(t, "deals", 1000)
	run(t, "coupon", "create", "deals", "--code", "FIVE", "--amount", "50", "--limit", "5", "--data", data)
	p := serve(t, "--data", data, "--rate", "0")
	id, _ := p.product("deals", "item-0")
	answers := p.atOnce(100, func(i int) request {
		order := orderOf(id, 1)
		order["couponCode"] = []string{"FIVE", "five"}[i%2]
		order["customer"] = map[string]any{"name": "Rahim", "phoneNumber": fmt.Sprintf("01711-%06d", i)}
		return request{method: "POST", path: "/api/v1/orders", tenant: "deals", body: order}
	})
	if got, want := outcomes(answers), map[string]int{"201 ": 5, "422 coupon_usage_limit": 95}; !maps.Equal(got, want) {
		t.Errorf("answers %v, want %v", got, want)
	}
	// A released use can be reserved by exactly one order.
	for _, a := range answers {
		if a.status == http.StatusCreated {
			run(t, "order", "cancel", "deals", a.text("invoiceUid"), "--data", data)
			break
		}
	}
	answers = p.atOnce(10, func(int) request {
		order := orderOf(id, 1)
		order["couponCode"] = "FIVE"
		return request{method: "POST", path: "/api/v1/orders", tenant: "deals", body: order}
	})
	if got := outcomes(answers); got["201 "] != 1 || got["422 coupon_usage_limit"] != 9 {
		t.Errorf("after one use was released: %v", got)
	}
}

func TestIdempotencyKey_Concurrent(t *testing.T) {
	t.Parallel()
	data := newShop(t, "hasty", 100)
	p := serve(t, "--data", data, "--rate", "0")
	id, _ := p.product("hasty", "item-0")
	answers := p.atOnce(50, func(int) request {
		return request{method: "POST", path: "/api/v1/orders", tenant: "hasty", header: map[string]string{"Idempotency-Key": "one"}, body: orderOf(id, 2)}
	})
	fresh := 0
	for _, a := range answers {
		if a.status != http.StatusCreated || string(a.body) != string(answers[0].body) {
			t.Errorf("got %d %s\nwant 201 %s", a.status, a.body, answers[0].body)
		}
		if a.header.Get("Idempotent-Replayed") == "" {
			fresh++
		}
	}
	if _, left := p.product("hasty", "item-0"); fresh != 1 || left != 98 {
		t.Errorf("got %d responses that are not replayed and %d units left, want 1 and 98", fresh, left)
	}
}

// TestCheckout_ConcurrentBuyers lets buyers place and cancel orders over three variants and one
// coupon, more than there is of both; then the books must agree. For a long run: go test -run
// ConcurrentBuyers -buy.for 30s
func TestCheckout_ConcurrentBuyers(t *testing.T) {
	t.Parallel()
	data := newShop(t, "market", 60, 60, 60)
	run(t, "coupon", "create", "market", "--code", "SOME", "--percent", "33.33", "--limit", "20", "--data", data)
	p := serve(t, "--data", data, "--rate", "0")
	var ids []string
	for i := range 3 {
		id, _ := p.product("market", fmt.Sprintf("item-%d", i))
		ids = append(ids, id)
	}
	var mu sync.Mutex
	got := map[string]int{}
	var wg sync.WaitGroup
	end := time.Now().Add(*buyFor)
	for buyer := range 16 {
		r := rand.New(rand.NewPCG(uint64(buyer), 1))
		account := map[string]any{"name": "Buyer", "phoneNumber": fmt.Sprintf("01811-%06d", buyer), "password": "correct horse battery"}
		token := p.must(request{method: "POST", path: "/api/v1/auth/register", tenant: "market", body: account}).text("accessToken")
		wg.Go(func() {
			var mine []string
			for time.Now().Before(end) {
				order := orderOf(ids[r.IntN(3)], 1+r.IntN(3))
				if r.IntN(3) == 0 {
					order["couponCode"] = "SOME"
				}
				send := request{method: "POST", path: "/api/v1/orders", tenant: "market", token: token, body: order}
				if len(mine) > 0 && r.IntN(3) > 0 {
					send = request{method: "POST", path: "/api/v1/orders/" + mine[r.IntN(len(mine))] + "/cancel", tenant: "market", token: token}
				}
				a, err := p.do(send)
				if err != nil {
					t.Error(err)
					return
				}
				if a.status == http.StatusCreated {
					mine = append(mine, a.text("invoiceUid"))
				}
				mu.Lock()
				got[fmt.Sprintf("%d %s", a.status, a.text("code"))]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for outcome := range got {
		switch outcome {
		case "200 ", "201 ", "409 out_of_stock", "422 coupon_usage_limit":
		default:
			t.Errorf("%d times %s", got[outcome], outcome)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}
	checkShopBooks(t, data, "market")
	t.Logf("%v", got)
}

// checkShopBooks looks into a shop's file, which no server has open.
func checkShopBooks(t *testing.T, data, uid string) {
	t.Helper()
	store := openStore(t, data)
	defer store.Close(context.Background())
	for what, query := range map[string]string{
		"variants whose stock is not the sum of their movements": `
			SELECT COUNT(*) FROM variants v
			WHERE v.stock <> (SELECT COALESCE(SUM(m.delta), 0) FROM stock_movements m WHERE m.variant_id = v.id) - (
				SELECT COALESCE(SUM(i.quantity), 0)
				FROM order_items i
				WHERE i.variant_id = v.id AND i.stock_taken = 1 AND i.order_number > ` + order.Posted + `)`,
		"variants below zero": `SELECT COUNT(*) FROM variants WHERE stock < 0`,
		"variants whose stock is not what they had less live orders": `
			SELECT COUNT(*) FROM variants v
			WHERE v.stock <> 60 - (
				SELECT COALESCE(SUM(i.quantity), 0) FROM order_items i JOIN orders o ON o.number = i.order_number
				WHERE i.variant_id = v.id AND o.status <> 'cancelled')`,
		"coupons whose uses are not their live orders": `
			SELECT COUNT(*) FROM coupons c
			WHERE c.used <> (SELECT COUNT(*) FROM orders o WHERE o.coupon_id = c.id AND o.status <> 'cancelled')`,
		"orders that are not the sum of their lines": `
			SELECT COUNT(*) FROM orders o
			WHERE o.total <> o.delivery_charge - o.rounding
				+ (SELECT SUM(i.unit_price * i.quantity - i.discount) FROM order_items i WHERE i.order_number = o.number)`,
		"order numbers used twice": `SELECT COUNT(*) - COUNT(DISTINCT number) FROM orders`,
	} {
		var n int
		err := store.View(t.Context(), db.ID(uid), func(_ context.Context, tx *db.Tx) error { return tx.QueryRow(query).Scan(&n) })
		if err != nil || n != 0 {
			t.Errorf("%d %s, %v", n, what, err)
		}
	}
}
