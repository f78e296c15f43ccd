package server_test

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// Staff change settings under the rules of the command line; nobody overwrites a change unseen, and
// some settings need another permission.
func TestAdmin_Settings(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner, manager := s.session(t, staff.RoleOwner), s.session(t, staff.RoleManager)
	const path = "/admin/v1/shops/test/settings"
	read := s.get(path, "Cookie", manager)
	var set shop.StaffSettings
	read.ok(200, &set)
	tag := read.header.Get("ETag")
	if set.Name == "" || tag == "" || set.CashForBadRecords != order.CashAllow || *set.RequireSecondFactor != staff.RequireNone {
		t.Fatalf("got %+v with the ETag %q, want the settings with their defaults", set, tag)
	}
	s.send("PATCH", path, `{"name":"Acme Dhaka","cashRounding":100}`, "Cookie", manager, "If-Match", tag).ok(200, &set)
	if set.Name != "Acme Dhaka" || set.CashRounding != 100 {
		t.Errorf("got %q and %d, want the changed settings", set.Name, set.CashRounding)
	}
	got := s.send("PATCH", path, `{"name":"Other"}`, "Cookie", owner, "If-Match", tag).problem(412, fault.CodeChangedMeanwhile)
	if current, ok := got.Details["current"].(map[string]any); !ok || current["name"] != "Acme Dhaka" {
		t.Errorf("got details %v, want the current settings", got.Details)
	}
	bad := s.send("PATCH", path, `{"colour":"red","cashRounding":-1}`, "Cookie", manager).problem(422, fault.CodeValidationFailed)
	if bad.fields() != "colour unknown_field, cashRounding invalid_value" {
		t.Errorf("got fields %s", bad.fields())
	}
	for _, body := range []string{`{"suspended":true}`, `{"activeMode":"sandbox"}`} {
		s.send("PATCH", path, body, "Cookie", manager).problem(403, fault.CodeForbidden)
	}
	s.send("POST", "/admin/v1/shops/test/suspend", "", "Authorization", s.key(t)).problem(403, fault.CodeForbidden)
	for _, step := range []struct {
		path, body, action string
		want               func(shop.StaffSettings) bool
	}{
		{"suspend", "{}", "shop.suspend", func(set shop.StaffSettings) bool { return set.Suspended }},
		{"resume", "{}", "shop.resume", func(set shop.StaffSettings) bool { return !set.Suspended }},
		{"mode", `{"mode":"sandbox"}`, "shop.set_mode", func(set shop.StaffSettings) bool { return set.ActiveMode == plugin.Sandbox }},
	} {
		s.send("POST", "/admin/v1/shops/test/"+step.path, step.body, "Cookie", manager).problem(403, fault.CodeForbidden)
		var set shop.StaffSettings
		s.send("POST", "/admin/v1/shops/test/"+step.path, step.body, "Cookie", owner).ok(200, &set)
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = ?`, step.action); n != 1 || !step.want(set) {
			t.Errorf("%s: got %+v and %d audit entries, want 1", step.path, set, n)
		}
	}
	// The audit log has what was changed, and nothing if nothing was.
	s.send("PATCH", path, `{"name":"Acme Dhaka"}`, "Cookie", manager).ok(200, &set)
	var log page.Page[staff.AuditEntry]
	s.get("/admin/v1/shops/test/audit?action=settings.change", "Cookie", owner).ok(200, &log)
	if len(log.Nodes) != 1 || log.Nodes[0].Actor.ID != "id-manager" || len(log.Nodes[0].Changes) != 2 ||
		!reflect.DeepEqual(log.Nodes[0].Changes[1], access.Change{Field: "name", Before: "Test Shop", After: "Acme Dhaka"}) {
		t.Errorf("got audit entries %+v, want one with the two changes of the manager", log.Nodes)
	}
}

// Whole numbers of settings may have a fraction or an exponent, as in every JSON body.
func TestAdmin_SettingsWholeNumbers(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for number, status := range map[string]int{"6000": 200, "6000.0": 200, "6e3": 200, "60000e-1": 200, "6000.5": 422, "1e-3": 422} {
		for setting, field := range map[string]string{
			`{"deliveryCharges":[{"name":"6.0","charge":NUMBER}]}`: `"charge":6000`,
			`{"limits":{"messagesPerDay":NUMBER}}`:                 `"messagesPerDay":6000`,
		} {
			got := s.as("PATCH", "settings", strings.Replace(setting, "NUMBER", number, 1), "Cookie", s.owner)
			if got.status != status || status == 200 && !strings.Contains(string(got.body), field) {
				t.Errorf("%s in %s: got %d %s, want %d", number, setting, got.status, got.body, status)
			}
		}
	}
}

// A line break in a short text adds no line, such as a header, where the text is shown or sent.
func TestAdmin_SettingsOneLine(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const path = "/admin/v1/shops/test/settings"
	const sent, want = `A\r\nBcc:\u2028x\u0085`, "A Bcc: x"
	var set shop.StaffSettings
	s.send("PATCH", path, strings.ReplaceAll(`{
		"name":"#", "supportContact":{"phone":"#","whatsapp":"#","address":"House 1\r\nRoad 2"},
		"invoice":{"legalName":"#","taxId":"#","prefix":"A-\r\n","footer":"Thanks\r\nCome again"},
		"deliveryCharges":[{"name":"#","charge":100,"estimate":"#","areas":["#"]}],
		"legalPolicies":[{"slug":"terms","title":"#","bodyHtml":""}], "socialLinks":[{"platform":"#","url":"https://example.com"}]}`, "#", sent),
		"Authorization", s.key(t, "settings.read", "settings.write")).ok(200, &set)
	charge := set.DeliveryCharges[0]
	for field, got := range map[string]string{
		"name": set.Name, "phone": *set.SupportContact.Phone, "whatsapp": *set.SupportContact.WhatsApp,
		"legalName": set.Invoice.LegalName, "taxId": set.Invoice.TaxID, "charge": charge.Name, "estimate": *charge.Estimate,
		"area": charge.Areas[0], "policy": set.LegalPolicies[0].Title, "platform": set.SocialLinks[0].Platform,
	} {
		if got != want {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
	if set.Invoice.Prefix != "A-" || set.Invoice.Footer != "Thanks\nCome again" || *set.SupportContact.Address != "House 1\nRoad 2" {
		t.Errorf("got %+v and the address %q", set.Invoice, *set.SupportContact.Address)
	}
	bad := s.send("PATCH", path, `{"supportContact":{"email":"a@example.com\r\nBcc: b@example.com"}}`,
		"Authorization", s.key(t, "settings.write")).problem(422, fault.CodeValidationFailed)
	if bad.fields() != "supportContact.email invalid_value" {
		t.Errorf("got fields %s", bad.fields())
	}
}

// Settings of what staff print, with their values checked, by null back to the default.
func TestAdmin_PrintSettings(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "settings.read", "settings.write", "orders.read")
	const path = "/admin/v1/shops/test/settings"
	roll := func(want string) {
		t.Helper()
		page := s.get("/admin/v1/shops/test/print/invoice?sample=true&size=receipt", "Authorization", key)
		if page.status != 200 || !strings.Contains(string(page.body), "/"+want+".css") {
			t.Errorf("receipt: got %d %s, want the style sheet of %s", page.status, page.body, want)
		}
	}
	var set shop.StaffSettings
	s.send("PATCH", path, `{"brand":{"colour":"#1A7F37"},
		"invoice":{"legalName":" Acme Ltd ","taxId":"000123456-0101","prefix":"AC-","footer":"Goods <3","registration":"Licence 042"},
		"print":{"labelSize":"100x150","receiptSize":"58mm","language":"bn"},"trackingUrl":"https://acme.example/track"}`,
		"Authorization", key).ok(200, &set)
	want := shop.Settings{
		Brand:   shop.Brand{Colour: "#1a7f37"},
		Invoice: shop.Invoice{LegalName: "Acme Ltd", TaxID: "000123456-0101", Prefix: "AC-", Footer: "Goods <3", Registration: "Licence 042"},
		Print:   shop.PrintOptions{LabelSize: "100x150", ReceiptSize: "58mm", Language: locale.Bangla}, TrackingURL: "https://acme.example/track",
	}
	if set.Brand != want.Brand || set.Invoice != want.Invoice || set.Print != want.Print || set.TrackingURL != want.TrackingURL {
		t.Errorf("got %+v, want %+v", set.Settings, want)
	}
	roll("58mm")
	printed := string(s.get("/admin/v1/shops/test/print/invoice?sample=true&lang=en", "Authorization", key).body)
	for _, text := range []string{"Acme Ltd", "000123456-0101", "Licence 042", "AC-1024", "Goods &lt;3"} {
		if !strings.Contains(printed, text) {
			t.Errorf("invoice: got %s, want %q in it", printed, text)
		}
	}
	s.send("PATCH", path, `{"brand":null,"print":null}`, "Authorization", key).ok(200, &set)
	roll("80mm")
	defaults := shop.PrintOptions{LabelSize: "a6", ReceiptSize: "80mm", Language: locale.English}
	if set.Brand != (shop.Brand{}) || set.Print != defaults || set.Invoice != want.Invoice {
		t.Errorf("after null: got %+v", set.Settings)
	}
	for body, field := range map[string]string{
		`{"brand":{"colour":"green"}}`: "brand.colour invalid_value", `{"print":{"labelSize":"a5"}}`: "print.labelSize invalid_value",
		`{"print":{"receiptSize":"a4"}}`: "print.receiptSize invalid_value", `{"print":{"language":"fr"}}`: "print.language invalid_value",
		`{"invoice":{"prefix":"` + strings.Repeat("x", 21) + `"}}`: "invoice.prefix invalid_value", `{"invoice":{"vat":"1"}}`: "invoice invalid_value",
		`{"supportContact":{"email":"call us"}}`: "supportContact.email invalid_value",
		`{"site":{"host":"other.example"}}`:      "site.host invalid_value", `{"secondLocale":"b"}`: "secondLocale invalid_value",
		`{"supportContact":{"messenger":"m.me/acme/1"}}`:                  "supportContact.messenger invalid_value",
		`{"site":{"announcement":"` + strings.Repeat("x", 201) + `"}}`:    "site.announcement invalid_value",
		`{"invoice":{"registration":"` + strings.Repeat("x", 101) + `"}}`: "invoice.registration invalid_value",
		`{"trackingUrl":"acme.example"}`:                                  "trackingUrl invalid_value", `{"name":null}`: "name invalid_value",
	} {
		if got := s.send("PATCH", path, body, "Authorization", key).problem(422, fault.CodeValidationFailed); got.fields() != field {
			t.Errorf("%s: got fields %s, want %s", body, got.fields(), field)
		}
	}
}

// A setting that needs a permission to be viewed is null without it, in a conflict too; the others
// are the same for everybody.
func TestAdmin_SettingsByRole(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const path = "/admin/v1/shops/test/settings"
	var all map[string]any
	s.get(path, "Cookie", s.session(t, staff.RoleOwner)).ok(200, &all)
	if all["limits"] == nil || all["requireSecondFactor"] != "none" {
		t.Errorf("as owner: got limits %v and requireSecondFactor %v", all["limits"], all["requireSecondFactor"])
	}
	hidden := func(who string, got map[string]any) {
		t.Helper()
		want := maps.Clone(all)
		want["limits"], want["requireSecondFactor"] = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", who, got, want)
		}
	}
	for _, role := range []staff.Role{staff.RoleStaff, staff.RoleViewer} {
		var got map[string]any
		s.get(path, "Cookie", s.session(t, role)).ok(200, &got)
		hidden(string(role), got)
	}
	key := s.key(t, "settings.read", "settings.write")
	conflict := s.send("PATCH", path, `{"name":"Other"}`, "Authorization", key, "If-Match", `"000000000000000000000000"`).
		problem(412, fault.CodeChangedMeanwhile)
	current, _ := conflict.Details["current"].(map[string]any)
	hidden("conflict", current)
	s.send("PATCH", path, `{"requireSecondFactor":"everyone"}`, "Authorization", key).problem(403, fault.CodeForbidden)
}

// Who changes where a shop's messages go, or has one sent, must have proved who they are of late.
func TestAdmin_MessagingProof(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	const base = "/admin/v1/shops/test/"
	s.send("POST", base+"sms/test", `{"phoneNumber":"01711-000000"}`, "Cookie", owner).ok(200, &struct{}{})
	s.shop.Clock.Advance(16 * time.Minute)
	for _, call := range [][3]string{
		{"PUT", "sms", `{"preset":"bulksmsbd","params":{"apiKey":"k","sender":"Acme"}}`}, {"DELETE", "sms", ""},
		{"POST", "sms/test", `{"phoneNumber":"01711-000000"}`}, {"PUT", "mail", `{"host":"smtp.example.com","from":"a@example.com"}`},
		{"DELETE", "mail", ""}, {"POST", "mail/test", `{"email":"a@example.com"}`},
	} {
		s.send(call[0], base+call[1], call[2], "Cookie", owner, "Content-Type", "application/json").problem(401, fault.CodeProofRequired)
	}
	if n := len(s.shop.SMS.Messages()); n != 1 {
		t.Errorf("got %d messages, want 1", n)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM secrets WHERE name IN ('sms', 'mail')`); n != 0 {
		t.Errorf("got %d configurations, want none", n)
	}
}

