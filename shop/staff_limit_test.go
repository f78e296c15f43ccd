package shop_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// A setting that another use case guards needs its permission, and its proof, here too.
func TestSettings_FurtherPermission(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner, manager := signIn(t, a, staff.RoleOwner), signIn(t, a, staff.RoleManager)
	key := apiKey(t, a)
	set := func(caller access.Caller, name string, value any) fault.Code {
		return shoptest.ErrorCode(a.SetSettings(t.Context(), caller, shoptest.Raw(t, map[string]any{name: value})))
	}
	for name, value := range map[string]any{
		"suspended": true, "activeMode": "sandbox", "requireSecondFactor": "everyone", "limits": map[string]any{"wrongPasswords": 50},
		"proofOfWork": []string{"otp"}, "orderTokenDays": 0,
	} {
		if got := set(manager, name, value); got != fault.CodeForbidden {
			t.Errorf("manager sets %s: got %q, want forbidden", name, got)
		}
		if got := set(owner, name, value); got != "" {
			t.Errorf("owner sets %s: got %q", name, got)
		}
		a.Set(t, map[string]any{name: nil})
		wantOfKey := fault.CodeForbidden
		if name == "activeMode" {
			wantOfKey = ""
		}
		a.Set(t, map[string]any{name: nil})
		if got := set(key, name, value); got != wantOfKey {
			t.Errorf("key sets %s: got %q, want %q", name, got, wantOfKey)
		}
		a.Set(t, map[string]any{name: nil})
	}
	a.Clock.Advance(16 * time.Minute)
	for _, name := range []string{"suspended", "limits"} {
		value := map[string]any{"suspended": true, "limits": map[string]any{"wrongPasswords": 50}}[name]
		if got := set(owner, name, value); got != fault.CodeProofRequired {
			t.Errorf("owner without proof sets %s: got %q, want proof_required", name, got)
		}
	}
	if got := set(manager, "storefrontUrl", "https://shop.example"); got != "" {
		t.Errorf("manager sets another setting: got %q", got)
	}
	if got := set(manager, "suspended", false); got != "" {
		t.Errorf("manager sends the value that a setting has: got %q", got)
	}
}

// Settings of one line have no line breaks, which would end a header or a message's first line.
func TestSettings_OneLine(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	for _, text := range []string{"Acme\r\nBcc: x", "Acme\nBcc: x", "Acme\rBcc: x", "Acme\u2028Bcc: x", "Acme\tBcc: x"} {
		a.Set(t, map[string]any{
			"name": text, "legalPolicies": []any{map[string]any{"slug": "terms", "title": text}},
			"socialLinks": []any{map[string]any{"platform": text, "url": "https://example.com"}},
		})
		set, err := a.Settings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []string{set.Name, set.LegalPolicies[0].Title, set.SocialLinks[0].Platform} {
			if got != "Acme Bcc: x" {
				t.Errorf("%q: got %q, want one line", text, got)
			}
		}
	}
}

