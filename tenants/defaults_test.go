package tenants_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
	"storefront/shop/plan"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

const gatewaySecret, secretOfMail = "key-of-the-agency", "password-of-the-agency"

// defaultGateway is a gateway of text messages that counts the requests with the agency's key.
func defaultGateway(t *testing.T) (in *tenants.SMSInput, requests *atomic.Int64) {
	t.Helper()
	requests = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), gatewaySecret) {
			requests.Add(1)
		}
	}))
	t.Cleanup(s.Close)
	cfg := &tenants.SMSConfig{}
	text := `{"url":"` + s.URL + `","allowHttp":true,"secrets":{"key":"` + gatewaySecret + `"},
		"body":{"kind":"form","params":{"to":"{to}","text":"{text}","key":"{secret.key}"}}}`
	if err := json.Unmarshal([]byte(text), cfg); err != nil {
		t.Fatal(err)
	}
	return &tenants.SMSInput{Config: cfg}, requests
}

func ownGateway(t *testing.T) (in *tenants.SMSInput, requests *atomic.Int64) {
	t.Helper()
	requests = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(s.Close)
	cfg := &tenants.SMSConfig{}
	text := `{"url":"` + s.URL + `","allowHttp":true,"body":{"kind":"form","params":{"to":"{to}","text":"{text}"}}}`
	if err := json.Unmarshal([]byte(text), cfg); err != nil {
		t.Fatal(err)
	}
	return &tenants.SMSInput{Config: cfg}, requests
}

// newDefaultsAgency returns a server that may use gateways on this machine.
func newDefaultsAgency(t *testing.T) *agency {
	t.Helper()
	a := &agency{clock: shoptest.NewClock()}
	a.Tenants = open(t, "", func(cfg *tenants.Config) { cfg.Now, cfg.PrivateProviders = a.clock.Now, true })
	var err error
	if a.own, err = a.CreateInstallation(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.acme = create(t, a.Tenants, "acme")
	return a
}

func (a *agency) setDefaults(t *testing.T, changes map[string]any) {
	t.Helper()
	if _, err := a.SetDefaults(t.Context(), access.Operator(), shoptest.Raw(t, changes)); err != nil {
		t.Fatal(err)
	}
	a.push(t)
}

// push sets the defaults in the shops, and returns the number of shops that had others.
func (a *agency) push(t *testing.T) (pushed int) {
	t.Helper()
	a.clock.Advance(time.Second) // PostgreSQL has the times of the clock
	if err := a.PushCopies(t.Context(), func(_, total int) { pushed = total }); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Second)
	return pushed
}

