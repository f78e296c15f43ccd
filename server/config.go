package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"storefront/graphql"
	"storefront/shop"
)

// Config says what a [Server] works with. The zero value of a field is its documented default.
type Config struct {
	Tenants Tenants      // must be set
	Logger  *slog.Logger // nil: nothing is logged
	Metrics Metrics      // nil: nothing is counted
	// CacheSize is the memory for answers that are the same for all callers of a tenant, in bytes;
	// 0: 64 MiB. Negative: none is kept, and each is made for its own request.
	CacheSize int64
	// Routes are further addresses without a tenant, such as the demo's pictures.
	Routes []Route
	// Version of the program, as /healthz tells it.
	Version string
	// PublicURL is the server's address as clients know it, for the API document; "": relative.
	PublicURL string
	// ExampleTenant is the shop that the pages for developers ask unless told otherwise; "": none.
	ExampleTenant string
	// ReturnTarget is the path on this server to which buyers come back from a gateway whose shop names
	// no storefrontUrl, with order and payment in the query; "": a plain page of ours.
	ReturnTarget string
	// TrustedProxies are the networks whose X-Forwarded-For is believed; nil: none.
	TrustedProxies []netip.Prefix
	// MaxBody is the largest request body, in bytes; 0: 1 MiB.
	MaxBody int64
	// What a GraphQL document may have: bytes, levels, fields, and cost of its operations. 0: the
	// defaults of [graphql.Config].
	GraphQLBytes, GraphQLDepth, GraphQLFields, GraphQLCost int
	// Rate and Burst bound, for each client address, the requests a second whose answer is not
	// prepared. 0: 50 and 200. A negative Rate: no bound.
	Rate, Burst int
	// HSTS has browsers use HTTPS alone for so long, on answers over TLS; 0: not asked for.
	HSTS time.Duration
	// RequestTimeout bounds the work on one request; 0: 25 s.
	RequestTimeout time.Duration
	// ShutdownTimeout bounds how long open requests are waited for at the end; 0: 20 s.
	ShutdownTimeout time.Duration
	// HideIntrospection refuses questions about the GraphQL schema.
	HideIntrospection bool
	// Now is the time that rates are counted by; nil: time.Now.
	Now func() time.Time
}

// Tenants finds the shop that a request is for.
type Tenants interface {
	// Shop gives the shop of a UID that may be anything a client sends. Codes: tenant_not_found,
	// tenant_suspended.
	Shop(ctx context.Context, uid string) (*shop.Shop, error)
	// FindIncludingSuspended gives the shop of a UID also when it is suspended: for providers, whose calls are about
	// money. Codes: tenant_not_found.
	FindIncludingSuspended(ctx context.Context, uid string) (*shop.Shop, error)
	// Ready gives an error while the shops' data can not be served.
	Ready(ctx context.Context) error
}

// Metrics is told of every request that was answered. It returns at once.
type Metrics interface {
	// Request is told a route's pattern, never an address, and a method that HTTP knows or "other".
	Request(method, route string, status int, took time.Duration)
}

// Route is an address outside the API. The log tells its failures, and its successes at debug level.
type Route struct {
	Method  string
	Path    string // httprouter's form: /demo/images/:name
	Handler http.Handler
}

// The bounds of a connection. Reading may take as long as the work on a request: a read deadline
// that passes while the work goes on would end it.
const (
	readHeaderTimeout = 10 * time.Second
	writeTimeout      = time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
)

func (cfg Config) withDefaults() Config {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.CacheSize == 0 {
		cfg.CacheSize = 64 << 20
	}
	if cfg.ReturnTarget == "" {
		cfg.ReturnTarget = resultPath
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = 1 << 20
	}
	if cfg.Rate == 0 {
		cfg.Rate = 50
	}
	if cfg.Burst == 0 {
		cfg.Burst = 200
	}
	if cfg.RequestTimeout == 0 {
		cfg.RequestTimeout = 25 * time.Second
	}
	if cfg.ShutdownTimeout == 0 {
		cfg.ShutdownTimeout = 20 * time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return cfg
}

// graphQL gives the settings of the other transport.
func (cfg *Config) graphQL() graphql.Config {
	return graphql.Config{
		Logger: cfg.Logger, HideIntrospection: cfg.HideIntrospection, MaxBody: cfg.MaxBody, MaxQuery: cfg.GraphQLBytes,
		MaxDepth: cfg.GraphQLDepth, MaxSelections: cfg.GraphQLFields, MaxComplexity: cfg.GraphQLCost,
	}
}
