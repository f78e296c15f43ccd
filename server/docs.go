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

	"storefront/graphql"
	"storefront/prepared"
	"storefront/shop/fault"
	"storefront/transport"
)

// Document is the API's OpenAPI document as JSON and as YAML.
type Document struct{ JSON, YAML []byte }

// OpenAPI returns the document of a server with this configuration. Tenants may be nil.
func OpenAPI(cfg Config) (*Document, error) {
	described, err := describe(cfg)
	if err != nil {
		return nil, err
	}
	return newDocument(described)
}

// describe returns the description of the API of a server with this configuration.
func describe(cfg Config) (*huma.OpenAPI, error) {
	s := newServer(cfg)
	s.api = newAPI(newOpenAPI(s.cfg), nowhere{})
	s.registerOperations()
	enums, err := graphql.Enums()
	if err != nil {
		return nil, err
	}
	return s.api.OpenAPI(), completeDocument(s.api.OpenAPI(), enums)
}

// completeDocument completes the document where huma cannot derive it from the operations.
func completeDocument(doc *huma.OpenAPI, types map[string]transport.Enum) error {
	enums := newEnumSchemas(types)
	completeResponseSchemas(doc, enums)
	enums.replaceParameters(doc)
	enums.addTo(doc)
	describeProviders(doc)
	return addResponseExamples(doc, storefrontExamples)
}

// newDocument encodes a document once: huma's own handlers encode on demand, without a lock.
func newDocument(doc *huma.OpenAPI) (*Document, error) {
	var d Document
	var err error
	if d.JSON, err = json.Marshal(doc); err != nil {
		return nil, err
	}
	d.JSON = append(d.JSON, '\n')
	if d.YAML, err = doc.YAML(); err != nil {
		return nil, err
	}
	return &d, nil
}

//go:embed reference/index.html reference/page.css reference/page.js reference/assets
//go:embed reference/errors.html reference/errors.css reference/changes.html reference/events.html
//go:embed reference/llms.txt
var referenceFiles embed.FS

// referencePolicy lets the reference page load its own files and call its own server. Swagger UI
// sets styles of elements and has its icons in its style sheet.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const referencePath = "/docs/assets/"

// routeDocument adds the document and the reference page. Both are built at the first request,
// since that takes longer than the rest of a start.
func (s *Server) routeDocument() {
	document := sync.OnceValues(func() (*Document, error) { return OpenAPI(s.cfg) })
	s.routeErrors(func() (*huma.OpenAPI, error) { return describe(s.cfg) })
	s.routeChanges()
	s.routeLazy("/docs/events", s.newEventsPage)
	s.routeLazy("/llms.txt", func() (http.Handler, error) { // see https://llmstxt.org
		text, err := referenceFiles.ReadFile("reference/llms.txt")
		return staticPage("text/markdown; charset=utf-8", text, ""), err
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
		return s.newReference(referencePage{Title: "Storefront API reference", Document: "/openapi"})
	})
	s.routeLazy(referencePath+":file", func() (http.Handler, error) {
		f, err := s.reference()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !f.Serve(w, r) {
				w.(*exchange).fail(&fault.Error{Code: fault.CodeNotFound, Message: "File not found."})
			}
		}), err
	})
}

// routeLazy adds a public page whose handler is built at the first request.
func (s *Server) routeLazy(path string, build func() (http.Handler, error)) {
	s.routePublic(http.MethodGet, path, lazyHandler(path, build))
}

// lazyHandler returns the handler of a path that is built at the first request.
func lazyHandler(path string, build func() (http.Handler, error)) http.Handler {
	handler := sync.OnceValues(build)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, err := handler()
		if err != nil {
			w.(*exchange).fail(fmt.Errorf("build %s: %w", path, err))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// referencePage is a reference of one of the APIs.
type referencePage struct {
	*prepared.Assets
	Title    string
	Document string // path without extension
	Admin    bool   // of the Admin API
	Tenant   string
}

func (s *Server) newReference(of referencePage) (http.Handler, error) {
	var err error
	if of.Assets, err = s.reference(); err != nil {
		return nil, err
	}
	of.Tenant = s.cfg.ExampleTenant
	page, err := template.ParseFS(referenceFiles, "reference/index.html")
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = page.Execute(&html, of)
	return staticPage("text/html; charset=utf-8", html.Bytes(), referencePolicy), err
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