// An owner changes the limits within bounds; the operator beyond them.
func TestSettings_LimitsOfOwners(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := signIn(t, a, staff.RoleOwner)
	set := func(limits map[string]any) fault.Code {
		return shoptest.ErrorCode(a.SetSettings(t.Context(), owner, shoptest.Raw(t, map[string]any{"limits": limits})))
	}
	for _, tt := range []struct {
		name  string
		value int
		want  fault.Code
	}{
		{"wrongPasswords", 50, ""}, {"wrongPasswords", 51, fault.CodeValidationFailed},
		{"wrongPasswordsPerAccount", 1_000_000, fault.CodeValidationFailed}, {"wrongPasswordsPerAccount", 1, ""},
		{"wrongCodes", 1_000_000, fault.CodeValidationFailed}, {"messagesPerDay", 20_000, ""},
		{"codeInterval", 1, fault.CodeValidationFailed}, {"codeInterval", 6, ""}, {"codeInterval", 3600, ""},
	} {
		if got := set(map[string]any{tt.name: tt.value}); got != tt.want {
			t.Errorf("%s = %d: got %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
	a.Set(t, map[string]any{"limits": map[string]any{"wrongCodes": 1_000_000}})
	if got := set(map[string]any{"wrongCodes": 1_000_000, "wrongPasswords": 3}); got != "" {
		t.Errorf("beside a limit of the operator: got %q", got)
	}
}

// Stock is changed only with the permission for it, by whichever use case.
func TestUpdateProduct_StockPermission(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	in := catalogue.ProductInput{Handle: "tea", Title: "Tea", Variants: []catalogue.VariantInput{{Price: 100, Tracked: true, Stock: new(5)}}}
	if _, err := a.Catalogue.SaveProduct(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	key, both := apiKey(t, a, "products.write"), apiKey(t, a, "products.write", "stock.write")
	update := func(caller access.Caller, stock int64) error {
		_, err := a.Catalogue.UpdateProduct(t.Context(), caller, "tea",
			catalogue.ProductChange{Title: new("Green tea"), Variants: []catalogue.VariantChange{{Stock: &stock}}})
		return err
	}
	e := shoptest.WantCode(t, update(key, 0), fault.CodeForbidden)
	if e.Details["permission"] != access.StockWrite {
		t.Errorf("got details %v, want the permission", e.Details)
	}
	if err := update(key, 5); err != nil {
		t.Errorf("with the stock that there is: got %v", err)
	}
	in.Title, in.Variants[0].Stock = "Black tea", new(0)
	_, err := a.Catalogue.SaveProduct(t.Context(), key, in)
	shoptest.WantCode(t, err, fault.CodeForbidden)
	const file = "Handle,Title,Variant Price,Variant Inventory Tracker,Variant Inventory Qty\ntea,Tea,1.00,shopify,7\n"
	_, err = a.Catalogue.ImportProducts(t.Context(), key, strings.NewReader(file), catalogue.ImportOptions{})
	shoptest.WantCode(t, err, fault.CodeForbidden)
	if n := a.Number(t, `SELECT stock FROM variants`); n != 5 {
		t.Errorf("got a stock of %d, want 5", n)
	}
	if err := update(both, 4); err != nil {
		t.Errorf("with both permissions: got %v", err)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE changes LIKE '%variants[0].stock%'`); n == 0 {
		t.Error("got no audit entry that names the variant")
	}
}

// A caller without payments.read sees no payment attempt with an order.
func TestFindOrderAsStaff_PaymentsPermission(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0123456789ABCDEF", shoptest.RahimsPhone)
	a.Exec(t, `INSERT INTO payment_attempts (id, order_id, method, status, amount, external_id, transaction_id, redirect_url, error_code,
			created_at, updated_at, mode)
		VALUES ('p1', '0123456789ABCDEF', 'gateway_a', 'needs_review', 100, 'e', 'TX-1', '', '', 1, 1, 'live')`)
	for caller, want := range map[*access.Caller]int{
		new(signIn(t, a, staff.RoleStaff)): 0, new(apiKey(t, a, "orders.read")): 0,
		new(signIn(t, a, staff.RoleManager)): 1, new(apiKey(t, a, "orders.read", "payments.read")): 1,
	} {
		order, err := a.Orders.FindOrderAsStaff(t.Context(), *caller, "0123456789ABCDEF")
		if err != nil || len(order.Payments) != want {
			t.Errorf("got %+v, %v, want %d payments", order, err, want)
		}
	}
}

// Requests for a code do not fill the audit log, even if none can be sent.
func TestRequestPasswordCode_Unsendable(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Member(t, staff.RoleOwner, ownersEmail)
	if _, err := a.Staff.UpdateMember(t.Context(), access.Operator(), ownersEmail, staff.MemberChange{PhoneNumber: new("01711-000000")}); err != nil {
		t.Fatal(err)
	}
	a.SMS.Answer(func(string, string) error { return fault.Errorf(fault.CodeSMSUnavailable, "No.") })
	for i := range 40 {
		for a.Number(t, `SELECT count(*) FROM staff_codes`) > 0 && t.Context().Err() == nil { // being sent
			runtime.Gosched()
		}
		if err := a.Staff.RequestPasswordCode(t.Context(), access.Caller{Client: fmt.Sprintf("198.51.100.%d", i)}, ownersEmail); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'password.send_code'`); n != 10 {
		t.Errorf("got %d audit entries, want at most ten an hour", n)
	}
}

// A link by a manager signs in with the second factor alone. One by an owner or the command line
// does without, and the audit log shows it.
func TestLink_SecondFactor(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	owner, manager := signIn(t, a, staff.RoleOwner), signIn(t, a, staff.RoleManager)
	secret, _ := a.TOTP(t, a.Member(t, staff.RoleStaff, "staff@example.com"))
	link := func(by access.Caller) string {
		t.Helper()
		_, link, err := a.Staff.CreateLink(ctx, by, "staff@example.com")
		if err != nil {
			t.Fatal(err)
		}
		return link.Token
	}
	use := func(token, code string) error {
		in := staff.UseLinkInput{Token: token, Password: shoptest.Password}
		if code != "" {
			in.SecondFactorCode = &code
		}
		_, err := a.Staff.UseLink(ctx, access.Caller{Client: shoptest.StaffClient}, in)
		return err
	}
	token := link(manager)
	info, err := a.Staff.InspectLink(ctx, access.Caller{}, token)
	if err != nil || !info.SecondFactorRequired {
		t.Errorf("got %+v, %v, want a link that requires the second factor", info, err)
	}
	shoptest.WantCode(t, use(token, ""), fault.CodeSecondFactorRequired)
	shoptest.WantCode(t, use(token, "000000"), fault.CodeInvalidCredentials)
	a.Clock.Advance(30 * time.Second)
	if err := use(token, shoptest.TOTPCode(t, secret, a.Clock.Now())); err != nil {
		t.Errorf("with a code: got %v", err)
	}
	noted := func() int64 {
		return a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'link.use' AND changes LIKE '%secondFactor%'`)
	}
	if n := noted(); n != 0 {
		t.Errorf("got %d entries of a link without the second factor, want 0", n)
	}
	for i, by := range []access.Caller{owner, access.CommandLine("rina")} {
		if err := use(link(by), ""); err != nil {
			t.Errorf("by an owner or the command line: got %v", err)
		}
		if n := noted(); n != int64(i+1) {
			t.Errorf("got %d entries of a link without the second factor, want %d", n, i+1)
		}
	}
}

// Two requests with one idempotency key create one link, even if the first one's response is lost.
func TestCreateLink_IdempotencyKey(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	m := invite(t, a, staff.RoleStaff, "staff@example.com")
	caller := signIn(t, a, staff.RoleOwner)
	create := func(nonce string) error {
		caller.Request = access.Request{Operation: "createStaffLink", Key: "k", Fingerprint: "f", Nonce: nonce}
		_, _, err := a.Staff.CreateLink(t.Context(), caller, m.ID)
		return err
	}
	if err := create("first"); err != nil {
		t.Fatal(err)
	}
	shoptest.WantCode(t, create("second"), fault.CodeStateConflict)
}

// Stored responses end after a day, are bounded, and do not outlive the buyer whom they contain.
func TestStaffRequests_Bounds(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ids := []string{"0000000000000001", "0000000000000002"}
	a.InsertOrder(t, ids[0], shoptest.RahimsPhone)
	a.InsertOrder(t, ids[1], shoptest.KarimsPhone)
	caller := apiKey(t, a)
	store := func(key, id string) {
		t.Helper()
		caller.Request = access.Request{Operation: "confirmOrder", Key: key, Fingerprint: "f", Nonce: key}
		order, err := a.Orders.ConfirmOrder(t.Context(), caller, id)
		if err != nil {
			t.Fatal(err)
		}
		body := []byte(fmt.Sprintf(`{"_id":%q,"phone":%q}`, id, order.Customer.PhoneNumber))
		if err := a.Staff.SaveResponse(t.Context(), caller, access.ToConfirmOrder, staff.Response{Status: 200, Body: body}, false); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range ids {
		store(fmt.Sprint("key", i), id)
	}
	count := func() int64 { return a.Number(t, `SELECT count(*) FROM staff_requests`) }
	if _, err := a.DeleteCustomer(t.Context(), access.Operator(), shoptest.RahimsPhone); err != nil {
		t.Fatal(err)
	}
	stored := a.Number(t, `SELECT count(*) FROM staff_requests WHERE body IS NOT NULL`)
	if n := a.Number(t, `SELECT count(*) FROM staff_requests WHERE key = 'key1' AND body IS NOT NULL`); n != 1 || stored != 1 || count() != 2 {
		t.Errorf("got %d stored responses, %d of the other buyer's order, and %d requests; want that one of both", stored, n, count())
	}
	a.Exec(t, `
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
		INSERT INTO staff_requests (actor, operation, key, fingerprint, nonce, created_at)
		SELECT (SELECT max(actor) FROM staff_requests), 'x', 'x' || i, ?, '', i FROM n`, []byte("f"))
	store("last", ids[1])
	if n := count(); n != 5000 {
		t.Errorf("got %d stored requests of a key, want 5000", n)
	}
	a.Clock.Advance(24 * time.Hour)
	if _, err := a.Staff.PurgeAccess(t.Context()); err != nil || count() != 0 {
		t.Errorf("after a day: got %d stored responses, %v, want none", count(), err)
	}
	if !slices.Contains(shop.OmittedTables(), "staff_requests") {
		t.Error("got stored responses in exports")
	}
}

// A padded credential is another one, so that it is not a way around the rate limit.
func TestStaff_PaddedCredential(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	key, owner := apiKey(t, a), signIn(t, a, staff.RoleOwner)
	for _, caller := range []access.Caller{{Bearer: key.Bearer + "\u00a0"}, {Session: owner.Session + "  "}} {
		_, err := a.Orders.ListOrders(t.Context(), caller, order.ListFilter{})
		shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	}
	_, err := a.Orders.ListOrders(t.Context(), access.Caller{}, order.ListFilter{})
	if e := shoptest.WantCode(t, err, fault.CodeUnauthenticated); !strings.HasPrefix(e.Message, "Sign in") {
		t.Errorf("got %q without a credential, want the advice to sign in", e.Message)
	}
}

// The audit log is selected by kind of actor too: the command line has no ID.
func TestListAudit_ActorKind(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0000000000000001", shoptest.RahimsPhone)
	if _, err := a.Orders.ConfirmOrder(t.Context(), apiKey(t, a), "0000000000000001"); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{"cli": "key.create", "key": "order.confirm"} {
		log, err := a.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{Actor: kind})
		if err != nil || len(log.Nodes) != 1 || log.Nodes[0].Action != want {
			t.Errorf("%s: got %+v, %v, want %s", kind, log, err, want)
		}
	}
}

func TestEnableCoupon_Unknown(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	_, err := a.Orders.EnableCoupon(t.Context(), access.Operator(), "NONE")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	_, err = a.Orders.DisableCoupon(t.Context(), access.Operator(), "NONE")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	shoptest.WantCode(t, a.Orders.DeleteCoupon(t.Context(), access.Operator(), "NONE"), fault.CodeNotFound)
}

// The server of a storefront must have the scope to place orders: others could invent clients.
func TestCheckAPIKey_Scope(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	for scope, want := range map[string]fault.Code{"analytics.read": fault.CodeForbidden, "orders.write": "", "*": ""} {
		if got := shoptest.ErrorCode(a.Staff.CheckAPIKey(t.Context(), apiKey(t, a, scope).Bearer, access.OrdersWrite)); got != want {
			t.Errorf("%s: got %q, want %q", scope, got, want)
		}
	}
}

func TestCreateAPIKey_Limit(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	create := func() (*staff.APIKey, error) {
		_, key, err := a.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "panel"})
		return key, err
	}
	var last *staff.APIKey
	for range 50 {
		var err error
		if last, err = create(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := create()
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	if err := a.Staff.RevokeAPIKey(t.Context(), access.Operator(), last.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := create(); err != nil {
		t.Errorf("after one was revoked: got %v", err)
	}
}
