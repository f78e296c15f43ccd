package graphql

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
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

// servePublic answers a document that asks the same for everybody: from what is prepared, or by
// preparing it. Answers with errors are of their request alone. Its own error says why nothing was
// executed.
func (h *Handler) servePublic(
	w http.ResponseWriter, r *http.Request, s *shop.Shop, doc *document, takeTurn func() error, execute func(context.Context) *answer,
) error {
	variables, err := json.Marshal(doc.Variables, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write the variables' canonical form: %w", err)
	}
	edition, err := s.Edition(r.Context())
	if err != nil {
		return err
	}
	key := prepared.Key{Tenant: s.UID(), Question: doc.OperationName + "\x00" + string(variables) + "\x00" + doc.Query}
	kept, known := h.cfg.Answers.Find(key, edition)
	if kept != nil {
		sendPrepared(w, r, kept)
		return nil
	}
	if !known {
		if err := takeTurn(); err != nil {
			return err
		}
	}
	var own *answer
	kept = h.cfg.Answers.Prepare(r.Context(), key, edition, func(ctx context.Context) []byte {
		own = execute(ctx)
		if len(own.errors) > 0 {
			return nil
		}
		return own.body()
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

func sendPrepared(w http.ResponseWriter, r *http.Request, kept *prepared.Answer) {
	representation := kept.For(r)
	header := w.Header()
	header["Cache-Control"] = neverStored
	header["Vary"] = append(header["Vary"], variesByEncoding...)
	representation.Describe(header)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(representation.Body) // a client that has gone does not read it
}
