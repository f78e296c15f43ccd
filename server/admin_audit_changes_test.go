package server_test

import (
	"storefront/shop/shoptest"
)

// auditedChange is a request that succeeds, and the entry of the audit log that it leaves.
type auditedChange struct {
	path, body string             // with <names> of values of the shop
	prepare    func(s *auditShop) // nil if the shop of the test suffices
	subject    string             // kind and ID; "*" is any ID, "-" is none
	also       string             // the action of another entry; "" is none
	sessions   bool               // for sessions only, although a key has the permission
}

const auditedPath = "orders/" + auditedOrder

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
	"signInByPasskey": {path: "session/passkey", body: "<passkey>", subject: "staff *", prepare: func(s *auditShop) {
		device := shoptest.NewAuthenticator(s.t, passkeyOrigin)
		s.passkeys().add(device)
		s.values["passkey"] = s.passkeys().proof(device, "session/passkey")
	}},
	"addPasskey": {path: "me/passkeys", body: "<passkey>", subject: "passkey *", prepare: func(s *auditShop) {
		s.values["passkey"] = s.passkeys().creation(shoptest.NewAuthenticator(s.t, passkeyOrigin))
	}},
	"renamePasskey": {path: "me/passkeys/<passkey>", body: `{"name":"Laptop"}`, subject: "passkey <passkey>", prepare: func(s *auditShop) {
		s.values["passkey"] = s.passkeys().add(shoptest.NewAuthenticator(s.t, passkeyOrigin))
	}},
	"removePasskey": {path: "me/passkeys/<passkey>", subject: "passkey <passkey>", prepare: func(s *auditShop) {
		s.values["passkey"] = s.passkeys().add(shoptest.NewAuthenticator(s.t, passkeyOrigin))
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
	"undoChange": {path: "undo", body: `{"undo":"x"}`, sessions: true, subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		s.must("POST", auditedPath+"/confirm?undo=x", "")
	}},
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
	"updateOrder": {path: auditedPath, body: `{"note":"Call first"}`, subject: "order " + auditedOrder},
	"mergeOrders": {path: auditedPath + "/merge", body: `{"orderId":"<other>"}`, subject: "order " + auditedOrder, also: "order.merge",
		prepare: func(s *auditShop) {
			phone := s.must("GET", auditedPath, "")["customer"].(map[string]any)["phoneNumber"].(string)
			placed := s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone","confirm":false,
				"customer":{"name":"Rahima","phoneNumber":"`+phone+`"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
			s.values["other"] = placed["order"].(map[string]any)["_id"].(string)
		}},
	"recordAdvance": {path: auditedPath + "/advances", body: `{"amount":50,"method":"bkash"}`, subject: "order " + auditedOrder},
	"removeAdvance": {path: auditedPath + "/advances/<advance>", subject: "order " + auditedOrder, prepare: func(s *auditShop) {
		advances := s.must("POST", auditedPath+"/advances", `{"amount":50,"method":"bkash"}`)["advances"].([]any)
		s.values["advance"] = advances[0].(map[string]any)["_id"].(string)
	}},
	"waiveAdvance": {path: auditedPath + "/advance/waive", subject: "order " + auditedOrder, prepare: (*auditShop).reportPayment},
	"lookUpBuyer":  {path: auditedPath + "/courier-record", subject: "order " + auditedOrder, prepare: (*auditShop).knowBuyers},
	"confirmWalletPayment": {path: "wallet-payments/REPORTED/confirm", body: `{"amount":60}`, subject: "order " + auditedOrder,
		prepare: (*auditShop).reportPayment},
	"refuseWalletPayment": {path: "wallet-payments/REPORTED/refuse", body: `{"reason":"No such transaction"}`, subject: "order " + auditedOrder,
		prepare: (*auditShop).reportPayment},
	"removeCredit": {path: "<delivered>/credits/<credit>", subject: "order *", prepare: func(s *auditShop) {
		s.values["delivered"], s.values["credit"] = s.deliverThree()
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
	"saveRedirect": {
		path: "redirects", body: `{"from":"/old","to":"/products/mug"}`, subject: "redirect /old",
	},
	"deleteRedirect": {path: "redirects?from=/old", subject: "redirect /old", prepare: func(s *auditShop) {
		s.must("PUT", "redirects", `{"from":"/old","to":"/products/mug"}`)
	}},
	"importRedirects": {
		path: "imports/redirects", body: "from,to\n/older,/products/mug\n", subject: "redirect -",
	},
	"saveSpend": {path: "analytics/spend", body: `{"spend":[{"day":"2026-03-01","name":"Eid","amount":500}]}`, subject: "spend -"},
	"deleteSpend": {path: "analytics/spend?day=2026-03-01&name=Eid", subject: "spend -", prepare: func(s *auditShop) {
		s.must("POST", "analytics/spend", `{"spend":[{"day":"2026-03-01","name":"Eid","amount":500}]}`)
	}},
	"importSpend": {path: "imports/spend", body: "Day,Campaign name,Amount spent (BDT)\n2026-03-01,Eid,5.00\n", subject: "spend -"},
	"saveDesign":  {path: "design", body: otherDesign, subject: "design -"},
	"publishDesign": {path: "design/publish", subject: "design -", prepare: func(s *auditShop) {
		s.must("PUT", "design", otherDesign)
	}},
	"restoreDesign": {path: "design/versions/1/restore", subject: "design -", prepare: func(s *auditShop) {
		s.must("PUT", "design", otherDesign)
		s.must("POST", "design/publish", "")
		s.must("PUT", "design", `{"design":"haat","tokens":{},"templates":{}}`)
		s.must("POST", "design/publish", "")
	}},
	"saveTranslations": {path: "translations/product/mug", body: `{"texts":{"title":"মগ"}}`, subject: "product <product>", prepare: func(s *auditShop) {
		s.must("PATCH", "settings", `{"secondLocale":"bn"}`)
	}},
	"saveLandingPage": {path: "landing-pages", body: auditedLanding, subject: "landing_page eid"},
	"saveMenus":       {path: "menus", body: auditedMenus, subject: "menus -"},
	"deleteLandingPage": {path: "landing-pages/eid", subject: "landing_page eid", prepare: func(s *auditShop) {
		s.must("PUT", "landing-pages", auditedLanding)
	}},
	"closeIncompleteOrder": {path: "incomplete-orders/<incomplete>/close", subject: "incomplete_order <incomplete>", prepare: (*auditShop).typed},
	"reopenIncompleteOrder": {path: "incomplete-orders/<incomplete>/reopen", subject: "incomplete_order <incomplete>", prepare: func(s *auditShop) {
		s.typed()
		s.must("POST", "incomplete-orders/"+s.values["incomplete"]+"/close", "")
	}},
	"blockIncompleteOrder":  {path: "incomplete-orders/<incomplete>/block", subject: "incomplete_order <incomplete>", prepare: (*auditShop).typed},
	"deleteIncompleteOrder": {path: "incomplete-orders/<incomplete>", subject: "incomplete_order <incomplete>", prepare: (*auditShop).typed},
	"publishReview":         {path: "reviews/REVIEW/publish", subject: "review REVIEW", prepare: (*auditShop).review},
	"rejectReview":          {path: "reviews/REVIEW/reject", subject: "review REVIEW", prepare: (*auditShop).review},
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
	"setMode":              {path: "mode", body: `{"mode":"sandbox"}`, subject: "shop -"},
	"exportOrders":         {path: "exports/orders", subject: "orders -"},
	"exportProducts":       {path: "exports/products", subject: "products -"},
	"exportOrderRecords":   {path: "exports/orders.ndjson", subject: "orders -"},
	"exportCustomers":      {path: "exports/customers.ndjson", subject: "customers -"},
	"exportProductRecords": {path: "exports/products.ndjson", subject: "products -"},
	"exportCash":           {path: "exports/cash", subject: "cash -"},
	"exportSales":          {path: "exports/analytics/days", subject: "sales -"},
	"configureSms":         {path: "sms", body: smsGateway, subject: "sms -"},
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
			INSERT INTO provider_webhooks (id, provider, key, content_type, body, event, verdict, reason, copies, received_at, last_at)
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
	"setAdvertiserToken":    {path: "advertisers/meta/token", body: `{"token":"EAAsecret"}`, subject: "advertiser meta"},
	"testAdvertiser":        {path: "advertisers/meta/test", subject: "advertiser meta", prepare: (*auditShop).configureAdvertiser},
	"sendConversion":        {path: "conversions/<conversion>/send", subject: "order *", prepare: (*auditShop).refuseConversion},
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

// review adds a pending review.
func (s *auditShop) review() {
	s.t.Helper()
	s.shop.Exec(s.t, `
		INSERT INTO reviews (id, product_id, order_number, rating, text, name, status, created_at, sent_at)
		VALUES ('REVIEW', ?, (SELECT number FROM orders WHERE id = ?), 5, 'Fine', 'Karim', 'pending', 1, 1)`, s.values["product"], auditedOrder)
}

// typed adds an incomplete order.
func (s *auditShop) typed() {
	s.t.Helper()
	s.values["incomplete"] = "TYPED"
	s.shop.Exec(s.t, `
		INSERT INTO incomplete_orders (id, session, status, step, phone, name, address, city, items, delivery_charge_id, coupon_code,
			landing_page, language, day, created_at, updated_at)
		VALUES ('TYPED', ?, 'open', 'contact', '+8801711000099', '', '', '', ?, '', '', '', '', '2026-03-01', 1, 1)`,
		[]byte("session"), `[{"productId":"p","variantId":"v","title":"Mug","variantTitle":"","quantity":1,"unitPrice":100}]`)
}

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

// withoutEffect are operations whose method is not GET although they change nothing, or only what
// the caller has seen.
var withoutEffect = []string{
	"beginPasskey", "beginPasskeyProof", "beginPasskeySignIn",
	"createDesignPreview", "inspectLink", "inspectStatement", "markEventsSeen", "parseOrder", "priceShipment", "validateProvider",
}

// withoutLabel are operations on a subject that people call by its ID, or not at all.
var withoutLabel = map[string]string{
	"deleteCustomer": "the name is erased", "sendTestMessage": "the ID is the event", "configureProvider": "the ID is the provider",
	"saveRedirect": "the ID is the address", "deleteRedirect": "the ID is the address",
	"saveLandingPage": "the ID is the slug", "deleteLandingPage": "the ID is the slug",
}

const auditedMenus = `{"main":[{"title":{"en":"All"},"link":"/collections/all"}],"footer":[],"secondary":[]}`

const auditedLanding = `{"slug":"eid","title":{"en":"Eid"},"description":{},"products":["mug"],"visible":true,"sections":[]}`

// otherDesign is a design that differs from the default.
const otherDesign = `{"design":"alo","tokens":{"seed":"#7a2740"},"templates":{}}`

// Where the messages of an [auditShop] go.
const (
	smsGateway = `{"preset":"bulksmsbd","params":{"apiKey":"` + providerSecret + `","sender":"Acme"}}`
	mailServer = `{"host":"smtp.example.com","from":"a@example.com","username":"acme","password":"` + providerSecret + `"}`
)

// reportPayment makes the order await an advance, of which the buyer has reported a payment.
func (s *auditShop) knowBuyers() {
	s.must("PATCH", "settings", `{"courierRecords":true}`)
}

func (s *auditShop) reportPayment() {
	s.shop.Exec(s.t, `UPDATE orders SET advance_asked = 60, advance_reason = 'shop' WHERE id = ?`, auditedOrder)
	s.shop.Exec(s.t, `
		INSERT INTO wallet_payments (id, order_number, method, number, sender, transaction_id, amount, status, reason, created_at)
		SELECT 'REPORTED', number, 'bkash', '01711000000', '01811000000', '8N7A6D5E4F', 60, 'waiting', '', 1
		FROM orders
		WHERE id = ?`, auditedOrder)
}
