package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"storefront/db"
)

const (
	// connectTimeout limits the time for connecting to one of the addresses.
	connectTimeout = 5 * time.Second
	// slotTimeout limits the time that a writer waits for a free connection.
	slotTimeout = 10 * time.Second
	// lostTimeout limits the time for replacing a lost connection before the work on it fails.
	lostTimeout = 30 * time.Second
	// The pauses between two attempts to connect.
	minPause = 50 * time.Millisecond
	maxPause = 500 * time.Millisecond
)

// use is the purpose of a connection.
type use int

const (
	reading use = iota
	readingMany
	writing
	polling // at the directory and the versions: briefly, and never behind slow reads or writers
)

// pool holds the connections of a process.
type pool struct {
	config *pgconn.Config
	ready  func(ctx context.Context, l *link) error // checks a new connection

	slots  chan struct{} // one token per connection in use, except for polls
	polls  chan struct{} // one token per connection in use for polling
	reads  chan struct{} // one token per connection in use by readers; some less than slots
	many   chan struct{} // one token per connection in use by readingMany; some less than reads
	closed chan struct{}

	mu     sync.Mutex
	free   []*link // a stack: the last one used is reused first
	outage outage

	trips, connects atomic.Uint64
}

// maxPolls is the number of connections that only poll.
const maxPolls = 2

// minConnections lets one reader of many rows, another reader and a writer work at the same time.
const minConnections = 3 + maxPolls

func newPool(config *pgconn.Config, n int) *pool {
	n = max(n, minConnections) - maxPolls
	return &pool{
		config: config, closed: make(chan struct{}),
		slots: make(chan struct{}, n), reads: make(chan struct{}, max(n-max(n/4, 1), 1)), many: make(chan struct{}, max(n/2, 1)),
		polls: make(chan struct{}, maxPolls),
	}
}

// shareOfReads returns the maximum number of connections for one tenant's readers.
func (p *pool) shareOfReads() int { return max(cap(p.reads)-max(cap(p.reads)/4, 1), 1) }

// acquire waits for a connection. It connects if none is free.
func (p *pool) acquire(ctx context.Context, u use) (*link, error) {
	acquired := []chan struct{}{}
	release := func() {
		for _, ch := range acquired {
			<-ch
		}
	}
	for _, ch := range p.channels(u) {
		select {
		case ch <- struct{}{}:
			acquired = append(acquired, ch)
		case <-ctx.Done():
			release()
			return nil, ctx.Err()
		case <-p.closed:
			release()
			return nil, db.ErrClosed
		}
	}
	l, err := p.get(ctx)
	if err != nil {
		release()
		return nil, err
	}
	return l, nil
}

func (p *pool) channels(u use) []chan struct{} {
	switch u {
	case readingMany:
		return []chan struct{}{p.many, p.reads, p.slots}
	case reading:
		return []chan struct{}{p.reads, p.slots}
	case polling:
		return []chan struct{}{p.polls}
	}
	return []chan struct{}{p.slots}
}

// get returns a free connection, or a new one.
func (p *pool) get(ctx context.Context) (*link, error) {
	for {
		p.mu.Lock()
		n := len(p.free)
		if n == 0 {
			p.mu.Unlock()
			return p.connect(ctx)
		}
		l := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		if l.isOpen() {
			return l, nil
		}
	}
}

// release returns a connection, or the place of one that is closed.
func (p *pool) release(l *link, u use) {
	p.put(l)
	for _, ch := range p.channels(u) {
		<-ch
	}
}

// put adds a connection to the free ones, unless it is closed.
func (p *pool) put(l *link) {
	if !l.isOpen() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closed:
		l.close()
	default:
		p.free = append(p.free, l)
	}
}

// replace replaces a lost connection. It repeats until ctx ends or the database has been
// unreachable for too long.
func (p *pool) replace(ctx context.Context, lost *link) (*link, error) {
	lost.close()
	p.closeFree() // they are likely to lead to the same server
	return p.persist(ctx)
}

