package graphql

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
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

// graphiql is the page for a browser, with its files.
type graphiql struct {
	*prepared.Assets
	page []byte
}

func newGraphiQL() (*graphiql, error) {
	files, err := prepared.NewAssets(graphiqlFiles, "graphiql", assetsPath)
	if err != nil {
		return nil, fmt.Errorf("read graphiql: %w", err)
	}
	g := &graphiql{Assets: files}
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

// Version is shown in the page's title.
func (g *graphiql) Version() string { return Version }

// ServeGraphiQL answers a browser's GET with an editor for queries. Documents come by POST only, so
// that nobody's link runs one; who does not want a page is told so.
func (h *Handler) ServeGraphiQL(w http.ResponseWriter, r *http.Request) {
	if !acceptsHTML(r) {
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

func acceptsHTML(r *http.Request) bool {
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
		if !g.Serve(w, r) {
			http.NotFound(w, r)
		}
	})
}
