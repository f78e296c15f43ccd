package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/server"
	"storefront/shop/staff"
)

// logRecorder records a server's log.
type logRecorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logRecorder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// lines returns the log's entries so far and its text.
func (b *logRecorder) lines(t *testing.T) (entries []map[string]any, text string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	text = b.text.String()
	for line := range strings.Lines(text) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	return entries, text
}

func TestLog_OneLinePerRequestWithoutPersonalData(t *testing.T) {
	t.Parallel()
	var book logRecorder
	site := newSite(t, func(cfg *server.Config) { cfg.Logger = slog.New(slog.NewJSONHandler(&book, nil)) })
	site.get("/api/v1/products?search=private", "X-Request-Id", "one")
	site.get("/api/v1/orders/SECRETINVOICE", "X-Order-Token", "private", "X-Request-Id", "two")
	site.send("POST", "/api/v1/auth/login", `{"user":"private@example.com","password":"private-private"}`, "X-Request-Id", "three")
	site.get("/private", "x-tenant", "", "X-Request-Id", "four")
	site.get("/api/v1/tenant", "x-tenant", "broken", "X-Request-Id", "five")
	site.get("/api/v1/tenant", "x-tenant", "panics", "X-Request-Id", "six")
	site.send("PRIVATE", "/api/v1/tenant", "", "X-Request-Id", "seven")
	site.close() // a line is written after its response

	entries, text := book.lines(t)
	entries = slices.DeleteFunc(entries, func(e map[string]any) bool { return e["msg"] != "request" })
	want := []map[string]any{
		{"requestId": "one", "method": "GET", "route": "/api/v1/products", "status": 200.0, "tenant": "test", "level": "INFO"},
		{"requestId": "two", "method": "GET", "route": "/api/v1/orders/{orderId}", "status": 404.0, "tenant": "test", "level": "INFO"},
		{"requestId": "three", "method": "POST", "route": "/api/v1/auth/login", "status": 401.0, "tenant": "test", "level": "INFO"},
		{"requestId": "four", "method": "GET", "route": "unmatched", "status": 404.0, "level": "INFO"},
		{"requestId": "five", "method": "GET", "route": "/api/v1/tenant", "status": 500.0, "level": "ERROR",
			"error": "disk on fire at /var/lib/storefront"},
		{"requestId": "six", "method": "GET", "route": "/api/v1/tenant", "status": 500.0, "level": "ERROR"},
		{"requestId": "seven", "method": "other", "route": "other method", "status": 405.0, "level": "INFO"},
	}
	if len(entries) != len(want) {
		t.Fatalf("got %d lines for %d requests:\n%s", len(entries), len(want), text)
	}
	for i, fields := range want {
		for name, value := range fields {
			if entries[i][name] != value {
				t.Errorf("line %d: got %s %v, want %v", i+1, name, entries[i][name], value)
			}
		}
		if entries[i]["bytes"] == 0.0 || entries[i]["durationMs"] == nil {
			t.Errorf("line %d lacks bytes or duration: %v", i+1, entries[i])
		}
	}
	if e, _ := entries[5]["error"].(string); !strings.Contains(e, "out of luck") || !strings.Contains(e, "server_test.go") {
		t.Errorf("got panic logged as %q", e)
	}
	if low := strings.ToLower(text); strings.Contains(low, "private") || strings.Contains(low, "secretinvoice") {
		t.Errorf("the log contains a client's text:\n%s", text)
	}
}

// A client must not mistake a partial response for a whole one: the connection is closed.
func TestLog_PanicAfterPartialResponse(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) {
		cfg.Routes = []server.Route{{Method: "GET", Path: "/half", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
			panic("out of luck")
		})}}
	})
	if res, err := s.plain.Get(s.url + "/half"); err == nil {
		var body bytes.Buffer
		if _, err := body.ReadFrom(res.Body); err == nil {
			t.Errorf("the client accepts %q as the response", body.String())
		}
	}
}

// A page loads dozens of files, which would hide the lines that a developer needs.
func TestLog_PagesAtDebugLevel(t *testing.T) {
	t.Parallel()
	var book logRecorder
	site := newSite(t, func(cfg *server.Config) {
		cfg.Logger = slog.New(slog.NewJSONHandler(&book, nil))
		cfg.Routes = []server.Route{{Method: "GET", Path: "/page/:name", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "lost") {
				http.NotFound(w, r)
			}
		})}}
	})
	site.get("/page/file")
	site.get("/page/lost")
	site.close()
	if entries, text := book.lines(t); len(entries) != 1 || entries[0]["status"] != 404.0 {
		t.Errorf("got log:\n%s", text)
	}
}

// The alert on failing requests counts every 5xx, and its runbook reads the log's errors: REST and
// GraphQL must log the same failure at the same level.
func TestLog_LevelOfFailures(t *testing.T) {
	t.Parallel()
	for tenant, want := range map[string]struct {
		status int
		level  string
	}{
		"broken": {500, "ERROR"}, // unknown error
		"sealed": {503, "ERROR"}, // storage
		"slow":   {503, "ERROR"}, // timeout
		"closed": {403, "INFO"},  // suspended
	} {
		levels := map[string]string{}
		for name, send := range map[string]func(*site) *reply{
			"REST": func(s *site) *reply { return s.get("/api/v1/tenant", "x-tenant", tenant) },
			"GraphQL": func(s *site) *reply {
				return s.send("POST", "/graphql", `{"query":"{ storeFront { name } }"}`, "x-tenant", tenant)
			},
		} {
			var book logRecorder
			site := newSite(t, func(cfg *server.Config) { cfg.Logger = slog.New(slog.NewJSONHandler(&book, nil)) })
			got := send(site)
			if got.status != want.status || (want.status == 503) != (got.header.Get("Retry-After") != "") {
				t.Errorf("%s, %s: got %d, headers %v", tenant, name, got.status, got.header)
			}
			site.close()
			entries, text := book.lines(t)
			for _, entry := range entries {
				if level, _ := entry["level"].(string); levels[name] == "" || level == "ERROR" || levels[name] != "ERROR" && level == "WARN" {
					levels[name] = level
				}
			}
			if levels[name] != want.level {
				t.Errorf("%s, %s: got %s, want %s:\n%s", tenant, name, levels[name], want.level, text)
			}
		}
	}
}

// A request to the Admin API is logged with its actor's ID and the pattern of its path.
func TestLog_Actor(t *testing.T) {
	t.Parallel()
	var book logRecorder
	s := newAdminSite(t, func(cfg *server.Config) { cfg.Logger = slog.New(slog.NewJSONHandler(&book, nil)) })
	cookie := s.session(t, staff.RoleOwner)
	s.send("PATCH", "/admin/v1/shops/test/contacts/01711000000?x=private", `{"note":"private"}`, "Cookie", cookie)
	s.send("PATCH", "/admin/v1/shops/test/contacts/01711000000", `{"note":"private"}`, "Cookie", cookie)
	s.close() // a line is written after its response
	entries, text := book.lines(t)
	entries = slices.DeleteFunc(entries, func(e map[string]any) bool { return e["msg"] != "request" })
	for i, status := range []float64{422, 200} {
		if e := entries[i]; e["actor"] != "id-owner" || e["route"] != "/admin/v1/shops/{tenant}/contacts/{phone}" || e["status"] != status {
			t.Errorf("got %v, want the owner, the pattern and %v", e, status)
		}
	}
	if strings.Contains(text, "private") || strings.Contains(text, "1711") || strings.Contains(text, strings.TrimPrefix(cookie, "sf_admin=")) {
		t.Errorf("the log contains what was sent:\n%s", text)
	}
}
