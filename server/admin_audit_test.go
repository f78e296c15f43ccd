package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/db/dbtest"
	"storefront/server"
	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/conversion"
	"storefront/shop/notify"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
	"storefront/transport"
)

// auditedOrder and secondOrder are the invoice UIDs of the orders of an [auditShop].
const auditedOrder, secondOrder = "0123456789ABCDEF", "0123456789ABCDEG"

// providerSecret is a secret of the providers of an [auditShop].
const providerSecret = "hush-hush-7"

// auditShop is the shop of an admin site with a record of each kind, so that each operation that
// changes something can succeed.
type auditShop struct {
	*adminSite
	t       *testing.T
	owner   string // the cookie of an owner
	courier *auditCourier
	gateway *auditGateway
	bot     *auditBot
	values  map[string]string
	secrets []string
}

// auditCourier books and tracks every shipment. Its share of the cash is 1 %.
type auditCourier struct {
	mu     sync.Mutex
	cash   map[string]int64 // that it collects, by consignment ID
	before func(cash int64) // called when a booking arrives; nil is none
	silent bool             // it does not respond to bookings
}

func (c *auditCourier) Book(_ context.Context, _ plugin.Access, r plugin.ShipmentRequest) (plugin.BookedShipment, error) {
	if c.before != nil {
		c.before(r.Cash)
	}
	if c.silent {
		return plugin.BookedShipment{}, plugin.ErrCourierUnknown
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cash["C-"+r.Ref] = r.Cash
	return plugin.BookedShipment{ConsignmentID: "C-" + r.Ref}, nil
}

func (*auditCourier) Find(_ context.Context, _ plugin.Access, r plugin.ShipmentRef) (plugin.BookedShipment, error) {
	if r.ConsignmentID == "" {
		return plugin.BookedShipment{}, plugin.ErrCourierNotFound
	}
	return plugin.BookedShipment{ConsignmentID: r.ConsignmentID, Event: "picked", Status: status.ShipmentPicked, Message: "Picked up."}, nil
}

// PhoneRecord knows a phone number unless the courier is silent.
func (c *auditCourier) PhoneRecord(context.Context, plugin.Access, string) (plugin.PhoneRecord, error) {
	if c.silent {
		return plugin.PhoneRecord{}, plugin.ErrCourierUnknown
	}
	return plugin.PhoneRecord{Delivered: new(int64(41_50)), Shipments: "6-20", Reports: 2}, nil
}

func (*auditCourier) Price(context.Context, plugin.Access, plugin.ShipmentRequest, plugin.CourierPlace) (plugin.CourierPrice, error) {
	return plugin.CourierPrice{Fee: 6000, CashRate: new(int64(100))}, nil
}

func (*auditCourier) Refusals(plugin.ShipmentRequest) []plugin.ShipmentProblem { return nil }

// auditGateway refunds every payment.
type auditGateway struct {
	silent bool // it refunds, and does not respond
}

func (*auditGateway) Start(context.Context, plugin.Access, plugin.PaymentStart) (plugin.StartedPayment, error) {
	return plugin.StartedPayment{}, plugin.ErrGatewayUnavailable
}

func (*auditGateway) QueryStatus(context.Context, plugin.Access, plugin.StatusQuery) (plugin.GatewayStatus, error) {
	return plugin.GatewayStatus{}, plugin.ErrGatewayUnavailable
}

func (g *auditGateway) Capture(ctx context.Context, access plugin.Access, query plugin.StatusQuery) (plugin.GatewayStatus, error) {
	return g.QueryStatus(ctx, access, query)
}

func (g *auditGateway) Refund(context.Context, plugin.Access, plugin.RefundRequest) (plugin.RefundResult, error) {
	if g.silent {
		return plugin.RefundResult{}, plugin.ErrGatewayUnknown
	}
	return plugin.RefundResult{State: plugin.RefundDone}, nil
}

// auditWebhooks accepts every webhook as one about a payment that does not exist.
type auditWebhooks struct{}

func (auditWebhooks) ReadWebhook(plugin.Settings, []byte) (plugin.PaymentEvent, bool) {
	return plugin.PaymentEvent{Ref: "none", Event: "VALID", State: plugin.GatewayPaid}, true
}

// auditAccounts is the shop of every [auditShop].
var auditAccounts shoptest.PreparedAccounts

func newAuditShop(t *testing.T) *auditShop {
	t.Helper()
	courier, gateway, bot := &auditCourier{cash: map[string]int64{}}, &auditGateway{}, &auditBot{}
	configure := func(a *shoptest.Accounts) *shoptest.Accounts {
		a.Config.Plugins = []plugin.Plugin{
			{Provider: plugin.CourierA, Courier: courier, Records: courier, Keys: []plugin.Key{
				{Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanBook}}, {Name: "store_id"},
			}},
			{Provider: plugin.GatewayA, Gateway: gateway, PaymentWebhooks: auditWebhooks{}, Keys: []plugin.Key{
				{Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanPay, plugin.CanReceiveWebhooks}},
			}},
		}
		a.Config.NewMail = shoptest.NewMail().New
		a.Config.Telegram = bot
		a.Config.Advertisers = map[conversion.Receiver]conversion.Sender{conversion.Meta: auditAdvertiser{}}
		return a.Reopened()
	}
	a, values := auditAccounts.New(t, func(a *shoptest.Accounts) map[string]string { return fillAudited(t, configure(a)) })
	a = configure(a)
	web := newSiteOf(t, a.Shop, func(cfg *server.Config) { cfg.Now = a.Clock.Now })
	session := values["session"]
	return &auditShop{
		adminSite: &adminSite{web, a}, t: t, courier: courier, gateway: gateway, bot: bot, owner: "sf_admin=" + session,
		values: values, secrets: []string{shoptest.Password, providerSecret, newPassword, session},
	}
}