// The URLs for the providers' panels are those of the shop at the server's public address.
func TestAdmin_ProviderURLs(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	var urls admin.ProviderURLs
	s.get("/admin/v1/shops/test/provider-urls", "Authorization", s.key(t, "providers.read")).ok(200, &urls)
	if len(urls.Nodes) != 4 || !reflect.DeepEqual(urls.Nodes, s.shop.WebhookURLs()) || !strings.HasSuffix(urls.Nodes[0].URL, "/test") {
		t.Errorf("got %+v, want the shop's URLs of all providers", urls.Nodes)
	}
}

// Staff list and find collections, with a permission of their own.
func TestAdmin_Collections(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "products.read", "products.write")
	const path = "/admin/v1/shops/test/collections"
	for _, title := range []string{"Eid", "Summer", "Winter"} {
		s.send("POST", path, `{"title":"`+title+`"}`, "Authorization", key).ok(200, &catalogue.Collection{})
	}
	var list page.List[catalogue.Collection]
	for query, want := range map[string]string{"": "Eid Summer Winter 3", "?limit=1&page=2": "Summer 3", "?search=win": "Winter 1", "?search=.": " 0"} {
		s.get(path+query, "Authorization", key).ok(200, &list)
		var titles []string
		for _, c := range list.Nodes {
			titles = append(titles, c.Title)
		}
		if got := fmt.Sprint(strings.Join(titles, " "), " ", list.Meta.TotalCount); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	s.get(path, "Authorization", s.key(t, "orders.read")).problem(403, fault.CodeForbidden)
	s.get(path+"?limit=101", "Authorization", key).problem(422, fault.CodeValidationFailed)
}

