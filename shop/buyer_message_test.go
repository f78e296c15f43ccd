package shop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// messenger is a shop that sends messages to buyers.
type messenger struct {
	*shop.Shop
	t       *testing.T
	sms     *shoptest.SMS
	mail    *shoptest.Mail
	clock   *shoptest.Clock
	product *catalogue.Product
	number  func(query string) int64
	exec    func(query string)
}

func newMessenger(t *testing.T, settings map[string]any) *messenger {
	t.Helper()
	m := &messenger{t: t, sms: &shoptest.SMS{}, mail: shoptest.NewMail(), clock: shoptest.NewClock()}
	store := shoptest.NewStore(t, m.clock)
	m.number = func(query string) int64 { return shoptest.Number(t, store, "test", query) }
	m.exec = func(query string) { shoptest.Exec(t, store, "test", query) }
	all := map[string]any{"name": "Acme", "storefrontUrl": "https://shop.example/?lang=en", "buyerMessages": settings}
	m.Shop = shoptest.New(t, &shoptest.Options{SMS: m.sms, Mail: m.mail, Clock: m.clock, Store: store, Settings: all})
	product, err := m.Catalogue.SaveProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Tea", Variants: []catalogue.VariantInput{{Price: 10_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m.product = product
	return m
}

func (m *messenger) order() *shop.PlacedOrder {
	m.t.Helper()
	in := shoptest.GuestOrder(m.product.ID, 1)
	email := "buyer@example.com"
	in.Customer.Email = &email
	placed, err := m.PlaceOrder(context.Background(), access.Caller{}, in, "")
	if err != nil {
		m.t.Fatal(err)
	}
	return placed
}

// send runs the background job until nothing is due.
func (m *messenger) send() (next time.Time) {
	m.t.Helper()
	for {
		next, err := m.SendBuyerMessages(context.Background())
		if err != nil {
			m.t.Fatal(err)
		}
		if next.IsZero() || next.After(m.clock.Now()) {
			return next
		}
	}
}

func (m *messenger) list() string {
	m.t.Helper()
	list, err := m.ListBuyerMessages(context.Background(), access.Operator(), shop.MessageFilter{})
	if err != nil {
		m.t.Fatal(err)
	}
	var lines []string
	for _, r := range list.Nodes {
		lines = append(lines, fmt.Sprintf("%d %s %s %s %d", r.OrderNumber, r.Event, r.Channel, r.Status, r.Segments))
	}
	return strings.Join(lines, "; ")
}

func (m *messenger) texts() (texts []string) {
	for _, message := range m.sms.Messages() {
		texts = append(texts, message.Text)
	}
	return texts
}

// Messages are off by default, and nothing is queued.
func TestBuyerMessages_Off(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{})
	m.order()
	m.send()
	if got := m.list(); got != "" || len(m.texts()) != 0 {
		t.Errorf("got %q, %v, want none", got, m.texts())
	}
}

// Each event is sent once on each channel that is on, after its transaction.
func TestBuyerMessages_Events(t *testing.T) {
	t.Parallel()
	events := []string{"placed", "confirmed", "cancelled"}
	m := newMessenger(t, map[string]any{"sms": events, "email": []string{"confirmed"}})
	placed := m.order()
	if got := m.texts(); len(got) != 0 {
		t.Errorf("got %v before the background job, want none", got)
	}
	if _, err := m.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	m.send()
	m.send()
	link := "https://shop.example/?lang=en&order=" + placed.InvoiceUID
	want := []string{
		"Acme: we received your order 1001, ৳170.00. " + link, "Acme: your order 1001, ৳170.00, is confirmed. " + link,
	}
	got := m.texts()
	for _, text := range want {
		if sms := strings.Replace(text, "৳", "Tk ", 1); len(got) != 2 || !slices.Contains(got, sms) || sender.Segments(sms) != 1 {
			t.Errorf("got %q, want one with %q in one segment", got, sms)
		}
	}
	mail := m.mail.Next(t, "buyer@example.com")
	if mail.Subject != "Acme: order 1001" || mail.Text != want[1]+"\n" {
		t.Errorf("got e-mail %+v", mail)
	}
	for _, text := range append(got, mail.Text) {
		if strings.Contains(text, placed.OrderToken) || strings.Contains(text, placed.Customer.Name) || strings.Contains(text, "01711") {
			t.Errorf("got personal data or a token in %q", text)
		}
	}
	if n := m.number(`SELECT count(*) FROM buyer_messages WHERE status = 'sent' AND segments > 0`); n != 3 {
		t.Errorf("got %d messages sent, want 3: %s", n, m.list())
	}
}