// fillAudited adds a record of each kind to a shop. It returns the IDs, and an owner's session.
func fillAudited(t *testing.T, a *shoptest.Accounts) map[string]string {
	t.Helper()
	for _, p := range a.Config.Plugins {
		shoptest.ConfigurePlugin(t, a.Shop, p.Provider, map[string]any{"secret": providerSecret})
	}
	a.InsertOrder(t, auditedOrder, shoptest.RahimsPhone)
	a.InsertOrder(t, secondOrder, shoptest.KarimsPhone)
	customer := a.Rahim(t)
	mug, err := a.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Handle: "mug", Title: "Mug", Variants: []catalogue.VariantInput{{SKU: "MUG-1", Price: 45000, Tracked: true, Stock: new(10)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	eid, err := a.Catalogue.SaveCollection(t.Context(), access.Operator(), catalogue.CollectionInput{Title: "Eid"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ten := order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), Active: true}
	if _, err := a.Orders.SaveCoupon(t.Context(), access.Operator(), ten); err != nil {
		t.Fatal(err)
	}
	rina := a.Member(t, staff.RoleOwner, "rina@example.com")
	a.StaffSession(t, staff.RoleViewer)
	a.Exec(t, `UPDATE staff SET phone = '+8801911000000' WHERE email = 'rina@example.com'`)
	return map[string]string{
		"customer": customer.User.ID, "product": mug.ID, "variant": mug.Variants[0].ID, "collection": eid.ID, "session": rina.Session,
	}
}

const newPassword = "a long and quiet river"

// auditBot is a Telegram bot that has received one message.
type auditBot struct{ received string }

func (*auditBot) Notify(context.Context, notify.Message) error { return nil }

func (*auditBot) Name(context.Context, string) (string, error) { return "acme_bot", nil }

func (b *auditBot) Received(context.Context, string) ([]notify.BotMessage, error) {
	return []notify.BotMessage{{Chat: "42", Name: "Rina", Text: b.received}}, nil
}

// botToken is a secret of the shop's Telegram bot.
const botToken = "123456:AAhushhushhushhushhushhush"

// startTelegram sends the code that links the owner's chat.
func (s *auditShop) startTelegram() {
	s.t.Helper()
	s.secrets = append(s.secrets, botToken)
	s.must("PATCH", "notifications/channels", `{"telegramToken":"`+botToken+`"}`)
	s.bot.received = s.must("POST", "telegram/link", "")["code"].(string)
}

// as sends a request below the shop's path and returns its response, whose secrets it notes.
func (s *auditShop) as(method, path, body string, credential ...string) *reply {
	s.t.Helper()
	contentType := "application/json"
	if body = s.filled(body); !strings.HasPrefix(body, "{") && body != "" {
		contentType = "text/csv"
	}
	header := append([]string{"Content-Type", contentType, "Host", "localhost:8080"}, credential...)
	got := s.send(method, "/admin/v1/shops/test/"+s.filled(path), body, header...)
	var content any
	if json.Unmarshal(got.body, &content) == nil {
		s.noteSecrets(content)
	}
	return got
}

// upload stores an image as the owner.
func (s *auditShop) upload() {
	s.t.Helper()
	s.values["media"] = mediaOf(s.t, s.adminSite.upload("?alt=Cup", shoptest.PNG(s.t, 10, 10, 1), "Cookie", s.owner), http.StatusCreated).ID
}

// must is as for what a test prepares as the owner.
func (s *auditShop) must(method, path, body string) map[string]any {
	s.t.Helper()
	var content map[string]any
	got := s.as(method, path, body, "Cookie", s.owner)
	if got.status >= 300 || json.Unmarshal(got.body, &content) != nil {
		s.t.Fatalf("%s %s: got %d: %s", method, path, got.status, got.body)
	}
	return content
}

var placeholder = regexp.MustCompile(`<(\w+)>`)

// filled replaces names such as <product> by their values.
func (s *auditShop) filled(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string { return s.values[name[1:len(name)-1]] })
}

var secretFields = []string{"token", "orderToken", "password", "secret", "uri", "url", "link", "recoveryCodes"}

func (s *auditShop) noteSecrets(content any) {
	switch v := content.(type) {
	case []any:
		for _, e := range v {
			s.noteSecrets(e)
		}
	case map[string]any:
		for name, e := range v {
			if texts := strings.Fields(strings.Trim(fmt.Sprint(e), "[]")); slices.Contains(secretFields, name) && len(texts) > 0 && len(texts[0]) > 5 {
				s.secrets = append(s.secrets, texts...)
			}
			s.noteSecrets(e)
		}
	}
}

// textCode returns the code that the owner has been sent to set a new password.
func (s *auditShop) textCode() string {
	s.t.Helper()
	if len(s.shop.SMS.Messages()) == 0 {
		s.must("POST", "password/code", `{"user":"rina@example.com"}`)
		dbtest.Eventually(s.t, "the code is sent", func() bool { return len(s.shop.SMS.Messages()) > 0 }) // after the response
	}
	code := regexp.MustCompile(`\b\d{6}\b`).FindString(s.shop.SMS.Messages()[0].Text)
	s.secrets = append(s.secrets, code)
	return code
}

// payment inserts an attempt to pay the order at a gateway.
func (s *auditShop) payment(status string) {
	s.shop.Exec(s.t, `
		INSERT INTO payment_attempts (id, order_id, method, mode, status, amount, external_id, transaction_id, redirect_url, error_code,
			created_at, updated_at)
		VALUES ('PAYMENT', ?, 'gateway_a', 'live', ?, 100, 'X1', 'T1', '', '', 1, 1)`, auditedOrder, status)
	s.shop.Exec(s.t, `INSERT INTO payment_checks (attempt_id, signature, reason, asked) VALUES ('PAYMENT', '', 'amount differs', 0)`)
	order, payment := "pending_payment", "unpaid"
	if status == "refund_due" {
		order, payment = "cancelled", status
	}
	s.shop.Exec(s.t, `UPDATE orders SET status = ?, payment_status = ?, payment_method = 'gateway_a' WHERE id = ?`, order, payment, auditedOrder)
}

// ship records a shipment of the confirmed order.
func (s *auditShop) ship() {
	s.must("POST", "orders/"+auditedOrder+"/confirm", "")
	s.must("POST", "orders/"+auditedOrder+"/shipments", `{"provider":"courier_a","consignmentId":"C1"}`)
}

// Every operation that changes something leaves its entry in the audit log, without any secret,
// whether a person or a program requests it.
func TestAdmin_EachChangeIsAudited(t *testing.T) {
	t.Parallel()
	unused := map[string]bool{}
	for id := range auditedChanges {
		unused[id] = true
	}
	for _, o := range shopOperations() {
		change, ok := auditedChanges[o.ID]
		delete(unused, o.ID)
		switch {
		case !o.Changes():
			if ok || o.Method != http.MethodGet && !slices.Contains(withoutEffect, o.ID) {
				t.Errorf("%s: got no action in the audit log, want one of an operation that changes something", o.ID)
			}
			continue
		case auditedElsewhere[o.ID] != "":
			continue
		case !ok:
			t.Errorf("%s changes something and has no request in auditedChanges", o.ID)
			continue
		}
		permission := o.Use.Permission
		t.Run(o.ID+"/dashboard", func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			change.check(s, &o, "staff", "dashboard", "Cookie", s.owner)
		})
		if change.sessions || permission != access.Any && !slices.Contains(staff.Scopes(), permission) {
			continue
		}
		t.Run(o.ID+"/api", func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			key := s.key(t)
			s.secrets = append(s.secrets, strings.TrimPrefix(key, "Bearer "))
			change.check(s, &o, "key", "api", "Authorization", key)
		})
	}
	for id := range unused {
		t.Errorf("%s: got a request in auditedChanges, want none of an operation that does not exist", id)
	}
}

