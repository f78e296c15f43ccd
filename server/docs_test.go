package server_test

import (
	"encoding/json"
	"encoding/xml"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/fault"
	"storefront/shop/live"
	"storefront/shop/outbox"
	"storefront/transport"
)

// Each address in the description for assistants exists.
func TestLLMsText(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	got := s.get("/llms.txt", "x-tenant", "")
	links := regexp.MustCompile(`\]\((/[^)]+)\)`).FindAllStringSubmatch(string(got.body), -1)
	if got.status != 200 || len(links) < 7 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	for _, link := range links {
		if status := s.get(link[1]).status; status == 404 || status >= 500 {
			t.Errorf("%s: got %d", link[1], status)
		}
	}
}

// The reference page is self-contained: all its files exist, and it loads nothing from another
// host.
func TestReferencePage_SelfContained(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) { cfg.ExampleTenant = "demo" })
	got := s.get("/docs", "x-tenant", "")
	if got.status != 200 || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %s", got.status, got.header.Get("Content-Type"))
	}
	const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if got := got.header.Get("Content-Security-Policy"); got != policy {
		t.Errorf("policy %q", got)
	}
	page := string(got.body)
	if !strings.Contains(page, `name="tenant" value="demo"`) {
		t.Error("the page lacks the example shop")
	}
	if strings.Contains(page, "//") || regexp.MustCompile(`<script(>| [^s>]*>)|<style| on[a-z]+=| style=`).MatchString(strings.ReplaceAll(page,
		"<script defer src", "<x")) {
		t.Errorf("the page refers to another host or has inline code: %s", page)
	}
	files := regexp.MustCompile(`(?:src|href)="(/docs/assets/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(files) != 4 {
		t.Fatalf("got %d files in the page: %s", len(files), page)
	}
	for _, file := range files {
		got := s.get(file[1], "x-tenant", "", "Accept-Encoding", "identity")
		if got.status != 200 || len(got.body) < 1000 || got.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d, %d bytes, %v", file[1], got.status, len(got.body), got.header)
		}
		if packed := s.get(file[1], "x-tenant", "", "Accept-Encoding", "gzip"); packed.header.Get("Content-Encoding") != "gzip" ||
			len(packed.body) >= len(got.body) {
			t.Errorf("%s compressed: %d of %d bytes, %v", file[1], len(packed.body), len(got.body), packed.header)
		}
	}
	for path, want := range map[string]int{
		"/docs/assets/swagger-ui.LICENSE.txt": 200, "/docs/assets/none.js": 404, "/docs/assets/index.html": 404,
	} {
		if got := s.get(path, "x-tenant", ""); got.status != want || got.header.Get("Cache-Control") == "" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
	}
}

// The type of each error response leads to a page about its code, with its remedy and the
// operations that return it.
func TestErrorPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	list := string(s.get("/docs/errors", "x-tenant", "").body)
	for _, info := range fault.Codes() {
		path := "/docs/errors/" + string(info.Code)
		if !strings.Contains(list, `href="`+path+`"`) {
			t.Errorf("the list lacks %s", info.Code)
		}
		page := s.get(path, "x-tenant", "")
		status := "status " + strconv.Itoa(transport.Status(info.Code))
		for _, want := range []string{html.EscapeString(info.Meaning), status, "&#34;type&#34;: &#34;" + path} {
			if page.status != 200 || !strings.Contains(string(page.body), want) {
				t.Errorf("%s: got %d without %q\n%s", path, page.status, want, page.body)
			}
		}
	}
	refused := s.send("POST", "/api/v1/orders/quote", `{"items":[]}`).problem(422, fault.CodeValidationFailed)
	page := s.get(refused.Type, "x-tenant", "")
	for _, want := range []string{`href="/docs#/Orders/quoteOrder"`, `href="/admin/docs#/`, "POST /api/v1/orders/quote"} {
		if !strings.Contains(string(page.body), want) {
			t.Errorf("%s lacks %s", refused.Type, want)
		}
	}
	s.get("/docs/errors/none", "x-tenant", "").problem(404, fault.CodeNotFound)
	off := newSite(t, func(cfg *server.Config) { cfg.NoAdmin = true })
	if strings.Contains(string(off.get(refused.Type, "x-tenant", "").body), "/admin/docs") {
		t.Error("without the Admin API, a page leads to its reference")
	}
}

