package server

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/transport"
)

// exchange is one request and its response: the response writer that every handler receives, with
// the results of middleware so far. It is passed as the writer, so the context contains none of it.
type exchange struct {
	http.ResponseWriter
	server    *Server
	mu        sync.Mutex     // guards the header while a GraphQL document is executed
	request   *http.Request  // as received
	hold      transport.Hold // see MemoryHold
	deadline  deadline       // the context of all work on the request
	started   time.Time
	requestID string
	route     string // the pattern, such as /api/v1/products/{id}
	shop      *shop.Shop
	caller    access.Caller
	usedUp    bool            // see UseUpKey
	lost      *access.Subject // see Lost
	actor     string          // ID of the staff member or the API key; "" outside the Admin API
	// forwarder is the address that passed on the client's. It is "" if the client is connected
	// directly, or through a trusted proxy.
	forwarder  string
	identified bool          // identity is known
	identity   error         // why the tenant or caller could not be identified
	opened     time.Duration // end of the request before a stream of events began; zero if the response is no such stream
	status     int
	bytes      int64
	extendAt   int64 // the number of bytes before which the write deadline is extended
	err        error // the failure that the log records; nil unless the response is 5xx
	failure    error // the error that the response reports, nil unless it is a problem
	quiet      bool  // log a success at debug level
	prepared   bool  // the response was cached; only a sample of its successes is logged
	overRate   bool  // the rate limit refused the request
	reported   reported
	longList   []string // IDs of a list that is streamed; see holdLongList
	longListOf *catalogue.Catalogue
	cpu        cpuTimer
}

func newExchange(s *Server, w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{ResponseWriter: w, server: s, request: r, started: time.Now(), requestID: firstOf(r.Header, "X-Request-Id")}
	if !isSaneRequestID(x.requestID) {
		x.requestID = newRequestID()
	}
	h := w.Header()
	h["X-Request-Id"] = []string{x.requestID}
	h["X-Api-Version"] = headerAPIVersion
	h["Cache-Control"] = headerNoStore
	h["Content-Security-Policy"] = headerContentPolicy
	h["Referrer-Policy"] = headerReferrerPolicy
	h["Cross-Origin-Opener-Policy"] = headerOpenerPolicy
	if s.draining.Load() {
		h["Connection"] = headerClose
	}
	return x
}

// firstOf returns the first value of a header. Unlike Get it expects the name in canonical form,
// since deriving that would take longer than the look-up.
func firstOf(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Header values that all responses share. They are replaced, never modified.
var (
	headerAPIVersion = []string{APIVersion}
	headerNosniff    = []string{"nosniff"}
	headerNoStore    = []string{"no-store"}
	headerClose      = []string{"close"}

	// For every response, since a browser may be made to open any. Pages have a content policy of
	// their own.
	headerContentPolicy  = []string{"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"}
	headerReferrerPolicy = []string{"no-referrer"} // URLs contain order IDs and payments' signatures
	headerOpenerPolicy   = []string{"same-origin"}
)

// Shop returns the shop of the request. It implements [admin.Exchange].
func (x *exchange) Shop() *shop.Shop { return x.shop }

// Caller returns the caller of the request. It implements [admin.Exchange].
func (x *exchange) Caller() access.Caller { return x.caller }

// exchangeOf returns the exchange of a huma operation.
func exchangeOf(ctx huma.Context) *exchange {
	_, w, _ := humahttprouter.Unwrap(ctx)
	return w.(*exchange)
}

// WriteHeader sends the status and records it for the log.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	if status != http.StatusNotModified { // a 304 has no body with a type that a browser could guess
		x.Header()["X-Content-Type-Options"] = headerNosniff
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write sends part of the body and counts its bytes. The client has writeTimeout for each
// writeChunk bytes: a slow client receives a whole long list, but a client that has stopped reading
// does not occupy it.
func (x *exchange) Write(p []byte) (written int, err error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	for {
		if x.bytes >= x.extendAt {
			if x.bytes > 0 { // the first chunk has the connection's deadline
				_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTimeout)) // the client may be gone
			}
			x.extendAt += writeChunk
		}
		n, err := x.ResponseWriter.Write(p[:min(int64(len(p)), x.extendAt-x.bytes)])
		x.bytes += int64(n)
		written += n
		p = p[n:]
		if err != nil {
			return written, err
		}
		if len(p) == 0 {
			return written, nil
		}
	}
}

// MemoryHold returns the request's hold of the server's memory. Most requests need none.
func (x *exchange) MemoryHold() *transport.Hold {
	if x.hold.IsZero() {
		x.hold = x.server.memory.Hold(clientAddress(x.request, x.server.cfg.TrustedProxies))
	}
	return &x.hold
}

// Unwrap returns the connection's writer, for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// newRequestID returns 24 letters and digits. The ID protects nothing, so it does not need
// crypto/rand, which takes three times as long.
func newRequestID() string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" // five bits each
	var id [24]byte
	for half := range slices.Chunk(id[:], 12) {
		bits := rand.Uint64()
		for i := range half {
			half[i] = digits[bits&31]
			bits >>= 5
		}
	}
	return string(id[:])
}

func isSaneRequestID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