// A refused message is tried again with growing delays, one of unknown result is not, and one that
// was interrupted counts as of unknown result.
func TestBuyerMessages_Failures(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{"sms": []string{"placed"}})
	m.sms.Answer(func(string, string) error { return sender.ErrSMSRefused })
	m.order()
	if next := m.send(); !next.Equal(m.clock.Now().Add(time.Minute)) {
		t.Errorf("got next attempt at %v, want in a minute", next)
	}
	m.sms.Answer(nil)
	m.send() // not due yet
	if n := len(m.texts()); n != 1 {
		t.Errorf("got %d attempts, want one", n)
	}
	m.clock.Advance(time.Minute)
	m.send()
	if got := m.list(); len(m.texts()) != 2 || got != "1001 placed sms sent 2" && got != "1001 placed sms sent 1" {
		t.Errorf("got %q after %d attempts", got, len(m.texts()))
	}

	m.sms.Answer(func(string, string) error { return sender.ErrSMSUnknown })
	m.order()
	m.send()
	m.clock.Advance(time.Hour)
	m.send()
	if n := m.number(`SELECT count(*) FROM buyer_messages WHERE status = 'unknown'`); n != 1 || len(m.texts()) != 3 {
		t.Errorf("got %q after %d attempts, want one of unknown result", m.list(), len(m.texts()))
	}
}

