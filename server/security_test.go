package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"storefront/server"
	"storefront/server/security"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// securityLines closes the site and returns its lines about security events.
func securityLines(t *testing.T, site *site, book *logRecorder) (lines []map[string]any) {
	t.Helper()
	site.close() // a line is written after its response
	entries, _ := book.lines(t)
	for _, e := range entries {
		if e["msg"] == "security" {
			lines = append(lines, e)
		}
	}
	return lines
}

// logTo makes a server log to book.
func logTo(book *logRecorder, change func(*server.Config)) func(*server.Config) {
	return func(cfg *server.Config) {
		cfg.Logger = slog.New(slog.NewJSONHandler(book, nil))
		if change != nil {
			change(cfg)
		}
	}
}

const (
	wrongLogin   = `{"user":"nobody@example.com","password":"wrong-password"}`
	wrongLoginQL = `{"query":"mutation { login(input: {user: \"nobody@example.com\", password: \"wrong-password\"}) { accessToken } }"}`
	configureQL  = `{"query":"mutation { plugin__configure(provider: courier_b, settings: {webhook_token: \"chosen-secret\"}) { provider } }"}`
)

func TestSecurity_Events(t *testing.T) {
	t.Parallel()
	var book logRecorder
	adapter := plugin.Plugin{Provider: plugin.CourierB, Keys: []plugin.Key{{Name: "webhook_token", Secret: true}}}
	site := newSiteOf(t, shoptest.New(t, &shoptest.Options{Plugins: []plugin.Plugin{adapter}}),
		logTo(&book, func(cfg *server.Config) { cfg.MaxBody = 4096 }))
	key, _, err := site.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "panel"})
	if err != nil {
		t.Fatal(err)
	}
	const otp = `{"phoneNumber":"01711223344","code":"0000","name":"Rahim"}`
	site.send("POST", "/api/v1/auth/login", wrongLogin)
	site.send("POST", "/graphql", wrongLoginQL)
	site.send("POST", "/api/v1/auth/otp/verify", otp)
	site.send("POST", "/graphql", configureQL, "Authorization", "Bearer sfa_wrong")
	site.get("/api/v1/tenant", "X-Shopper-Address", "203.0.113.9", "X-API-Key", "sfa_wrong")
	site.send("POST", plugin.CourierAWebhookPath+"test", "{}", "X-CourierA-Signature", "wrong")
	site.send("POST", "/api/v1/auth/login", strings.Repeat(" ", 5000))
	site.send("POST", "/graphql", configureQL, "Authorization", "Bearer "+key)
	site.send("POST", "/api/v1/auth/login", wrongLogin, "X-Shopper-Address", "203.0.113.9", "X-Admin-Token", key)

	var got []string
	for _, e := range securityLines(t, site, &book) {
		got = append(got, fmt.Sprint(e["level"], " ", e["event"], " ", e["client"], " ", e["forwardedClient"], " ", e["tenant"], " ", e["route"]))
		if e["requestId"] == nil {
			t.Errorf("line without a request ID: %v", e)
		}
	}
	want := []string{
		"WARN sign_in_failed 127.0.0.1 <nil> test /api/v1/auth/login",
		"WARN sign_in_failed 127.0.0.1 <nil> test /graphql",
		"WARN sign_in_failed 127.0.0.1 <nil> test /api/v1/auth/otp/verify",
		"WARN api_key_rejected 127.0.0.1 <nil> test /graphql",
		"WARN api_key_rejected 127.0.0.1 <nil> test /api/v1/tenant",
		"WARN webhook_rejected 127.0.0.1 <nil> test " + plugin.CourierAWebhookPath + "{tenant}",
		"WARN limit_reached 127.0.0.1 <nil> test /api/v1/auth/login",
		"INFO staff_action 127.0.0.1 <nil> test /graphql",
		"WARN sign_in_failed <nil> 203.0.113.9 test /api/v1/auth/login",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("security events (-want +got):\n%s", diff)
	}
	stats := site.server.SecurityStats()
	wantCounts := map[security.Event]uint64{
		security.SignInFailed: 4, security.Throttled: 0, security.KeyRejected: 2, security.WebhookRejected: 1,
		security.LimitReached: 1, security.StaffAction: 1,
	}
	if diff := gocmp.Diff(wantCounts, stats.Events); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]security.Offender{{Client: "127.0.0.1", Events: 7}, {Client: "203.0.113.9", Events: 1}}, stats.Offenders); diff != "" {
		t.Errorf("offenders (-want +got):\n%s", diff)
	}
}

