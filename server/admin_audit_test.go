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

func newAuditShop(t *testing.T) *auditShop {
	t.Helper()
	a := shoptest.NewAccounts(t)
	courier, gateway := &auditCourier{cash: map[string]int64{}}, &auditGateway{}
	a.Config.Plugins = []plugin.Plugin{
		{Provider: plugin.CourierA, Courier: courier, Keys: []plugin.Key{
			{Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanBook}}, {Name: "store_id"},
		}},
		{Provider: plugin.GatewayA, Gateway: gateway, PaymentWebhooks: auditWebhooks{}, Keys: []plugin.Key{
			{Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanPay, plugin.CanReceiveWebhooks}},
		}},
	}
	a.Config.NewMail = shoptest.NewMail().New
	bot := &auditBot{}
	a.Config.Telegram = bot
	a = a.Reopened()
	for _, p := range a.Config.Plugins {
		shoptest.ConfigurePlugin(t, a.Shop, p.Provider, map[string]any{"secret": providerSecret})
	}
	a.InsertOrder(t, auditedOrder, shoptest.RahimsPhone)
	a.InsertOrder(t, secondOrder, shoptest.KarimsPhone)
	customer := a.Rahim(t)
	mug, err := a.Catalogue.SaveProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Handle: "mug", Title: "Mug", Variants: []catalogue.VariantInput{{SKU: "MUG-1", Price: 45000, Tracked: true, Stock: new(10)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	eid, err := a.Catalogue.SaveCollection(t.Context(), access.Operator(), catalogue.CollectionInput{Title: "Eid"})
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
	web := newSiteOf(t, a.Shop, func(cfg *server.Config) { cfg.Now = a.Clock.Now })
	return &auditShop{
		adminSite: &adminSite{web, a}, t: t, courier: courier, gateway: gateway, bot: bot, owner: "sf_admin=" + rina.Session,
		values: map[string]string{
			"customer": customer.User.ID, "product": mug.ID, "variant": mug.Variants[0].ID, "collection": eid.ID, "session": rina.Session,
		},
		secrets: []string{shoptest.Password, providerSecret, newPassword, rina.Session},
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
	if !strings.HasPrefix(body, "{") && body != "" {
		contentType = "text/csv"
	}
	got := s.send(method, "/admin/v1/shops/test/"+s.filled(path), s.filled(body), append([]string{"Content-Type", contentType}, credential...)...)
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
			if texts := strings.Fields(strings.Trim(fmt.Sprint(e), "[]")); slices.Contains(secretFields, name) && e != nil && len(texts[0]) > 5 {
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

// auditedChange is a request that succeeds, and the entry of the audit log that it leaves.
type auditedChange struct {
	path, body string             // with <names> of values of the shop
	prepare    func(s *auditShop) // nil if the shop of the test suffices
	subject    string             // kind and ID; "*" is any ID, "-" is none
	also       string             // the action of another entry; "" is none
	sessions   bool               // for sessions only, although a key has the permission
}

const auditedPath = "orders/" + auditedOrder

// Where the messages of an [auditShop] go.
const (
	smsGateway = `{"preset":"bulksmsbd","params":{"apiKey":"` + providerSecret + `","sender":"Acme"}}`
	mailServer = `{"host":"smtp.example.com","from":"a@example.com","username":"acme","password":"` + providerSecret + `"}`
)

// auditedChanges are the requests of [TestAdmin_EachChangeIsAudited] by operation.
var auditedChanges = map[string]auditedChange{
	"signIn":       {path: "session", body: `{"user":"rina@example.com","password":"` + shoptest.Password + `"}`, subject: "staff *"},
	"proveSession": {path: "session/proof", body: `{"password":"` + shoptest.Password + `"}`, subject: "staff *"},
	"signOut":      {path: "session", subject: "staff *"},
	"endSession": {path: "sessions/<other>", subject: "staff *", prepare: func(s *auditShop) {
		s.as("POST", "session", `{"user":"rina@example.com","password":"`+shoptest.Password+`"}`)
		for _, session := range s.must("GET", "sessions", "")["nodes"].([]any) {
			if node := session.(map[string]any); node["current"] == false {
				s.values["other"] = node["_id"].(string)
			}
		}
	}},
	"endSessions": {path: "sessions", subject: "staff *"},
	"updateMe":    {path: "me", body: `{"name":"Rina Akter"}`, subject: "staff *"},
	"changeMyPassword": {path: "me/password", subject: "staff *",
		body: `{"currentPassword":"` + shoptest.Password + `","newPassword":"` + newPassword + `"}`},
	"startTotp": {path: "me/totp", subject: "staff *"},
	"confirmTotp": {path: "me/totp/confirm", body: `{"code":"<code>"}`, subject: "staff *", prepare: func(s *auditShop) {
		secret := s.must("POST", "me/totp", "")["secret"].(string)
		s.values["code"] = shoptest.TOTPCode(s.t, secret, s.shop.Clock.Now())
	}},
	"removeTotp": {path: "me/totp", subject: "staff *", prepare: func(s *auditShop) {
		secret := s.must("POST", "me/totp", "")["secret"].(string)
		s.must("POST", "me/totp/confirm", `{"code":"`+shoptest.TOTPCode(s.t, secret, s.shop.Clock.Now())+`"}`)
	}},
	"useLink": {
		path: "links/use", body: `{"token":"<token>","password":"` + newPassword + `"}`, subject: "staff id-viewer",
		prepare: func(s *auditShop) {
			s.values["token"] = s.must("POST", "staff/id-viewer/link", "")["link"].(map[string]any)["token"].(string)
		},
	},
	"requestPasswordCode": {path: "password/code", body: `{"user":"rina@example.com"}`, subject: "staff *"},
	"resetPassword": {
		path: "password/reset", body: `{"user":"rina@example.com","code":"<code>","password":"` + newPassword + `"}`, subject: "staff *",
		prepare: func(s *auditShop) {
			s.values["code"] = s.textCode()
		},
	},

	"confirmOrder": {path: auditedPath + "/confirm", subject: "order " + auditedOrder},
	"cancelOrder":  {path: auditedPath + "/cancel", body: `{"reason":"by phone"}`, subject: "order " + auditedOrder},
	"deliverOrder": {path: auditedPath + "/deliver", subject: "order " + auditedOrder, prepare: (*auditShop).ship},
	"returnOrder": {path: auditedPath + "/return", subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		s.ship()
		s.must("POST", auditedPath+"/deliver", "")
	}},
	"refundOrder": {path: auditedPath + "/refund", subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		s.must("POST", auditedPath+"/advances", `{"amount":50,"method":"bkash"}`)
		s.must("POST", auditedPath+"/cancel", "{}")
	}},
	"replaceOrderToken": {path: auditedPath + "/token", subject: "order " + auditedOrder},
	"resolveFlags": {path: auditedPath + "/resolve-flags", subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		s.shop.Exec(s.t, `INSERT INTO order_flags (order_id, shipment_id, code, message, raised_at) VALUES (?, '', 'late', 'Late.', 1)`, auditedOrder)
	}},
	"placeOrder": {path: "orders", subject: "order *", body: `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`},
	"updateOrder":   {path: auditedPath, body: `{"note":"Call first"}`, subject: "order " + auditedOrder},
	"recordAdvance": {path: auditedPath + "/advances", body: `{"amount":50,"method":"bkash"}`, subject: "order " + auditedOrder},
	"removeAdvance": {path: auditedPath + "/advances/<advance>", subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		advances := s.must("POST", auditedPath+"/advances", `{"amount":50,"method":"bkash"}`)["advances"].([]any)
		s.values["advance"] = advances[0].(map[string]any)["_id"].(string)
	}},
	"recordCall": {path: auditedPath + "/calls", body: `{"outcome":"no_answer"}`, subject: "order " + auditedOrder},
	"addNote":    {path: auditedPath + "/notes", body: `{"text":"Gift"}`, subject: "order " + auditedOrder},
	"deleteNote": {path: auditedPath + "/notes/<note>", sessions: true, subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		notes := s.must("POST", auditedPath+"/notes", `{"text":"Gift"}`)["notes"].([]any)
		s.values["note"] = notes[0].(map[string]any)["_id"].(string)
	}},
	"setTags":    {path: auditedPath + "/tags", body: `{"tags":["gift"]}`, subject: "order " + auditedOrder},
	"claimOrder": {path: auditedPath + "/claim", sessions: true, subject: "order " + auditedOrder},
	"releaseOrder": {path: auditedPath + "/claim", sessions: true, subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		s.must("POST", auditedPath+"/claim", "")
	}},
	"printOrders": {path: "print/label?ids=" + auditedOrder + "&ids=" + secondOrder, subject: "orders -"},
	"markPrinted": {path: auditedPath + "/prints", body: `{"kind":"label"}`, subject: "order " + auditedOrder},
	"bookShipment": {path: auditedPath + "/shipments", body: `{"provider":"courier_a"}`, subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		s.must("POST", auditedPath+"/confirm", "")
	}},
	"trackShipments": {path: auditedPath + "/track", subject: "order " + auditedOrder, prepare: (*auditShop).ship},
	"cancelShipment": {path: auditedPath + "/cancel-shipment", subject: "order " + auditedOrder, prepare: (*auditShop).ship},

	"changeOrders":   {path: "bulk/orders", body: `{"action":"confirm","ids":["` + auditedOrder + `"]}`, subject: "job *", also: "order.confirm"},
	"changeProducts": {path: "bulk/products", body: `{"action":"draft","ids":["<product>"]}`, subject: "job *", also: "product.edit"},
	"cancelJob": {path: "jobs/JOB/cancel", subject: "job JOB", prepare: func(s *auditShop) {
		s.shop.Exec(s.t, `
			INSERT INTO jobs (id, kind, actor, client, request_id, options, status, total, created_at)
			VALUES ('JOB', 'confirm', '{"kind":"cli"}', '', '', '{}', 'queued', 1, ?)`, s.shop.Clock.Now().UnixMilli())
		s.shop.Exec(s.t, `INSERT INTO job_items (job_id, position, subject, label, status) VALUES ('JOB', 1, ?, '1', 'waiting')`, auditedOrder)
	}},
	"retryJob": {path: "jobs/<job>/retry", subject: "job *", prepare: func(s *auditShop) {
		s.values["job"] = s.must("POST", "bulk/orders", `{"action":"confirm","ids":["0000000000000000"]}`)["_id"].(string)
	}},

	"resolvePayment": {path: "payments/PAYMENT/resolve", body: `{"accept":false}`, subject: "payment PAYMENT",
		prepare: func(s *auditShop) { s.payment("needs_review") }},
	"refundPayment": {path: "payments/PAYMENT/refund", subject: "payment PAYMENT", prepare: func(s *auditShop) { s.payment("refund_due") }},
	"markPaymentRefunded": {path: "payments/PAYMENT/mark-refunded", subject: "payment PAYMENT",
		prepare: func(s *auditShop) { s.payment("refund_due") }},

	"updateProduct":    {path: "products/<product>", body: `{"title":"Cup"}`, subject: "product <product>"},
	"createProduct":    {path: "products", body: `{"title":"Tea","variants":[{"price":9000}]}`, subject: "product *"},
	"duplicateProduct": {path: "products/<product>/duplicate", subject: "product *"},
	"deleteProduct": {path: "products/<product>", subject: "product <product>", prepare: func(s *auditShop) {
		s.must("PATCH", "products/<product>", `{"status":"archived"}`)
	}},
	"importProducts": {path: "imports/products", subject: "products -",
		body: "Handle,Title,Variant SKU,Variant Price\njam,Jam,JAM-1,120.00\n"},
	"saveCollection":    {path: "collections", body: `{"title":"Winter"}`, subject: "collection *"},
	"updateCollection":  {path: "collections/eid", body: `{"title":"Eid 2027"}`, subject: "collection <collection>"},
	"arrangeCollection": {path: "collections/eid/products", body: `{"productIds":["<product>"]}`, subject: "collection <collection>"},
	"deleteCollection":  {path: "collections/<collection>", subject: "collection <collection>"},
	"updateMedia":       {path: "media/<media>", body: `{"alt":"Mug"}`, subject: "media <media>", prepare: (*auditShop).upload},
	"deleteMedia":       {path: "media/<media>", subject: "media <media>", prepare: (*auditShop).upload},
	"addToCollection":   {path: "collections/<collection>/add", body: `{"products":["mug"]}`, subject: "collection <collection>"},
	"removeFromCollection": {path: "collections/<collection>/remove", body: `{"products":["mug"]}`, subject: "collection <collection>",
		prepare: func(s *auditShop) { s.must("POST", "collections/<collection>/add", `{"products":["mug"]}`) }},
	"changeStocks": {path: "bulk/stock", body: `{"items":[{"sku":"MUG-1","set":6}],"note":"counted"}`, subject: "variant <variant>"},
	"changeStock":  {path: "stock/<variant>", body: `{"set":7,"note":"counted"}`, subject: "variant <variant>"},

	"saveCoupon":   {path: "coupons", body: `{"code":"FIVE","kind":"percentage","basisPoints":500}`, subject: "coupon *"},
	"updateCoupon": {path: "coupons/ten", body: `{"usageLimit":50}`, subject: "coupon *"},
	"enableCoupon": {path: "coupons/ten/enable", subject: "coupon *", prepare: func(s *auditShop) {
		s.must("POST", "coupons/TEN/disable", "")
	}},
	"disableCoupon": {path: "coupons/ten/disable", subject: "coupon *"},
	"deleteCoupon":  {path: "coupons/ten", subject: "coupon *"},

	"resetCustomerPassword": {path: "customers/<customer>/password", subject: "customer <customer>", prepare: func(s *auditShop) {
		s.shop.Exec(s.t, `UPDATE customers SET phone_verified_at = created_at`)
	}},
	"exportCustomer": {path: "customers/<customer>/export", subject: "customer <customer>"},
	"deleteCustomer": {path: "customers/<customer>", subject: "customer <customer>"},
	"updateContact":  {path: "contacts/01811000000", body: `{"note":"Asks for change"}`, subject: "guest *"},
	"reconcileStatement": {path: "cash/statements?courier=courier_a", body: "consignment,collected,fee,paid\nC1,1,0,1\n", subject: "statement *",
		prepare: (*auditShop).ship},

	"updateSettings": {path: "settings", body: `{"name":"Renamed"}`, subject: "settings -"},
	"suspendShop":    {path: "suspend", subject: "shop -"},
	"resumeShop": {path: "resume", subject: "shop -", prepare: func(s *auditShop) {
		s.must("POST", "suspend", "")
	}},
	"setMode":        {path: "mode", body: `{"mode":"sandbox"}`, subject: "shop -"},
	"exportOrders":   {path: "exports/orders", subject: "orders -"},
	"exportProducts": {path: "exports/products", subject: "products -"},
	"exportCash":     {path: "exports/cash", subject: "cash -"},
	"exportSales":    {path: "exports/analytics/days", subject: "sales -"},
	"configureSms":   {path: "sms", body: smsGateway, subject: "sms -"},
	"removeSms": {path: "sms", subject: "sms -", prepare: func(s *auditShop) {
		s.must("PUT", "sms", smsGateway)
	}},
	"testSms":       {path: "sms/test", body: `{"phoneNumber":"01711-000000"}`, subject: "sms -"},
	"configureMail": {path: "mail", body: mailServer, subject: "mail -"},
	"removeMail": {path: "mail", subject: "mail -", prepare: func(s *auditShop) {
		s.must("PUT", "mail", mailServer)
	}},
	"testMail":          {path: "mail/test", body: `{"email":"rina@example.com"}`, subject: "mail -"},
	"sendTestMessage":   {path: "messages/test", body: `{"event":"confirmed","to":"01711-000000"}`, subject: "message confirmed"},
	"configureProvider": {path: "providers/courier_a", body: `{"secret":"hush-hush-7","store_id":"12"}`, subject: "provider courier_a"},
	"replayProviderWebhook": {path: "provider-webhooks/CALL/replay", subject: "webhook CALL", prepare: func(s *auditShop) {
		s.shop.Exec(s.t, `
			INSERT INTO provider_calls (id, provider, key, content_type, body, event, verdict, reason, copies, received_at, last_at)
			VALUES ('CALL', 'gateway_a', ?, '', ?, 'VALID', 'unmatched', '', 1, 1, 1)`, []byte("key"), []byte("body"))
	}},

	"updateNotifications": {path: "notifications",
		body: `{"events":{"order.placed":{"push":true,"telegram":false,"sms":false,"email":true}}}`, subject: "staff *"},
	"testNotifications": {path: "notifications/test", subject: "staff *"},
	"subscribeToPush":   {path: "push/subscriptions", body: pushSubscription, subject: "device *"},
	"unsubscribeFromPush": {path: "push/subscriptions/<device>", subject: "device <device>", prepare: func(s *auditShop) {
		s.values["device"] = s.must("POST", "push/subscriptions", pushSubscription)["_id"].(string)
	}},
	"startTelegramLink":  {path: "telegram/link", subject: "staff *", prepare: (*auditShop).startTelegram},
	"finishTelegramLink": {path: "telegram/link/finish", subject: "staff *", prepare: (*auditShop).startTelegram},
	"endTelegramLink":    {path: "telegram/link", subject: "staff *", prepare: (*auditShop).startTelegram},
	"updateNotificationChannels": {path: "notifications/channels", body: `{"telegramToken":"` + botToken + `","sms":true}`,
		subject: "channels -"},
	"testMemberNotifications": {path: "staff/id-viewer/notifications/test", subject: "staff id-viewer"},

	"inviteStaffMember":  {path: "staff", body: `{"name":"Karim","email":"karim@example.com","role":"staff"}`, subject: "staff *"},
	"updateStaffMember":  {path: "staff/id-viewer", body: `{"role":"staff"}`, subject: "staff id-viewer"},
	"turnOffStaffMember": {path: "staff/id-viewer/turn-off", subject: "staff id-viewer"},
	"removeStaffMember":  {path: "staff/id-viewer", subject: "staff id-viewer"},
	"createStaffLink":    {path: "staff/id-viewer/link", subject: "staff id-viewer"},
	"endStaffSessions":   {path: "staff/id-viewer/sessions", subject: "staff id-viewer"},
	"createKey":          {path: "keys", body: `{"label":"Till","scopes":["orders.read"]}`, subject: "key *"},
	"revokeKey": {path: "keys/<key>", subject: "key <key>", prepare: func(s *auditShop) {
		s.values["key"] = s.must("POST", "keys", `{"label":"Till"}`)["_id"].(string)
	}},
	"createWebhookEndpoint": {path: "webhook-endpoints", body: webhookEndpoint, subject: "webhook_endpoint *"},
	"updateWebhookEndpoint": {path: "webhook-endpoints/<endpoint>", body: `{"label":"ERP"}`, subject: "webhook_endpoint <endpoint>",
		prepare: (*auditShop).createEndpoint},
	"deleteWebhookEndpoint": {path: "webhook-endpoints/<endpoint>", subject: "webhook_endpoint <endpoint>", prepare: (*auditShop).createEndpoint},
	"rotateWebhookSecret": {path: "webhook-endpoints/<endpoint>/rotate", subject: "webhook_endpoint <endpoint>",
		prepare: (*auditShop).createEndpoint},
	"testWebhookEndpoint": {path: "webhook-endpoints/<endpoint>/test", subject: "webhook_endpoint <endpoint>", prepare: (*auditShop).createEndpoint},
	"redeliverRange": {path: "webhook-endpoints/<endpoint>/redeliver", body: `{"from":"2026-01-01T00:00:00Z","to":"2027-01-01T00:00:00Z"}`,
		subject: "webhook_endpoint <endpoint>", prepare: (*auditShop).createEndpoint},
	"redeliver": {path: "deliveries/<delivery>/redeliver", subject: "webhook_endpoint <endpoint>", prepare: func(s *auditShop) {
		s.createEndpoint()
		s.values["delivery"] = s.must("POST", s.filled("webhook-endpoints/<endpoint>/test"), "")["_id"].(string)
		s.shop.Exec(s.t, "UPDATE webhook_deliveries SET seq = 1") // as of an event
	}},
}

