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
)

//go:embed graphiql/index.html graphiql/page.css graphiql/page.js graphiql/assets
var graphiqlFiles embed.FS

// assetsPath is the URL path of the page's files.
const assetsPath = "/graphql/assets/"

// contentPolicy lets the page load its own files and call its own server. GraphiQL sets inline
// styles and embeds its fonts in its style sheet.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src data:; " +
	"img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// graphiql is the GraphiQL page and its files.
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
		return nil, fmt.Errorf("render graphiql: %w", err)
	}
	g.page = text.Bytes()
	return g, nil
}

// Version returns the API version, for the page's title.
func (g *graphiql) Version() string { return Version }

// ServeGraphiQL sends the GraphiQL editor.
func (h *Handler) ServeGraphiQL(w http.ResponseWriter, r *http.Request) {
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
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache")
	_, _ = w.Write(g.page) // the client may be gone
}

// WantsGraphiQL reports whether a GET request is sent from a browser's address bar, or has no
// document and accepts everything.
func WantsGraphiQL(r *http.Request) bool {
	accept := strings.Join(r.Header["Accept"], ",")
	if strings.Contains(accept, "text/html") {
		return true
	}
	sent := r.URL.Query()
	return !sent.Has("query") && !sent.Has("extensions") &&
		(accept == "" || strings.Contains(accept, "*/*"))
}

// Assets returns the handler of GraphiQL's files, to be mounted at /graphql/assets/.
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
