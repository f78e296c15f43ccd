package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"
)

// HasherConfig sets the cost of a password hash. The zero value is OWASP's recommendation for
// argon2id, with one slot less than the number of processors, and at least one. A server's
// GOMAXPROCS is one more than that number.
type HasherConfig struct {
	MemoryKiB uint32    // 0 means 19456 (19 MiB)
	Passes    uint32    // 0 means 2
	Slots     int       // concurrent hashes; 0 means GOMAXPROCS-2, at least 1
	Queue     int       // callers that may wait for a slot; 0 means 256
	Rand      io.Reader // source of salts; nil means crypto/rand
}

const (
	saltBytes    = 16
	hashBytes    = 32
	hashThreads  = 1
	maxMemoryKiB = 256 << 10 // a stored hash may not need more, nor more passes
	maxPasses    = 16
	// The passwords of staff members have one slot beside the others.
	staffSlots = 1
	staffQueue = 64
	// busySeconds is the time in which one slow processor empties a full default queue.
	busySeconds = 10
)

// Hasher hashes passwords with argon2id, a bounded number concurrently, so that a flood of logins
// leaves processors and memory to everything else. The number is shared fairly, see [Use]. It is
// safe for concurrent use.
type Hasher struct {
	cost   hashCost
	rand   io.Reader
	queue  *queue
	staff  *queue // of staff members, so that a flood of customers does not block them
	hashes atomic.Int64
}

// hashCost is the cost of one hash, with one thread.
type hashCost struct{ memoryKiB, passes uint32 }

// NewHasher returns a Hasher of the given cost.
func NewHasher(cfg HasherConfig) *Hasher {
	if cfg.MemoryKiB == 0 {
		cfg.MemoryKiB = 19456
	}
	if cfg.Passes == 0 {
		cfg.Passes = 2
	}
	if cfg.Slots == 0 {
		cfg.Slots = max(1, runtime.GOMAXPROCS(0)-2)
	}
	if cfg.Queue == 0 {
		cfg.Queue = 256
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	return &Hasher{
		cost: hashCost{cfg.MemoryKiB, cfg.Passes}, rand: cfg.Rand, queue: newQueue(cfg.Slots, cfg.Queue), staff: newQueue(staffSlots, staffQueue),
	}
}

// queueOf returns the queue of a use.
func (h *Hasher) queueOf(use Use) *queue {
	if use.Staff {
		return h.staff
	}
	return h.queue
}

// Hashes returns the number of hashes computed so far, to set a password or to check one.
func (h *Hasher) Hashes() int64 { return h.hashes.Load() }

// Hash returns password's hash in PHC form. Codes: rate_limited (no place in the queue).
func (h *Hasher) Hash(ctx context.Context, use Use, password string) (string, error) {
	place, err := h.Enqueue(use)
	if err != nil {
		return "", err
	}
	defer place.Release()
	return place.Hash(ctx, password)
}

// Verify is [Ticket.Verify] with a ticket of its own. Codes: rate_limited.
func (h *Hasher) Verify(ctx context.Context, use Use, password, phc string) (bool, error) {
	place, err := h.Enqueue(use)
	if err != nil {
		return false, err
	}
	defer place.Release()
	return place.Verify(ctx, password, phc)
}

// Ticket is a place in the queue. A caller that writes before it hashes reserves a place first, so
// that a flood of requests writes no more than can be hashed.
type Ticket struct {
	hasher *Hasher
	use    Use
}

// Enqueue returns a place in the queue, which the caller must release. Codes: rate_limited (there
// is no place for use).
func (h *Hasher) Enqueue(use Use) (Ticket, error) {
	if err := h.queueOf(use).enter(use); err != nil {
		return Ticket{}, err
	}
	return Ticket{h, use}, nil
}

// Release releases the place.
func (p Ticket) Release() { p.hasher.queueOf(p.use).leave(p.use) }

// Hash returns password's hash in PHC form.
func (p Ticket) Hash(ctx context.Context, password string) (string, error) {
	stored := storedHash{cost: p.hasher.cost, salt: make([]byte, saltBytes)}
	if _, err := io.ReadFull(p.hasher.rand, stored.salt); err != nil {
		return "", fmt.Errorf("make salt: %w", err)
	}
	var err error
	if stored.sum, err = p.sum(ctx, password, stored); err != nil {
		return "", err
	}
	return stored.String(), nil
}

// Verify reports whether password matches a hash in PHC form. If phc is "" (no account, or one
// without a password) or the password is longer than any that can be set, it does the same work
// and returns false.
func (p Ticket) Verify(ctx context.Context, password, phc string) (bool, error) {
	stored := storedHash{cost: p.hasher.cost, salt: make([]byte, saltBytes)}
	if len(password) > MaxBytes {
		password, phc = "", ""
	}
	if phc != "" {
		var err error
		if stored, err = parseStoredHash(phc); err != nil {
			return false, err
		}
	}
	sum, err := p.sum(ctx, password, stored)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(sum, stored.sum) == 1, nil
}

// sum hashes once a slot is free.
func (p Ticket) sum(ctx context.Context, password string, with storedHash) ([]byte, error) {
	queue := p.hasher.queueOf(p.use)
	if err := queue.acquire(ctx, p.use); err != nil {
		return nil, fmt.Errorf("wait to hash a password: %w", err)
	}
	defer queue.release(p.use)
	p.hasher.hashes.Add(1)
	return argon2.IDKey([]byte(Normalize(password)), with.salt, with.cost.passes, with.cost.memoryKiB, hashThreads, hashBytes), nil
}

// storedHash is a parsed hash in PHC form: $argon2id$v=19$m=19456,t=2,p=1$salt$sum
type storedHash struct {
	cost      hashCost
	salt, sum []byte
}

func (s storedHash) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, s.cost.memoryKiB, s.cost.passes, hashThreads,
		b64.EncodeToString(s.salt), b64.EncodeToString(s.sum))
}

var errStoredHash = errors.New("unknown form of a stored password hash")

func parseStoredHash(phc string) (storedHash, error) {
	var s storedHash
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return s, errStoredHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d", &s.cost.memoryKiB, &s.cost.passes); err != nil {
		return s, errStoredHash
	}
	var err error
	if s.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return s, errStoredHash
	}
	if s.sum, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
		return s, errStoredHash
	}
	// The text must be exactly what String writes: other threads, lengths and spellings are rejected.
	if s.String() != phc || len(s.sum) != hashBytes || s.cost.passes == 0 ||
		s.cost.passes > maxPasses || s.cost.memoryKiB > maxMemoryKiB {
		return s, errStoredHash
	}
	return s, nil
}
