package message_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plan"
	"storefront/shop/plugin"
	"storefront/shop/review"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
	"storefront/shop/translation"
)

// Messages are off by default, and nothing is queued.
func TestMessages_Off(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{})
	m.Order()
	m.Send()
	if got := m.List(); got != "" || len(m.Texts()) != 0 {
		t.Errorf("got %q, %v, want none", got, m.Texts())
	}
}

// Each event is sent once on each channel that is on, after its transaction.
func TestMessages_Events(t *testing.T) {
	t.Parallel()
	events := []string{"placed", "confirmed", "cancelled"}
	m := shoptest.NewMessenger(t, map[string]any{"sms": events, "email": []string{"confirmed"}})
	placed := m.Order()
	if got := m.Texts(); len(got) != 0 {
		t.Errorf("got %v before the background job, want none", got)
	}
	if _, err := m.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	m.Send()
	m.Send()
	link := "https://shop.example/?lang=en&order=" + placed.InvoiceUID
	want := []string{
		"Acme: we received your order 1001, ৳170. " + link, "Acme: your order 1001, ৳170, is confirmed. " + link,
	}
	got := m.Texts()
	for _, text := range want {
		if sms := strings.Replace(text, "৳", "Tk ", 1); len(got) != 2 ||
			!slices.Contains(got, sms) ||
			sender.Segments(sms) != 1 {
			t.Errorf("got %q, want one with %q in one segment", got, sms)
		}
	}
	mail := m.Mail.Next(t, "buyer@example.com")
	if mail.Subject != "Acme: order 1001" || mail.Text != want[1]+"\n" {
		t.Errorf("got e-mail %+v", mail)
	}
	for _, text := range append(got, mail.Text) {
		if strings.Contains(text, placed.OrderToken) ||
			strings.Contains(text, placed.Customer.Name) ||
			strings.Contains(text, "01711") {
			t.Errorf("got personal data or a token in %q", text)
		}
	}
	if n := m.Number(`SELECT count(*) FROM buyer_messages WHERE status = 'sent' AND segments > 0`); n != 3 {
		t.Errorf("got %d messages sent, want 3: %s", n, m.List())
	}
}

// A refused message is tried again with growing delays, one of unknown result is not, and one that
// was interrupted counts as of unknown result.
func TestMessages_Failures(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{"sms": []string{"placed"}})
	m.SMS.Answer(func(string, string) error { return sender.ErrSMSRefused })
	m.Order()
	if next := m.Send(); !next.Equal(m.Clock.Now().Add(time.Minute)) {
		t.Errorf("got next attempt at %v, want in a minute", next)
	}
	m.SMS.Answer(nil)
	m.Send() // not due yet
	if n := len(m.Texts()); n != 1 {
		t.Errorf("got %d attempts, want one", n)
	}
	m.Clock.Advance(time.Minute)
	m.Send()
	if got := m.List(); len(m.Texts()) != 2 ||
		got != "1001 placed sms sent 2" && got != "1001 placed sms sent 1" {
		t.Errorf("got %q after %d attempts", got, len(m.Texts()))
	}

	m.SMS.Answer(func(string, string) error { return sender.ErrSMSUnknown })
	m.Order()
	m.Send()
	m.Clock.Advance(time.Hour)
	m.Send()
	if n := m.Number(`SELECT count(*) FROM buyer_messages WHERE status = 'unknown'`); n != 1 ||
		len(m.Texts()) != 3 {
		t.Errorf("got %q after %d attempts, want one of unknown result", m.List(), len(m.Texts()))
	}
}

