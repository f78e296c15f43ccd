package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/db/sqlite"
	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/passkey"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// operatorOperations returns the operations of operators.
func operatorOperations() []admin.Operation {
	return slices.DeleteFunc(admin.Operations(), func(o admin.Operation) bool { return !o.OfInstallation })
}

// newAgencySite returns a server with the data of operators.
func newAgencySite(t *testing.T) *operatorSite {
	t.Helper()
	o := newOperatorSite(t)
	own, err := o.all.CreateInstallation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o.own = own.Staff
	return o
}

// operator returns the cookie of a new operator, with an authenticator app and its secret.
func (o *operatorSite) operator(t *testing.T, role staff.OperatorRole, name string) (cookie, secret string) {
	t.Helper()
	in := staff.OperatorInput{Name: name, Email: name + "@agency.example", Role: role}
	_, link, err := o.own.InviteOperator(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	session, err := o.own.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	caller := access.Caller{Session: session.Token}
	setup, err := o.own.StartTOTP(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.own.ConfirmTOTP(t.Context(), caller, shoptest.TOTPCode(t, setup.Secret, o.clock.Now())); err != nil {
		t.Fatal(err)
	}
	return "sf_operator=" + session.Token, setup.Secret
}

// operatorTable is the specification of what each role of operators may do, as [permissionTable].
const operatorTable = `
	installation.read  ✓  ✓  ✓
	shops.write        ✱  ✱  –
	shops.delete       ✱  –  –
	plans.write        ✱  –  –
	defaults.write     ✱  –  –
	status.write       ✱  ✱  –
	shops.enter        ✱  ✱  –
	operators.read     ✓  ✓  –
	operators.write    ✱  –  –`

// The roles of operators have the permissions of the specification. An operator without an
// operation's permission gets no data from it, nor anybody else, and one with it only after a
// recent proof if it changes something. No response may be stored.
func TestOperator_Access(t *testing.T) {
	t.Parallel()
	o := newAgencySite(t)
	cookies, cells := map[staff.OperatorRole]string{}, map[access.Permission][]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(operatorTable), "\n") {
		columns := strings.Fields(line)
		cells[access.Permission(columns[0])] = columns[1:]
	}
	if len(cells) != len(access.InstallationPermissions()) {
		t.Errorf("got %d permissions, want those of %v", len(cells), access.InstallationPermissions())
	}
	for i, role := range staff.OperatorRoles() {
		cookies[role], _ = o.operator(t, role, string(role))
		for p, row := range cells {
			if has := slices.Contains(role.Permissions(), p); has != (row[i] != "–") || staff.NeedsProof(p) != slices.Contains(row, "✱") {
				t.Errorf("%s of %s: got %t, with a proof: %t, want %q", p, role, has, staff.NeedsProof(p), row)
			}
		}
	}
	call := func(op *admin.Operation, header ...string) *reply {
		body := ""
		if op.Method != http.MethodGet && op.Method != http.MethodDelete {
			body = "{}"
		}
		got := o.send(op.Method, pathOf(op), body, append([]string{"x-tenant", "", "Content-Type", "application/json"}, header...)...)
		if cached := got.header.Get("Cache-Control"); cached != "no-store" {
			t.Errorf("%s: got %d with Cache-Control %q, want no-store", op.ID, got.status, cached)
		}
		return got
	}
	key, _, err := o.own.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "All", Scopes: []staff.Scope{staff.ScopeAll}})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range operatorOperations() {
		p := op.Use.Permission
		if p == access.Anybody {
			if got := call(&op); got.status < 400 {
				t.Errorf("%s without content: got %d: %s", op.ID, got.status, got.body)
			}
			continue
		}
		call(&op).wantCode(op.ID, fault.CodeUnauthenticated)
		call(&op, "Cookie", "sf_operator=none").wantCode(op.ID, fault.CodeUnauthenticated)
		call(&op, "Cookie", cookies[staff.OperatorOwner], "Authorization", "Bearer sfa_none").wantCode(op.ID, fault.CodeUnauthenticated)
		call(&op, "Authorization", "Bearer "+key).wantCode(op.ID+" with a key", fault.CodeForbidden)
		if p == access.Own {
			continue
		}
		for role, cookie := range cookies {
			got := call(&op, "Cookie", cookie)
			if refused := got.status == http.StatusForbidden; refused == slices.Contains(role.Permissions(), p) {
				t.Errorf("%s as %s: got %d: %s", op.ID, role, got.status, got.body)
			}
		}
	}
	o.clock.Advance(16 * time.Minute)
	for _, op := range operatorOperations() {
		if !staff.NeedsProof(op.Use.Permission) {
			continue
		}
		for role, cookie := range cookies {
			code := fault.CodeForbidden
			if slices.Contains(role.Permissions(), op.Use.Permission) {
				code = fault.CodeProofRequired
			}
			call(&op, "Cookie", cookie).wantCode(op.ID+" as "+string(role), code)
		}
	}
}

