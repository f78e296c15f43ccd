package e2e

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"testing"
)

// Over plain HTTP from elsewhere there is no form for a password, which would cross the network
// readable: the page states what to do.
func TestDashboard_PlainHTTP(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--trusted-proxy", "127.0.0.0/8")
	target, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Set("X-Forwarded-For", "203.0.113.7")
	}})
	defer elsewhere.Close()
	m := &merchant{openWindow(t, p, 360)}
	m.AllowProblem("status of 403")
	for _, path := range []string{"/admin/", "/admin/#/setup/0123456789012345678901234567890123456789012", "/admin/#/demo/home"} {
		m.Go("about:blank")
		m.Go(elsewhere.URL + path)
		m.waitText("main", "The dashboard needs HTTPS. Open it with https://.")
		m.Wait(`!document.querySelector("[type=password]")`)
		m.check("plain-http")
	}
}