// The day's budget bounds the messages; the rest is skipped, with the reason in the log.
func TestMessages_Budget(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{"email": []string{"placed"}, "perDay": 2})
	for range 3 {
		m.Order()
	}
	m.Send()
	if n := len(m.Mail.Unread()); n != 2 {
		t.Errorf("got %d e-mails, want 2", n)
	}
	if n := m.Number(`SELECT count(*) FROM buyer_messages WHERE status = 'skipped' AND reason LIKE '%budget%'`); n != 1 {
		t.Errorf("got %q, want one skipped", m.List())
	}
	m.Clock.Advance(25 * time.Hour)
	m.Order()
	m.Send()
	if n := len(m.Mail.Unread()); n != 3 {
		t.Errorf("got %d e-mails a day later, want 3", n)
	}
}

// The budget of text messages is one of segments, as a gateway bills them: one text in Bangla has
// two.
func TestMessages_BudgetInSegments(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(
		t,
		map[string]any{"sms": []string{"placed"}, "language": "bn", "perDay": 2},
	)
	m.Order()
	m.Send()
	m.Order()
	m.Send()
	if got, want := m.List(), "1002 placed sms skipped 0; 1001 placed sms sent 2"; got != want ||
		len(m.Texts()) != 1 {
		t.Errorf("got %q and %d sent, want %q", got, len(m.Texts()), want)
	}
}

// Test orders, erased buyers and late messages cause none.
func TestMessages_Skipped(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{"sms": []string{"placed"}})
	placed := m.Order()
	if _, err := m.DeleteCustomer(t.Context(), access.Operator(), placed.Customer.PhoneNumber); err != nil {
		t.Fatal(err)
	}
	m.Send()
	m.Order()
	m.Clock.Advance(13 * time.Hour)
	m.Send()
	if got := m.Texts(); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
	if n := m.Number(`SELECT count(*) FROM buyer_messages WHERE status = 'skipped'`); n != 2 {
		t.Errorf("got %q, want two skipped", m.List())
	}
	if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"activeMode": "sandbox"})); err != nil {
		t.Fatal(err)
	}
	m.Order()
	m.Send()
	if got := m.Texts(); len(got) != 0 {
		t.Errorf("got %v for a test order, want none", got)
	}
}

// The texts are the shop's own, in its language, and are checked.
// A buyer who is blocked gets none, whatever was queued before.
func TestMessages_Blocked(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{"sms": []string{"placed"}})
	placed := m.Order()
	_, err := m.Orders.UpdateContact(
		t.Context(),
		access.Operator(),
		placed.Customer.PhoneNumber,
		order.ContactChange{Blocked: new(order.BlockCash)},
	)
	if err != nil {
		t.Fatal(err)
	}
	m.Send()
	n := m.Number(
		`SELECT COUNT(*) FROM buyer_messages WHERE status = 'skipped' AND reason = 'The buyer is blocked.'`,
	)
	if n != 1 || len(m.Texts()) != 0 {
		t.Errorf("got %d skipped and %d sent, want one and none", n, len(m.Texts()))
	}
}

func TestMessages_Templates(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{
		"sms": []string{
			"placed",
		}, "language": "bn", "templates": map[string]any{"placed": map[string]any{"bn": "{shop}: {number} নম্বর অর্ডার, {cash}"}},
	})
	m.Order()
	m.Send()
	if got, want := m.Texts(), "Acme: ১০০১ নম্বর অর্ডার, ৳১৭০"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	list, err := m.Messages.ListMessageTemplates(t.Context(), access.Operator())
	if err != nil || len(list) != 26 {
		t.Fatalf("got %d templates, %v, want 26", len(list), err)
	}
	for _, template := range list {
		if own := template.Event == "placed" && template.Language == "bn"; template.Own != own ||
			template.Segments < 1 ||
			template.Text == "" {
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
	_, text, err := m.Messages.SendTestMessage(
		t.Context(),
		access.Operator(),
		"shipped",
		"me@example.com",
	)
	if err != nil {
		t.Fatal(err)
	}
	if mail := m.Mail.Next(t, "me@example.com"); mail.Text != text+"\n" {
		t.Errorf("got %q, want %q", mail.Text, text)
	}
}

// Messages link to the page of an order that the setting trackingUrl names, if it does. The shop's
// own site has a page for each order.
func TestMessages_TrackingURL(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{
		"sms": []string{
			"placed",
		}, "templates": map[string]any{"placed": map[string]any{"en": "{link}"}},
	})
	first := m.Order().InvoiceUID
	m.Send()
	if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"trackingUrl": "https://track.example/o"})); err != nil {
		t.Fatal(err)
	}
	second := m.Order().InvoiceUID
	m.Send()
	own := map[string]any{"domains": []string{"own.example"}, "trackingUrl": "https://Own.example/", "storefrontUrl": "https://own.example"}
	if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, own)); err != nil {
		t.Fatal(err)
	}
	third := m.Order().InvoiceUID
	m.Send()
	want := []string{
		"https://shop.example/?lang=en&order=" + first,
		"https://track.example/o?order=" + second,
		m.Orders.OrderPageURL("") + third,
	}
	if got := m.Texts(); !slices.Equal(got, want) {
		t.Errorf("got messages %q, want %q", got, want)
	}
}

