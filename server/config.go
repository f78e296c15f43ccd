package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"storefront/graphql"
	"storefront/server/admin"
	"storefront/server/certificate"
	"storefront/server/security"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/staff"
	"storefront/tenants"
)

// Config configures a [Server]. The zero value of a field means its documented default.
type Config struct {
	Tenants Tenants      // must be set
	Logger  *slog.Logger // nil discards everything
	Metrics Metrics      // nil records nothing
	// CacheSize is the memory for responses that are the same for every caller of a tenant, in
	// bytes. Zero means 64 MiB. If negative, no response is cached or shared between requests.
	CacheSize int64
	// Routes are further routes without a tenant, such as the demo's images.
	Routes []Route
	// Version is the program's version, which /healthz reports.
	Version string
	// PublicURL is the server's URL for clients, for the API document. Empty means relative.
	PublicURL string
	// SiteURL is the URL of the name below which each shop has a host, such as https://shops.example
	// for https://UID.shops.example. The shops' domains have its scheme and port. Empty means that
	// shops have pages at their domains only, with the scheme and the port of PublicURL.
	SiteURL string
	// ExampleTenant is the shop that the developer pages query by default, and that hosts of no shop
	// show. It may be empty.
	ExampleTenant string
	// TrustedProxies are the networks of proxies with a trusted X-Forwarded-For. Nil means none.
	TrustedProxies []netip.Prefix
	// MaxBody is the largest request body, in bytes. Zero means 1 MiB. Bodies of webhooks and of
	// GraphQL requests must not exceed 64 KiB either.
	MaxBody int64
	// Memory bounds the bytes of all requests' bodies and unsent responses; see [transport.Budget].
	// Zero means 128 MiB, or 32 times MaxBody if that is more.
	Memory int64
	// MaxConnections and MaxClientConnections are the limits of open connections, in all and of one
	// client address; a trusted proxy has no limit of its own. Zero means 4096, and 512 or a quarter
	// of MaxConnections if that is less.
	MaxConnections, MaxClientConnections int
	// Rate and Burst limit, per client address, the requests per second without a cached response.
	// Searches and long lists count as several. Zero means 50 and 200. A negative Rate means that
	// nothing is limited by client or shop.
	Rate, Burst int
	// ShopRate and ShopBurst are the same limits per shop, and for an address that passes on other
	// addresses. Zero means ten times Rate and Burst.
	ShopRate, ShopBurst int
	// HSTS is the time for which browsers must use HTTPS only, sent over TLS. Zero sends no such
	// header.
	HSTS time.Duration
	// RequestTimeout limits the work on one request. Zero means 25 s.
	RequestTimeout time.Duration
	// ShutdownTimeout limits the wait for open requests during shutdown. Zero means 20 s.
	ShutdownTimeout time.Duration
	// LeaveTime is the time between the stop and the shutdown in which requests are served while
	// /readyz returns 503, so that a load balancer sends the next ones to another server. Zero means
	// none.
	LeaveTime time.Duration
	// DrainTime limits the time before a shutdown in which no connection is accepted and each response
	// closes its connection, so that no client sends a request on a connection that is being closed.
	// It is for sockets that a parent process holds, where new connections wait for the next process.
	// Zero means none.
	DrainTime time.Duration
	// Deprecated are the operations of both APIs that will end, by ID. Nil means this version's.
	Deprecated map[string]Deprecation
	// NoAdmin disables the Admin API and its reference.
	NoAdmin bool
	// AdminHosts are the host names that serve the Admin API. Empty means every name.
	AdminHosts []string
	// HideIntrospection refuses queries of the GraphQL schema.
	HideIntrospection bool
	// Addresses is the form of client addresses in the log, and in metrics of security events. Empty
	// means [security.AddressesPlain].
	Addresses security.Addresses
	// LogSample means that one of this many successful cached responses has a log line. Zero means 1:
	// each has one.
	LogSample int
	// Now is the clock of the rate limit and of security events. Nil means time.Now.
	Now func() time.Time
}