// persist connects, with pauses between its attempts.
func (p *pool) persist(ctx context.Context) (*link, error) {
	deadline := time.Now().Add(lostTimeout)
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		l, err := p.get(ctx)
		if err == nil || !isLost(err) || isRefusal(err) || p.inLongOutage() || time.Now().After(deadline) {
			return l, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.closed:
			return nil, db.ErrClosed
		}
	}
}

func (p *pool) inLongOutage() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.outage.isLong()
}

// outage is a period in which no connection could be opened.
type outage struct {
	began time.Time // zero if the last attempt succeeded
	tried time.Time // the last attempt
	err   error     // its result
}

// isLong reports whether the outage has lasted so long that waiting is pointless.
func (o outage) isLong() bool { return !o.began.IsZero() && time.Since(o.began) > lostTimeout }

// outageError returns the result of the last attempt to connect if, in a long outage, it is too
// early for the next one.
func (p *pool) outageError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.outage.isLong() {
		return nil
	}
	if time.Since(p.outage.tried) < maxPause {
		return p.outage.err
	}
	p.outage.tried = time.Now()
	return nil
}

// noteAttempt records the result of an attempt to connect.
func (p *pool) noteAttempt(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch now := time.Now(); {
	case err == nil:
		p.outage = outage{}
	case p.outage.began.IsZero():
		p.outage = outage{now, now, err}
	default:
		p.outage.tried, p.outage.err = now, err
	}
}

// connect opens a connection.
func (p *pool) connect(ctx context.Context) (*link, error) {
	if err := p.outageError(); err != nil {
		return nil, err
	}
	l, err := p.dial(ctx)
	if err == nil || ctx.Err() == nil {
		p.noteAttempt(err)
	}
	return l, err
}

func (p *pool) dial(ctx context.Context) (*link, error) {
	p.connects.Add(1)
	timeout, cancel := context.WithTimeout(ctx, connectTimeout*time.Duration(1+len(p.config.Fallbacks)))
	defer cancel()
	conn, err := pgconn.ConnectConfig(timeout, p.config)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, connectError(err)
	}
	l := &link{conn: conn, prepared: map[string][]*prepared{}, trips: &p.trips}
	if p.ready != nil {
		if err := p.ready(ctx, l); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

// refusal is a reason for which a connection fails until the operator changes something.
type refusal string

func (r refusal) Error() string { return string(r) }

// isRefusal reports whether an attempt to connect need not be repeated soon.
func isRefusal(err error) bool {
	_, ok := errors.AsType[refusal](err)
	return ok
}

// connectError returns the error for a failed connection, with a remedy for the operator. It
// contains no password.
func connectError(err error) error {
	lost := func(err error) error { return &db.Error{Kind: db.ErrConnection, Err: err} }
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "28P01", "28000":
			return lost(refusal("the database server refuses the user or the password: check the address given to --engine"))
		case "3D000":
			return lost(refusal("the database does not exist: create it, or check the address given to --engine"))
		case "42501":
			return lost(refusal("the database's user may not connect: grant it the right to"))
		case "53300":
			return lost(errors.New("the database server has too many connections: raise max_connections, or lower --engine-connections"))
		}
		return translate(err)
	}
	switch {
	case errors.Is(err, pgconn.ErrStandbyConnection):
		return lost(errors.New("the database server is a standby: the address given to --engine must contain the primary, or all servers"))
	case strings.Contains(err.Error(), "refused TLS"):
		return lost(refusal("the database server does not offer TLS: set it up there, or add sslmode=prefer to the address given to --engine"))
	}
	return lost(fmt.Errorf("the database server cannot be reached: %w", err))
}

// closeFree closes the free connections.
func (p *pool) closeFree() {
	p.mu.Lock()
	free := p.free
	p.free = nil
	p.mu.Unlock()
	var closing sync.WaitGroup // a vanished server answers none of them
	for _, l := range free {
		closing.Go(l.close)
	}
	closing.Wait()
}

// close closes the free connections, and those in use when they are released.
func (p *pool) close() {
	p.mu.Lock()
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	p.mu.Unlock()
	p.closeFree()
}

// inUse returns the number of connections in use, and of free ones.
func (p *pool) inUse() (used, free int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.slots) + len(p.polls), len(p.free)
}