// Every English text fits in one segment with its link, every Bangla one in two; a name in both
// languages is sent in that of the text.
func TestMessages_Segments(t *testing.T) {
	t.Parallel()
	for language, segments := range map[locale.Language]int{locale.English: 1, locale.Bangla: 2} {
		m := shoptest.NewMessenger(t, map[string]any{})
		settings := map[string]any{
			"name":          "Demo Shop — ডেমো শপ",
			"storefrontUrl": "https://demo-shop.example/",
		}
		if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, settings)); err != nil {
			t.Fatal(err)
		}
		list, err := m.Messages.ListMessageTemplates(t.Context(), access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		for _, template := range list {
			if template.Language == language && template.Segments > segments {
				t.Errorf(
					"%s, %s: got %d segments, want at most %d: %s",
					template.Event,
					language,
					template.Segments,
					segments,
					template.Text,
				)
			}
		}
	}
}

// Each later event has its message once, also if the order is changed again.
func TestMessages_Delivery(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(
		t,
		map[string]any{"sms": []string{"shipped", "delivered", "cancelled", "refunded"}},
	)
	uid := m.Order().InvoiceUID
	if _, err := m.Orders.ConfirmOrder(t.Context(), access.Operator(), uid); err != nil {
		t.Fatal(err)
	}
	in := order.ShipmentInput{Provider: plugin.CourierB, ConsignmentID: "1424107"}
	if _, err := m.Orders.RecordShipment(t.Context(), access.Operator(), uid, in); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Orders.MarkDelivered(t.Context(), access.Operator(), uid, nil); err != nil {
		t.Fatal(err)
	}
	cancelled := m.Order().InvoiceUID
	if _, err := m.Orders.CancelOrder(t.Context(), access.Operator(), cancelled, ""); err != nil {
		t.Fatal(err)
	}
	m.Send()
	got := strings.Join(m.Texts(), "; ")
	for _, want := range []string{"order 1001 was delivered", "order 1002 was cancelled"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("got %q, want %q once", got, want)
		}
	}
}

// A message whose attempt was interrupted may have been sent: it is not sent again.
func TestMessages_Interrupted(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{"sms": []string{"placed"}})
	m.Order()
	m.Exec(`UPDATE buyer_messages SET status = 'sending', attempts = 1, claim = 'dead', claimed_until = due_at + 300000`)
	m.Send()
	m.Clock.Advance(10 * time.Minute)
	m.Send()
	if n := m.Number(`SELECT count(*) FROM buyer_messages WHERE status = 'unknown' AND due_at IS NULL`); n != 1 ||
		len(m.Texts()) != 0 {
		t.Errorf("got %q and %v, want one of unknown result and none sent", m.List(), m.Texts())
	}
}

