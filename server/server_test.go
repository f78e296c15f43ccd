package server_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/secret"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// tenantsOf serves the shops of a test, as package tenants serves those of a data folder.
type tenantsOf struct {
	shops    map[string]*shop.Shop
	domains  map[string]string // UIDs by host name
	moved    string            // one of the domains, whose DNS leads elsewhere now
	notReady error
	image    string // content of the only image file
	admin.Shops
	own  *shop.Shop // the data of the whole server; nil if there is none
	only string     // UID of the shop that hosts of no shop show
	cpu  atomic.Int64
}

func (t *tenantsOf) Shop(_ context.Context, uid string) (*shop.Shop, error) {
	switch s, ok := t.shops[uid]; {
	case uid == "closed":
		return nil, &fault.Error{Code: fault.CodeTenantSuspended, Message: "This shop is closed for now."}
	case uid == "broken":
		return nil, errors.New("disk on fire at /var/lib/storefront")
	case uid == "sealed":
		return nil, fmt.Errorf("open shop: %w", secret.ErrSealed)
	case uid == "panics":
		panic("out of luck")
	case uid == "slow":
		return nil, context.DeadlineExceeded
	case !ok:
		return nil, &fault.Error{Code: fault.CodeTenantNotFound, Message: "There is no such shop."}
	default:
		return s, nil
	}
}

func (t *tenantsOf) PublicStatus(context.Context, bool) *tenants.PublicStatus {
	return &tenants.PublicStatus{}
}

func (t *tenantsOf) Branding(context.Context) (shop.Branding, error) { return shop.Branding{}, nil }

func (t *tenantsOf) Installation(context.Context) (*shop.Shop, error) {
	if t.own == nil {
		return nil, &fault.Error{Code: fault.CodeNotFound, Message: "There are no operators."}
	}
	return t.own, nil
}

func (t *tenantsOf) OnlyShop() (string, bool) { return t.only, t.only != "" }

// FindIncludingSuspended returns the same shops as Shop.
func (t *tenantsOf) FindIncludingSuspended(ctx context.Context, uid string) (*shop.Shop, error) {
	return t.Shop(ctx, uid)
}

// SetSettings changes the shop's settings without a comparison of domains.
func (t *tenantsOf) SetSettings(
	ctx context.Context, caller access.Caller, uid string, changes map[string]json.RawMessage, check func(shop.StaffSettings) error,
) (*shop.StaffSettings, error) {
	s, err := t.Shop(ctx, uid)
	if err != nil {
		return nil, err
	}
	return s.SetSettingsIf(ctx, caller, changes, check)
}

// CountRequest adds up the CPU time alone.
func (t *tenantsOf) CountRequest(_ *shop.Shop, _, cpu time.Duration) { t.cpu.Add(int64(cpu)) }

// SetupNeeded reports that there is nothing to set up.
func (t *tenantsOf) SetupNeeded(context.Context) (bool, error) { return false, nil }

// SetUp knows no link.
func (t *tenantsOf) SetUp(context.Context, access.Caller, tenants.SetupInput) (*shop.Shop, *staff.SignedIn, error) {
	return nil, nil, &fault.Error{Code: fault.CodeLinkInvalid, Message: "This link is invalid or expired."}
}

// DomainOwner returns the shop of a domain.
func (t *tenantsOf) DomainOwner(name string) (owner tenants.DomainOwner, ok bool) {
	owner.UID, ok = t.domains[name]
	return owner, ok
}

// DomainProof returns the proof of a domain: only the shops' domains lead here.
func (t *tenantsOf) DomainProof(name string) tenants.DomainProof {
	if t.domains[name] != "" {
		return tenants.ProofDNS
	}
	return tenants.ProofMissing
}

// DomainElsewhere reports whether the DNS of a domain leads elsewhere.
func (t *tenantsOf) DomainElsewhere(name string) bool {
	return t.domains[name] == "" || name == t.moved
}

// ServerAddress returns addresses for documentation.
func (t *tenantsOf) ServerAddress(context.Context) (string, []string) {
	return "api.agency.example", []string{"203.0.113.7", "2001:db8::7"}
}

// OpenImage opens the only image file, /media/test/abcdefghijklmnopq234/640.jpg.
func (t *tenantsOf) OpenImage(_ context.Context, uid, id, file string) (*tenants.ImageFile, error) {
	if t.image == "" || uid != "test" || id != "abcdefghijklmnopq234" || file != "640.jpg" {
		return nil, &fault.Error{Code: fault.CodeNotFound, Message: "No image exists at this path."}
	}
	content := struct {
		io.ReadSeeker
		io.Closer
	}{strings.NewReader(t.image), io.NopCloser(nil)}
	return &tenants.ImageFile{ReadSeekCloser: content, Type: "image/jpeg", ETag: id + "-" + file}, nil
}

