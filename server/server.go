package server

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"storefront/prepared"
	"storefront/server/certificate"
	"storefront/server/security"
	"storefront/transport"
)

// Server serves HTTP for all tenants. It is safe for concurrent use. Create one with [New].
type Server struct {
	cfg    Config
	routes router
	limits *workLimits // nil means none
	cache  *prepared.Cache
	memory *transport.Budget
	// repeats are the locks of Admin API requests with an idempotency key.
	repeats keyedLocks
	// saveTime limits storing a response to one.
	saveTime time.Duration
	// wholeLists has an element for each whole list that is being built.
	wholeLists chan struct{}
	conns      *connections
	frames     *rateLimiter // counts frames of HTTP/2 beside requests; nil means none
	streams    eventStreams
	sites      *sites
	visits     visitCounter
	api        huma.API                         // that operations are added to at the start; nil in a server of clients
	reference  func() (*prepared.Assets, error) // files of the reference pages
	security   *security.Recorder
	draining   atomic.Bool // see Config.LeaveTime and Config.DrainTime
	// certificates are the certificates of ServeTLS, nil without TLS.
	certificates atomic.Pointer[certificate.Manager]
	status       statusCache
	begun        atomic.Uint64 // requests, for the sample of their CPU time
	cached       atomic.Uint64 // successful cached responses, for the sample of Config.LogSample
}

// New returns a server with this configuration. Config.Tenants must be set.
func New(cfg Config) (*Server, error) {
	if cfg.Tenants == nil {
		return nil, errors.New("server: Tenants must be set")
	}
	s := newServer(cfg)
	var err error
	if s.sites, err = newSites(&s.cfg); err != nil {
		return nil, fmt.Errorf("read pages: %w", err)
	}
	s.registerOperations()
	s.routeGraphQL()
	s.routeDocument()
	if err := s.routeAdmin(); err != nil {
		return nil, err
	}
	s.routeHealth()
	s.routeStatus()
	s.routePayments()
	s.routeResult()
	s.routeOrderPage()
	s.routeMedia()
	s.routeCouriers()
	for _, r := range s.cfg.Routes {
		s.routePublic(r.Method, r.Path, logQuietly(r.Handler))
	}
	return s, nil
}

// registerOperations adds the operations of the storefront API.
func (s *Server) registerOperations() {
	s.registerProducts()
	s.registerReviews()
	s.registerMenus()
	s.registerCollections()
	s.registerTenant()
	s.registerCustomers()
	s.registerOrders()
}

// newServer returns a server without operations.
func newServer(cfg Config) *Server {
	cfg = cfg.withDefaults()
	s := &Server{
		saveTime: saveResponseTime,
		cfg:      cfg, routes: newRouter(), cache: prepared.NewCache(max(cfg.CacheSize, 0)), memory: transport.NewBudget(cfg.Memory),
		wholeLists: make(chan struct{}, maxWholeLists()),
		conns:      newConnections(cfg.MaxConnections, cfg.MaxClientConnections, cfg.TrustedProxies),
	}
	s.limits, s.frames = newWorkLimits(&s.cfg), newFrameLimiter(&s.cfg)
	s.streams.stopping, s.streams.comment = make(chan struct{}), eventComment
	s.reference = sync.OnceValues(func() (*prepared.Assets, error) {
		return prepared.NewAssets(referenceFiles, "reference", referencePath)
	})
	s.security = security.NewRecorder(security.Config{Logger: cfg.Logger, Addresses: cfg.Addresses, Now: cfg.Now})
	return s
}

// Prepared returns the statistics of the response cache.
func (s *Server) Prepared() prepared.Stats { return s.cache.Stats() }

// Memory returns the memory that requests hold in bodies and responses.
func (s *Server) Memory() transport.BudgetStats { return s.memory.Stats() }

// Connections returns the statistics of the server's connections.
func (s *Server) Connections() ConnectionStats { return s.conns.stats() }

// Handler returns the server as a handler, for other listeners and tests.
func (s *Server) Handler() http.Handler { return s }

// ServeHTTP handles one request, with the middleware that all routes share.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := newExchange(s, w, r)
	if s.begun.Add(1)%cpuSample == 0 {
		x.cpu.begin()
	}
	defer x.discardBody()
	defer s.finish(x, r)
	defer x.hold.Release()
	x.deadline.begin(r.Context(), x.started.Add(s.cfg.RequestTimeout))
	defer x.deadline.end()
	allowAnyOrigin(x, r)
	if !s.servePrepared(x, r) {
		s.routes.serve(x, r.WithContext(&x.deadline))
	}
}