// check sends the request and checks the entries that it adds.
func (c auditedChange) check(s *auditShop, o *admin.Operation, actor, via string, credential ...string) {
	s.t.Helper()
	if c.prepare != nil {
		c.prepare(s)
	}
	body := c.body
	if body == "" && o.Method != http.MethodGet && o.Method != http.MethodDelete {
		body = "{}"
	}
	if actor == "staff" {
		c.refused(s, o, body)
	}
	before := s.shop.Number(s.t, `SELECT COUNT(*) FROM audit_log`)
	if o.Use.Permission == access.Anybody {
		credential = nil
	}
	if o.Idempotent {
		credential = append(slices.Clone(credential), "Idempotency-Key", "press-1")
	}
	got := s.as(o.Method, c.path, body, credential...)
	if got.status >= 300 {
		s.t.Fatalf("got %d: %s", got.status, got.body)
	}
	log, err := s.shop.Staff.ListAudit(s.t.Context(), access.Operator(), staff.AuditFilter{})
	if err != nil {
		s.t.Fatal(err)
	}
	added := log.Nodes[:int64(log.Meta.TotalCount)-before]
	i := slices.IndexFunc(added, func(e staff.AuditEntry) bool { return e.Action == o.Use.Action })
	if i < 0 {
		s.t.Fatalf("got entries %+v, want one of %s", added, o.Use.Action)
	}
	if !slices.ContainsFunc(added, func(e staff.AuditEntry) bool { return c.also == "" || e.Action == c.also }) {
		s.t.Errorf("got entries %+v, want one of %s", added, c.also)
	}
	for _, e := range added {
		if string(e.Actor.Kind) != actor || string(e.Via) != via || e.RequestID != got.header.Get("X-Request-Id") || e.Client != "127.0.0.1" {
			s.t.Errorf("got entry %+v, want %s by %s from the request %s", e, actor, via, got.header.Get("X-Request-Id"))
		}
	}
	enum, _ := transport.EnumOf(reflect.TypeFor[access.SubjectKind]())
	kinds := enum.Values
	for _, e := range added {
		if !slices.ContainsFunc(kinds, func(kind transport.EnumValue) bool { return kind.Name == string(e.Subject.Kind) }) {
			s.t.Errorf("got subject %+v, want one of the kinds in the document", e.Subject)
		}
		if id := e.Subject.ID; id != "" && (e.Subject.Label == "" || e.Subject.Label == id) && withoutLabel[o.ID] == "" {
			s.t.Errorf("got subject %+v, want what people call it as its label", e.Subject)
		}
	}
	kind, id, _ := strings.Cut(s.filled(c.subject), " ")
	if e := added[i]; string(e.Subject.Kind) != kind || id == "*" && e.Subject.ID == "" || id != "*" && e.Subject.ID != strings.TrimPrefix(id, "-") {
		s.t.Errorf("got subject %+v, want %s", e.Subject, s.filled(c.subject))
	}
	text, err := json.Marshal(log.Nodes)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, secret := range s.secrets {
		if bytes.Contains(text, []byte(secret)) {
			s.t.Errorf("got the secret %q in the audit log %s", secret, text)
		}
	}
	if o.Idempotent {
		c.repeated(s, o, body, got, credential...)
	}
}

