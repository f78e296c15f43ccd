package cmd_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"storefront/db/dbtest"
)

// The buyer of an order that is delivered gets each message once, in the order of the events, also
// if the server is killed after the order was placed.
func TestMessage_DeliveredOrder(t *testing.T) {
	t.Parallel()
	f := newCourierFixture(t)
	f.must("tenant", "set", "acme",
		`buyerMessages={"sms":["placed","confirmed","booked","shipped","out_for_delivery","delivered","cancelled","refunded"]}`)
	f.must("plugin", "configure", "acme", "courier_a", "webhook_secret=hush", "client_id=c", "client_secret=s", "username=u", "password=p", "store_id=1")
	killed := f.place()
	f.server.stop(syscall.SIGKILL)
	f.server, f.ready = serve(t, f.dir, "--dev")
	f.env["STOREFRONT_API_PUBLIC_URL"] = f.ready.URL
	f.env["STOREFRONT_PROVIDER_URL"] = "courier_a:live=" + f.ready.Simulator + "/courier_a"
	f.waitMessages("acme", killed, "placed sent")
	f.must("order", "cancel", "acme", killed)
	f.waitMessages("acme", killed, "placed sent", "cancelled sent")

	invoice := f.place()
	f.must("order", "confirm", "acme", invoice)
	f.must("order", "ship", "acme", invoice, "--courier", "courier_a")
	f.must("simulate", "acme", "courier_a", "journey", "--order", invoice)
	f.waitMessages("acme", invoice, "placed sent", "confirmed sent", "booked sent", "shipped sent", "out_for_delivery sent", "delivered sent")
	_, page := get(t, f.ready.SMSPage, "")
	if got := strings.Count(string(page), "is on its way"); got != 1 {
		t.Errorf("got %d text messages about the shipment, want 1, on the page\n%s", got, page)
	}
}

// The buyer is notified of each refund of a payment, with its amount.
func TestMessage_RefundedOrder(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	_, r := serveDemo(t, c.dir)
	c.must("tenant", "set", "demo", `buyerMessages={"sms":["refunded"]}`)
	order := placeOnline(t, r, "gateway_b")
	c.must("simulate", "demo", "gateway_b", "pay", "--order", order.ID)
	payment := order.Payment.Attempts[0].ID
	c.must("payment", "refund", "demo", payment, "--amount", "100")
	c.waitMessages("demo", order.ID, "refunded sent")
	c.must("payment", "refund", "demo", payment, "--amount", "50")
	c.waitMessages("demo", order.ID, "refunded sent", "refunded sent")
	_, page := get(t, r.SMSPage, "")
	for _, amount := range []string{"Tk 100", "Tk 150"} {
		if !strings.Contains(string(page), amount+" of your order") {
			t.Errorf("got the page\n%s\nwant a text message about %s", page, amount)
		}
	}
}

// waitMessages waits until an order's messages have the given events and states, oldest first.
func (c *console) waitMessages(uid, invoice string, want ...string) {
	c.t.Helper()
	var got []string
	dbtest.Eventually(c.t, fmt.Sprintf("the order's messages are %v", want), func() bool {
		var list struct {
			Nodes []struct{ OrderID, Event, Status string }
		}
		c.json(&list, "api", uid, "listBuyerMessages")
		got = nil
		for _, m := range slices.Backward(list.Nodes) {
			if m.OrderID == invoice {
				got = append(got, m.Event+" "+m.Status)
			}
		}
		return slices.Equal(got, want)
	}, func() string { return fmt.Sprintf("got %v", got) })
}
