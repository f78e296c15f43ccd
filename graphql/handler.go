package graphql

import (
	"context"
	"log/slog"
	"net/http"
	"sync"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/prepared"
	"storefront/shop"
)

// Config says what a [Handler] works with. The zero value of a field is its documented default.
type Config struct {
	Logger *slog.Logger // nil: nothing is logged
	// Cache keeps those that are the same for all callers; nil: each document is executed.
	Cache *prepared.Cache
	// HideIntrospection keeps the schema from being asked for. GraphiQL then knows no names.
	HideIntrospection bool
	// MaxBody is the largest request body, in bytes; 0: 1 MiB.
	MaxBody int64
	// MaxQuery is the longest document, in bytes; 0: 16 KiB.
	MaxQuery int
	// MaxDepth is how deeply fields may be nested; 0: 12. A document that asks for the schema alone
	// may go deeper, as far as the usual query of tools does.
	MaxDepth int
	// MaxSelections is how many fields a document may name, aliases and those of fragments
	// included, each as often as it is spread; 0: 1,000.
	MaxSelections int
	// MaxComplexity is what the operations of one document may cost together; see the cost
	// constants. 0: 1,000.
	MaxComplexity int
	// MaxValues is how many values one answer may have, where 64 bytes of a long text count as
	// one more; 0: 2,000,000.
	MaxValues int64
	// MaxHeavyResponses is how many answers of more than a tenth of MaxValues are made at once, so that
	// a few large ones do not take all of the memory; 0: 2. Others wait.
	MaxHeavyResponses int
}

// WithDefaults gives the settings as they hold: with a default for each that is not set.
func (cfg Config) WithDefaults() Config {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	setDefault(&cfg.MaxBody, 1<<20)
	setDefault(&cfg.MaxQuery, 16<<10)
	setDefault(&cfg.MaxDepth, 12)
	setDefault(&cfg.MaxSelections, 1000)
	setDefault(&cfg.MaxComplexity, 1000)
	setDefault(&cfg.MaxValues, 2_000_000)
	setDefault(&cfg.MaxHeavyResponses, 2)
	return cfg
}

func setDefault[N int | int64](n *N, value N) {
	if *n == 0 {
		*n = value
	}
}

// Handler answers GraphQL requests. It is safe for concurrent use. Make one with [New].
type Handler struct {
	cfg    Config
	schema *graphqlgo.Schema
	// schemaOnly is the same schema, deep enough for the introspection query of tools. Only
	// documents that ask for nothing but the schema get an answer from it.
	schemaOnly func() (*graphqlgo.Schema, error) // made when it is first asked for, like graphiql
	private    map[string]bool                   // see isPublic
	heavy      chan struct{}
	graphiql   func() (*graphiql, error)
}

// New gives a handler; the error is a fault of the schema.
func New(cfg Config) (*Handler, error) {
	h := &Handler{cfg: cfg.WithDefaults()}
	var err error
	if h.schema, err = h.parseSchema(h.cfg.MaxDepth); err != nil {
		return nil, err
	}
	if h.private, err = privateNames(h.schema); err != nil {
		return nil, err
	}
	h.schemaOnly = sync.OnceValues(func() (*graphqlgo.Schema, error) {
		return h.parseSchema(max(h.cfg.MaxDepth, introspectionDepth))
	})
	h.graphiql = sync.OnceValues(newGraphiQL)
	h.heavy = make(chan struct{}, h.cfg.MaxHeavyResponses)
	return h, nil
}

// Serve answers a POST for the shop and the caller that the server found. requestID is told to the
// client and to the log. checkRate is asked before work that is not shared with others; its error is
// the answer.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, s *shop.Shop, caller shop.Caller, requestID string, checkRate func() error) {
	if err := h.serve(w, r, s, caller, requestID, checkRate); err != nil {
		h.ServeError(w, r, err, requestID)
	}
}

// serve is Serve, and gives the error of a request that is not executed.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, s *shop.Shop, caller shop.Caller, requestID string, checkRate func() error) error {
	body, err := h.readBody(r)
	if err != nil {
		return err
	}
	sent, err := h.sendCached(w, r, s, body)
	if sent || err != nil {
		return err
	}
	doc, err := h.decodeDocument(body)
	if err != nil {
		return err
	}
	execute := func(ctx context.Context) *response { return h.execute(ctx, doc, s, caller, requestID) }
	if h.cfg.Cache != nil && h.isPublic(doc.Query) {
		return h.servePublic(w, r, s, body, checkRate, execute)
	}
	if err := checkRate(); err != nil {
		return err
	}
	execute(r.Context()).write(w)
	return nil
}

// ServeError answers a request that fails before its document is executed.
func (h *Handler) ServeError(w http.ResponseWriter, r *http.Request, err error, requestID string) {
	h.errorResponse(r.Context(), err, requestID).write(w)
}