// The list of changes and its feed have each recorded release. Feed readers need a unique id and a
// time of each entry; RFC 4287, section 4.1.2.
func TestChangesPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) { cfg.PublicURL = "https://api.shop.example/" })
	page := s.get("/docs/changes", "x-tenant", "")
	if page.status != 200 || page.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", page.status, page.header)
	}
	got := s.get("/docs/changes.atom", "x-tenant", "")
	var feed struct {
		Updated time.Time `xml:"updated"`
		Entries []struct {
			ID      string    `xml:"id"`
			Updated time.Time `xml:"updated"`
			Link    struct {
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"http://www.w3.org/2005/Atom entry"`
	}
	if err := xml.Unmarshal(got.body, &feed); err != nil || got.header.Get("Content-Type") != "application/atom+xml" || len(feed.Entries) == 0 {
		t.Fatalf("got %v, %v\n%s", err, got.header, got.body)
	}
	if feed.Updated != feed.Entries[0].Updated {
		t.Errorf("the feed is of %v, its newest entry of %v", feed.Updated, feed.Entries[0].Updated)
	}
	seen := map[string]bool{}
	for _, entry := range feed.Entries {
		anchor, ok := strings.CutPrefix(entry.Link.Href, "https://api.shop.example/docs/changes#")
		if !ok || !strings.Contains(string(page.body), `<h2 id="`+anchor+`">`) || entry.ID == "" || seen[entry.ID] {
			t.Errorf("got entry %+v, want one of its own that leads to a part of the page", entry)
		}
		seen[entry.ID] = true
	}
}

// A deprecated operation is marked in the document, and each of its responses has its end; RFC 9745
// and RFC 8594.
func TestDeprecation(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	announced := server.Deprecation{Since: since, Sunset: since.AddDate(1, 1, 0), Instead: "listProducts"}
	cfg := server.Config{Deprecated: map[string]server.Deprecation{"getProduct": announced, "quoteOrder": announced, "getSettings": announced}}
	s := newSite(t, func(c *server.Config) { c.Deprecated = cfg.Deprecated })
	for _, got := range []*reply{
		s.get("/api/v1/products/none"), s.send("POST", "/api/v1/orders/quote", `{"items":[]}`), s.get("/admin/v1/shops/test/settings"),
	} {
		h := got.header
		if got.status < 400 || h.Get("Deprecation") != "@1796083200" || h.Get("Sunset") != "Sat, 01 Jan 2028 00:00:00 GMT" ||
			h.Get("Link") != `</docs/changes>; rel="deprecation"; type="text/html"` {
			t.Errorf("got %d, %v", got.status, h)
		}
	}
	if h := s.get("/api/v1/products").header; h.Get("Deprecation") != "" || h.Get("Sunset") != "" {
		t.Errorf("another operation: got %v", h)
	}
	document, err := server.OpenAPI(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var paths struct {
		Paths map[string]map[string]struct {
			Deprecated  bool
			Sunset      string `json:"x-sunset"`
			Description string
		}
	}
	if err := json.Unmarshal(document.JSON, &paths); err != nil {
		t.Fatal(err)
	}
	if op := paths.Paths["/api/v1/products/{id}"]["get"]; !op.Deprecated || op.Sunset != "2028-01-01" ||
		!strings.HasSuffix(op.Description, "Deprecated: use `listProducts` instead. This operation works until 2028-01-01.") {
		t.Errorf("got %+v", op)
	}
}

// The page about events has each type with its meaning and a body that a receiver can rely on: no
// field that webhooks do not have.
func TestEventsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	page := html.UnescapeString(string(s.get("/docs/events", "x-tenant", "").body))
	for _, kind := range outbox.Types() {
		_, part, found := strings.Cut(page, `<h2 id="`+string(kind)+`"><code>`+string(kind)+`</code></h2>`)
		meaning, part, _ := strings.Cut(part, "<pre")
		_, part, _ = strings.Cut(part, "<code>")
		text, _, _ := strings.Cut(part, "</code></pre>")
		var body struct {
			Type      outbox.Type
			Timestamp time.Time
			Tenant    string
			Data      live.EventData
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&body)
		if !found || len(meaning) < 40 || err != nil || body.Type != kind || body.Timestamp.IsZero() || body.Tenant == "" || body.Data.Subject == "" {
			t.Errorf("%s: got %+v, %v in %s%s", kind, body, err, meaning, text)
		}
		if noun := kind.Noun(); (noun == "order" || noun == "shipment") != (body.Data.OrderNumber > 0 && body.Data.Total > 0) {
			t.Errorf("%s: got %+v, want the number and total of an order, and of nothing else", kind, body.Data)
		}
	}
}
