package graphql

import (
	"context"
	"errors"
	"net/http"
	"slices"

	graphqlgo "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/ast"

	"storefront/prepared"
	"storefront/shop"
)

// publicQueries are the queries whose answer is the same for all callers of a shop and changes only
// with its edition.
var publicQueries = []string{"apiVersion", "collection", "collections", "product", "products", "storeFront"}

// privateNames gives the names without which a document asks for public queries alone: those of
// all other queries, and the words that begin another kind of operation.
func privateNames(schema *graphqlgo.Schema) (map[string]bool, error) {
	queries, ok := schema.AST().RootOperationTypes["query"].(*ast.ObjectTypeDefinition)
	if !ok {
		return nil, errors.New("the schema has no queries")
	}
	names := map[string]bool{"mutation": true, "subscription": true}
	for _, field := range queries.Fields {
		if !slices.Contains(publicQueries, field.Name) {
			names[field.Name] = true
		}
	}
	return names, nil
}

// isPublic reports whether a document can ask for nothing but public queries and the schema: no
// private name stands anywhere in it. It may be wrong about a document that has such a name as an
// alias or in a text, which then is not kept.
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

// cacheKey gives the key of a body: the body itself, since a client sends the same one each time,
// and reading it would take longer than all that is done with a kept answer.
func cacheKey(s *shop.Shop, body []byte) prepared.Key {
	return prepared.Key{Tenant: s.UID(), Path: "/graphql", Request: string(body)}
}

// sendCached answers a body whose answer is prepared.
func (h *Handler) sendCached(w http.ResponseWriter, r *http.Request, s *shop.Shop, body []byte) (sent bool, err error) {
	if h.cfg.Cache == nil {
		return false, nil
	}
	found, known := h.cfg.Cache.Find(cacheKey(s, body))
	if !known {
		return false, nil
	}
	edition, err := s.ContentVersion(r.Context())
	if err != nil {
		return false, err
	}
	kept := found.ForVersion(edition)
	if kept == nil {
		return false, nil
	}
	sendPrepared(w, r, kept)
	return true, nil
}

// servePublic answers a document that asks the same for everybody, and keeps the answer. Answers
// with errors are of their request alone. Its own error says why nothing was executed.
func (h *Handler) servePublic(
	w http.ResponseWriter, r *http.Request, s *shop.Shop, body []byte, checkRate func() error, execute func(context.Context) *response,
) error {
	edition, err := s.ContentVersion(r.Context())
	if err != nil {
		return err
	}
	key := cacheKey(s, body)
	// What was answered in an earlier edition is work for everybody.
	if _, known := h.cfg.Cache.Find(key); !known {
		if err := checkRate(); err != nil {
			return err
		}
	}
	var own *response
	kept := h.cfg.Cache.Prepare(r.Context(), key, edition, func(ctx context.Context) *prepared.Response {
		own = execute(ctx)
		if len(own.errors) > 0 {
			return nil
		}
		return prepared.NewResponse(key.Tenant, "application/json", own.body())
	})
	switch {
	case kept != nil:
		sendPrepared(w, r, kept)
	case own != nil:
		own.write(w)
	default: // another request's had an error
		execute(r.Context()).write(w)
	}
	return nil
}

var (
	neverStored      = []string{"no-store"}
	variesByEncoding = []string{"Accept-Encoding"}
)

func sendPrepared(w http.ResponseWriter, r *http.Request, kept *prepared.Response) {
	representation := kept.Negotiate(r)
	header := w.Header()
	header["Cache-Control"] = neverStored
	header["Vary"] = append(header["Vary"], variesByEncoding...)
	representation.SetHeaders(header)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(representation.Body) // a client that has gone does not read it
}