// pushSubscription is a browser's subscription at a push service that nothing may be sent to.
const pushSubscription = `{"endpoint":"https://127.0.0.1:9/send/1","keys":{
	"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}`

// webhookEndpoint is a webhook endpoint at an address that nothing may be sent to.
const webhookEndpoint = `{"url":"https://127.0.0.1:9/hook"}`

func (s *auditShop) createEndpoint() {
	s.t.Helper()
	s.values["endpoint"] = s.must("POST", "webhook-endpoints", webhookEndpoint)["_id"].(string)
}

// auditedElsewhere are operations that change something and cannot succeed in the shop of this
// test, by the test of their entry.
var auditedElsewhere = map[string]string{
	"setUp":       "TestAdmin_SetUp: it creates the shop",
	"uploadMedia": "TestAdmin_Media: its body is an image",
}

// Every operation that changes something leaves its entry in the audit log, without any secret,
// whether a person or a program requests it.
func TestAdmin_EachChangeIsAudited(t *testing.T) {
	t.Parallel()
	unused := map[string]bool{}
	for id := range auditedChanges {
		unused[id] = true
	}
	for _, o := range admin.Operations() {
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

// withoutEffect are operations whose method is not GET although they change nothing, or only what
// the caller has seen.
var withoutEffect = []string{"inspectLink", "markEventsSeen", "parseOrder", "priceShipment", "validateProvider"}

// withoutLabel are operations on a subject that people call by its ID, or not at all.
var withoutLabel = map[string]string{
	"deleteCustomer": "the name is erased", "sendTestMessage": "the ID is the event", "configureProvider": "the ID is the provider",
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