// Tenants finds the shop of a request.
type Tenants interface {
	// Shop returns the shop with a UID from a client, which may be any text. Codes: tenant_not_found,
	// tenant_suspended.
	Shop(ctx context.Context, uid string) (*shop.Shop, error)
	// FindIncludingSuspended returns the shop with a UID even if it is suspended, for providers: their
	// webhooks concern payments and cash. Codes: tenant_not_found.
	FindIncludingSuspended(ctx context.Context, uid string) (*shop.Shop, error)
	admin.Shops
	// Installation returns the data of the whole server. Codes: not_found.
	Installation(ctx context.Context) (*shop.Shop, error)
	// Branding returns the appearance of the dashboard.
	Branding(ctx context.Context) (shop.Branding, error)
	// PublicStatus returns the state of the server and its incidents, for everybody.
	PublicStatus(ctx context.Context, hasSite bool) *tenants.PublicStatus
	// CountRequest counts a request to a shop, and the times that it took; see
	// [tenants.Tenants.CountRequest]. It must not block.
	CountRequest(s *shop.Shop, took, cpu time.Duration)
	// SetSettings changes settings of a shop if check, unless it is nil, accepts the current ones; see
	// [tenants.Tenants.SetSettings].
	SetSettings(
		ctx context.Context, caller access.Caller, uid string, changes map[string]json.RawMessage, check func(shop.StaffSettings) error,
	) (*shop.StaffSettings, error)
	// SetupNeeded reports whether there is no shop, and a link that creates the first.
	SetupNeeded(ctx context.Context) (bool, error)
	// SetUp creates the first shop with its owner; see [tenants.Tenants.SetUp].
	SetUp(ctx context.Context, caller access.Caller, in tenants.SetupInput) (*shop.Shop, *staff.SignedIn, error)
	// DomainOwner returns the shop that a host name belongs to.
	DomainOwner(name string) (owner tenants.DomainOwner, ok bool)
	// OnlyShop returns the UID of the server's shop; ok is false if it has none or several.
	OnlyShop() (uid string, ok bool)
	// DomainProof returns the proof that a domain belongs to its shop. It may query DNS.
	DomainProof(name string) tenants.DomainProof
	// DomainElsewhere reports whether the DNS of a domain leads elsewhere or nowhere. It queries DNS.
	DomainElsewhere(name string) bool
	// ServerAddress returns the host and the addresses that domains must resolve to.
	ServerAddress(ctx context.Context) (host string, addresses []string)
	// OpenImage opens a file of an uploaded image by the parts of its URL, which may be any text; see
	// [tenants.Tenants.OpenImage]. Codes: not_found.
	OpenImage(ctx context.Context, uid, id, file string) (*tenants.ImageFile, error)
	// Ready returns an error while the shops' data cannot be served.
	Ready(ctx context.Context) error
}

// Metrics records every request. It must not block.
type Metrics interface {
	// Request records a request by its route's pattern, never its path, and its method or "other".
	Request(method, route string, status int, duration time.Duration)
}

// Route is a route outside the API. Failures are logged as usual, successes at debug level.
type Route struct {
	Method  string
	Path    string // httprouter's form: /demo/images/:name
	Handler http.Handler
}

// The timeouts and limits of a connection. Reading may take as long as the work on a request: a
// read deadline that expires during the work would cancel it.
const (
	readHeaderTimeout = certificate.HandshakeWait + time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10

	// A client has writeTimeout to receive each writeChunk bytes of a response: 4 KiB a second.
	writeTimeout = 15 * time.Second
	writeChunk   = 64 << 10

	maxStreams = 100 // concurrent requests on a connection of HTTP/2
)

// maxSmallBody is the largest body of a webhook and of a GraphQL request, in bytes. Providers send
// a few KiB, and the largest document, escaped, and its variables fit.
const maxSmallBody = 64 << 10

func (cfg Config) withDefaults() Config {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.AdminHosts = canonicalHosts(cfg.AdminHosts)
	if cfg.Deprecated == nil {
		cfg.Deprecated = deprecated
	}
	if cfg.CacheSize == 0 {
		cfg.CacheSize = 64 << 20
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = 1 << 20
	}
	if cfg.Memory == 0 {
		cfg.Memory = 128 << 20
	}
	cfg.Memory = max(cfg.Memory, 32*cfg.MaxBody) // a client's share must be enough for one body and its decoding
	if cfg.MaxConnections == 0 {
		cfg.MaxConnections = 4096
	}
	if cfg.MaxClientConnections == 0 {
		cfg.MaxClientConnections = min(512, max(cfg.MaxConnections/4, 1))
	}
	if cfg.Rate == 0 {
		cfg.Rate = 50
	}
	if cfg.Burst == 0 {
		cfg.Burst = 200
	}
	if cfg.ShopRate == 0 {
		cfg.ShopRate = 10 * cfg.Rate
	}
	if cfg.ShopBurst == 0 {
		cfg.ShopBurst = 10 * cfg.Burst
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

// graphQL returns the configuration of the GraphQL handler.
func (cfg *Config) graphQL() graphql.Config {
	return graphql.Config{Logger: cfg.Logger, HideIntrospection: cfg.HideIntrospection, MaxBody: min(cfg.MaxBody, maxSmallBody)}
}