// operatorStep is a request of an operator: with a code if it is refused, and otherwise with the
// action that the log of the installation gets.
type operatorStep struct {
	operation, path, body string
	code                  fault.Code
}

// operatorSteps has each change of an operator, and each reason to refuse one.
var operatorSteps = []operatorStep{
	{"createShop", "shops", `{"uid":"rina","name":"Rina's Sarees","currency":"BDT","country":"BD","language":"bn",
		"owner":{"name":"Rina Akter","user":"rina@example.com"}}`, ""},
	{"createShop", "shops", `{"uid":"rina","name":"Rina","currency":"BDT","country":"BD","language":"bn",
		"owner":{"name":"Rina","user":"rina@example.com"}}`, fault.CodeShopExists},
	{"createShop", "shops", `{"uid":"karim","name":"Karim","currency":"BDT","country":"BD","language":"bn","like":"none",
		"owner":{"name":"Karim","user":"karim@example.com"}}`, fault.CodeValidationFailed},
	{"createShop", "shops", `{"uid":"karim","name":"Karim","currency":"USD","country":"US","language":"en","like":"rina",
		"owner":{"name":"Karim","user":"karim@example.com"}}`, fault.CodeValidationFailed},
	{"createShop", "shops", `{"uid":"karim","name":"Karim","currency":"BDT","country":"BD","language":"bn","like":"rina","withCatalogue":true,
		"owner":{"name":"Karim","user":"karim@example.com"}}`, ""},
	{"suspendShopAsOperator", "shops/none/suspend", `{"reason":"Unpaid"}`, fault.CodeTenantNotFound},
	{"suspendShopAsOperator", "shops/rina/suspend", `{"reason":" "}`, fault.CodeValidationFailed},
	{"suspendShopAsOperator", "shops/rina/suspend", `{"reason":"Unpaid"}`, ""},
	{"resumeShopAsOperator", "shops/none/resume", `{}`, fault.CodeTenantNotFound},
	{"resumeShopAsOperator", "shops/karim/resume", `{}`, fault.CodeStateConflict},
	{"resumeShopAsOperator", "shops/rina/resume", `{}`, ""},
	{"changeShops", "bulk/shops", `{"action":"delete","shops":["rina"],"reason":"Unpaid"}`, fault.CodeValidationFailed},
	{"changeShops", "bulk/shops", `{"action":"suspend","shops":["rina"]}`, fault.CodeValidationFailed},
	{"changeShops", "bulk/shops", `{"action":"suspend","shops":["rina","karim","none"],"reason":"Unpaid"}`, ""},
	{"deleteShop", "shops/none/deletion", `{"reason":"Ended"}`, fault.CodeTenantNotFound},
	{"deleteShop", "shops/karim/deletion", `{"reason":"Ended","days":91}`, fault.CodeValidationFailed},
	{"deleteShop", "shops/karim/deletion", `{"reason":"Ended","days":30}`, ""},
	{"copyShop", "shops/none/copies", `{"uid":"trial"}`, fault.CodeTenantNotFound},
	{"copyShop", "shops/karim/copies", `{"uid":"rina"}`, fault.CodeShopExists},
	{"copyShop", "shops/karim/copies", `{"uid":"?"}`, fault.CodeValidationFailed},
	{"copyShop", "shops/karim/copies", `{"uid":"trial"}`, ""},
	{"createSandbox", "shops/none/sandbox", `{}`, fault.CodeTenantNotFound},
	{"createSandbox", "shops/karim/sandbox", `{}`, ""},
	{"createSandbox", "shops/karim-sandbox/sandbox", `{}`, fault.CodeStateConflict},
	{"copyShop", "shops/rina/copies", `{"uid":"rina-sandbox"}`, ""},
	{"createSandbox", "shops/rina/sandbox", `{}`, fault.CodeShopExists},
	{"listRestorePoints", "shops/none/restore-points", "", fault.CodeTenantNotFound},
	{"listRestorePoints", "shops/karim/restore-points?at=2026-01-01T00:00:00Z", "", fault.CodeValidationFailed},
	{"restoreShop", "shops/none/restore", `{"file":"none","reason":"Lost"}`, fault.CodeTenantNotFound},
	{"restoreShop", "shops/karim/restore", `{"file":"none","reason":"Lost"}`, fault.CodeValidationFailed},
	{"restoreShop", "shops/karim/restore", `{"file":"none","reason":" "}`, fault.CodeValidationFailed},
	{"restoreShop", "shops/karim/restore", `{"file":"<backup>","reason":"Deleted by mistake"}`, ""},
	{"moveShop", "shops/none/move", `{"to":"files"}`, fault.CodeTenantNotFound},
	{"moveShop", "shops/karim/move", `{"to":"postgres"}`, fault.CodeStateConflict},
	{"moveShop", "shops/karim/move", `{"to":null}`, fault.CodeValidationFailed},
	{"moveShop", "shops/karim/move", `{"to":"files"}`, ""},
	{"getShopJob", "jobs/none", "", fault.CodeNotFound},
	{"inviteShopOwner", "shops/none/owner-link", `{"name":"Rina","user":"rina@example.com"}`, fault.CodeTenantNotFound},
	{"inviteShopOwner", "shops/rina/owner-link", `{"name":"Rina","user":"rina@example.com"}`, ""},
	{"enterShop", "shops/none/visits", `{"reason":"Ticket 481"}`, fault.CodeTenantNotFound},
	{"enterShop", "shops/rina/visits", `{"reason":"x"}`, fault.CodeValidationFailed},
	{"enterShop", "shops/rina/visits", `{"reason":"Ticket 481"}`, ""},
	{"inviteOperator", "operators", `{"name":"Tanvir","email":"tanvir@agency.example","role":"support"}`, ""},
	{"inviteOperator", "operators", `{"name":"Tanvir","email":"tanvir@agency.example","role":"support"}`, fault.CodeStateConflict},
	{"inviteOperator", "operators", `{"name":"Tanvir","email":"t@agency.example","role":"manager"}`, fault.CodeValidationFailed},
	{"updateOperator", "operators/none", `{"role":"viewer"}`, fault.CodeNotFound},
	{"updateOperator", "operators/tanvir@agency.example", `{"role":null}`, fault.CodeValidationFailed},
	{"updateOperator", "operators/shaila@agency.example", `{"role":"viewer"}`, fault.CodeForbidden},
	{"updateOperator", "operators/tanvir@agency.example", `{"role":"viewer"}`, ""},
	{"resetOperator", "operators/none/link", `{}`, fault.CodeNotFound},
	{"resetOperator", "operators/tanvir@agency.example/link", `{}`, ""},
	{"removeOperator", "operators/none", "", fault.CodeNotFound},
	{"removeOperator", "operators/shaila@agency.example", "", fault.CodeForbidden},
	{"removeOperator", "operators/tanvir@agency.example", "", ""},
	{"savePlan", "plans/basic", `{"limits":{"products":5}}`, ""},
	{"savePlan", "plans/basic", `{"limits":{"products":-5}}`, fault.CodeValidationFailed},
	{"changeShops", "bulk/shops", `{"action":"plan","shops":["rina"],"plan":"basic"}`, ""},
	{"changeShops", "bulk/shops", `{"action":"plan","shops":["rina"],"plan":"none"}`, fault.CodeValidationFailed},
	{"removePlan", "plans/basic", "", fault.CodeInUse},
	{"changeShops", "bulk/shops", `{"action":"plan","shops":["rina"]}`, ""},
	{"removePlan", "plans/basic", "", ""},
	{"removePlan", "plans/basic", "", fault.CodeNotFound},
	{"updateDefaults", "defaults", `{"branding":{"name":"Dhaka Web"},"locked":["sms"]}`, ""},
	{"updateDefaults", "defaults", `{"branding":{"colour":"red"}}`, fault.CodeValidationFailed},
	{"updateDefaults", "defaults", `{"announcements":[{"kind":"maintenance","en":"Closed on Friday from 2 to 3 a.m."}]}`, ""},
	{"updateDefaults", "defaults", `{"announcements":[{"kind":"maintenance"}]}`, fault.CodeValidationFailed},
	{"setDefaultSms", "defaults/sms", `{"preset":"bulksmsbd","params":{"apiKey":"k","sender":"8809600000000"}}`, ""},
	{"setDefaultSms", "defaults/sms", `{}`, fault.CodeValidationFailed},
	{"removeDefaultSms", "defaults/sms", "", ""},
	{"setDefaultMail", "defaults/mail", `{"host":"smtp.example.com","from":"o@example.com","username":"o","password":"p"}`, ""},
	{"setDefaultMail", "defaults/mail", `{"host":""}`, fault.CodeValidationFailed},
	{"removeDefaultMail", "defaults/mail", "", ""},
	{"openIncident", "incidents", `{"title":" ","state":"open","components":["shop"],"text":""}`, fault.CodeValidationFailed},
	{"openIncident", "incidents", `{"title":"SMS late","state":"investigating","components":["messages"],"text":"The gateway is slow."}`, ""},
	{"updateIncident", "incidents/none/updates", `{"state":"resolved","text":"Done"}`, fault.CodeNotFound},
	{"updateIncident", "incidents/<incident>/updates", `{"state":"resolved","text":" "}`, fault.CodeValidationFailed},
	{"updateIncident", "incidents/<incident>/updates", `{"state":"resolved","text":"All are sent.","title":"SMS were late"}`, ""},
	{"removeIncident", "incidents/none", "", fault.CodeNotFound},
	{"removeIncident", "incidents/<incident>", "", ""},
	{"listShopUsage", "usage?month=May", "", fault.CodeValidationFailed},
	{"exportShopUsage", "exports/usage?month=May", "", fault.CodeValidationFailed},
	{"listShops", "shops?state=lost", "", fault.CodeValidationFailed},
	{"listOperatorLog", "audit?limit=0", "", fault.CodeValidationFailed},
	{"getShop", "shops/none", "", fault.CodeTenantNotFound},
	{"startOperatorTotp", "me/totp", `{}`, fault.CodeStateConflict},
	{"confirmOperatorTotp", "me/totp/confirm", `{"code":"123456"}`, fault.CodeStateConflict},
	{"proveOperatorSession", "session/proof", `{"password":"wrong"}`, fault.CodeInvalidCredentials},
	{"proveOperatorSession", "session/proof", `{"code":"<code>"}`, ""},
	{"addOperatorPasskey", "me/passkeys", "<creation>", ""},
	{"renameOperatorPasskey", "me/passkeys/<passkey>", `{"name":"Laptop"}`, ""},
	{"signInOperatorByPasskey", "session/passkey", "<signIn>", ""},
	{"removeOperatorPasskey", "me/passkeys/<passkey>", "", ""},
	{"removeOperatorTotp", "me/totp", "", ""},
	{"removeOperatorTotp", "me/totp", "", fault.CodeSecondFactorSetupRequired},
	{"startOperatorTotp", "me/totp", `{}`, ""},
	{"confirmOperatorTotp", "me/totp/confirm", `{"code":"<code>"}`, ""},
	{"inspectOperatorLink", "links/inspect", `{"token":"none"}`, fault.CodeLinkInvalid},
	{"useOperatorLink", "links/use", `{"token":"<token>","password":"password"}`, fault.CodePasswordRejected},
	{"useOperatorLink", "links/use", `{"token":"<token>","password":"kolapata-9-nodi"}`, ""},
	{"signInOperator", "session", `{"user":"shaila@agency.example","password":"kolapata-9-nodi","code":"<code>"}`, ""},
	{"signOutOperator", "session", "", ""},
}

