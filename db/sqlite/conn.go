package sqlite

import (
	"container/list"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"storefront/db"
)

// pragma is one PRAGMA of a data source name.
type pragma struct{ name, value string }

// The sizes of a connection's page cache, in KiB as SQLite expects them: its default, for every
// connection, and a larger one for the writer during an update that runs alone.
const (
	cacheSize      = "-2000"
	largeCacheSize = "-32000"
)

// busyTimeout is the time that a statement waits for a lock of another process.
const busyTimeout = 10 * time.Second

// commonPragmas are the pragmas of every connection to a tenant's file.
var commonPragmas = []pragma{
	// First, so that the other pragmas wait too: a CLI command and the server share files, and each
	// holds the write lock only briefly. Writers begin transactions without it, see turn.go.
	{"busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
	// Three are not in this list, since they would parse the schema, which a connection then
	// retains: journal_mode (see useWAL), and these, whose defaults are right. synchronous is FULL: an
	// acknowledged order survives a power cut; NORMAL could lose the last commits. cache_size is
	// cacheSize, which bounds memory: there are many connections, and the system caches files too.
	{"foreign_keys", "ON"},
	// Sorting needs no temporary files, and no free disk space for them.
	{"temp_store", "MEMORY"},
	// A restored file may come from anywhere: its schema must not run functions with side effects.
	{"trusted_schema", "OFF"},
	// Erased personal data is overwritten in the file's unused bytes too. The cost is not
	// measurable, for orders or for imports.
	{"secure_delete", "ON"},
	// In pages. The commit that fills 16 MiB does a checkpoint: often enough for fast readers and
	// rare enough not to slow down commits. At SQLite's default of 4 MiB nearly every group of 64
	// orders would need three fsyncs instead of one.
	{"wal_autocheckpoint", "4000"},
	// In bytes. The log shrinks again after a long import. The limit also makes SQLite empty the
	// log on a clean close, which persistLog relies on.
	{"journal_size_limit", "17825792"},
	// mmap_size stays 0: otherwise a failing disk or a truncated file would raise SIGBUS and stop
	// the service of all tenants.
}

// readerPragmas are the pragmas of a connection that must not write with any SQL.
var readerPragmas = withPragma(commonPragmas, "query_only", "ON")

// scratchPragmas are the pragmas of a file that is being built. It is deleted if anything fails, so
// it needs no fsync until it is complete.
var scratchPragmas = []pragma{
	{"journal_mode", "WAL"},
	{"synchronous", "OFF"},
	{"cache_size", "-8000"},
	{"temp_store", "MEMORY"},
	{"trusted_schema", "OFF"},
}

// withPragma returns a copy of pragmas with the value of one of them changed, or added.
func withPragma(pragmas []pragma, name, value string) []pragma {
	changed := slices.DeleteFunc(slices.Clone(pragmas), func(p pragma) bool { return p.name == name })
	return append(changed, pragma{name, value})
}

// dsn returns the data source name of a file with the pragmas of a connection to it. mode is
// SQLite's: rw never creates a file, rwc does.
func dsn(path, mode string, pragmas []pragma) string {
	q := url.Values{
		"mode": {mode},
		// A misspelt column in double quotes is an error, not a string.
		"_dqs": {"0"},
		// No statement can damage the file or an FTS index's own tables.
		"_defensive": {"1"},
	}
	for _, p := range pragmas {
		q.Add("_pragma", p.name+"("+p.value+")")
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	return u.String()
}

// maxStatements bounds a connection's prepared statements.
const maxStatements = 128

// conn is one connection with its prepared statements. It uses the driver directly: the locks,
// goroutines and copies of values in database/sql would cost a third of a read's time, and a
// connection has only one owner here.
type conn struct {
	raw    driver.Conn
	handle uintptr                  // SQLite's, see interruptAfter
	stmts  map[string]*list.Element // of *stmt
	recent *list.List               // most recently used first
	args   []driver.NamedValue      // of the last statement
	buffer []db.Value               // see Buffer
	rows   rows                     // of the last query
}

// stmt is a prepared statement.
type stmt struct {
	conn   *conn
	query  string
	syntax db.Syntax
	exec   driver.StmtExecContext
	rows   driver.StmtQueryContext
	close  func() error
}

func connect(path, mode string, pragmas []pragma) (*conn, error) {
	connector, err := sqlite.NewConnector(dsn(path, mode, pragmas))
	if err != nil {
		return nil, err
	}
	raw, err := connector.Connect(context.Background())
	if err != nil {
		return nil, translate(err)
	}
	handle, err := handleOf(raw)
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return &conn{raw: raw, handle: handle, stmts: make(map[string]*list.Element), recent: list.New()}, nil
}

// connectTenant connects to a tenant's file, which others may have open.
func connectTenant(path string, pragmas []pragma) (*conn, error) {
	c, err := connect(path, "rw", pragmas)
	if err != nil {
		return nil, explain(path, err)
	}
	if err = explain(path, c.useWAL()); err == nil {
		err = c.persistLog()
	}
	if err == nil {
		// The first page was read into memory for twenty.
		err = c.script(context.Background(), "PRAGMA shrink_memory")
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// useWAL switches the file to write-ahead logging, in which readers continue while the writer
// commits and a commit is one fsync. The mode is stored in the file: usually there is nothing to
// switch, but copies by VACUUM INTO (backups, and shops placed in the folder by hand) have a
// rollback journal.
//
// The switch reads the file first and then requests the write lock while it holds the read lock.
// SQLite never waits in such a request, regardless of busy_timeout, since two connections would
// wait for each other. If several processes open the file at the same time, all but one fail
// immediately with SQLITE_BUSY, as does finding the mode while another process opens the log. A
// failed switch releases its locks, so both are repeated for as long as busy_timeout.
func (c *conn) useWAL() error {
	for began := time.Now(); ; time.Sleep(lockPoll) {
		found, err := c.inWAL()
		if err == nil && !found {
			err = c.script(context.Background(), "PRAGMA journal_mode = WAL")
		}
		if !errors.Is(err, db.ErrBusy) {
			return err
		}
		timeout, terr := c.number("PRAGMA busy_timeout")
		if terr != nil || time.Since(began) >= time.Duration(timeout)*time.Millisecond {
			return errors.Join(err, terr)
		}
	}
}

// inWAL reports whether the file uses write-ahead logging. Unlike PRAGMA journal_mode it does not
// parse the schema.
func (c *conn) inWAL() (bool, error) {
	if _, err := c.number("PRAGMA data_version"); err != nil { // opens the log, if the file has one
		return false, err
	}
	tls := libc.NewTLS()
	defer tls.Close()
	frames := tls.Alloc(4) // of the log; -1 means that there is none
	defer tls.Free(4)
	code := sqlite3.Xsqlite3_wal_checkpoint_v2(tls, c.handle, 0, sqlite3.SQLITE_CHECKPOINT_NOOP, frames, 0)
	switch {
	case code&0xff == sqlite3.SQLITE_READONLY: // the log, on a disk that cannot be written
		return true, nil
	case code != sqlite3.SQLITE_OK:
		failed := fmt.Errorf("find out the journal mode: result code %d of SQLite", code)
		return false, &db.Error{Kind: errorKind(int(code)), Err: failed}
	}
	return libc.AtomicLoadPInt32(frames) >= 0, nil
}

// connectionFiles is the maximum number of open files of a connection: the data file, its log, the
// log's index, and a temporary one.
const connectionFiles = 4

// explain adds to an I/O error what SQLite does not report: [db.ErrTooManyFiles] if this process
// cannot open as many files as a connection needs, and fs.ErrPermission if the files belong to
// another user. It must not open the file at path: closing it would release this process's locks on
// it.
func explain(path string, err error) error {
	if !errors.Is(err, db.ErrIO) && !errors.Is(err, db.ErrReadOnly) {
		return err
	}
	if denied := checkAccess(path); denied != nil {
		return fmt.Errorf("%w: %w", err, denied)
	}
	for range connectionFiles {
		folder, openErr := os.Open(filepath.Dir(path))
		if errors.Is(openErr, syscall.EMFILE) || errors.Is(openErr, syscall.ENFILE) {
			return fmt.Errorf("%w: %w", db.ErrTooManyFiles, err)
		}
		if openErr != nil {
			return err
		}
		defer folder.Close() // stays open, so that each round needs one more
	}
	return err
}

// persistLog makes SQLite leave the (emptied) -wal and -shm files in place when it closes. It would
// delete them by name, but the name may belong to a new file, if another process has dropped the
// tenant and created it again.
func (c *conn) persistLog() error {
	fc, ok := c.raw.(sqlite.FileControl)
	if !ok {
		return errors.New("the driver has no file control")
	}
	if _, err := fc.FileControlPersistWAL("main", 1); err != nil {
		return fmt.Errorf("persist the log: %w", translate(err))
	}
	return nil
}

// statement returns the prepared statement of query, from the cache if possible.
func (c *conn) statement(query string) (*stmt, error) {
	if e, ok := c.stmts[query]; ok {
		c.recent.MoveToFront(e)
		return e.Value.(*stmt), nil
	}
	prepared, err := c.raw.Prepare(query)
	if err != nil {
		return nil, translate(err)
	}
	st := &stmt{conn: c, query: query, syntax: db.ParseSyntax(query), close: prepared.Close}
	st.exec, _ = prepared.(driver.StmtExecContext)
	st.rows, _ = prepared.(driver.StmtQueryContext)
	c.stmts[query] = c.recent.PushFront(st)
	if c.recent.Len() > maxStatements {
		if err := c.evictStatement(c.recent.Back()); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// evictStatement closes a statement and removes it from the cache.
func (c *conn) evictStatement(e *list.Element) error {
	st := c.recent.Remove(e).(*stmt)
	delete(c.stmts, st.query)
	return translate(st.close())
}

// run executes one of the store's own statements, prepared.
func (c *conn) run(query string) error {
	st, err := c.statement(query)
	if err != nil {
		return err
	}
	_, err = st.exec.ExecContext(context.Background(), nil)
	return translate(err)
}

// script executes SQL of any number of statements, without caching them.
func (c *conn) script(ctx context.Context, query string, args ...any) error {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	_, err := c.raw.(driver.ExecerContext).ExecContext(ctx, query, named)
	return translate(err)
}

// number returns the first column of the first row as an integer.
func (c *conn) number(query string) (int64, error) {
	st, err := c.statement(query)
	if err != nil {
		return 0, err
	}
	rows, err := st.rows.QueryContext(context.Background(), nil)
	if err != nil {
		return 0, translate(err)
	}
	dest := make([]driver.Value, len(rows.Columns()))
	err = rows.Next(dest)
	if cerr := rows.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return 0, translate(err)
	}
	n, ok := dest[0].(int64)
	if !ok {
		return 0, fmt.Errorf("%s: %T is not a number", query, dest[0])
	}
	return n, nil
}

// each calls fn with every row of one of the store's own statements. The values are valid until fn
// returns.
func (c *conn) each(query string, fn func(values []driver.Value) error, args ...any) error {
	st, err := c.statement(query)
	if err != nil {
		return err
	}
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := st.rows.QueryContext(context.Background(), named)
	if err != nil {
		return translate(err)
	}
	dest := make([]driver.Value, len(rows.Columns()))
	for {
		if err = rows.Next(dest); err == io.EOF {
			return translate(rows.Close())
		}
		if err == nil {
			err = fn(dest)
		}
		if err != nil {
			return errors.Join(translate(err), translate(rows.Close()))
		}
	}
}

// setNumber sets a pragma.
func (c *conn) setNumber(name string, n int64) error {
	return c.script(context.Background(), "PRAGMA "+name+" = "+strconv.FormatInt(n, 10))
}

// close finalizes the statements and closes the connection. In the other order SQLite would hold
// the connection and its locks until the last statement is finalized.
func (c *conn) close() error {
	var errs []error
	for e := c.recent.Front(); e != nil; e = c.recent.Front() {
		errs = append(errs, c.evictStatement(e))
	}
	errs = append(errs, translate(c.raw.Close()))
	return errors.Join(errs...)
}
