package graphql

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/prepared"
	"storefront/shop"
	"storefront/shop/access"
)

// Config are the settings of a [Handler]. The zero value of a field is its documented default.
type Config struct {
	Logger *slog.Logger // nil means no logging
	// Cache stores responses that are the same for all callers. Nil means that every document is
	// executed.
	Cache *prepared.Cache
	// HideIntrospection disables introspection. GraphiQL then has no completion and no docs.
	HideIntrospection bool
	// MaxBody is the maximum size of a request body, in bytes. Default: 64 KiB.
	MaxBody int64
	// MaxQuery is the maximum size of a document, in bytes. Default: 16 KiB.
	MaxQuery int
	// MaxDepth is the maximum nesting of fields. Default: 12. A document that queries only the schema
	// may be as deep as the introspection query of tools.
	MaxDepth int
	// MaxSelections is the maximum number of fields of a document. Aliases count, and the fields of
	// a fragment count once per spread. Default: 1,000.
	MaxSelections int
	// MaxComplexity is the maximum total cost of a document's operations; see the cost constants.
	// Default: 1,000.
	MaxComplexity int
	// MaxValues is the maximum number of values in a response. Each 64 bytes of a long string count
	// as one more. Default: 2,000,000.
	MaxValues int64
	// MaxHeavyResponses is the maximum number of concurrent responses with more than a tenth of
	// MaxValues, which bounds memory. Others wait. Default: 2.
	MaxHeavyResponses int
}

// maxBody is the default of Config.MaxBody: a document of the default size, and its variables.
const maxBody = 64 << 10