// Every operation of an operator that changes something leaves its entry in the log of the
// installation, with the operator and the request and without any secret, and one that is refused
// leaves none. The IDs of what does not exist find nothing.
func TestOperator_EachChangeIsAudited(t *testing.T) {
	t.Parallel()
	o := newAgencySite(t)
	cookie, secret := o.operator(t, staff.OperatorOwner, "shaila")
	byID, audited := map[string]admin.Operation{}, map[string]bool{}
	for _, op := range operatorOperations() {
		byID[op.ID] = op
	}
	secrets := []string{"kolapata-9-nodi", secret}
	log := func() *page.List[staff.AuditEntry] {
		t.Helper()
		list, err := o.own.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	var logged []staff.AuditEntry
	token, device := "", shoptest.NewAuthenticator(t, passkeyOrigin)
	for _, step := range operatorSteps {
		op := byID[step.operation]
		o.clock.Advance(time.Second) // PostgreSQL has the times of the clock
		body := step.body
		if strings.Contains(body, "<code>") {
			o.clock.Advance(time.Minute) // a code is accepted once
		}
		if strings.Contains(body, "<token>") && token == "" {
			_, link, err := o.own.CreateLink(t.Context(), access.Operator(), "shaila@agency.example")
			if err != nil {
				t.Fatal(err)
			}
			token = link.Token
			secrets = append(secrets, token)
		}
		if strings.Contains(body, "<backup>") {
			body = strings.ReplaceAll(body, "<backup>", o.backUp(t, "karim"))
		}
		browser := o.passkeys(t, cookie)
		switch body {
		case "<creation>":
			body = browser.creation(device)
		case "<signIn>":
			body = browser.proof(device, "session/passkey")
		}
		path := step.path
		if strings.Contains(path, "<passkey>") {
			var list struct{ Nodes []passkey.Passkey }
			browser.request("GET", "me/passkeys", "").ok(http.StatusOK, &list)
			path = strings.ReplaceAll(path, "<passkey>", list.Nodes[0].ID)
		}
		if strings.Contains(path, "<incident>") {
			var list admin.Incidents
			browser.request("GET", "incidents", "").ok(http.StatusOK, &list)
			path = strings.ReplaceAll(path, "<incident>", list.Nodes[0].ID)
		}
		body = strings.NewReplacer("<code>", shoptest.TOTPCode(t, secret, o.clock.Now()), "<token>", token).Replace(body)
		before := log()
		got := o.send(op.Method, "/admin/v1/operator/"+path, body, "Cookie", cookie, "Content-Type", "application/json", "X-Tenant", "",
			"Sec-Fetch-Site", "same-origin", "Host", "localhost:8080")
		after := log()
		if step.code != "" {
			if got.wantCode(step.operation+" "+step.path, step.code); after.Meta.TotalCount != before.Meta.TotalCount && op.Use.Permission != access.Anybody &&
				step.code != fault.CodeInvalidCredentials {
				t.Errorf("%s: got the entry %+v of what was refused", step.operation, after.Nodes[0])
			}
			continue
		}
		if got.status >= 300 {
			t.Errorf("%s: got %d: %s", step.operation, got.status, got.body)
			continue
		}
		audited[op.ID] = true
		added := after.Nodes[:after.Meta.TotalCount-before.Meta.TotalCount]
		logged = append(logged, added...)
		i := slices.IndexFunc(added, func(e staff.AuditEntry) bool { return e.Action == op.Use.Action })
		if i < 0 {
			t.Errorf("%s: got the entries %+v, want one of %s", step.operation, added, op.Use.Action)
			continue
		}
		if e := added[i]; e.RequestID != got.header.Get("X-Request-Id") || e.Actor.Name != "shaila" || e.Client != "127.0.0.1" {
			t.Errorf("%s: got the entry %+v, want the operator and the request", step.operation, e)
		}
		for _, c := range (&http.Response{Header: got.header}).Cookies() {
			if c.Name == "sf_operator" && c.Value != "" {
				cookie = "sf_operator=" + c.Value
				secrets = append(secrets, c.Value)
			}
		}
		var content struct {
			Secret string
			Link   struct{ Token string }
		}
		if err := json.Unmarshal(got.body, &content); err != nil {
			t.Fatal(err)
		}
		if content.Secret != "" {
			secret = content.Secret
		}
		for _, s := range []string{content.Secret, content.Link.Token} {
			if s != "" {
				secrets = append(secrets, s)
			}
		}
	}
	text, err := json.Marshal(logged)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if strings.Contains(string(text), s) {
			t.Errorf("got the secret %q in the log %s", s, text)
		}
	}
	words, err := os.ReadFile("admin/page/js/strings/console.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range operatorOperations() {
		if op.Changes() && !audited[op.ID] {
			t.Errorf("%s changes something and has no request in operatorSteps", op.ID)
		}
		if key := "log_" + strings.ReplaceAll(op.Use.Action, ".", "_") + ":"; op.Use.Action != "" && !strings.Contains(string(words), key) {
			t.Errorf("the console's log has no words for %s: %s", op.Use.Action, key)
		}
	}
}

