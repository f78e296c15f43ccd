package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	cli "storefront/cmd"
)

// views returns the open views that an order is in, and its attention.
func (f *courierFixture) views(invoice string) (views []string) {
	f.t.Helper()
	for _, view := range []string{"toConfirm", "toPack", "toHandOver", "onTheWay", "problems", "returning", "toRefund", "unpaid"} {
		if strings.Contains(f.must("order", "list", "acme", "--view", view, "--format", "uid"), invoice) {
			views = append(views, view)
		}
	}
	return views
}

// counts returns the counts of views that are not empty.
func (f *courierFixture) counts() map[string]int {
	f.t.Helper()
	var all map[string]any
	f.json(&all, "api", "acme", "countOrders")
	counts := map[string]int{}
	for view, count := range all {
		if count, isNumber := count.(float64); isNumber && count > 0 {
			counts[view] = int(count)
		}
	}
	return counts
}

// Orders are listed and counted by the work they need, from the order to the end, and by what staff
// must check.
func TestOrderList_View(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	invoice := f.place()
	consignment := "DL-" + invoice
	at := 0
	event := func(name string) func() {
		return func() { at++; f.sendA(at, consignment, name, "") }
	}
	order := func(args ...string) func() {
		return func() { f.must(append([]string{"order", args[0], "acme", invoice}, args[1:]...)...) }
	}
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"placed", func() {}, []string{"toConfirm"}},
		{"confirmed", order("confirm"), []string{"toPack"}},
		{"booked", order("ship", "--courier", "courier_a", "--consignment", consignment), []string{"toHandOver"}},
		{"cancelled", order("cancel", "--reason", "refused by phone"), []string{"problems"}},
		{"picked up all the same", event("picked"), []string{"onTheWay", "problems"}},
		{"in transit", event("in-transit"), []string{"onTheWay", "problems"}},
		{"delivery failed", event("delivery-failed"), []string{"problems"}},
		{"returning", event("returned"), []string{"returning"}},
		{"back at the shop", event("returned-to-merchant"), nil},
	} {
		step.do()
		if diff := cmp.Diff(step.want, f.views(invoice)); diff != "" {
			t.Errorf("%s: views (-want +got):\n%s", step.name, diff)
		}
	}

	flagged := f.place()
	f.must("order", "ship", "acme", flagged, "--courier", "courier_a", "--consignment", "DL-flagged")
	f.sendA(1, "DL-flagged", "delivered", `,"collected_amount":1`)
	if diff := cmp.Diff([]string{"problems"}, f.views(flagged)); diff != "" {
		t.Errorf("a flag: views (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"problems": 1, "done": 1, "closed": 1, "all": 2}, f.counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	f.must("api", "acme", "resolveFlags", "--order-id", flagged)
	if got := f.views(flagged); got != nil {
		t.Errorf("checked: got views %v, want none", got)
	}
	f.fails(cli.ExitFailed, "must be one of toConfirm", "order", "list", "acme", "--view", "tomorrow")
	if out := f.run("doctor", "acme").stdout; strings.Contains(out, "open work") || strings.Contains(out, "current shipment") {
		t.Errorf("doctor: got\n%s\nwant no broken invariant", out)
	}
}

// A booking without a response is a problem until the courier's webhook resolves it.
func TestOrderList_UnansweredBooking(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	broken := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer broken.Close()
	f.env["STOREFRONT_PROVIDER_URL"] = "courier_b:live=" + broken.URL
	invoice := f.place()
	f.must("order", "confirm", "acme", invoice)
	f.fails(cli.ExitFailed, "did not respond", "order", "ship", "acme", invoice, "--courier", "courier_b")
	if diff := cmp.Diff([]string{"toPack", "problems"}, f.views(invoice)); diff != "" {
		t.Errorf("no response: views (-want +got):\n%s", diff)
	}
	f.sendB("hush", `{"notification_type":"delivery_status","consignment_id":77,"invoice":"`+invoice+`-1","status":"in_review"}`)
	if diff := cmp.Diff([]string{"toHandOver"}, f.views(invoice)); diff != "" {
		t.Errorf("webhook: views (-want +got):\n%s", diff)
	}
}

// Orders are found by what a caller reads out: the end of a phone number, a name in part, a place,
// an item, a consignment ID or a number, in Bangla too; changed ones at once, and erased ones not.
func TestOrderList_Search(t *testing.T) {
	t.Parallel()
	f := newWebhookFixture(t)
	first, second := f.place(), f.placeBody(`{"items":[`+f.product+`],"customer":{"name":"রহিমা খাতুন","phoneNumber":"+8801811-998877"},
		"shippingAddress":{"line1":"বাড়ি ১২","city":"চট্টগ্রাম"}}`)
	find := func(text string) (found []string) {
		t.Helper()
		for _, uid := range strings.Fields(f.must("order", "list", "acme", "--search", text, "--format", "uid")) {
			found = append(found, map[string]string{first: "first", second: "second"}[uid])
		}
		return found
	}
	title := f.order(first).Items[0].Title
	number := strconv.FormatInt(f.order(first).OrderNumber, 10)
	for text, want := range map[string][]string{
		"3344": {"first"}, "01711-223344": {"first"}, "+880 1711 223344": {"first"}, "223344": {"first"}, "১৭১১": {"first"},
		"rahi khat": {"first"}, "RAHIMA mirpur": {"first"}, "rahima chattogram": nil, "রহিমা": {"second"}, "বাড়ি": {"second"},
		"8877": {"second"}, number: {"first"}, "#" + number: {"first"}, strings.ToLower(first): {"first"}, first[:4] + "-" + first[4:]: {"first"},
		title: {"second", "first"}, "nobody": nil, `"rahima OR *`: nil, "DL-9": nil,
	} {
		if diff := cmp.Diff(want, find(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	f.must("order", "ship", "acme", second, "--courier", "courier_a", "--consignment", "DL-9988")
	if diff := cmp.Diff([]string{"second"}, find("DL-99")); diff != "" {
		t.Errorf("a consignment ID (-want +got):\n%s", diff)
	}

	export := filepath.Join(t.TempDir(), "acme.jsonl")
	f.must("tenant", "export", "acme", export)
	f.must("tenant", "import", export, "--as", "copy")
	if out := f.must("order", "list", "copy", "--search", "rahima", "--format", "uid"); strings.TrimSpace(out) != first {
		t.Errorf("imported shop: got %q, want %s", out, first)
	}
	f.must("order", "cancel", "acme", first)
	f.must("api", "acme", "deleteCustomer", "--id", "01711223344")
	if got := find("rahima"); got != nil {
		t.Errorf("erased buyer: got %v, want none", got)
	}
	if diff := cmp.Diff([]string{"first"}, find(number)); diff != "" {
		t.Errorf("order of an erased buyer (-want +got):\n%s", diff)
	}
}