// WithDefaults returns the settings with the defaults filled in.
func (cfg Config) WithDefaults() Config {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	setDefault(&cfg.MaxBody, maxBody)
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

// Handler serves GraphQL requests. It is safe for concurrent use. Create one with [New].
type Handler struct {
	cfg Config
	// prepare parses the schema on first use, so that programs without a request start faster. Until
	// then schema, private and syntax are nil.
	prepare func() error
	schema  *graphqlgo.Schema
	// schemaOnly is the same schema with the depth limit of introspection. It runs only documents that
	// query just the schema.
	schemaOnly func() (*graphqlgo.Schema, error) // parsed on first use, like graphiql
	private    map[string]bool                   // see isPublic
	heavy      chan struct{}
	// syntax is a schema for parsing documents only, without validation; see checkSyntax.
	syntax *graphqlgo.Schema
	// mark ends the names of stand-ins; see newerField.
	mark string
	// validating are the documents being parsed and validated, at most one per processor.
	validating chan struct{}
	graphiql   func() (*graphiql, error)
}

// New returns a handler.
func New(cfg Config) *Handler {
	h := &Handler{cfg: cfg.WithDefaults()}
	h.prepare = sync.OnceValue(func() (err error) {
		if h.schema, err = h.parseSchema(h.cfg.MaxDepth); err != nil {
			return err
		}
		if h.private, err = privateNames(h.schema); err != nil {
			return err
		}
		h.syntax, err = newSyntax()
		return err
	})
	h.mark = newMark()
	h.validating = make(chan struct{}, runtime.GOMAXPROCS(0))
	h.schemaOnly = sync.OnceValues(func() (*graphqlgo.Schema, error) {
		return h.parseSchema(max(h.cfg.MaxDepth, introspectionDepth))
	})
	h.graphiql = sync.OnceValues(newGraphiQL)
	h.heavy = make(chan struct{}, h.cfg.MaxHeavyResponses)
	return h
}

// Limits are the limits of a request's client. Its methods may be called concurrently.
type Limits interface {
	// Charge counts units of work: for each validated KiB of a document, and for each operation beyond
	// the first. Codes: rate_limited.
	Charge(work int) error
	// AcquireList waits until the client may read another list, until release is called. Codes:
	// rate_limited.
	AcquireList(ctx context.Context) (release func(), err error)
	// AcquireRecord is AcquireList for all other reads. Codes: rate_limited.
	AcquireRecord(ctx context.Context) (release func(), err error)
}

// Serve handles a request by POST or GET for the shop and the caller that the server identified.
// requestID is part of error responses and of log lines.
func (h *Handler) Serve(
	w http.ResponseWriter, r *http.Request, s *shop.Shop, caller access.Caller, requestID string, limits Limits,
) {
	if err := h.serve(w, r, s, caller, requestID, limits); err != nil {
		h.ServeError(w, r, err, requestID)
	}
}

// serve is Serve, but returns the error of a request that was not executed.
func (h *Handler) serve(
	w http.ResponseWriter, r *http.Request, s *shop.Shop, caller access.Caller, requestID string, limits Limits,
) error {
	if err := h.prepare(); err != nil {
		return err
	}
	body, err := h.readBody(w, r)
	if err != nil {
		return err
	}
	sent, err := h.sendCached(w, r, s, body)
	if err != nil {
		return err
	}
	if sent {
		return nil
	}
	doc, err := h.decodeDocument(body)
	if err != nil {
		return err
	}
	if err := h.measure(w, r, doc, limits); err != nil {
		return err
	}
	admit := func() error { return limits.Charge(doc.work) }
	execute := func(ctx context.Context) *response {
		return h.execute(ctx, doc, requestScope{handler: h, shop: s, caller: caller, limits: limits}, requestID)
	}
	if h.cfg.Cache != nil && h.isPublic(doc.Query) {
		return h.servePublic(w, r, s, body, admit, execute)
	}
	if err := admit(); err != nil {
		return err
	}
	return execute(r.Context()).write(w, r)
}

// measure is [document.measure] and checkMethod. A refused document is charged. Codes: malformed,
// too_complex, method_not_allowed, rate_limited.
func (h *Handler) measure(w http.ResponseWriter, r *http.Request, doc *document, limits Limits) error {
	err := doc.measure(h.cfg.MaxSelections)
	if err != nil {
		err = inDocument{err}
	} else if err = doc.checkMethod(w, r); err == nil && strings.Contains(doc.Query, "__") {
		if doc.newer, err = findNewerFields(h.schema.AST(), doc.kept); len(doc.newer) > 0 {
			doc.work *= 2 // it is validated twice
		}
	}
	if err != nil {
		if limited := limits.Charge(doc.work); limited != nil {
			return limited
		}
	}
	return err
}

// introspectionWork is the work of a document that queries the schema.
const introspectionWork = 5

// ServeSchema handles a request without a shop. The schema is the same for all shops, and
// tools query it without one; the response to every other document is noShop.
func (h *Handler) ServeSchema(
	w http.ResponseWriter, r *http.Request, requestID string, limits Limits, noShop error,
) {
	if err := h.serveSchema(w, r, requestID, limits, noShop); err != nil {
		h.ServeError(w, r, err, requestID)
	}
}

func (h *Handler) serveSchema(
	w http.ResponseWriter, r *http.Request, requestID string, limits Limits, noShop error,
) error {
	body, err := h.readBody(w, r)
	if err != nil {
		return noShop
	}
	doc, err := h.decodeDocument(body)
	if err != nil || !strings.Contains(doc.Query, "__schema") && !strings.Contains(doc.Query, "__type(") {
		return noShop
	}
	if err := h.prepare(); err != nil {
		return err
	}
	if err := h.measure(w, r, doc, limits); err != nil {
		return err
	}
	if err := limits.Charge(introspectionWork + doc.work); err != nil {
		return err
	}
	schema, err := h.schemaOnly()
	if err != nil {
		return err
	}
	of := &request{requestScope: requestScope{handler: h, limits: limits}, schemaOnly: true}
	result, err := of.run(r.Context(), schema, doc)
	if err != nil {
		return err
	}
	if of.refused.Load() {
		return noShop
	}
	return h.newResponse(r.Context(), doc, result, of, requestID).write(w, r)
}

// ServeError writes the response to a request that failed before its document was executed.
func (h *Handler) ServeError(w http.ResponseWriter, r *http.Request, err error, requestID string) {
	_ = h.errorResponse(r.Context(), err, requestID).write(w, r) // too small to be refused
}
