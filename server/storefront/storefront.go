// Package storefront is the demo storefront that serve --dev shows at "/", in plain JavaScript and
// CSS. It is also the example of how to use the public API: it queries that API for everything, as
// any client would, and must not import package shop.
//
// Its files are in the folder page and are served as they are: there is no build step.
package storefront

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

//go:embed page
var pageFiles embed.FS

// FilesPath is the path below which the page finds its files. The handler must be mounted at "/"
// and at FilesPath.
const FilesPath = "/storefront/"

// contentPolicy lets the page load its own files, call its own server, and show images from any
// host, since merchants choose where theirs are. Payment pages are opened, never framed.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// mediaTypes are the types of the page's files. Package mime would depend on the machine.
var mediaTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
}

// Config configures the page.
type Config struct {
	Tenant  string // UID of the shop
	SMSPage string // URL of a page that shows unsent text messages; may be empty
	// Origin is the page's origin on this machine, such as http://127.0.0.1:8080. A browser that
	// comes by localhost is redirected to it: what the page stores in the browser, order tokens
	// included, belongs to one origin, and payments return to this one.
	Origin string
}

// file is one of the page's files.
type file struct {
	media, etag string
	content     []byte
}

type handler struct {
	files  map[string]file // by URL path
	origin *url.URL
}

// New returns the handler of the page and its files.
func New(cfg Config) (http.Handler, error) {
	origin, err := url.Parse(cfg.Origin)
	if err != nil {
		return nil, fmt.Errorf("parse storefront origin: %w", err)
	}
	h := &handler{files: map[string]file{}, origin: origin}
	err = fs.WalkDir(pageFiles, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return h.add(name, cfg)
	})
	if err != nil {
		return nil, fmt.Errorf("read storefront page: %w", err)
	}
	return h, nil
}

func (h *handler) add(name string, cfg Config) error {
	content, err := pageFiles.ReadFile(name)
	if err != nil {
		return err
	}
	address := FilesPath + strings.TrimPrefix(name, "page/")
	if path.Ext(name) == ".html" {
		page, err := template.New(name).Parse(string(content))
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := page.Execute(&text, cfg); err != nil {
			return err
		}
		address, content = "/", text.Bytes()
	}
	sum := sha256.Sum256(content)
	h.files[address] = file{
		media: mediaTypes[path.Ext(name)], content: content, etag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
	}
	return nil
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" && h.isAlias(r.Host) {
		to := *h.origin
		to.Path, to.RawQuery = "/", r.URL.RawQuery
		http.Redirect(w, r, to.String(), http.StatusFound)
		return
	}
	f, ok := h.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Type", f.media)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("Referrer-Policy", "same-origin") // the URL can contain an order's UID
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", f.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content)) // handles HEAD and If-None-Match
}

// isAlias reports whether a host is the origin's host, but written as localhost.
func (h *handler) isAlias(host string) bool {
	return host != h.origin.Host && host == net.JoinHostPort("localhost", h.origin.Port())
}
