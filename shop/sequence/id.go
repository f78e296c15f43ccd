package sequence

import (
	"io"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// crockford is Crockford's base 32 alphabet: no I, L, O, U. 32 divides 256, so a byte's low five
// bits are unbiased.
const Crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ids makes identifiers. Rows made later sort later, which keeps B-trees dense and what happened in
// one millisecond in its order.
type Source struct {
	mu     sync.Mutex
	source *ulid.MonotonicEntropy
	last   uint64 // milliseconds of the last identifier
	rand   io.Reader
}

func NewSource(rand io.Reader) *Source {
	return &Source{source: ulid.Monotonic(rand, 0), rand: rand}
}

// next gives a new identifier for a row made at the time at. It sorts after all before it, also
// where at is earlier: a transaction has one time for all that it does, and others are under way.
func (g *Source) Next(at time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last, ulid.Timestamp(at))
	return ulid.MustNew(g.last, g.source).String()
}

// code returns length random characters of [crockford], five bits each, which are easy to read out.
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
