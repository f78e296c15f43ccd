package graphql

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"storefront/prepared"
	"storefront/shop"
)

//go:embed graphiql/index.html graphiql/page.css graphiql/page.js graphiql/assets
var graphiqlFiles embed.FS

// assetsPath is where the page finds its files.
const assetsPath = "/graphql/assets/"

// contentPolicy lets the page load its own files and ask its own server. GraphiQL sets styles of
// elements and brings its fonts inside its style sheet.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src data:; " +
	"img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// mediaTypes are those of the page's files, which package mime would look up on the machine.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

// graphiql is the page for a browser, with its files.
type graphiql struct {
	page   []byte
	assets map[string]asset
}

// asset is one file of the page.
type asset struct {
	media string
	gzip  []byte
	hash  string // of its content: part of its address, so that browsers keep it for good
}

func newGraphiQL() (*graphiql, error) {
	g := &graphiql{assets: map[string]asset{}}
	err := fs.WalkDir(graphiqlFiles, "graphiql", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".html" {
			return err
		}
		return g.addAsset(name)
	})
	if err != nil {
		return nil, fmt.Errorf("read graphiql: %w", err)
	}
	page, err := template.ParseFS(graphiqlFiles, "graphiql/index.html")
	if err != nil {
		return nil, fmt.Errorf("read graphiql: %w", err)
	}
	var text bytes.Buffer
	if err := page.Execute(&text, g); err != nil {
		return nil, fmt.Errorf("make graphiql: %w", err)
	}
	g.page = text.Bytes()
	return g, nil
}

func (g *graphiql) addAsset(name string) error {
	content, err := graphiqlFiles.ReadFile(name)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	name, isPacked := strings.CutSuffix(path.Base(name), ".gz")
	if !isPacked {
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		if _, err := writer.Write(content); err != nil {
			return err
		}
		if err := writer.Close(); err != nil {
			return err
		}
		content = packed.Bytes()
	}
	g.assets[name] = asset{media: mediaTypes[path.Ext(name)], gzip: content, hash: hex.EncodeToString(sum[:8])}
	return nil
}

// Version is shown in the page's title.
func (g *graphiql) Version() string { return Version }

// URL gives the address of one of the page's files.
func (g *graphiql) URL(name string) (string, error) {
	a, ok := g.assets[name]
	if !ok {
		return "", fmt.Errorf("no file %s", name)
	}
	return assetsPath + name + "?v=" + a.hash, nil
}

// ServeGraphiQL answers a browser's GET with an editor for queries. Documents come by POST only, so
// that nobody's link runs one; who does not want a page is told so.
func (h *Handler) ServeGraphiQL(w http.ResponseWriter, r *http.Request) {
	if !wantsPage(r) {
		w.Header().Set("Allow", http.MethodPost)
		h.ServeError(w, r, refuse(shop.CodeMethodNotAllowed, "Send the document by POST."), w.Header().Get("X-Request-Id"))
		return
	}
	g, err := h.graphiql()
	if err != nil {
		h.ServeError(w, r, err, w.Header().Get("X-Request-Id"))
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(g.page)))
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache")
	_, _ = w.Write(g.page) // a client that has gone does not read it
}

func wantsPage(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, "text/html") {
		return true
	}
	return !r.URL.Query().Has("query") && (accept == "" || strings.Contains(accept, "*/*"))
}

// Assets serves GraphiQL's files, to be mounted at /graphql/assets/.
func (h *Handler) Assets() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g, err := h.graphiql()
		if err != nil {
			h.ServeError(w, r, err, w.Header().Get("X-Request-Id"))
			return
		}
		a, ok := g.assets[strings.TrimPrefix(r.URL.Path, assetsPath)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Type", a.media)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-cache")
		if r.URL.Query().Get("v") == a.hash {
			header.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		header.Add("Vary", "Accept-Encoding")
		if prepared.TakesGzip(r) {
			header.Set("Content-Encoding", "gzip")
			header.Set("Content-Length", strconv.Itoa(len(a.gzip)))
			_, _ = w.Write(a.gzip) // a client that has gone does not read it
			return
		}
		if reader, err := gzip.NewReader(bytes.NewReader(a.gzip)); err == nil { // always: New would have failed
			_, _ = io.Copy(w, reader)
		}
	})
}
