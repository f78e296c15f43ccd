package server

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"storefront/prepared"
	"storefront/shop/fault"
)

// Document is the API's OpenAPI document as JSON and as YAML.
type Document struct{ JSON, YAML []byte }

// OpenAPI returns the document of a server with this configuration. Tenants may be nil.
func OpenAPI(cfg Config) (*Document, error) {
	s := newServer(cfg)
	if err := s.completeDocument(); err != nil {
		return nil, err
	}
	return newDocument(s.api.OpenAPI())
}

// completeDocument adds to the document what huma cannot derive from the operations.
func (s *Server) completeDocument() error {
	doc := s.api.OpenAPI()
	completeResponseSchemas(doc)
	describeProviders(doc)
	return addResponseExamples(doc)
}

// newDocument encodes a document once: huma's own handlers encode on demand, without a lock.
func newDocument(doc *huma.OpenAPI) (*Document, error) {
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

// referencePolicy lets the reference page load its own files and call its own server. Swagger UI
// sets styles of elements and has its icons in its style sheet.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const referencePath = "/docs/assets/"

// routeDocument adds the document and the reference page. Both are built at the first request,
// since that takes longer than the rest of a start.
func (s *Server) routeDocument() error {
	if err := s.completeDocument(); err != nil {
		return fmt.Errorf("complete OpenAPI document: %w", err)
	}
	document := sync.OnceValues(func() (*Document, error) { return newDocument(s.api.OpenAPI()) })
	files := sync.OnceValues(func() (*prepared.Assets, error) {
		return prepared.NewAssets(referenceFiles, "reference", referencePath)
	})
	s.routeLazy("/openapi.json", func() (http.Handler, error) {
		d, err := document()
		if err != nil {
			return nil, err
		}
		return staticPage("application/openapi+json", d.JSON, ""), nil
	})
	s.routeLazy("/openapi.yaml", func() (http.Handler, error) {
		d, err := document()
		if err != nil {
			return nil, err
		}
		return staticPage("application/openapi+yaml", d.YAML, ""), nil
	})
	s.routeLazy("/docs", func() (http.Handler, error) {
		f, err := files()
		if err != nil {
			return nil, err
		}
		html, err := newReference(f, s.cfg.ExampleTenant)
		return staticPage("text/html; charset=utf-8", html, referencePolicy), err
	})
	s.routeLazy(referencePath+":file", func() (http.Handler, error) {
		f, err := files()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !f.Serve(w, r) {
				w.(*exchange).fail(&fault.Error{Code: fault.CodeNotFound, Message: "File not found."})
			}
		}), err
	})
	return nil
}

// routeLazy adds a public page whose handler is built at the first request.
func (s *Server) routeLazy(path string, build func() (http.Handler, error)) {
	handler := sync.OnceValues(build)
	s.routePublic(http.MethodGet, path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, err := handler()
		if err != nil {
			w.(*exchange).fail(fmt.Errorf("build %s: %w", path, err))
			return
		}
		h.ServeHTTP(w, r)
	}))
}

func newReference(files *prepared.Assets, exampleTenant string) ([]byte, error) {
	page, err := template.ParseFS(referenceFiles, "reference/index.html")
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = page.Execute(&html, struct {
		*prepared.Assets
		Tenant string
	}{files, exampleTenant})
	return html.Bytes(), err
}

// staticPage serves bytes that do not change while the process runs.
func staticPage(contentType string, body []byte, contentPolicy string) http.Handler {
	response := prepared.NewResponse("", contentType, body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		representation := response.Negotiate(r)
		h := w.Header()
		h.Set("Cache-Control", "no-cache")
		h.Set("Vary", "Accept-Encoding")
		representation.SetETag(h)
		if matches(r.Header["If-None-Match"], representation.ETag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		representation.SetHeaders(h)
		if contentPolicy != "" {
			h.Set("Content-Security-Policy", contentPolicy)
		}
		_, _ = w.Write(representation.Body) // the client may have disconnected
	})
}