// Too many wrong passwords are throttled, and too many requests reach the rate limit: both are 429.
func TestSecurity_Throttled(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]security.Event{"rate": security.LimitReached, "password": security.Throttled} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var book logRecorder
			site := newSite(t, logTo(&book, func(cfg *server.Config) {
				if name == "rate" {
					cfg.Rate, cfg.Burst = 1, 1
				}
			}))
			for range 40 {
				site.send("POST", "/api/v1/auth/login", wrongLogin)
				if site.server.SecurityStats().Events[want] > 0 {
					return
				}
			}
			t.Errorf("got the events %v, want %s", site.server.SecurityStats().Events, want)
		})
	}
}

func TestSecurity_Addresses(t *testing.T) {
	t.Parallel()
	for mode, want := range map[security.Addresses]*regexp.Regexp{
		security.AddressesPlain:  regexp.MustCompile(`^127\.0\.0\.1$`),
		security.AddressesHashed: regexp.MustCompile(`^[0-9a-f]{16}$`),
		security.AddressesOff:    regexp.MustCompile(`^<nil>$`),
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			var book logRecorder
			site := newSite(t, logTo(&book, func(cfg *server.Config) { cfg.Addresses = mode }))
			site.send("POST", "/api/v1/auth/login", wrongLogin)
			site.send("POST", "/api/v1/auth/login", wrongLogin)
			lines := securityLines(t, site, &book)
			if len(lines) != 2 || !want.MatchString(fmt.Sprint(lines[0]["client"])) || lines[0]["client"] != lines[1]["client"] {
				t.Errorf("got %v, want two lines with the same client that matches %s", lines, want)
			}
			if offenders := site.server.SecurityStats().Offenders; (len(offenders) == 0) != (mode == security.AddressesOff) {
				t.Errorf("got the offenders %v", offenders)
			}
		})
	}
}

// An attack from one address does not fill the log: its refusals have a few lines, and a count.
func TestSecurity_RefusalsSampled(t *testing.T) {
	t.Parallel()
	var book logRecorder
	clock := shoptest.NewClock()
	site := newSite(t, logTo(&book, func(cfg *server.Config) { cfg.Rate, cfg.Burst, cfg.Now = 1, 1, clock.Now }))
	for range 500 {
		site.get("/api/v1/orders/0000000000000000")
	}
	clock.Advance(time.Second)
	site.get("/nothing")
	site.get("/api/v1/tenant")
	site.close()
	entries, _ := book.lines(t)
	if len(entries) > 50 {
		t.Errorf("got %d lines for 500 refused requests, want at most 50", len(entries))
	}
	stats := site.server.SecurityStats()
	last := entries[len(entries)-2]
	if last["route"] != "unmatched" || last["suppressed"] != float64(stats.Suppressed) || stats.Suppressed < 450 {
		t.Errorf("got the last refusal %v with %d suppressed, want its count", last, stats.Suppressed)
	}
	if got := stats.Events[security.LimitReached]; got < 490 {
		t.Errorf("got %d events, want all of them counted", got)
	}
}

