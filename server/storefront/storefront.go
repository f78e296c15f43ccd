// Package storefront holds the page that serve --dev shows at "/": a small storefront in plain
// JavaScript and CSS, and the living example of how to use the public API. It asks that API for
// everything, as any client would; nothing here knows a shop.
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

// FilesPath is where the page finds its files: the handler has to be mounted at "/" and below this.
const FilesPath = "/storefront/"

// contentPolicy lets the page load its own files and ask its own server, and show pictures from
// wherever a merchant keeps them. Payment pages are gone to, never framed.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// mediaTypes are those of the page's files, which package mime would look up on the machine.
var mediaTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
}

// Config is what the page has to be told.
type Config struct {
	Tenant  string // UID of the shop that it shows
	SMSPage string // where text messages are shown that are not sent; "": nowhere
	// Origin is the one under which this machine opens the page, such as http://127.0.0.1:8080. A
	// visitor who came by localhost is sent there: what the page keeps in the browser, the proof of
	// an order among it, belongs to one origin, and payments come back to this one.
	Origin string
}

// file is one of the page's files, ready to be sent.
type file struct {
	media, etag string
	content     []byte
}

type handler struct {
	files  map[string]file // by the address's path
	origin *url.URL
}

// New gives the handler of the page and its files.
func New(cfg Config) (http.Handler, error) {
	origin, err := url.Parse(cfg.Origin)
	if err != nil {
		return nil, fmt.Errorf("origin of the storefront page: %w", err)
	}
	h := &handler{files: map[string]file{}, origin: origin}
	err = fs.WalkDir(pageFiles, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return h.add(name, cfg)
	})
	if err != nil {
		return nil, fmt.Errorf("read the storefront page: %w", err)
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
	header.Set("Referrer-Policy", "same-origin") // an order's number is in its address
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", f.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content)) // HEAD and If-None-Match are in there
}

// isAlias reports whether a host is the origin's by the name that people type.
func (h *handler) isAlias(host string) bool {
	return host != h.origin.Host && host == net.JoinHostPort("localhost", h.origin.Port())
}
