// Package storefront is the demo storefront that serve --dev shows at "/", in plain JavaScript and
// CSS. It is also the example of how to use the public API: it queries that API for all data, like
// any client, and must not import package shop.
//
// Its scripts are in the folder page and are served unchanged: there is no build step. The server
// adds the parts that must not wait for a script: title, preview and structured data for clients
// without scripts, and the API's responses for the first view.
package storefront

import (
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"strings"

	"storefront/prepared"
)

// FilesPath is the path below which the page finds its files. The handler must be mounted at "/"
// and at FilesPath.
const FilesPath = "/storefront/"

// contentPolicy lets the page load its own files, call its own server, and show images from any
// host, since merchants choose the hosts of their images. Payment pages are opened, never framed.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' http: https:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Config configures the page.
type Config struct {
	Tenant  string // UID of the shop
	SMSPage string // URL of a page that shows unsent text messages; may be empty
	// Origin is the page's origin on this machine, such as http://127.0.0.1:8080. A browser at
	// localhost is redirected to it: data that the page stores in the browser, order tokens included,
	// belongs to one origin, and payments return to this one.
	Origin string
	// API serves the public API. Nil means that the page's scripts request all data.
	API http.Handler
}

type handler struct {
	Config
	files  *prepared.Modules
	page   *template.Template
	origin *url.URL
}

// New returns the handler of the page and its files. For other paths, it serves the page with the
// status 404.
func New(cfg Config) (http.Handler, error) {
	origin, err := url.Parse(cfg.Origin)
	if err != nil {
		return nil, fmt.Errorf("parse storefront origin: %w", err)
	}
	files, err := newFiles()
	if err != nil {
		return nil, fmt.Errorf("read storefront files: %w", err)
	}
	page, err := template.ParseFS(pageFiles, "page/index.html")
	if err != nil {
		return nil, fmt.Errorf("parse storefront page: %w", err)
	}
	return &handler{Config: cfg, files: files, page: page, origin: origin}, nil
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin") // the URL can contain an order's UID
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	switch {
	case strings.HasPrefix(r.URL.Path, FilesPath):
		h.files.Serve(w, r, strings.TrimPrefix(r.URL.Path, h.files.Base))
	case r.URL.Path == "/" && h.isAlias(r.Host):
		to := *h.origin
		to.Path, to.RawQuery = "/", r.URL.RawQuery
		http.Redirect(w, r, to.String(), http.StatusFound)
	default:
		h.servePage(w, r)
	}
}

func (h *handler) servePage(w http.ResponseWriter, r *http.Request) {
	page := h.describe(r)
	var html strings.Builder
	if err := h.page.Execute(&html, page); err != nil {
		http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", contentPolicy)
	w.Header().Set("Vary", "Accept-Language")
	prepared.NewResponse("", "text/html; charset=utf-8", []byte(html.String())).Send(w, r, page.status, "no-cache")
}

// isAlias reports whether a host is the origin's host, but written as localhost.
func (h *handler) isAlias(host string) bool {
	return host != h.origin.Host && host == net.JoinHostPort("localhost", h.origin.Port())
}
