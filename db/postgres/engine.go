package postgres

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"storefront/db"
)

// Options configures an engine. Schema must be set; other fields may be zero.
type Options struct {
	// Schema is the text of schema.sql: the newest schema of a tenant's data.
	Schema string
	// Steps lead from older schemas to the newest, oldest first, see [db.Step]. The newest version
	// is len(Steps)+1.
	Steps []db.Step
	// Namespace is the schema of PostgreSQL with the tables; "" means storefront.
	Namespace string
	// Space separates installations that share the tables.
	Space string
	// Connections limits the connections of this process; 0 means 12.
	Connections int
	// MaxOpen limits the number of open tenants that are not in use; 0 means 2000.
	MaxOpen int
	// Command is set by processes that may run beside a server. They refuse an older schema with
	// [db.ErrOutdated].
	Command bool
	// Translated, if not nil, is called with each statement that is translated for the first time.
	Translated func(query string)
}

// DefaultConnections is the default of [Options.Connections].
const DefaultConnections = 12

const (
	defaultMaxOpen   = 2000
	defaultNamespace = "storefront"
	// maxTranslations limits the translated statements that are cached. The program has some hundreds,
	// and more for lists of each length.
	maxTranslations = 5000
	lockTimeout     = 10 * time.Second
)

// Engine stores tenants in a PostgreSQL database. It implements [db.Engine].
type Engine struct {
	opts   Options
	schema *schema
	pool   *pool
	store  *db.Store
	scoped sync.Map // of statement to *scoped: at most maxTranslations
	live   sync.Map // of ID to *tenant: the open ones, so that Opened needs no mu

	opened, evicted atomic.Uint64
	translations    atomic.Int64 // in scoped, or a few more
	lastCommit      atomic.Int64 // a [db.Store.Elapsed]; 0 means none
	changed         atomic.Int64 // rows
	analyzeAt       atomic.Int64 // of changed, see [session.count]

	polling sync.Mutex // held while states are read

	mu       sync.Mutex
	tenants  map[db.ID]*tenant
	idle     *list.List // of *tenant, the least recently used first
	isClosed bool
	closed   chan struct{}
}

// Open connects to the database at an address, a postgres:// URL or a list of key=value, and
// creates the tables if there are none. Errors: [ErrAddress], [db.ErrConnection], [db.ErrNewer],
// [db.ErrOutdated], [db.ErrUnusable].
func Open(ctx context.Context, address string, opts Options) (*Engine, error) {
	if opts.Namespace == "" {
		opts.Namespace = defaultNamespace
	}
	if !isName(opts.Namespace) {
		return nil, fmt.Errorf("open engine: the namespace %q must be a lower-case name", opts.Namespace)
	}
	if opts.Connections == 0 {
		opts.Connections = DefaultConnections
	}
	if opts.MaxOpen == 0 {
		opts.MaxOpen = defaultMaxOpen
	}
	schema, err := parseSchema(opts.Schema)
	if err != nil {
		return nil, fmt.Errorf("open engine: %w", err)
	}
	config, err := configure(address, opts.Namespace)
	if err != nil {
		return nil, fmt.Errorf("open engine: %w", err)
	}
	e := &Engine{
		opts: opts, schema: schema, pool: newPool(config, opts.Connections),
		tenants: map[db.ID]*tenant{}, idle: list.New(), closed: make(chan struct{}),
	}
	e.analyzeAt.Store(firstAnalyze)
	if err := e.install(ctx); err != nil {
		e.pool.close()
		return nil, fmt.Errorf("open engine: %w", err)
	}
	return e, nil
}

// ErrAddress means that an address is malformed. It omits the address, which may have a password.
var ErrAddress = errors.New("the address must be postgres://USER:PASSWORD@HOST:PORT/DATABASE or a list of key=value")

// configure returns the configuration of a connection. All settings of a session are here.
func configure(address, namespace string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, ErrAddress
	}
	for name, value := range map[string]string{
		"application_name": "storefront",
		"search_path":      namespace,
		"client_encoding":  "UTF8",
		// Statements outside a transaction read, and views have one snapshot. Writers set other
		// modes in BEGIN.
		"default_transaction_read_only": "on",
		"default_transaction_isolation": "repeatable read",
		// A writer waits as long as SQLite's busy timeout.
		"lock_timeout": strconv.FormatInt(lockTimeout.Milliseconds(), 10),
		// A process that has vanished must not hold a shop.
		"idle_in_transaction_session_timeout": strconv.FormatInt(tripTimeout.Milliseconds(), 10),
		"tcp_user_timeout":                    strconv.FormatInt(tripTimeout.Milliseconds(), 10),
		// Nor a lease: its connection is silent most of the time.
		"tcp_keepalives_idle":     "10",
		"tcp_keepalives_interval": "5",
		"tcp_keepalives_count":    "3",
		// Statements are prepared and run often: 5 to 12 % less work than a plan for each execution.
		"plan_cache_mode": "force_generic_plan",
		// Every condition has the shop, and every key begins with it. Otherwise a plan that was made
		// while a table was empty would scan it until the connection ends, in checks of foreign keys too.
		"enable_seqscan": "off",
		"jit":            "off",
	} {
		config.RuntimeParams[name] = value
	}
	config.BuildContextWatcherHandler = watch
	// Regardless of target_session_attrs: read-write would refuse the read-only sessions above.
	config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	config.DialFunc = dial
	config.ConnectTimeout = connectTimeout // to each address: the first may be of a silent machine
	return config, nil
}

