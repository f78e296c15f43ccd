package sequence

import (
	"io"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Crockford is Crockford's base 32 alphabet: no I, L, O, U. 32 divides 256, so a byte's low five
// bits are unbiased.
const Crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// Source generates identifiers. Later ones sort later, so that B-trees stay dense and rows of one
// millisecond keep their order. It is safe for concurrent use.
type Source struct {
	mu     sync.Mutex
	source *ulid.MonotonicEntropy
	last   uint64 // milliseconds of the last identifier
	rand   io.Reader
}

// NewSource returns a source that reads its randomness from rand.
func NewSource(rand io.Reader) *Source {
	return &Source{source: ulid.Monotonic(rand, 0), rand: rand}
}

// Next returns a new ULID for a row created at the time at. It sorts after all earlier ones even if
// at is earlier: a transaction has one time, and several run concurrently.
func (g *Source) Next(at time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last, ulid.Timestamp(at))
	return ulid.MustNew(g.last, g.source).String()
}

// Code returns length random characters of [Crockford], five bits each, which are easy to read
// aloud.
func (g *Source) Code(length int) (string, error) {
	b := make([]byte, length)
	if _, err := io.ReadFull(g.rand, b); err != nil {
		return "", err
	}
	for i := range b {
		b[i] = Crockford[b[i]&31]
	}
	return string(b), nil
}