// The list is filtered by status and order, and each message is on one page.
func TestMessages_List(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(
		t,
		map[string]any{"sms": []string{"placed"}, "email": []string{"placed"}},
	)
	for range 3 {
		m.Order()
	}
	m.SMS.Answer(
		func(string, string) error { return fmt.Errorf("the gateway is gone: %w", sender.ErrSMSUnknown) },
	)
	m.Send()
	find := func(filter message.Filter) (found []string, meta page.ListMeta) {
		t.Helper()
		list, err := m.Messages.ListBuyerMessages(t.Context(), access.Operator(), filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Nodes {
			found = append(found, fmt.Sprint(r.OrderNumber, " ", r.Channel, " ", r.Status))
		}
		return found, list.Meta
	}
	all, meta := find(message.Filter{})
	if len(all) != 6 || meta.TotalCount != 6 || meta.Bounded {
		t.Fatalf("got %v, %+v, want six messages", all, meta)
	}
	var paged []string
	for number := range 3 {
		found, meta := find(
			message.Filter{Request: page.Request{Page: new(number + 1), Limit: new(2)}},
		)
		if paged = append(paged, found...); meta.TotalCount != 6 ||
			meta.HasNextPage != (number < 2) {
			t.Errorf("page %d: got %+v", number+1, meta)
		}
	}
	if !slices.Equal(paged, all) {
		t.Errorf("got pages of %v, want %v", paged, all)
	}
	if got, meta := find(message.Filter{Status: []message.Status{message.Unknown}}); len(
		got,
	) != 3 ||
		meta.TotalCount != 3 ||
		!strings.HasSuffix(got[0], "sms unknown") {
		t.Errorf("by status: got %v, %+v", got, meta)
	}
	order := m.Number(`SELECT MIN(order_number) FROM buyer_messages`)
	if got, meta := find(message.Filter{
		OrderNumber: order, Status: []message.Status{message.Sent, message.Unknown},
	}); len(got) != 2 || meta.TotalCount != 2 || !strings.HasPrefix(got[0], fmt.Sprint(order)) {
		t.Errorf("by order: got %v, %+v", got, meta)
	}
}

// A gateway that answers after its message counts as interrupted causes no second message.
func TestMessages_LateResult(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{"sms": []string{"placed"}})
	started, proceed := make(chan struct{}, 2), make(chan struct{})
	m.SMS.Answer(func(string, string) error {
		started <- struct{}{}
		<-proceed
		return sender.ErrSMSRefused
	})
	m.Order()
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Send()
	}()
	<-started
	m.Clock.Advance(10 * time.Minute)
	if next := m.Send(); !next.IsZero() {
		t.Errorf("got the next at %s, want none", next)
	}
	close(proceed)
	<-done
	m.Clock.Advance(time.Hour)
	m.Send()
	if n := m.Number(`SELECT COUNT(*) FROM buyer_messages WHERE status = 'unknown' AND due_at IS NULL`); n != 1 ||
		len(m.Texts()) != 1 {
		t.Errorf("got %q and %d attempts, want one of unknown result", m.List(), len(m.Texts()))
	}
}

// Three days after the delivery the buyer is invited to review the products, with a link that
// proves the order, unless the order came back or is reviewed by then.
func TestMessages_Review(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{"sms": []string{"delivered", "review"}})
	deliver := func() *order.Placed {
		t.Helper()
		placed := m.Order()
		if _, err := m.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Orders.MarkDelivered(t.Context(), access.Operator(), placed.InvoiceUID, nil); err != nil {
			t.Fatal(err)
		}
		return placed
	}
	asked, reviewed, returned := deliver(), deliver(), deliver()
	m.Send()
	if n := len(m.Texts()); n != 3 {
		t.Fatalf("got %v on delivery, want three about it", m.Texts())
	}
	buyer := access.Caller{OrderToken: reviewed.OrderToken}
	in := review.Input{ProductID: reviewed.Items[0].ProductID, Rating: 5}
	if _, err := m.Reviews.SubmitReview(t.Context(), buyer, reviewed.InvoiceUID, in); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Orders.MarkReturned(t.Context(), access.Operator(), returned.InvoiceUID, nil); err != nil {
		t.Fatal(err)
	}
	m.Clock.Advance(71 * time.Hour)
	m.Send()
	if n := len(m.Texts()); n != 3 {
		t.Fatalf("got %v before three days, want none about reviews", m.Texts())
	}
	m.Clock.Advance(time.Hour)
	m.Send()
	texts := m.Texts()
	if len(texts) != 4 || !strings.Contains(texts[3], asked.InvoiceUID+"?k="+asked.OrderToken) {
		t.Errorf("got %v, want one invitation with the order's token", texts)
	}
	if n := m.Number(`SELECT count(*) FROM buyer_messages WHERE event = 'review' AND status = 'skipped'`); n != 2 {
		t.Errorf("got %q, want two skipped", m.List())
	}
}

