package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/incident"
	"storefront/shop/password"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// newStatusSite is newAgencySite on each engine.
func newStatusSite(t *testing.T) *operatorSite {
	t.Helper()
	dir, script := t.TempDir(), ""
	if dbtest.OnPostgres() {
		var err error
		if script, err = tenants.DatabaseScript(shoptest.Schema(t), false); err != nil {
			t.Fatal(err)
		}
	}
	o := &operatorSite{dir: dir, clock: shoptest.NewClock()}
	var err error
	o.all, err = tenants.Open(tenants.Config{
		Dir: dir, Engine: dbtest.Database(t, dir, script), Schema: shoptest.Schema(t), Now: o.clock.Now,
		Hasher: password.HasherConfig{MemoryKiB: 64, Passes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.all.Close(context.Background()) })
	o.site = newSiteOf(t, nil, func(cfg *server.Config) { cfg.Tenants, cfg.Now = o.all, o.clock.Now })
	if _, err := o.all.CreateInstallation(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o
}

// statusOf returns the status as JSON.
func (o *operatorSite) statusOf(t *testing.T) (found tenants.PublicStatus) {
	t.Helper()
	o.send("GET", "/status.json", "", "x-tenant", "").ok(http.StatusOK, &found)
	return found
}

// Everybody reads the incidents and the components in both languages and as JSON, at hosts of no
// shop alone, and the page has no shop.
func TestStatus_Page(t *testing.T) {
	t.Parallel()
	o := newStatusSite(t)
	if _, err := o.all.Create(t.Context(), "rina", shoptest.Raw(t, map[string]any{
		"name": "Rina's Sarees", "currency": "BDT", "country": "BD", "locale": "bn-BD", "domains": []string{"rina.example"},
	})); err != nil {
		t.Fatal(err)
	}
	if err := o.all.RefreshDomains(t.Context()); err != nil {
		t.Fatal(err)
	}
	own, err := o.all.Installation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	title := `SMS <b>late</b> & "slow"`
	affected := []incident.Component{incident.Messages}
	opened, err := own.Incidents.Open(t.Context(), access.Operator(), incident.Input{
		Title: &title, State: incident.Investigating, Components: &affected, Text: "The gateway is slow.",
	})
	if err != nil {
		t.Fatal(err)
	}
	found := o.statusOf(t)
	states := map[incident.Component]tenants.ComponentState{}
	for _, c := range found.Components {
		states[c.Name] = c.State
	}
	if found.State != tenants.ComponentDegraded || states[incident.API] != tenants.ComponentOperational ||
		states[incident.Messages] != tenants.ComponentDegraded || len(found.Incidents) != 1 || found.Incidents[0].Title != title {
		t.Errorf("got %+v", found)
	}
	if _, ok := states[incident.Backups]; ok {
		t.Error("got backups of a server that makes none")
	}
	page := func(query string, header ...string) string {
		t.Helper()
		got := o.send("GET", "/status"+query, "", append([]string{"x-tenant", "", "Accept", "text/html"}, header...)...)
		if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("got %d %s", got.status, got.header)
		}
		if csp := got.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("got the policy %q", csp)
		}
		return string(got.body)
	}
	english, bangla := page(""), page("?lang=bn")
	if page("", "Accept-Language", "bn-BD,en;q=0.5") != bangla || page("?lang=en", "Accept-Language", "bn") != english {
		t.Error("got another language than the address and the browser have")
	}
	for text, html := range map[string]string{
		"Some parts do not work as usual": english, "SMS &lt;b&gt;late&lt;/b&gt; &amp; &#34;slow&#34;": english, "The gateway is slow.": bangla,
		"কিছু অংশ ঠিকমতো চলছে না": bangla, "আংশিক চলছে": bangla,
	} {
		if !strings.Contains(html, text) {
			t.Errorf("got %s\nwant %s", html, text)
		}
	}
	if all := english + bangla + fmt.Sprint(found); strings.Contains(strings.ToLower(all), "rina") {
		t.Error("got the name of a shop")
	}
	asJSON := o.send("GET", "/status", "", "x-tenant", "", "Accept", "application/json")
	if asJSON.header.Get("Content-Type") != "application/json" || asJSON.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("got %v", asJSON.header)
	}
	for _, path := range []string{"/status", "/status.json"} {
		if got := o.send("GET", path, "", "x-tenant", "", "Host", "rina.example"); got.status != http.StatusNotFound {
			t.Errorf("%s at the host of a shop: got %d", path, got.status)
		}
		if got := o.send("POST", path, "", "x-tenant", ""); got.status != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: got %d", path, got.status)
		}
	}

	// The end of an incident, and of its time in the history.
	o.clock.Advance(time.Hour)
	_, err = own.Incidents.Update(t.Context(), access.Operator(), opened.ID, incident.Input{State: incident.Resolved, Text: "All are sent."})
	if err != nil {
		t.Fatal(err)
	}
	list := func() []incident.Incident {
		t.Helper()
		list, err := own.Incidents.Published(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := list(); len(got) != 1 || got[0].IsOpen() || len(got[0].Updates) != 2 || got[0].Updates[0].Text != "All are sent." {
		t.Errorf("got %+v, want a resolved incident", got)
	}
	o.clock.Advance(incident.Retention - time.Second)
	if got := list(); len(got) != 1 {
		t.Errorf("within 90 days: got %+v", got)
	}
	o.clock.Advance(2 * time.Second)
	if got := list(); len(got) != 0 {
		t.Errorf("after 90 days: got %+v", got)
	}
}

// An incident has at most 100 updates, and 20 are open at most. One that is over is opened again by
// an update. Concurrent updates are all stored.
func TestIncident_Limits(t *testing.T) {
	t.Parallel()
	o := newStatusSite(t)
	own, err := o.all.Installation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := func() (*incident.Incident, error) {
		title := "Title"
		return own.Incidents.Open(t.Context(), access.Operator(), incident.Input{Title: &title, State: incident.Identified, Text: "Text"})
	}
	var first *incident.Incident
	for range 20 {
		if first, err = open(); err != nil {
			t.Fatal(err)
		}
	}
	_, err = open()
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	update := func(state incident.State) error {
		_, err := own.Incidents.Update(t.Context(), access.Operator(), first.ID, incident.Input{State: state, Text: "Text"})
		return err
	}
	if err := errors.Join(update(incident.Resolved), update(incident.Monitoring)); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for range 97 {
		writers.Go(func() {
			if err := update(incident.Monitoring); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	shoptest.WantCode(t, update(incident.Resolved), fault.CodeValidationFailed)
	list, err := own.Incidents.Published(t.Context())
	if err != nil || len(list) != 20 {
		t.Fatalf("got %d incidents, %v", len(list), err)
	}
	for _, i := range list {
		if i.ID == first.ID && (!i.IsOpen() || len(i.Updates) != 100) {
			t.Errorf("got %d updates, open: %t", len(i.Updates), i.IsOpen())
		}
	}
}

// countedTenants counts the computations of the status, which last until end is closed.
type countedTenants struct {
	server.Tenants
	count atomic.Int64
	end   chan struct{}
}

func (c *countedTenants) PublicStatus(context.Context, bool) *tenants.PublicStatus {
	c.count.Add(1)
	<-c.end
	return &tenants.PublicStatus{State: tenants.ComponentOperational}
}

// A thousand readers cost one computation, also if all of them wait for the first.
func TestStatus_ManyReaders(t *testing.T) {
	t.Parallel()
	counted := &countedTenants{end: make(chan struct{})}
	o := newSiteOf(t, nil, func(cfg *server.Config) {
		counted.Tenants = cfg.Tenants
		cfg.Tenants = counted
	})
	var readers sync.WaitGroup
	for range 50 {
		readers.Go(func() {
			for range 20 {
				if got := o.send("GET", "/status", ""); got.status != http.StatusOK || !strings.Contains(string(got.body), "Everything works") {
					t.Errorf("got %d: %s", got.status, got.body)
				}
			}
		})
	}
	close(counted.end)
	readers.Wait()
	if n := counted.count.Load(); n != 1 {
		t.Errorf("got %d computations, want 1", n)
	}
}