// After its gateway was down, a message is not sent if what it says no longer holds: it would send
// somebody to the door for an order that was cancelled, or thank for one that came back.
func TestBuyerMessages_NoLongerHolds(t *testing.T) {
	t.Parallel()
	all := []string{"placed", "confirmed", "booked", "shipped", "out_for_delivery", "delivered", "cancelled"}
	cancel := func(m *messenger, uid string) error {
		_, err := m.CancelOrder(t.Context(), access.Operator(), uid, "")
		return err
	}
	to := func(statuses ...status.Shipment) func(m *messenger, uid string) error {
		return func(m *messenger, uid string) error {
			for _, status := range statuses {
				if _, err := m.SetShipmentStatus(t.Context(), uid, 0, status); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		before, after func(m *messenger, uid string) error // while the gateway is down, and until it is up
		isBooked      bool
		want          []string
	}{
		"cancelled":         {nil, cancel, false, []string{"placed skipped", "confirmed skipped", "cancelled sent"}},
		"booking cancelled": {nil, to(status.ShipmentCancelled), true, []string{"placed sent", "confirmed sent", "booked skipped"}},
		"came back": {to(status.ShipmentPicked), to(status.ShipmentReturning, status.ShipmentReturned), true,
			[]string{"placed skipped", "confirmed skipped", "booked skipped", "shipped skipped"}},
		"not brought": {to(status.ShipmentPicked, status.ShipmentOutForDelivery), to(status.ShipmentDeliveryFailed), true,
			[]string{"placed sent", "confirmed sent", "booked sent", "shipped sent", "out_for_delivery skipped"}},
		"delivered": {to(status.ShipmentPicked, status.ShipmentOutForDelivery), to(status.ShipmentDelivered), true,
			[]string{"placed sent", "confirmed sent", "booked skipped", "shipped skipped", "out_for_delivery skipped", "delivered sent"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMessenger(t, map[string]any{"sms": all})
			m.sms.Answer(func(string, string) error { return sender.ErrSMSRefused })
			placed := m.order()
			if _, err := m.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
				t.Fatal(err)
			}
			if test.isBooked {
				in := shop.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "1"}
				if _, err := m.RecordShipment(t.Context(), access.Operator(), placed.InvoiceUID, in); err != nil {
					t.Fatal(err)
				}
			}
			for _, change := range []func(m *messenger, uid string) error{test.before, test.after} {
				if change == nil {
					continue
				}
				if err := change(m, placed.InvoiceUID); err != nil {
					t.Fatal(err)
				}
				m.send()
			}
			m.sms.Answer(nil)
			m.clock.Advance(time.Hour)
			m.send()
			if got := m.sentEvents(placed.OrderNumber); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The day's budget bounds the messages; the rest is skipped, with the reason in the log.
func TestBuyerMessages_Budget(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{"email": []string{"placed"}, "perDay": 2})
	for range 3 {
		m.order()
	}
	m.send()
	if n := len(m.mail.Unread()); n != 2 {
		t.Errorf("got %d e-mails, want 2", n)
	}
	if n := m.number(`SELECT count(*) FROM buyer_messages WHERE status = 'skipped' AND reason LIKE '%budget%'`); n != 1 {
		t.Errorf("got %q, want one skipped", m.list())
	}
	m.clock.Advance(25 * time.Hour)
	m.order()
	m.send()
	if n := len(m.mail.Unread()); n != 3 {
		t.Errorf("got %d e-mails a day later, want 3", n)
	}
}

// The budget of text messages is one of segments, as a gateway bills them: one text in Bangla has
// two.
func TestBuyerMessages_BudgetInSegments(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{"sms": []string{"placed"}, "language": "bn", "perDay": 2})
	m.order()
	m.send()
	m.order()
	m.send()
	if got, want := m.list(), "1002 placed sms skipped 0; 1001 placed sms sent 2"; got != want || len(m.texts()) != 1 {
		t.Errorf("got %q and %d sent, want %q", got, len(m.texts()), want)
	}
}

// Test orders, erased buyers and late messages cause none.
func TestBuyerMessages_Skipped(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{"sms": []string{"placed"}})
	placed := m.order()
	if _, err := m.DeleteCustomer(t.Context(), access.Operator(), placed.Customer.PhoneNumber); err != nil {
		t.Fatal(err)
	}
	m.send()
	m.order()
	m.clock.Advance(13 * time.Hour)
	m.send()
	if got := m.texts(); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
	if n := m.number(`SELECT count(*) FROM buyer_messages WHERE status = 'skipped'`); n != 2 {
		t.Errorf("got %q, want two skipped", m.list())
	}
	if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"activeMode": "sandbox"})); err != nil {
		t.Fatal(err)
	}
	m.order()
	m.send()
	if got := m.texts(); len(got) != 0 {
		t.Errorf("got %v for a test order, want none", got)
	}
}

// The texts are the shop's own, in its language, and are checked.
// A buyer who is blocked gets none, whatever was queued before.
func TestBuyerMessages_Blocked(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{"sms": []string{"placed"}})
	placed := m.order()
	_, err := m.UpdateContact(t.Context(), access.Operator(), placed.Customer.PhoneNumber, shop.ContactChange{Blocked: new(shop.BlockCash)})
	if err != nil {
		t.Fatal(err)
	}
	m.send()
	n := m.number(`SELECT COUNT(*) FROM buyer_messages WHERE status = 'skipped' AND reason = 'The buyer is blocked.'`)
	if n != 1 || len(m.texts()) != 0 {
		t.Errorf("got %d skipped and %d sent, want one and none", n, len(m.texts()))
	}
}