// Messages about an order are in the language in which the buyer ordered, with the shop's name, the
// titles and the wording of that language.
func TestMessages_OrderLanguage(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{
		"sms": []string{"placed"}, "email": []string{"placed"},
		"templates": map[string]any{"placed": map[string]any{"bn": "{shop}: {number} পেয়েছি", "en": "{shop}: got {number}"}},
	})
	if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"name": "Acme — একমি", "secondLocale": "bn"})); err != nil {
		t.Fatal(err)
	}
	texts := translation.Texts{"title": "চা"}
	if _, err := m.SaveTranslation(t.Context(), access.Operator(), translation.Product, m.Product.ID, texts, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		language                   locale.Language
		sms, subject, title, other string
		segments                   int
	}{
		{locale.Bangla, "একমি: ১০০১ পেয়েছি", "একমি: অর্ডার ১০০১", "চা", "Tea", 1},
		{locale.English, "Acme: got 1002", "Acme: order 1002", "Tea", "চা", 1},
		{"", "Acme: got 1003", "Acme: order 1003", "Tea", "চা", 1},
	} {
		m.OrderIn(c.language)
		m.Send()
		sent := m.Texts()
		if got := sent[len(sent)-1]; got != c.sms || sender.Segments(got) != c.segments {
			t.Errorf("%q: got the text message %q, want %q", c.language, got, c.sms)
		}
		mail := m.Mail.Next(t, "buyer@example.com")
		if mail.Subject != c.subject || mail.Text != c.sms+"\n" || !strings.Contains(mail.HTML, c.title) || strings.Contains(mail.HTML, c.other) {
			t.Errorf("%q: got e-mail %+v, want %q with %q", c.language, mail, c.subject, c.title)
		}
	}
}

// Once the text messages of the plan are used up, only messages about the order itself are sent.
func TestMessages_Plan(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{"sms": []string{"placed", "confirmed", "booked"}})
	p := &plan.Plan{Name: "basic"}
	p.Limits.Set(plan.SMSSegments, 1)
	if _, err := m.SetPlan(t.Context(), access.Operator(), p); err != nil {
		t.Fatal(err)
	}
	uid := m.Order().InvoiceUID
	m.Send()
	if _, err := m.Orders.ConfirmOrder(t.Context(), access.Operator(), uid); err != nil {
		t.Fatal(err)
	}
	m.Send()
	if n := len(m.Texts()); n != 2 {
		t.Errorf("got %d texts, want two about the order: %q", n, m.List())
	}
	in := order.ShipmentInput{Provider: plugin.CourierB, ConsignmentID: "1424107"}
	if _, err := m.Orders.RecordShipment(t.Context(), access.Operator(), uid, in); err != nil {
		t.Fatal(err)
	}
	m.Send()
	if n := m.Number(`SELECT COUNT(*) FROM buyer_messages WHERE event = 'booked' AND status = 'skipped' AND reason LIKE '%plan%'`); n != 1 {
		t.Errorf("got %q, want the booking's text skipped", m.List())
	}
}