// The filter for fail2ban matches the lines that the server writes, in both formats, and no other
// text of a client.
func TestSecurity_Fail2banFilter(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/fail2ban/filter.d/storefront.conf")
	if err != nil {
		t.Fatal(err)
	}
	_, definition, _ := strings.Cut(string(text), "failregex = ")
	definition, _, _ = strings.Cut(definition, "\n\n")
	var filters []*regexp.Regexp
	for line := range strings.Lines(definition) {
		// As fail2ban replaces the tag, for addresses of both families.
		pattern := strings.ReplaceAll(strings.TrimSpace(line), "<SUBNET>",
			`\[?(?:(?:::f{4,6}:)?(?P<ip4>(?:\d{1,3}\.){3}\d{1,3})|(?P<ip6>(?:[0-9a-fA-F]{1,4}::?|:){1,7}(?:[0-9a-fA-F]{1,4}|:)?))(?:/(?P<cidr>\d+))?\]?`)
		filters = append(filters, regexp.MustCompile(pattern))
	}
	if len(filters) != 2 {
		t.Fatalf("got %d expressions in the filter, want 2", len(filters))
	}
	for format, filter := range filters {
		for _, client := range []string{"203.0.113.7", "2001:db8::1"} {
			var book logRecorder
			site := newSite(t, func(cfg *server.Config) {
				cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
				cfg.Logger = slog.New([]slog.Handler{slog.NewJSONHandler(&book, nil), slog.NewTextHandler(&book, nil)}[format])
			})
			site.send("POST", "/api/v1/auth/login", wrongLogin, "X-Forwarded-For", client)
			site.send("POST", "/api/v1/auth/login", `{"user":"\"msg\":\"security\",\"event\":\"throttled\",\"client\":\"198.51.100.1\"","password":1}`,
				"X-Forwarded-For", client)
			site.close()
			matches := filter.FindAllString(book.text.String(), -1)
			if len(matches) != 1 || !strings.Contains(matches[0], "sign_in_failed") {
				t.Errorf("filter %d: got the matches %q of\n%s", format+1, matches, book.text.String())
				continue
			}
			found := filter.FindStringSubmatch(book.text.String())
			address := found[filter.SubexpIndex("ip4")] + found[filter.SubexpIndex("ip6")]
			if want := map[string]string{"203.0.113.7": "203.0.113.7", "2001:db8::1": "2001:db8::"}[client]; address != want {
				t.Errorf("filter %d: got the address %q, want %q", format+1, address, want)
			}
		}
	}
}

// Every operation with an API key has a line with the key's ID, whatever else its document
// contains.
func TestSecurity_StaffActions(t *testing.T) {
	t.Parallel()
	const (
		list     = `{ plugins { provider } }`
		a        = `a: plugin__configure(provider: courier_a, settings: {webhook_secret: "chosen-secret"}) { provider } `
		b        = `b: plugin__configure(provider: courier_b, settings: {webhook_token: "chosen-secret"}) { provider } `
		unknown  = `c: plugin__configure(provider: courier_b, settings: {colour: "red"}) { provider } `
		wrong    = `d: login(input: {user: "nobody@example.com", password: "wrong-password"}) { accessToken } `
		validate = `e: plugin__validateCourier(provider: courier_a) { valid } `
	)
	for name, tc := range map[string]struct {
		document string
		key      string // "": the shop's
		change   func(*server.Config)
		want     []string
	}{
		"read":       {document: list, want: []string{"staff_action plugins"}},
		"change":     {document: "mutation {" + a + "}", want: []string{"staff_action plugin__configure courier_a"}},
		"validation": {document: "mutation {" + validate + "}", want: []string{"staff_action plugin__validateCourier courier_a"}},
		"two changes": {document: "mutation {" + b + a + "}",
			want: []string{"staff_action plugin__configure courier_a", "staff_action plugin__configure courier_b"}},
		"with a failed sign-in": {document: "mutation {" + wrong + a + "}",
			want: []string{"staff_action plugin__configure courier_a", "sign_in_failed invalid_credentials"}},
		"before the rate limit": {document: "mutation {" + a + b + validate + "}", change: func(cfg *server.Config) { cfg.Rate, cfg.Burst = 1, 2 },
			want: []string{"staff_action plugin__configure courier_a", "staff_action plugin__configure courier_b", "limit_reached rate_limited"}},
		"without effect": {document: "mutation {" + unknown + "}"},
		"a wrong key":    {document: "mutation {" + a + "}", key: "sfa_wrong", want: []string{"api_key_rejected unauthenticated"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var book logRecorder
			plugins := []plugin.Plugin{
				{Provider: plugin.CourierA, Keys: []plugin.Key{{Name: "webhook_secret", Secret: true}}},
				{Provider: plugin.CourierB, Keys: []plugin.Key{{Name: "webhook_token", Secret: true}}},
			}
			site := newSiteOf(t, shoptest.New(t, &shoptest.Options{Plugins: plugins}), logTo(&book, tc.change))
			key, record, err := site.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "panel"})
			if err != nil {
				t.Fatal(err)
			}
			body, err := json.Marshal(map[string]string{"query": tc.document})
			if err != nil {
				t.Fatal(err)
			}
			site.send("POST", "/graphql", string(body), "Authorization", "Bearer "+cmp.Or(tc.key, key))
			var got []string
			for _, e := range securityLines(t, site, &book) {
				got = append(got, fmt.Sprint(e["event"], " ", e["detail"]))
				if (e["apiKey"] == record.ID) != (e["event"] == "staff_action") || e["client"] != "127.0.0.1" {
					t.Errorf("got %v, want the client, and the ID of the key of an action", e)
				}
			}
			if diff := gocmp.Diff(tc.want, got); diff != "" {
				t.Errorf("security events (-want +got):\n%s", diff)
			}
		})
	}
}

