package graphql

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	graphqlgo "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/ast"

	"storefront/prepared"
	"storefront/shop"
	"storefront/transport"
)

// privateNames returns the names that a public document must not contain: the names of all other
// queries, and the keywords of other operation types.
func privateNames(schema *graphqlgo.Schema) (map[string]bool, error) {
	queries, ok := schema.AST().RootOperationTypes["query"].(*ast.ObjectTypeDefinition)
	if !ok {
		return nil, errors.New("schema has no queries")
	}
	names := map[string]bool{"mutation": true, "subscription": true}
	for _, field := range queries.Fields {
		if !isResolvedBy[publicQuery](field.Name) {
			names[field.Name] = true
		}
	}
	return names, nil
}

// isResolvedBy reports whether a type has the resolver of a field, as the library finds it.
func isResolvedBy[T any](field string) bool {
	typ := reflect.TypeFor[*T]()
	for i := range typ.NumMethod() {
		if strings.EqualFold(typ.Method(i).Name, strings.ReplaceAll(field, "_", "")) {
			return true
		}
	}
	return false
}

// isPublic reports whether a document contains no private name, so that it can query only public
// fields and the schema. A document with such a name in an alias or a string counts as private and
// is not cached.
func (h *Handler) isPublic(document string) bool {
	for i := 0; i < len(document); i++ {
		if !isNameByte(document[i]) {
			continue
		}
		start := i
		for i < len(document) && isNameByte(document[i]) {
			i++
		}
		if h.private[document[start:i]] {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// cacheKey returns the cache key of a body: the body itself, since a client sends the same bytes
// each time, and parsing them would take longer than serving a cached response.
func cacheKey(s *shop.Shop, body []byte) prepared.Key {
	return prepared.Key{Tenant: s.UID(), Path: "/graphql", Request: string(body)}
}

// sendCached sends the cached response to a body, if there is one.
func (h *Handler) sendCached(w http.ResponseWriter, r *http.Request, s *shop.Shop, body []byte) (sent bool, err error) {
	if h.cfg.Cache == nil {
		return false, nil
	}
	found, ok := h.cfg.Cache.Find(cacheKey(s, body))
	if !ok {
		return false, nil
	}
	version, err := s.ContentVersion(r.Context())
	if err != nil {
		return false, err
	}
	cached := found.ForVersion(version)
	if cached == nil {
		return false, nil
	}
	transport.ReportPrepared(w)
	return true, sendPrepared(w, r, cached, transport.SmallBytes)
}

// servePublic executes a public document and caches the response. A response with errors is not
// cached. admit is called before a document is executed. An error means that nothing was executed.
func (h *Handler) servePublic(
	w http.ResponseWriter, r *http.Request, s *shop.Shop, body []byte, admit func() error, execute func(context.Context) *response,
) error {
	version, err := s.ContentVersion(r.Context())
	if err != nil {
		return err
	}
	var built *response
	key := cacheKey(s, body)
	cached, err := h.cfg.Cache.Prepare(r.Context(), key, version, admit, func(ctx context.Context) *prepared.Response {
		built = execute(ctx)
		if len(built.errors) > 0 {
			return nil
		}
		return prepared.NewResponse(key.Tenant, mediaJSON, built.body())
	})
	switch {
	case err != nil:
		return err
	case cached != nil:
		return sendPrepared(w, r, cached, transport.FreeBytes)
	case built == nil: // this call shared the build of another request, which had an error
		if err := admit(); err != nil {
			return err
		}
		built = execute(r.Context())
	}
	return built.write(w, r)
}

var (
	neverStored      = []string{"no-store"}
	variesByEncoding = []string{"Accept-Encoding"}
)

// sendPrepared sends a prepared response. A response of more than free bytes is counted in the
// memory of requests. Codes: unavailable.
func sendPrepared(w http.ResponseWriter, r *http.Request, cached *prepared.Response, free int64) error {
	representation := cached.Negotiate(r)
	if err := transport.HoldOf(w).AddShared(representation, int64(len(representation.Body)), free); err != nil {
		return err
	}
	header := w.Header()
	header["Cache-Control"] = neverStored
	header["Vary"] = append(header["Vary"], variesByEncoding...)
	representation.SetHeaders(header)
	if accepted := negotiate(r); accepted.media != mediaJSON {
		header["Content-Type"] = []string{accepted.media}
	}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(representation.Body) // the client may be gone
	return nil
}
