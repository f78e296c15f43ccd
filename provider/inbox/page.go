package inbox

import (
	"bytes"
	_ "embed"
	htmltemplate "html/template"
	"net/http"

	"storefront/provider"
)

//go:embed page.html
var pageHTML string

// Page returns a handler that serves a web page with the messages at "/". The page reloads itself.
// It is available on this machine only and needs a loopback listener of its own (see
// [provider.LocalOnly]).
func (b *Inbox) Page() http.Handler {
	page := htmltemplate.Must(htmltemplate.New("page").Parse(pageHTML))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		var content bytes.Buffer
		if err := page.Execute(&content, b.Messages()); err != nil {
			http.Error(w, "The page could not be rendered.", http.StatusInternalServerError)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		header.Set("Cache-Control", "no-store")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		w.Write(content.Bytes())
	})
	return provider.LocalOnly(mux)
}
