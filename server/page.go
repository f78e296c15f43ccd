package server

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"

	"storefront/server/admin"
)

// textPage is a plain page for people: a title, a text and possibly an order.
type textPage struct{ Title, Text, Order string }

var textPageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;text-align:center}</style>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
{{with .Order}}<p>Order {{.}}</p>{{end}}
</html>
`))

func (x *exchange) writePage(status int, page textPage) {
	var html bytes.Buffer
	if err := textPageTemplate.Execute(&html, page); err != nil {
		x.fail(err)
		return
	}
	h := x.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	x.WriteHeader(status)
	_, _ = x.Write(html.Bytes()) // the client may be gone
}

// wantsPage reports whether a request is a browser's request for a page, neither for the API nor
// for a part of a page.
func wantsPage(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html") && !isAPI(r.URL.Path)
}

// isAPI reports whether a path is one of the APIs' operations.
func isAPI(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, admin.Prefix)
}

// serveNotFoundPage responds to a browser that a page does not exist.
func (s *Server) serveNotFoundPage(x *exchange, r *http.Request) {
	x.writePage(http.StatusNotFound, textPage{Title: "Page not found", Text: "The address may be old or mistyped."})
}
