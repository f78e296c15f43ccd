package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// The server is killed while staff edit an order, again and again. After each restart the order is
// as one of the edits left it, with its amounts, its stock and its entries: none is half-written,
// and none that was answered is lost.
func TestOrderEdit_KilledServer(t *testing.T) {
	parallelOnFiles(t)
	const stock, kills, answered = 1000, 3, 5
	data := newShop(t, "acme", stock)
	key := adminKey(t, data, "acme", "orders.read,orders.write,audit.read,products.read")
	p := serve(t, "--data", data, "--rate", "0")
	const base = "/admin/v1/shops/acme/"
	product := p.must(request{method: "GET", path: base + "products/item-0", token: key})
	variant := product.text("variants", 0, "_id")
	id := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(product.text("_id"), 1)}).text("invoiceUid")
	edit := func(quantity int) request {
		return request{method: "PATCH", path: base + "orders/" + id, token: key, body: map[string]any{
			"items": []map[string]any{{"variantId": variant, "quantity": quantity}}, "note": fmt.Sprint("edit ", quantity),
		}}
	}
	quantity := 1
	for range kills {
		for range answered {
			quantity++
			if got := p.must(edit(quantity)); got.status != http.StatusOK {
				t.Fatalf("edit: got %d: %s", got.status, got.body)
			}
		}
		writing := make(chan int) // the last quantity that was answered
		go func() {
			for last := quantity; ; last++ {
				if got, err := p.do(edit(last + 1)); err != nil || got.status != http.StatusOK {
					writing <- last
					return
				}
				if last == quantity {
					go p.kill()
				}
			}
		}()
		last := <-writing
		<-p.done
		p = serve(t, "--data", data, "--rate", "0")
		order := p.must(request{method: "GET", path: base + "orders/" + id, token: key})
		found, _ := order.at("items", 0, "quantity").(json.Number)
		n, err := found.Int64()
		if err != nil || n != int64(last) && n != int64(last)+1 {
			t.Fatalf("got quantity %s after edit %d was answered: %s", found, last, order.body)
		}
		quantity = int(n)
		left := p.must(request{method: "GET", path: base + "products/item-0", token: key}).at("variants", 0, "stock")
		entries := p.must(request{method: "GET", path: base + "audit?action=order.edit", token: key}).at("meta", "totalCount")
		subtotal := order.at("subtotal", "amount")
		timeline := 0
		list, _ := order.at("timeline").([]any)
		for _, entry := range list {
			if entry.(map[string]any)["type"] == "edited" {
				timeline++
			}
		}
		got := fmt.Sprint(order.text("note"), ", ", subtotal, ", ", left, " left, ", entries, " audited, ", timeline, " in the timeline")
		edits := quantity - 1
		want := fmt.Sprint("edit ", quantity, ", ", quantity*25000, ", ", stock-quantity, " left, ", edits, " audited, ", edits, " in the timeline")
		if got != want {
			t.Errorf("after a kill: got %s, want %s", got, want)
		}
	}
	run(t, "doctor", "acme", "--public-url", p.url, "--data", data)
}
