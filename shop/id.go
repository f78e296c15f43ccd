package shop

import (
	"io"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// crockford is Crockford's base 32 alphabet: no I, L, O, U. 32 divides 256, so a byte's low five
// bits are unbiased.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ids makes identifiers. Rows made later sort later, which keeps B-trees dense and what happened in
// one millisecond in its order.
type ids struct {
	mu     sync.Mutex
	source *ulid.MonotonicEntropy
	last   uint64 // milliseconds of the last identifier
	rand   io.Reader
}

func newIDs(rand io.Reader) *ids {
	return &ids{source: ulid.Monotonic(rand, 0), rand: rand}
}

// next gives a new identifier for a row made at the time at. It sorts after all before it, also
// where at is earlier: a transaction has one time for all that it does, and others are under way.
func (g *ids) next(at time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last, ulid.Timestamp(at))
	return ulid.MustNew(g.last, g.source).String()
}

// invoiceUID gives 80 random bits as 16 characters that are easy to read out.
func (g *ids) invoiceUID() (string, error) {
	b := make([]byte, 16)
	if _, err := io.ReadFull(g.rand, b); err != nil {
		return "", err
	}
	for i := range b {
		b[i] = crockford[b[i]&31]
	}
	return string(b), nil
}