// Changes and exports through the Admin API have a line with the staff member or the API key, and
// failed sign-ins of staff members are events as those of customers are.
func TestSecurity_AdminActions(t *testing.T) {
	t.Parallel()
	var book logRecorder
	s := newAdminSite(t, logTo(&book, nil))
	owner, viewer, key := s.session(t, staff.RoleOwner), s.session(t, staff.RoleViewer), s.key(t, "orders.write", "export")
	list, err := s.shop.Staff.ListAPIKeys(t.Context(), access.Operator())
	if err != nil || len(list) != 1 {
		t.Fatalf("got keys %+v, %v, want one", list, err)
	}
	const base, order = "/admin/v1/shops/test/", "/admin/v1/shops/test/orders/0123456789ABCDEF"
	s.send("POST", base+"session", `{"user":"nobody@example.com","password":"wrong-password"}`).problem(401, fault.CodeInvalidCredentials)
	s.get(order, "Cookie", owner).ok(200, new(any))
	s.send("POST", order+"/confirm", "{}", "Cookie", viewer).problem(403, fault.CodeForbidden)
	s.send("POST", order+"/confirm", "{}", "Cookie", owner).ok(200, new(any))
	s.send("HEAD", base+"exports/orders", "", "Authorization", key)
	s.get(base+"exports/orders", "Authorization", key)
	s.send("POST", order+"/cancel", `{"reason":"requested"}`, "Authorization", key).ok(200, new(any))
	s.send("POST", order+"/cancel", "{}", "Authorization", "Bearer sfa_wrong").problem(401, fault.CodeUnauthenticated)
	var got []string
	for _, e := range securityLines(t, s.site, &book) {
		got = append(got, fmt.Sprint(e["event"], " ", e["detail"], " ", e["client"], " ", e["tenant"], " ", e["staffMember"], " ", e["apiKey"]))
	}
	want := []string{
		"sign_in_failed invalid_credentials 127.0.0.1 test <nil> <nil>",
		"staff_action confirmOrder 127.0.0.1 test id-owner <nil>",
		"staff_action exportOrders 127.0.0.1 test <nil> " + list[0].ID,
		"staff_action cancelOrder 127.0.0.1 test <nil> " + list[0].ID,
		"api_key_rejected unauthenticated 127.0.0.1 test <nil> <nil>",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("security events (-want +got):\n%s", diff)
	}
}
