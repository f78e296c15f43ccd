package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"storefront/prepared"
	"storefront/server/admin"
	"storefront/shop/fault"
	"storefront/transport"
)

// errorsPath begins the paths of the pages about error codes.
const errorsPath = "/docs/errors"

// problemType returns the reference of a problem to the page of its code; RFC 9457, section 3.1.1.
func problemType(code fault.Code) string { return errorsPath + "/" + string(code) }

// errorsPage is a page about all error codes, or about one.
type errorsPage struct {
	*prepared.Assets
	Codes []errorCode
	One   *errorCode
}

// errorCode is what a page says about a code.
type errorCode struct {
	fault.CodeInfo
	Status   int
	Title    string
	Example  string // a response body
	Returned []errorSource
}

// errorSource is an operation that returns a code.
type errorSource struct {
	Method, Path, Summary, Link string
	Admin                       bool
}

// routeErrors adds the pages about error codes, which the type of a problem refers to.
func (s *Server) routeErrors(document func() (*huma.OpenAPI, error)) {
	pages := sync.OnceValues(func() (map[fault.Code]http.Handler, error) {
		doc, err := document()
		if err != nil {
			return nil, err
		}
		return s.newErrorPages(doc)
	})
	serve := func(w http.ResponseWriter, r *http.Request, code fault.Code) {
		all, err := pages()
		if err != nil {
			w.(*exchange).fail(err)
			return
		}
		page, ok := all[code]
		if !ok {
			w.(*exchange).fail(fault.Errorf(fault.CodeNotFound, "There is no such error code: %s lists all.", errorsPath))
			return
		}
		page.ServeHTTP(w, r)
	}
	s.routePublic(http.MethodGet, errorsPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, "") }))
	s.routePublic(http.MethodGet, errorsPath+"/:code", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, fault.Code(r.URL.Path[len(errorsPath)+1:]))
	}))
}

// newErrorPages returns the pages by code; the page of "" lists all codes.
func (s *Server) newErrorPages(doc *huma.OpenAPI) (map[fault.Code]http.Handler, error) {
	files, err := s.reference()
	if err != nil {
		return nil, err
	}
	layout, err := template.ParseFS(referenceFiles, "reference/errors.html")
	if err != nil {
		return nil, err
	}
	returned := s.errorSources(doc)
	all := errorsPage{Assets: files}
	for _, info := range fault.Codes() {
		example, err := json.MarshalIndent(problemExample(info.Code).Value, "", "  ")
		if err != nil {
			return nil, err
		}
		all.Codes = append(all.Codes, errorCode{
			CodeInfo: info, Status: transport.Status(info.Code), Title: title(info.Code), Example: string(example), Returned: returned[info.Code],
		})
	}
	pages := make(map[fault.Code]http.Handler, len(all.Codes)+1)
	add := func(code fault.Code, page errorsPage) error {
		var html bytes.Buffer
		err := layout.Execute(&html, page)
		pages[code] = staticPage("text/html; charset=utf-8", html.Bytes(), referencePolicy)
		return err
	}
	if err := add("", all); err != nil {
		return nil, err
	}
	for i := range all.Codes {
		if err := add(all.Codes[i].Code, errorsPage{Assets: files, One: &all.Codes[i]}); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// errorSources returns the operations that return each code, sorted by their paths.
func (s *Server) errorSources(doc *huma.OpenAPI) map[fault.Code][]errorSource {
	sources := map[fault.Code][]errorSource{}
	for path, item := range doc.Paths {
		for method, op := range operationsOf(item) {
			source := errorSource{Method: method, Path: path, Summary: op.Summary, Link: "/docs#/" + op.Tags[0] + "/" + op.OperationID}
			for _, response := range op.Responses {
				if media := response.Content["application/problem+json"]; media != nil {
					for code := range media.Examples {
						sources[fault.Code(code)] = append(sources[fault.Code(code)], source)
					}
				}
			}
		}
	}
	if !s.cfg.NoAdmin {
		for _, o := range admin.Operations() {
			link := "/admin/docs#/" + o.Tag + "/" + o.ID
			source := errorSource{cmp.Or(o.Method, http.MethodGet), o.Route(), o.Summary, link, true}
			for _, code := range o.Codes {
				sources[code] = append(sources[code], source)
			}
		}
	}
	for _, list := range sources {
		slices.SortFunc(list, func(a, b errorSource) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
		})
	}
	return sources
}