// The audit log has the settings of a provider before and after a change, and of a secret only that
// it has changed.
func TestAdmin_ProviderSettingsAudited(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for _, body := range []string{`{"secret":"another-secret","store_id":"12"}`, `{"store_id":13}`, `{"secret":null,"store_id":"13"}`} {
		s.must("PATCH", "providers/courier_a", body)
	}
	log, err := s.shop.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{Action: "provider.configure", Subject: "courier_a"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range slices.Backward(log.Nodes) {
		for _, c := range e.Changes {
			got = append(got, fmt.Sprint(c.Field, ": ", c.Before, " to ", c.After))
		}
		got = append(got, ".")
	}
	want := []string{
		"secret: <nil> to •••", ".", "secret: ••• to •••", "store_id: <nil> to 12", ".", "store_id: 12 to 13", ".", "secret: ••• to <nil>", ".",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got changes %q, want %q", got, want)
	}
}

// A courier's share of the cash that prices report at once is saved once, with an entry of who
// requested the price.
func TestAdmin_CashRateAudited(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.must("POST", auditedPath+"/confirm", "")
	key := s.key(t, "orders.read", "orders.fulfill")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			const path, body = "/admin/v1/shops/test/" + auditedPath + "/shipment-price", `{"provider":"courier_a","city":1,"zone":1}`
			if got := s.send("POST", path, body, "Authorization", key); got.status != http.StatusOK {
				t.Errorf("got %d: %s", got.status, got.body)
			}
		})
	}
	wg.Wait()
	log, err := s.shop.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{Action: "provider.save_cash_rate"})
	if err != nil {
		t.Fatal(err)
	}
	if len(log.Nodes) != 1 || log.Nodes[0].Actor.Kind != access.ActorKey || log.Nodes[0].Subject.ID != "courier_a" ||
		fmt.Sprint(log.Nodes[0].Changes) != "[{cod_basis_points <nil> 100}]" {
		t.Errorf("got entries %+v, want one of the key", log.Nodes)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM outbox WHERE type = 'settings.changed' AND subject = 'courier_a'`); n != 2 {
		t.Errorf("got %d events, want one of the configuration and one of the share", n)
	}
}
