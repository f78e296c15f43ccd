package server

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"storefront/prepared"
	"storefront/shop"
)

// document is the API's document in its forms, made once: huma's own handlers make it on demand,
// without a lock.
type document struct {
	json, yaml, html []byte
	contentPolicy    string // of the html
}

//go:embed docs.html
var docsPage string

//go:embed docs.css
var docsStyle string

func newDocument(doc *huma.OpenAPI) (*document, error) {
	describeAnswers(doc)
	var d document
	var err error
	if d.json, err = json.Marshal(doc); err != nil {
		return nil, err
	}
	if d.yaml, err = doc.YAML(); err != nil {
		return nil, err
	}
	page, err := template.New("docs").Funcs(template.FuncMap{"prose": prose, "oneOf": oneOf}).Parse(docsPage)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := page.Execute(&html, newReference(doc)); err != nil {
		return nil, err
	}
	d.html = html.Bytes()
	style := sha256.Sum256([]byte(docsStyle))
	d.contentPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(style[:]) + "'"
	return &d, nil
}

func (s *Server) routeDocument(d *document) {
	s.routePublic(http.MethodGet, "/openapi.json", page("application/openapi+json", d.json, ""))
	s.routePublic(http.MethodGet, "/openapi.yaml", page("application/openapi+yaml", d.yaml, ""))
	s.routePublic(http.MethodGet, "/docs", page("text/html; charset=utf-8", d.html, d.contentPolicy))
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

// reference is the document as the page shows it.
type reference struct {
	Info    *huma.Info
	Style   template.CSS
	Groups  []referenceGroup
	Schemas []referenceSchema
	Codes   []referenceCode
}

type referenceGroup struct {
	Name, Description string
	Operations        []referenceOperation
}

type referenceOperation struct {
	*huma.Operation
	Auth      string
	Body      string // name of the body's schema
	Example   string
	Responses []referenceResponse
}

type referenceResponse struct{ Status, Description, Schema string }

type referenceSchema struct {
	Name   string
	Fields []referenceField
}

type referenceField struct {
	Name, Type, Schema, Description string
	Required                        bool
}

type referenceCode struct {
	shop.CodeInfo
	Status int
}

func newReference(doc *huma.OpenAPI) reference {
	ref := reference{Info: doc.Info, Style: template.CSS(docsStyle)}
	for _, tag := range doc.Tags {
		group := referenceGroup{Name: tag.Name, Description: tag.Description}
		for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
			item := doc.Paths[path]
			for _, op := range []*huma.Operation{item.Get, item.Post, item.Patch} {
				if op != nil && slices.Contains(op.Tags, tag.Name) {
					group.Operations = append(group.Operations, newReferenceOperation(op))
				}
			}
		}
		ref.Groups = append(ref.Groups, group)
	}
	schemas := doc.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		ref.Schemas = append(ref.Schemas, newReferenceSchema(name, schemas[name]))
	}
	for _, info := range shop.Codes() {
		ref.Codes = append(ref.Codes, referenceCode{info, statuses[info.Kind]})
	}
	return ref
}

func newReferenceOperation(op *huma.Operation) referenceOperation {
	r := referenceOperation{Operation: op, Auth: "tenant only"}
	for _, scheme := range op.Security {
		if _, bearer := scheme[schemeBearer]; bearer && len(op.Security) == 1 {
			r.Auth = "Bearer required"
		} else if bearer {
			r.Auth = "Bearer optional"
		}
	}
	if op.RequestBody != nil {
		media := op.RequestBody.Content["application/json"]
		_, r.Body = typeWords(media.Schema)
		if media.Example != nil {
			example, err := json.MarshalIndent(media.Example, "", "  ")
			if err == nil {
				r.Example = string(example)
			}
		}
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		response := referenceResponse{Status: status, Description: op.Responses[status].Description}
		if media := op.Responses[status].Content["application/json"]; media != nil {
			_, response.Schema = typeWords(media.Schema)
		}
		r.Responses = append(r.Responses, response)
	}
	return r
}

func newReferenceSchema(name string, schema *huma.Schema) referenceSchema {
	r := referenceSchema{Name: name}
	for _, field := range slices.SortedFunc(maps.Keys(schema.Properties), func(a, b string) int {
		return cmp.Or(cmp.Compare(order(schema, a), order(schema, b)), cmp.Compare(a, b))
	}) {
		property := schema.Properties[field]
		words, link := typeWords(property)
		r.Fields = append(r.Fields, referenceField{
			Name: field, Type: words, Schema: link, Description: property.Description, Required: slices.Contains(schema.Required, field),
		})
	}
	return r
}

// order is a field's place in its type, which the list of required fields keeps.
func order(schema *huma.Schema, field string) int {
	if at := slices.Index(schema.Required, field); at >= 0 {
		return at
	}
	return len(schema.Required)
}

// prose shows the document's text on the page: what stands in backquotes is code.
func prose(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// typeWords says in words what a schema is, with the name of the schema to read on, if any.
func typeWords(s *huma.Schema) (words, link string) {
	switch {
	case s.Ref != "":
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		return name, name
	case len(s.AnyOf) > 0:
		words, link = typeWords(s.AnyOf[0])
		return words + " or null", link
	case s.Items != nil:
		words, link = typeWords(s.Items)
		words = "list of " + words
	default:
		words = cmp.Or(s.Type, "any")
	}
	if s.Format != "" {
		words += " (" + s.Format + ")"
	}
	if len(s.Enum) > 0 {
		words += ": " + oneOf(s.Enum)
	}
	if s.Nullable {
		words += " or null"
	}
	return words, link
}

func oneOf(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}