func (t *tenantsOf) Ready(context.Context) error { return t.notReady }

// site is a server on a real listener, with one shop called "test".
type site struct {
	tb     testing.TB
	url    string
	shop   *shop.Shop
	server *server.Server
	plain  *http.Client
	close  func() // stops the server once its requests have ended
}

// newSite starts a server with an empty shop. change may be nil.
func newSite(tb testing.TB, change func(*server.Config)) *site {
	tb.Helper()
	return newSiteOf(tb, shoptest.New(tb, nil), change)
}

// newSiteOf starts a server with this shop. change may be nil.
func newSiteOf(tb testing.TB, s *shop.Shop, change func(*server.Config)) *site {
	tb.Helper()
	cfg := server.Config{Tenants: &tenantsOf{shops: map[string]*shop.Shop{"test": s}}, Rate: -1}
	if change != nil {
		change(&cfg)
	}
	srv, err := server.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	tb.Cleanup(web.Close)
	client := web.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &site{tb: tb, url: web.URL, shop: s, server: srv, plain: client, close: web.Close}
}

// reply is a response with its body read.
type reply struct {
	tb     testing.TB
	status int
	header http.Header
	body   []byte
}

// send sends a request for the shop "test". header is pairs of name and value; "" removes one.
func (s *site) send(method, path, body string, header ...string) *reply {
	s.tb.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.tb.Fatal(err)
	}
	req.Header.Set("x-tenant", "test")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if req.Header.Del(header[i]); header[i+1] != "" {
			req.Header.Set(header[i], header[i+1])
		}
	}
	req.Host = cmp.Or(req.Header.Get("Host"), req.Host)
	return s.do(req)
}

func (s *site) get(path string, header ...string) *reply {
	s.tb.Helper()
	return s.send(http.MethodGet, path, "", header...)
}

func (s *site) do(req *http.Request) *reply {
	s.tb.Helper()
	res, err := s.plain.Do(req)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.tb.Fatal(err)
	}
	recordCode(req, res.StatusCode, body)
	return &reply{tb: s.tb, status: res.StatusCode, header: res.Header, body: body}
}

// problem is an error response as a client reads it.
type problem struct {
	Type, Title, Detail, Code, RequestID string
	Status                               int
	Errors                               []struct{ Field, Code, Message string }
	Details                              map[string]any
}

// problem checks that the reply is a complete problem with this status and code, and returns it.
func (r *reply) problem(status int, code fault.Code) problem {
	r.tb.Helper()
	var p problem
	r.decode(&p)
	if r.status != status || p.Status != status || p.Code != string(code) {
		r.tb.Fatalf("got %d %s, want %d %s: %s", r.status, p.Code, status, code, r.body)
	}
	if got := r.header.Get("Content-Type"); got != "application/problem+json" {
		r.tb.Errorf("got content type %q", got)
	}
	if got := r.header.Get("Cache-Control"); got != "no-store" {
		r.tb.Errorf("got Cache-Control %q", got)
	}
	if p.RequestID == "" || p.RequestID != r.header.Get("X-Request-Id") {
		r.tb.Errorf("got request ID %q in the body, %q in the header", p.RequestID, r.header.Get("X-Request-Id"))
	}
	if p.Type != "/docs/errors/"+p.Code || p.Title == "" || p.Detail == "" || p.Errors == nil {
		r.tb.Errorf("incomplete problem: %s", r.body)
	}
	texts := []string{p.Detail}
	for _, e := range p.Errors {
		texts = append(texts, e.Message)
	}
	for _, text := range texts {
		if !sentence.MatchString(text) {
			r.tb.Errorf("got %q, want a sentence", text)
		}
	}
	return p
}

// sentence matches a text that can be shown to a buyer as it is.
var sentence = regexp.MustCompile(`(?s)^[A-Z].*\.$`)

// fields returns the fields that a problem names, with their codes.
func (p problem) fields() string {
	var all []string
	for _, e := range p.Errors {
		all = append(all, e.Field+" "+e.Code)
	}
	return strings.Join(all, ", ")
}

// ok checks the status and decodes the body.
func (r *reply) ok(status int, into any) {
	r.tb.Helper()
	if r.status != status {
		r.tb.Fatalf("got %d, want %d: %s", r.status, status, r.body)
	}
	r.decode(into)
}

func (r *reply) decode(into any) {
	r.tb.Helper()
	if err := json.Unmarshal(r.body, into); err != nil {
		r.tb.Fatalf("%d: %v in %q", r.status, err, r.body)
	}
}