func TestBuyerMessages_Templates(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{
		"sms": []string{"placed"}, "language": "bn", "templates": map[string]any{"placed": map[string]any{"bn": "{shop}: {number} নম্বর অর্ডার, {cash}"}},
	})
	m.order()
	m.send()
	if got, want := m.texts(), "Acme: ১০০১ নম্বর অর্ডার, ৳১৭০.০০"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	list, err := m.ListMessageTemplates(t.Context(), access.Operator())
	if err != nil || len(list) != 18 {
		t.Fatalf("got %d templates, %v, want 18", len(list), err)
	}
	for _, template := range list {
		if own := template.Event == "placed" && template.Language == "bn"; template.Own != own || template.Segments < 1 || template.Text == "" {
			t.Errorf("got %+v", template)
		}
	}
	for _, bad := range []map[string]any{
		{"sms": []string{"paid"}}, {"language": "fr"}, {"perDay": -1},
		{"templates": map[string]any{"placed": map[string]any{"en": "Hello {name}"}}},
		{"templates": map[string]any{"placed": map[string]any{"de": "Hallo"}}},
	} {
		if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"buyerMessages": bad})); err == nil {
			t.Errorf("got no error for %v", bad)
		}
	}
	_, text, err := m.SendTestMessage(t.Context(), access.Operator(), "shipped", "me@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if mail := m.mail.Next(t, "me@example.com"); mail.Text != text+"\n" {
		t.Errorf("got %q, want %q", mail.Text, text)
	}
}

// Messages link to the page of an order that the setting trackingUrl names, if it does.
func TestBuyerMessages_TrackingURL(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{
		"sms": []string{"placed"}, "templates": map[string]any{"placed": map[string]any{"en": "{link}"}},
	})
	first := m.order().InvoiceUID
	m.send()
	if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"trackingUrl": "https://track.example/o"})); err != nil {
		t.Fatal(err)
	}
	second := m.order().InvoiceUID
	m.send()
	want := []string{"https://shop.example/?lang=en&order=" + first, "https://track.example/o?order=" + second}
	if got := m.texts(); !slices.Equal(got, want) {
		t.Errorf("got messages %q, want %q", got, want)
	}
}

// Every English text fits in one segment with its link, every Bangla one in two; a name in both
// languages is sent in that of the text.
func TestBuyerMessages_Segments(t *testing.T) {
	t.Parallel()
	for language, segments := range map[locale.Language]int{locale.English: 1, locale.Bangla: 2} {
		m := newMessenger(t, map[string]any{})
		settings := map[string]any{"name": "Demo Shop — ডেমো শপ", "storefrontUrl": "https://demo-shop.example/"}
		if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, settings)); err != nil {
			t.Fatal(err)
		}
		list, err := m.ListMessageTemplates(t.Context(), access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		for _, template := range list {
			if template.Language == language && template.Segments > segments {
				t.Errorf("%s, %s: got %d segments, want at most %d: %s", template.Event, language, template.Segments, segments, template.Text)
			}
		}
	}
}

// Each later event has its message once, also if the order is changed again.
func TestBuyerMessages_Delivery(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{"sms": []string{"shipped", "delivered", "cancelled", "refunded"}})
	uid := m.order().InvoiceUID
	if _, err := m.ConfirmOrder(t.Context(), access.Operator(), uid); err != nil {
		t.Fatal(err)
	}
	in := shop.ShipmentInput{Provider: plugin.CourierB, ConsignmentID: "1424107"}
	if _, err := m.RecordShipment(t.Context(), access.Operator(), uid, in); err != nil {
		t.Fatal(err)
	}
	if _, err := m.MarkDelivered(t.Context(), access.Operator(), uid, nil); err != nil {
		t.Fatal(err)
	}
	cancelled := m.order().InvoiceUID
	if _, err := m.CancelOrder(t.Context(), access.Operator(), cancelled, ""); err != nil {
		t.Fatal(err)
	}
	m.send()
	got := strings.Join(m.texts(), "; ")
	for _, want := range []string{"order 1001 was delivered", "order 1002 was cancelled"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("got %q, want %q once", got, want)
		}
	}
}

