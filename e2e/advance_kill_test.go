package e2e

import (
	"fmt"
	"net/http"
	"testing"
)

// The server is killed while staff confirm payments to a wallet, again and again. After each
// restart a payment is confirmed together with its advance or waits without one. No answered
// confirmation is lost, and repeating it counts the money once.
func TestAdvance_KilledServer(t *testing.T) {
	parallelOnFiles(t)
	const kills, payments = 3, 8
	data := newShop(t, "acme", 1000)
	run(t, "tenant", "set", "acme", `advance={"rules":[{"share":"percent","percent":50}],`+
		`"wallets":[{"_id":"bkash","method":"bkash","number":"01711000000"}]}`, "--data", data)
	key := adminKey(t, data, "acme", "orders.read,orders.write,products.read")
	p := serve(t, "--data", data, "--rate", "0")
	const base = "/admin/v1/shops/acme/"
	product := p.must(request{method: "GET", path: base + "products/item-0", token: key})
	for round := range kills {
		orders, waiting := make([]string, payments), make([]string, payments)
		for i := range payments {
			body := orderOf(product.text("_id"), 1)
			body["customer"].(map[string]any)["phoneNumber"] = fmt.Sprintf("017%08d", round*payments+i)
			placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: body})
			orders[i] = placed.text("invoiceUid")
			reported := p.must(request{
				method: "POST", path: "/api/v1/orders/" + orders[i] + "/wallet-payments", tenant: "acme",
				header: map[string]string{"X-Order-Token": placed.text("orderToken")},
				body:   map[string]any{"walletId": "bkash", "sender": "01811000000", "transactionId": fmt.Sprint("TX", round, "A", i)},
			})
			waiting[i] = reported.text("advance", "payments", 0, "_id")
		}
		confirm := func(i int) request {
			return request{method: "POST", path: base + "wallet-payments/" + waiting[i] + "/confirm", token: key, body: map[string]any{}}
		}
		answered := make(chan int)
		go func() {
			for i := range payments {
				if i == payments/2 {
					go p.kill()
				}
				if got, err := p.do(confirm(i)); err != nil || got.status != http.StatusOK {
					answered <- i
					return
				}
			}
			answered <- payments
		}()
		confirmed := <-answered
		p.kill()
		<-p.done
		p = serve(t, "--data", data, "--rate", "0")
		for i := range payments {
			order := p.must(request{method: "GET", path: base + "orders/" + orders[i], token: key})
			status, advances := order.text("advance", "payments", 0, "status"), order.at("advances").([]any)
			if (status == "confirmed") != (len(advances) == 1) || i < confirmed && status != "confirmed" {
				t.Errorf("payment %d of which %d were answered: got it %s with %d advances", i, confirmed, status, len(advances))
			}
			p.must(confirm(i))
			after := p.must(request{method: "GET", path: base + "orders/" + orders[i], token: key})
			if got := len(after.at("advances").([]any)); got != 1 {
				t.Errorf("payment %d after it was confirmed again: got %d advances, want one", i, got)
			}
		}
	}
	run(t, "doctor", "acme", "--public-url", p.url, "--data", data)
}
