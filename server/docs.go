package server

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"storefront/prepared"
)

// Document is the API's document in its two forms.
type Document struct{ JSON, YAML []byte }

// OpenAPI gives the document that a server with these settings serves. Tenants may be nil.
func OpenAPI(cfg Config) (*Document, error) {
	s := newServer(cfg)
	return newDocument(s.api.OpenAPI())
}

// newDocument makes both forms, once: huma's own handlers make them on demand, without a lock.
func newDocument(doc *huma.OpenAPI) (*Document, error) {
	describeAnswers(doc)
	describeProviders(doc)
	if err := addAnswerExamples(doc); err != nil {
		return nil, err
	}
	var d Document
	var err error
	if d.JSON, err = json.Marshal(doc); err != nil {
		return nil, err
	}
	if d.YAML, err = doc.YAML(); err != nil {
		return nil, err
	}
	return &d, nil
}

//go:embed reference/index.html reference/page.css reference/page.js reference/assets
var referenceFiles embed.FS

// referencePolicy lets the reference load its own files and ask its own server. Swagger UI sets
// styles of elements, and its icons are inside its style sheet.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const referencePath = "/docs/assets/"

// routeDocument adds the document and the reference that shows it.
func (s *Server) routeDocument() error {
	d, err := newDocument(s.api.OpenAPI())
	if err != nil {
		return fmt.Errorf("write the API document: %w", err)
	}
	files, err := newAssets(referenceFiles, "reference", referencePath)
	if err != nil {
		return fmt.Errorf("read the reference: %w", err)
	}
	html, err := newReference(files, s.cfg.ExampleTenant)
	if err != nil {
		return fmt.Errorf("make the reference: %w", err)
	}
	s.routePublic(http.MethodGet, "/openapi.json", page("application/openapi+json", d.JSON, ""))
	s.routePublic(http.MethodGet, "/openapi.yaml", page("application/openapi+yaml", d.YAML, ""))
	s.routePublic(http.MethodGet, "/docs", page("text/html; charset=utf-8", html, referencePolicy))
	s.routePublic(http.MethodGet, referencePath+":file", files)
	return nil
}

func newReference(files *assets, exampleTenant string) ([]byte, error) {
	page, err := template.ParseFS(referenceFiles, "reference/index.html")
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = page.Execute(&html, struct {
		*assets
		Tenant string
	}{files, exampleTenant})
	return html.Bytes(), err
}

// page serves bytes that stay the same for as long as the process runs.
func page(contentType string, body []byte, contentPolicy string) http.Handler {
	etag := prepared.ETag("", body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", etag)
		if matches(r.Header["If-None-Match"], etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Type", contentType)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if contentPolicy != "" {
			h.Set("Content-Security-Policy", contentPolicy)
			h.Set("Referrer-Policy", "no-referrer")
		}
		_, _ = w.Write(body) // a client that has gone does not read it
	})
}