// A code of an authenticator app cannot be replaced long after signing in, and a member of a shop
// who is no owner gets no link of one.
func TestOperator_Refused(t *testing.T) {
	t.Parallel()
	o := newAgencySite(t)
	cookie, _ := o.operator(t, staff.OperatorOwner, "shaila")
	const api = "/admin/v1/operator/"
	o.request(t, "POST", api+"shops", cookie, map[string]any{
		"uid": "rina", "name": "Rina", "currency": "BDT", "country": "BD", "language": "en",
		"owner": map[string]any{"name": "Rina", "user": "rina@example.com"},
	}).ok(http.StatusCreated, new(any))
	rina, err := o.all.FindIncludingSuspended(t.Context(), "rina")
	if err != nil {
		t.Fatal(err)
	}
	in := staff.InviteInput{Name: "Karim", Email: new("karim@example.com"), Role: staff.RoleStaff}
	if _, _, err := rina.Staff.InviteMember(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	o.request(t, "POST", api+"shops/rina/owner-link", cookie, map[string]any{"name": "Karim", "user": "karim@example.com"}).
		wantCode("staff", fault.CodeStateConflict)
	o.clock.Advance(16 * time.Minute)
	o.request(t, "POST", api+"me/totp", cookie, map[string]any{}).wantCode("start", fault.CodeProofRequired)
	o.request(t, "POST", api+"me/totp/confirm", cookie, map[string]any{"code": "123456"}).wantCode("confirm", fault.CodeProofRequired)
	o.request(t, "DELETE", api+"me/totp", cookie, nil).wantCode("remove", fault.CodeProofRequired)
}

// backUp backs up a shop to the server's folder of backups, and returns the name of the file.
func (o *operatorSite) backUp(t *testing.T, uid string) string {
	t.Helper()
	dir := t.TempDir()
	b, err := o.all.Backup(t.Context(), uid, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.all.SaveServerRecord(&tenants.ServerRecord{BackupDir: dir}); err != nil {
		t.Fatal(err)
	}
	return b.File
}

// An operator waits when many jobs on shops have not ended.
func TestOperator_JobLimit(t *testing.T) {
	t.Parallel()
	o := newAgencySite(t)
	cookie, _ := o.operator(t, staff.OperatorSupport, "shaila")
	if _, err := o.all.Create(t.Context(), "rina", shoptest.Raw(t, map[string]any{"name": "Rina", "currency": "BDT", "country": "BD"})); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(o.dir, sqlite.Options{Schema: shoptest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		shoptest.Exec(t, store.Store, tenants.Installation, ` -- another server works on it
			INSERT INTO jobs (id, kind, actor, client, request_id, options, status, total, created_at, claim, claimed_until)
			VALUES (?, 'copyShop', '{"kind":"cli"}', '', '', '{}', 'running', 1, ?, 'other', ?)`,
			fmt.Sprint("JOB", i), o.clock.Now().UnixMilli(), o.clock.Now().Add(time.Hour).UnixMilli())
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	const api = "/admin/v1/operator/shops/rina/"
	o.request(t, "POST", api+"copies", cookie, map[string]any{"uid": "trial"}).wantCode("copy", fault.CodeJobLimit)
	o.request(t, "POST", api+"move", cookie, map[string]any{"to": "files"}).wantCode("move", fault.CodeJobLimit)
	owner, _ := o.operator(t, staff.OperatorOwner, "karim")
	in := map[string]any{"file": o.backUp(t, "rina"), "reason": "Deleted by mistake"}
	o.request(t, "POST", api+"restore", owner, in).wantCode("restore", fault.CodeJobLimit)
}