// Start implements [db.Engine].
func (e *Engine) Start(s *db.Store) { e.store = s }

// Schema implements [db.Engine].
func (e *Engine) Schema() int { return len(e.opts.Steps) + 1 }

// Dialect implements [db.Engine].
func (e *Engine) Dialect(db.ID) db.Dialect { return db.Postgres }

// Failures implements [db.Engine]. A database that cannot be reached is a failure of no single
// tenant.
func (e *Engine) Failures() []db.Failure { return nil }

// Stats implements [db.Engine].
func (e *Engine) Stats() db.EngineStats {
	st := db.EngineStats{Opened: e.opened.Load(), Evicted: e.evicted.Load(), Trips: e.pool.trips.Load()}
	_, st.Readers = e.pool.inUse()
	e.mu.Lock()
	defer e.mu.Unlock()
	st.Open, st.Idle = len(e.tenants), e.idle.Len()
	for _, t := range e.tenants {
		if t.closing {
			st.Closing++
		}
		select {
		case <-t.ready:
			if t.committer != nil {
				st.Queued += t.committer.Queued()
			}
		default:
		}
	}
	return st
}

// committed records the time of a commit.
func (e *Engine) committed() { e.lastCommit.Store(max(int64(e.store.Elapsed()), 1)) }

// WaitForServers waits until all servers have seen this process's last commit, so that their next
// responses include it. It returns immediately if nothing was committed recently. It is for
// processes beside the servers.
func (e *Engine) WaitForServers(ctx context.Context) {
	last := time.Duration(e.lastCommit.Load())
	unseen := db.CheckInterval - (e.store.Elapsed() - last)
	if last == 0 || unseen <= 0 {
		return
	}
	select {
	case <-time.After(unseen):
	case <-ctx.Done():
	}
}

// Close implements [db.Engine].
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	e.isClosed = true
	e.mu.Unlock()
	for {
		t, drained := e.lastUsed()
		if t == nil {
			break
		}
		if drained != nil {
			select {
			case <-drained:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		if t.committer != nil {
			t.committer.Stop()
		}
	}
	e.pool.close()
	return nil
}

// lastUsed returns a tenant that must be closed: one that it has removed because it was not in use,
// or one in use with a channel that is closed at the end of its use.
func (e *Engine) lastUsed() (t *tenant, drained chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t = range e.tenants {
		if t.refs == 0 {
			if t.excluded {
				return t, t.gone
			}
			e.unregister(t)
			return t, nil
		}
	}
	for _, t = range e.tenants {
		t.closing = true
		if t.drained == nil {
			t.drained = make(chan struct{})
		}
		return t, t.drained
	}
	return nil, nil
}

// rows runs one of the engine's statements on a connection for polling and calls fn with its rows.
func (e *Engine) rows(ctx context.Context, query string, args []db.Value, fn func([]db.Value) error) error {
	return e.rowsAs(ctx, polling, query, args, fn)
}

// rowsAs is rows on a connection for another use.
func (e *Engine) rowsAs(ctx context.Context, u use, query string, args []db.Value, fn func([]db.Value) error) error {
	r, err := e.beginRead(ctx, 0, u)
	if err != nil {
		return err
	}
	o := &op{text: query}
	for _, v := range args {
		a, err := encode(v, false)
		if err != nil {
			return errors.Join(err, r.End())
		}
		o.args = append(o.args, a)
	}
	got, err := r.trip(o, true)
	if err == nil {
		err = each(got, fn)
	}
	return errors.Join(err, r.End())
}

func each(r *results, fn func([]db.Value) error) error {
	values := make([]db.Value, len(r.fields))
	for {
		switch err := r.next(values); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := fn(values); err != nil {
			return errors.Join(err, r.close())
		}
	}
}

// numbers returns the first row of a query for integers, nil if there is none.
func (e *Engine) numbers(ctx context.Context, query string, args ...db.Value) (row []int64, err error) {
	err = e.rows(ctx, query, args, func(values []db.Value) error {
		if row != nil {
			return nil
		}
		row = []int64{}
		for _, v := range values {
			n, _ := v.(int64)
			row = append(row, n)
		}
		return nil
	})
	return row, err
}