func inherited(t *testing.T, s *shop.Shop) []shop.DefaultKey {
	t.Helper()
	set, err := s.FindSettings(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	return set.Inherited
}

var terms = map[string]any{
	"slug": "terms", "en": map[string]any{"title": "Terms", "bodyHtml": "<p>VAT included.<script>x</script></p>"},
	"bn": map[string]any{"title": "শর্ত", "bodyHtml": "<p>ভ্যাটসহ।</p>"},
}

// A shop inherits policies in its languages and the design until it has its own, and a new shop
// from the beginning. What the operator locks cannot be changed in the shop.
func TestDefaults_InheritAndLock(t *testing.T) {
	t.Parallel()
	a, ctx := newAgency(t), t.Context()
	own := map[string]any{
		"secondLocale": "bn", "legalPolicies": []any{map[string]any{"slug": "privacy", "title": "Our privacy", "bodyHtml": "<p>Ours.</p>"}},
	}
	if err := a.acme.SetSettings(ctx, access.Operator(), shoptest.Raw(t, own)); err != nil {
		t.Fatal(err)
	}
	_, err := a.SetDefaults(ctx, access.Operator(),
		shoptest.Raw(t, map[string]any{"locked": []any{"name"}, "branding": map[string]any{"colour": "red"}}))
	wantCode(t, err, fault.CodeValidationFailed)
	privacy := map[string]any{"slug": "privacy", "en": map[string]any{"title": "Privacy", "bodyHtml": "<p>Theirs.</p>"}}
	theme := map[string]any{"design": "haat", "tokens": map[string]any{"seed": "#7a2740"}}
	a.setDefaults(t, map[string]any{"policies": []any{terms, privacy}, "design": theme})
	titles := func(s *shop.Shop, lang string) (all []string) {
		t.Helper()
		front, err := s.StoreFront(ctx, lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range front.LegalPolicies {
			all = append(all, p.Title+" "+p.BodyHTML)
		}
		return all
	}
	wantEqual := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	wantEqual("English", titles(a.acme, "en"), []string{"Our privacy <p>Ours.</p>", "Terms <p>VAT included.</p>"})
	wantEqual("Bangla", titles(a.acme, "bn"), []string{"Our privacy <p>Ours.</p>", "শর্ত <p>ভ্যাটসহ।</p>"})
	fresh := create(t, a.Tenants, "fresh")
	wantEqual("a new shop", titles(fresh, ""), []string{"Terms <p>VAT included.</p>", "Privacy <p>Theirs.</p>"})
	for _, s := range []*shop.Shop{a.acme, fresh} {
		live, err := s.Designs.Published(ctx)
		if err != nil || live.Design != design.Haat || live.Tokens.Seed != "#7a2740" {
			t.Errorf("design: got %+v, %v, want the default", live.Document, err)
		}
		if got, want := inherited(t, s), []shop.DefaultKey{shop.DefaultDesign, shop.DefaultPolicies}; !slices.Equal(got, want) {
			t.Errorf("inherited: got %v, want %v", got, want)
		}
	}
	publish := func() error {
		doc := design.Document{Design: design.Alo, Tokens: design.Tokens{Seed: "#112233"}}
		if _, err := a.acme.Designs.SaveDesign(ctx, access.Operator(), doc, nil); err != nil {
			return err
		}
		_, err := a.acme.Designs.PublishDesign(ctx, access.Operator(), nil)
		return err
	}
	document := design.Document{Inherited: true, Design: design.Alo}
	_, err = a.acme.Designs.SaveDesign(ctx, access.Operator(), document, nil)
	wantCode(t, err, fault.CodeValidationFailed) // it is not the default
	if err := publish(); err != nil {
		t.Fatal(err)
	}
	if live, err := a.acme.Designs.Published(ctx); err != nil || live.Design != design.Alo {
		t.Errorf("own design: got %s, %v, want alo", live.Design, err)
	}
	a.setDefaults(t, map[string]any{"locked": []any{"design", "policies"}})
	if live, err := a.acme.Designs.Published(ctx); err != nil || live.Design != design.Haat {
		t.Errorf("locked design: got %s, %v, want haat", live.Design, err)
	}
	wantCode(t, publish(), fault.CodeSettingLocked)
	wantEqual("locked", titles(a.acme, ""), []string{"Terms <p>VAT included.</p>", "Privacy <p>Theirs.</p>"})
	change := func(title string) error {
		policies := []any{
			map[string]any{"slug": "privacy", "title": title, "bodyHtml": "<p>Ours.</p>"}, map[string]any{"slug": "returns", "title": "Returns"},
		}
		return a.acme.SetSettings(ctx, access.Operator(), shoptest.Raw(t, map[string]any{"legalPolicies": policies}))
	}
	wantCode(t, change("Changed"), fault.CodeSettingLocked)
	if err := change("Our privacy"); err != nil { // another policy
		t.Error(err)
	}
	a.setDefaults(t, map[string]any{"policies": nil, "design": nil, "locked": nil})
	wantEqual("without defaults", titles(a.acme, ""), []string{"Our privacy <p>Ours.</p>", "Returns "})
	if set, err := a.acme.Settings(ctx); err != nil || set.Defaults != nil {
		t.Errorf("got %+v, %v, want no copy", set.Defaults, err)
	}
}

// A shop that publishes sections alone still follows the default design. One with its own has it
// again when the default is no longer locked, with the sections that were saved in between, and can
// return to the default.
func TestDefaults_Design(t *testing.T) {
	t.Parallel()
	a, ctx := newAgency(t), t.Context()
	setDefault := func(name design.Name, locked ...any) {
		t.Helper()
		a.setDefaults(t, map[string]any{"design": map[string]any{"design": name}, "locked": locked})
	}
	publish := func(change func(d *design.Document)) {
		t.Helper()
		found, err := a.acme.Designs.FindDesign(ctx, access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		if change(&found.Draft); found.Locked {
			found.Draft.Inherited = false // as of a client that does not know it
		}
		if _, err = a.acme.Designs.SaveDesign(ctx, access.Operator(), found.Draft, nil); err == nil {
			_, err = a.acme.Designs.PublishDesign(ctx, access.Operator(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(name design.Name, isInherited bool, sections int) {
		t.Helper()
		found, err := a.acme.Designs.FindDesign(ctx, access.Operator())
		if err != nil || found.Live.Design != name || found.Inherited != isInherited || len(found.Live.Templates.Home) != sections || found.Changed {
			t.Errorf("got %+v, %v, want %s with %d sections, inherited %t", found, err, name, sections, isInherited)
		}
		if live, err := a.acme.Designs.Published(ctx); err != nil || live.Design != name {
			t.Errorf("got %s for buyers, %v, want %s", live.Design, err, name)
		}
		if got := slices.Contains(inherited(t, a.acme), shop.DefaultDesign); got != isInherited {
			t.Errorf("settings: got inherited %t, want %t", got, isInherited)
		}
	}
	addSection := func(d *design.Document) {
		d.Templates.Home = append(d.Templates.Home, design.Section{Kind: "promises"})
	}
	setDefault(design.Haat)
	publish(addSection)
	want(design.Haat, true, 1)
	setDefault(design.Mela)
	want(design.Mela, true, 1)
	publish(func(d *design.Document) { d.Design, d.Inherited = design.Alo, false })
	want(design.Alo, false, 1)
	setDefault(design.Haat, "design")
	want(design.Haat, true, 1)
	publish(addSection)
	want(design.Haat, true, 2)
	setDefault(design.Haat)
	want(design.Alo, false, 2)
	publish(func(d *design.Document) { d.Design, d.Inherited = design.Haat, true })
	want(design.Haat, true, 2)
	a.setDefaults(t, map[string]any{"design": nil})
	want(design.Haat, false, 2)
}

// Defaults that change during a push are in every shop in the end, also in one that an earlier push
// sets last.
func TestDefaults_ChangedDuringPush(t *testing.T) {
	t.Parallel()
	a, ctx := newAgency(t), t.Context()
	create(t, a.Tenants, "maple")
	set := func(name string) {
		changes := shoptest.Raw(t, map[string]any{"branding": map[string]any{"name": name}})
		if _, err := a.SetDefaults(ctx, access.Operator(), changes); err != nil {
			t.Fatal(err)
		}
		a.clock.Advance(time.Second)
	}
	set("First")
	isChanged := false
	err := a.PushCopies(ctx, func(int, int) {
		if a.clock.Advance(time.Second); !isChanged {
			isChanged = true
			set("Second")
			a.push(t)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, uid := range []string{"acme", "maple"} {
		s, err := a.FindIncludingSuspended(ctx, uid)
		if err != nil {
			t.Fatal(err)
		}
		if now, err := s.Settings(ctx); err != nil || now.Defaults == nil || now.Defaults.Branding.Name != "Second" {
			t.Errorf("%s: got %+v, %v, want the second defaults", uid, now.Defaults, err)
		}
	}
}

// Shops send with the gateway of the installation until they have their own, and not any more once
// it is removed. A new key applies immediately.
func TestDefaults_SMS(t *testing.T) {
	t.Parallel()
	a, ctx := newDefaultsAgency(t), t.Context()
	send := func() error {
		a.clock.Advance(time.Hour)
		_, err := a.acme.Accounts.SendOTP(ctx, access.Caller{}, account.SendOTPInput{PhoneNumber: "01711-000000"})
		return err
	}
	wantCode(t, send(), fault.CodeSMSUnavailable)
	gateway, requests := defaultGateway(t)
	if _, err := a.SetDefaultSMS(ctx, access.Operator(), gateway); err != nil {
		t.Fatal(err)
	}
	wantCode(t, send(), fault.CodeSMSUnavailable) // the shop has no copy yet
	if n := a.push(t); n != 1 {
		t.Errorf("got %d shops, want 1", n)
	}
	if err := send(); err != nil || requests.Load() != 1 {
		t.Errorf("got %d messages, %v, want one with the default gateway", requests.Load(), err)
	}
	status, err := tenants.ReadSMSStatus(ctx, a.acme, access.Operator())
	if err != nil || !status.Configured || !status.Inherited || status.Locked || status.Config != nil {
		t.Errorf("got %+v, %v, want an inherited gateway without its configuration", status, err)
	}
	own, sent := ownGateway(t)
	if _, err := tenants.ConfigureSMS(ctx, a.acme, access.Operator(), own); err != nil {
		t.Fatal(err)
	}
	if err := send(); err != nil || requests.Load() != 1 || sent.Load() != 1 {
		t.Errorf("got %d and %d messages, %v, want one by the shop's own", requests.Load(), sent.Load(), err)
	}
	a.setDefaults(t, map[string]any{"locked": []any{"sms"}})
	if err := send(); err != nil || requests.Load() != 2 {
		t.Errorf("locked: got %d messages, %v, want the second with the default gateway", requests.Load(), err)
	}
	_, err = tenants.ConfigureSMS(ctx, a.acme, access.Operator(), own)
	wantCode(t, err, fault.CodeSettingLocked)
	if _, err := tenants.ConfigureSMS(ctx, a.acme, access.Operator(), nil); err != nil {
		t.Errorf("remove one's own: %v", err)
	}
	other, others := defaultGateway(t)
	if _, err := a.SetDefaultSMS(ctx, access.Operator(), other); err != nil {
		t.Fatal(err)
	}
	if err := send(); err != nil || others.Load() != 1 {
		t.Errorf("another gateway: got %d messages, %v, want 1 before any push", others.Load(), err)
	}
	if _, err := a.SetDefaultSMS(ctx, access.Operator(), nil); err != nil {
		t.Fatal(err)
	}
	wantCode(t, send(), fault.CodeSMSUnavailable)
	if a.push(t); len(inherited(t, a.acme)) != 0 {
		t.Errorf("got %v, want nothing inherited", inherited(t, a.acme))
	}
}

// A text about an order counts for the shop and its plan, also through the gateway of the
// installation.
func TestDefaults_SMSCounts(t *testing.T) {
	t.Parallel()
	a, ctx := newDefaultsAgency(t), t.Context()
	gateway, requests := defaultGateway(t)
	if _, err := a.SetDefaultSMS(ctx, access.Operator(), gateway); err != nil {
		t.Fatal(err)
	}
	savePlan(t, a, access.Operator(), "basic", 5)
	if err := a.AssignPlan(ctx, access.Operator(), "acme", new("basic")); err != nil {
		t.Fatal(err)
	}
	a.push(t)
	texts := map[string]any{"buyerMessages": map[string]any{"sms": []string{"placed"}}}
	if err := a.acme.SetSettings(ctx, access.Operator(), shoptest.Raw(t, texts)); err != nil {
		t.Fatal(err)
	}
	product, err := a.acme.Catalogue.CreateProduct(ctx, access.Operator(),
		catalogue.ProductInput{Handle: "mug", Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100_00}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.acme.Orders.PlaceOrder(ctx, access.Caller{}, shoptest.GuestOrder(product.ID, 1), ""); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Minute)
	if _, err := a.acme.Messages.SendDue(ctx); err != nil {
		t.Fatal(err)
	}
	usage, err := a.acme.FindUsage(ctx, access.Operator(), "")
	if err != nil || requests.Load() != 1 || usage.SMSSegments == 0 {
		t.Fatalf("got %d requests, %+v, %v, want one text that counts", requests.Load(), usage, err)
	}
	found, err := a.acme.FindPlan(ctx, access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range found.Uses {
		if use.Limit == plan.SMSSegments && use.Used != usage.SMSSegments {
			t.Errorf("the plan: got %d, want %d", use.Used, usage.SMSSegments)
		}
	}
}

// The credentials of the installation are in no data, export, backup or log of a shop, and do not
// move with it to another server.
func TestDefaults_SecretsStay(t *testing.T) {
	t.Parallel()
	a, ctx := newDefaultsAgency(t), t.Context()
	gateway, _ := defaultGateway(t)
	mail := &tenants.MailSettings{Host: "smtp.example.com", From: "o@example.com", Username: "o", Password: secretOfMail}
	if _, err := a.SetDefaultSMS(ctx, access.Operator(), gateway); err != nil {
		t.Fatal(err)
	}
	shown, err := a.SetDefaultMail(ctx, access.Operator(), mail)
	if err != nil {
		t.Fatal(err)
	}
	a.setDefaults(t, map[string]any{"policies": []any{terms}})
	to := open(t, "", nil)
	var export bytes.Buffer
	if err := a.Export(ctx, "acme", &export); err != nil {
		t.Fatal(err)
	}
	settings, err := a.acme.FindSettings(ctx, access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	log, err := a.own.Staff.ListOperatorLog(ctx, access.Operator(), staff.AuditFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for what, value := range map[string]any{"settings": settings, "log": log, "defaults": shown} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{gatewaySecret, secretOfMail} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s has %s: %s", what, secret, text)
			}
		}
	}
	dir := t.TempDir()
	b, err := a.BackupFor(ctx, "acme", dir, publicKey(t, to))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := to.Restore(ctx, tenants.RestoreOptions{File: filepath.Join(dir, b.File), From: publicKey(t, a.Tenants).String()}); err != nil {
		t.Fatal(err)
	}
	imported, err := to.Import(ctx, tenants.ImportOptions{From: &export, As: "imported", DropSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, uid := range []string{"acme", imported.UID} {
		moved, err := to.FindIncludingSuspended(ctx, uid)
		if err != nil {
			t.Fatal(err)
		}
		if set, err := moved.Settings(ctx); err != nil || set.Defaults != nil {
			t.Errorf("%s: got %+v, %v, want no defaults on a server without any", uid, set.Defaults, err)
		}
		status, err := tenants.ReadSMSStatus(ctx, moved, access.Operator())
		if err != nil || status.Configured {
			t.Errorf("%s: got %+v, %v, want no gateway", uid, status, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err == nil && bytes.Contains(text, []byte(gatewaySecret)) {
				t.Errorf("%s has the gateway's key", file)
			}
		}
	}
}