// sentEvents returns the messages of an order in the order of their events, with their status.
func (m *messenger) sentEvents(number int64) (sent []string) {
	m.t.Helper()
	list, err := m.ListBuyerMessages(context.Background(), access.Operator(), shop.MessageFilter{Order: number})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, event := range shop.MessageEvents() {
		for _, r := range list.Nodes {
			if r.Event == event {
				sent = append(sent, fmt.Sprint(r.Event, " ", r.Status))
			}
		}
	}
	return sent
}

// A shipment is announced when it is booked, when the courier has picked it up and when it is
// brought, once each also if a second shipment follows. Of what a courier reports late only the
// last is sent, if the shop sends both.
func TestBuyerMessages_OnTheWay(t *testing.T) {
	t.Parallel()
	all := []string{"booked", "shipped", "out_for_delivery", "delivered"}
	late := []status.Shipment{status.ShipmentOutForDelivery, status.ShipmentDeliveryFailed, status.ShipmentInTransit, status.ShipmentOutForDelivery,
		status.ShipmentDelivered}
	for name, test := range map[string]struct {
		on, want []string
		statuses []status.Shipment
	}{
		"each": {all, []string{"booked sent", "shipped sent", "out_for_delivery sent", "delivered sent"}, []status.Shipment{
			status.ShipmentPicked, status.ShipmentAtHub, status.ShipmentOutForDelivery, status.ShipmentDelivered}},
		"late":              {all, []string{"booked sent", "shipped skipped", "out_for_delivery sent", "delivered sent"}, late},
		"late, picked up":   {all[1:2], []string{"shipped sent"}, late},
		"late, brought":     {all[2:3], []string{"out_for_delivery sent"}, late},
		"cancelled booking": {all, []string{"booked sent"}, []status.Shipment{status.ShipmentCancelled}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMessenger(t, map[string]any{"sms": test.on})
			placed := m.order()
			if _, err := m.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
				t.Fatal(err)
			}
			record := func(consignment string) {
				t.Helper()
				in := shop.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: consignment, TrackingCode: "DT" + consignment}
				if _, err := m.RecordShipment(t.Context(), access.Operator(), placed.InvoiceUID, in); err != nil {
					t.Fatal(err)
				}
				m.send()
			}
			record("1")
			for _, status := range test.statuses {
				if _, err := m.SetShipmentStatus(t.Context(), placed.InvoiceUID, 0, status); err != nil {
					t.Fatal(err)
				}
				m.send()
			}
			if test.statuses[0] == status.ShipmentCancelled {
				record("2")
			}
			if got := m.sentEvents(placed.OrderNumber); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			booked := fmt.Sprintf("Acme: Pathao will deliver your order %d. DT1 https://shop.example/?lang=en&order=%s", placed.OrderNumber, placed.InvoiceUID)
			if got := m.texts(); slices.Contains(test.on, "booked") && got[0] != booked {
				t.Errorf("got %q, want %q", got[0], booked)
			}
		})
	}
}

// Turning a message on announces nothing that happened before.
func TestBuyerMessages_TurnedOnLater(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{})
	placed := m.order()
	if _, err := m.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	in := shop.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "1"}
	if _, err := m.RecordShipment(t.Context(), access.Operator(), placed.InvoiceUID, in); err != nil {
		t.Fatal(err)
	}
	for i, status := range []status.Shipment{status.ShipmentOutForDelivery, status.ShipmentInTransit} {
		if i == 1 {
			on := map[string]any{"buyerMessages": map[string]any{"sms": []string{"booked", "shipped", "out_for_delivery"}}}
			if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, on)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.SetShipmentStatus(t.Context(), placed.InvoiceUID, 0, status); err != nil {
			t.Fatal(err)
		}
	}
	m.send()
	if got := m.sentEvents(placed.OrderNumber); len(got) != 0 {
		t.Errorf("got %q, want none", got)
	}
}