// An uploaded logo is what every page of the shop shows, and is not deleted while it is the logo.
func TestAdmin_UploadedLogo(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := []string{"Cookie", s.session(t, staff.RoleOwner)}
	const path = "/admin/v1/shops/test/settings"
	image := mediaOf(t, s.upload("?alt=Logo", shoptest.PNG(t, 1400, 700, 1), owner...), 201)
	spare := mediaOf(t, s.upload("", shoptest.PNG(t, 100, 100, 2), owner...), 201)
	logo := func() string {
		var session struct{ Shop struct{ LogoURL *string } }
		s.get("/admin/v1/shops/test/session", owner...).ok(200, &session)
		front, err := s.shop.StoreFront(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(session.Shop.LogoURL, front.LogoURL); diff != "" {
			t.Errorf("logo of the session and the storefront (-want +got):\n%s", diff)
		}
		if front.LogoURL == nil {
			return ""
		}
		return *front.LogoURL
	}

	s.send("PATCH", path, `{"logoUrl":"/old.svg"}`, owner...).ok(200, new(shop.StaffSettings))
	if got := logo(); got != "/old.svg" {
		t.Errorf("got logo %q, want that of logoUrl", got)
	}
	s.send("PATCH", path, `{"brand":{"logoId":"`+image.ID+`","colour":"#112233"}}`, owner...).ok(200, new(shop.StaffSettings))
	if got, want := logo(), "/media/test/"+image.ID+"/640.png"; got != want {
		t.Errorf("got logo %q, want %q", got, want)
	}
	const id = "0123456789ABCDEF"
	shown := `src="/media/test/` + image.ID + `/640.png"`
	if page := s.get("/admin/v1/shops/test/print/invoice?ids="+id, owner...); !strings.Contains(string(page.body), shown) {
		t.Errorf("got invoice %s, want the uploaded logo", page.body)
	}
	if page := s.get(order.PagePath + "test/" + id); !strings.Contains(string(page.body), shown) {
		t.Errorf("got the buyer's page %s, want the uploaded logo", page.body)
	}

	problem := s.send("DELETE", mediaPath+"/"+image.ID, "", append(owner, "Content-Type", "application/json")...)
	wantProblem(t, problem, 409, fault.CodeInUse)
	for range 3 { // marks it unused, and later deletes it, if it were
		s.shop.Clock.Advance(catalogue.MediaRetention)
		if _, err := s.shop.Catalogue.SweepMedia(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{image.ID}, s.shop.Media.IDs()); diff != "" {
		t.Errorf("files after all unused images were deleted (-want +got):\n%s", diff)
	}
	owner = []string{"Cookie", s.session(t, staff.RoleManager)} // the first has expired
	for _, id := range []string{spare.ID, "nothing", `\"%`} {
		got := s.send("PATCH", path, `{"brand":{"logoId":"`+id+`"}}`, owner...).problem(422, fault.CodeValidationFailed)
		if got.fields() != "brand.logoId invalid_value" {
			t.Errorf("logo %s: got fields %s, want brand.logoId", id, got.fields())
		}
	}
	s.send("PATCH", path, `{"brand":null}`, owner...).ok(200, new(shop.StaffSettings))
	if got := logo(); got != "/old.svg" {
		t.Errorf("without the uploaded logo: got %q, want that of logoUrl", got)
	}
	if r := s.send("DELETE", mediaPath+"/"+image.ID, "", append(owner, "Content-Type", "application/json")...); r.status != 200 {
		t.Errorf("delete the former logo: got %d: %s", r.status, r.body)
	}
}

// Each export of orders, customers, cash and sales requires a recent proof of a session, returns
// nothing without it, and works after it. A program's key needs none.
func TestAdmin_ExportProof(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const base = "/admin/v1/shops/test/"
	owner := "sf_admin=" + s.shop.Member(t, staff.RoleOwner, "owner@example.com").Session
	manager := "sf_admin=" + s.shop.Member(t, staff.RoleManager, "manager@example.com").Session
	customer, key := s.shop.Rahim(t).User.ID, s.key(t, "*")
	paths := []string{base + "exports/analytics/overview"} // another use case of the same operation
	for _, o := range shopOperations() {
		if o.Use.Permission != access.Export {
			continue
		}
		path := strings.NewReplacer("{tenant}", "test", "{id}", customer, "{name}", "days").Replace(o.Route())
		paths = append(paths, path)
	}
	if len(paths) != 7 {
		t.Fatalf("got the exports %v, want seven", paths)
	}
	s.shop.Clock.Advance(16 * time.Minute)
	for _, path := range paths {
		for _, cookie := range []string{owner, manager} {
			s.get(path, "Cookie", cookie).problem(401, fault.CodeProofRequired)
		}
		if got := s.get(path, "Authorization", key); got.status != 200 || len(got.body) == 0 {
			t.Errorf("%s with a key: got %d %s, want the export", path, got.status, got.body)
		}
	}
	s.send("POST", base+"session/proof", `{"password":"wrong"}`, "Cookie", owner).problem(401, fault.CodeInvalidCredentials)
	s.get(paths[0], "Cookie", owner).problem(401, fault.CodeProofRequired)
	s.send("POST", base+"session/proof", `{"password":"`+shoptest.Password+`"}`, "Cookie", owner).ok(200, &struct{}{})
	for _, path := range paths {
		if got := s.get(path, "Cookie", owner); got.status != 200 || len(got.body) == 0 {
			t.Errorf("%s after the proof: got %d %s, want the export", path, got.status, got.body)
		}
		s.get(path, "Cookie", manager).problem(401, fault.CodeProofRequired) // whose session was not proved
	}
}