// A refund of long ago is not reported when messages about refunds are turned on, or when what was
// sent about it is no longer stored.
func TestBuyerMessages_RefundedBefore(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{})
	placed := m.order()
	if _, err := m.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	in := shop.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "1"}
	if _, err := m.RecordShipment(t.Context(), access.Operator(), placed.InvoiceUID, in); err != nil {
		t.Fatal(err)
	}
	m.exec(`UPDATE orders SET payment_status = 'refunded', cash_refund = total`)
	on := map[string]any{"buyerMessages": map[string]any{"sms": []string{"refunded"}}}
	if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, on)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.SetShipmentStatus(t.Context(), placed.InvoiceUID, 0, status.ShipmentInTransit); err != nil {
		t.Fatal(err)
	}
	m.send()
	if got := m.texts(); len(got) != 0 {
		t.Errorf("got %q, want none", got)
	}
}

// A message whose attempt was interrupted may have been sent: it is not sent again.
func TestBuyerMessages_Interrupted(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{"sms": []string{"placed"}})
	m.order()
	m.exec(`UPDATE buyer_messages SET status = 'sending', attempts = 1, due_at = due_at + 300000`)
	m.send()
	m.clock.Advance(10 * time.Minute)
	m.send()
	if n := m.number(`SELECT count(*) FROM buyer_messages WHERE status = 'unknown' AND due_at IS NULL`); n != 1 || len(m.texts()) != 0 {
		t.Errorf("got %q and %v, want one of unknown result and none sent", m.list(), m.texts())
	}
}

// The list is filtered by status and order, and each message is on one page.
func TestBuyerMessages_List(t *testing.T) {
	t.Parallel()
	m := newMessenger(t, map[string]any{"sms": []string{"placed"}, "email": []string{"placed"}})
	for range 3 {
		m.order()
	}
	m.sms.Answer(func(string, string) error { return fmt.Errorf("the gateway is gone: %w", sender.ErrSMSUnknown) })
	m.send()
	find := func(filter shop.MessageFilter) (found []string, meta page.ListMeta) {
		t.Helper()
		list, err := m.ListBuyerMessages(t.Context(), access.Operator(), filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Nodes {
			found = append(found, fmt.Sprint(r.OrderNumber, " ", r.Channel, " ", r.Status))
		}
		return found, list.Meta
	}
	all, meta := find(shop.MessageFilter{})
	if len(all) != 6 || meta.TotalCount != 6 || meta.Bounded {
		t.Fatalf("got %v, %+v, want six messages", all, meta)
	}
	var paged []string
	for number := range 3 {
		found, meta := find(shop.MessageFilter{Request: page.Request{Page: new(number + 1), Limit: new(2)}})
		if paged = append(paged, found...); meta.TotalCount != 6 || meta.HasNextPage != (number < 2) {
			t.Errorf("page %d: got %+v", number+1, meta)
		}
	}
	if !slices.Equal(paged, all) {
		t.Errorf("got pages of %v, want %v", paged, all)
	}
	if got, meta := find(shop.MessageFilter{Status: []shop.MessageStatus{shop.MessageUnknown}}); len(got) != 3 || meta.TotalCount != 3 ||
		!strings.HasSuffix(got[0], "sms unknown") {
		t.Errorf("by status: got %v, %+v", got, meta)
	}
	order := m.number(`SELECT MIN(order_number) FROM buyer_messages`)
	if got, meta := find(shop.MessageFilter{
		Order: order, Status: []shop.MessageStatus{shop.MessageSent, shop.MessageUnknown},
	}); len(got) != 2 || meta.TotalCount != 2 || !strings.HasPrefix(got[0], fmt.Sprint(order)) {
		t.Errorf("by order: got %v, %+v", got, meta)
	}
}
