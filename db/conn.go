package db

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

	"modernc.org/sqlite"
)

// pragma is one PRAGMA of a data source name.
type pragma struct{ name, value string }

// The pragmas of every connection to a tenant's file.
var commonPragmas = []pragma{
	// First, so that the others wait too: a CLI command and the server share
	// files, and each holds the write lock for moments only. In milliseconds.
	{"busy_timeout", "10000"},
	// journal_mode is not in this list: see useWAL.
	// An acknowledged order survives a power cut; NORMAL would lose the last.
	{"synchronous", "FULL"},
	{"foreign_keys", "ON"},
	// In KiB. Bounds memory: connections are many, and the system caches too.
	{"cache_size", "-2000"},
	// Sorting needs no temporary files, nor a disk with room for them.
	{"temp_store", "MEMORY"},
	// A restored file may come from anywhere: its schema runs no functions
	// with side effects.
	{"trusted_schema", "OFF"},
	// Whoever is forgotten is gone from the file's unused bytes too. It costs
	// nothing that can be measured, in orders or in imports.
	{"secure_delete", "ON"},
	// Checkpoints happen in the commit that fills 16 MiB: often enough to keep
	// readers fast, rare enough not to be felt. At SQLite's own 4 MiB nearly
	// every group of 64 orders would pay three fsyncs instead of one.
	{"wal_autocheckpoint", "4000"},
	// After a long import the log shrinks again. It also makes SQLite empty
	// the log on a clean close, which keepLog relies on.
	{"journal_size_limit", "17825792"},
	// mmap_size stays 0: with it, a failing disk or a file that shrank under
	// us would be a SIGBUS, ending every tenant's service at once.
}

// A reader must not write, whatever the SQL; and has no _txlock, so that its
// transactions begin as snapshots.
var readerPragmas = withPragma(commonPragmas, "query_only", "ON")

// Files that are still being built are thrown away when something fails, so
// they need no fsync until they are whole.
var scratchPragmas = []pragma{
	{"journal_mode", "WAL"},
	{"synchronous", "OFF"},
	{"cache_size", "-8000"},
	{"temp_store", "MEMORY"},
	{"trusted_schema", "OFF"},
}

// with returns the pragmas with one of them set otherwise, or added.
func withPragma(pragmas []pragma, name, value string) []pragma {
	changed := slices.DeleteFunc(slices.Clone(pragmas), func(p pragma) bool { return p.name == name })
	return append(changed, pragma{name, value})
}

// dsn names a file and the pragmas of a connection to it. mode is SQLite's:
// rw never makes a file, rwc does.
func dsn(path, mode string, pragmas []pragma) string {
	q := url.Values{
		"mode": {mode},
		// A misspelt column in double quotes is an error, not a text.
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

// conn is one connection with its prepared statements. It uses the driver
// itself: database/sql would put locks, goroutines and a second copy of each
// value between a connection and its only owner, a third of a read's time.
type conn struct {
	raw    driver.Conn
	stmts  map[string]*list.Element // of *stmt
	recent *list.List               // most recently used first
	args   []driver.NamedValue      // of the last statement
}

// stmt is a prepared statement.
type stmt struct {
	query string
	verb  verb
	exec  driver.StmtExecContext
	rows  driver.StmtQueryContext
	close func() error
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
	return &conn{raw: raw, stmts: make(map[string]*list.Element), recent: list.New()}, nil
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
		// The pages of the schema, just read, are a fifth of what an idle
		// tenant would take.
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
// The switch reads the file first and then requests the write lock while it holds the read lock. For
// such a request SQLite never waits, whatever busy_timeout is, since two connections would wait for
// each other: of several processes that open the file at once, all but one fail immediately with
// SQLITE_BUSY. A failed switch releases its locks, so it is repeated for as long as busy_timeout.
func (c *conn) useWAL() error {
	for began := time.Now(); ; time.Sleep(lockPoll) {
		err := c.script(context.Background(), "PRAGMA journal_mode = WAL")
		if !errors.Is(err, ErrBusy) {
			return err
		}
		timeout, terr := c.number("PRAGMA busy_timeout")
		if terr != nil || time.Since(began) >= time.Duration(timeout)*time.Millisecond {
			return errors.Join(err, terr)
		}
	}
}

// connectionFiles is how many files a connection opens at most at once: the file, its log, the log's
// index, and one in passing.
const connectionFiles = 4

// explain tells one reason of a file that can not be opened from the others, which SQLite does not.
// Less than what a connection needs may be left, and more than nothing.
// The file itself must not be touched: closing it would drop this process's locks on it.
func explain(path string, err error) error {
	if !errors.Is(err, ErrIO) {
		return err
	}
	for range connectionFiles {
		folder, openErr := os.Open(filepath.Dir(path))
		if errors.Is(openErr, syscall.EMFILE) || errors.Is(openErr, syscall.ENFILE) {
			return fmt.Errorf("%w: %w", ErrTooManyFiles, err)
		}
		if openErr != nil {
			return err
		}
		defer folder.Close() // held, so that the next one is one more
	}
	return err
}

// keepLog makes SQLite leave the (emptied) -wal and -shm files in place when
// it closes. It would delete them by name, and the name may by then belong to
// a new file: a tenant that another process dropped and made again.
func (c *conn) persistLog() error {
	fc, ok := c.raw.(sqlite.FileControl)
	if !ok {
		return errors.New("the driver has no file control")
	}
	if _, err := fc.FileControlPersistWAL("main", 1); err != nil {
		return fmt.Errorf("keep the log: %w", translate(err))
	}
	return nil
}

// statement returns query prepared, from the cache if it can.
func (c *conn) statement(query string) (*stmt, error) {
	if e, ok := c.stmts[query]; ok {
		c.recent.MoveToFront(e)
		return e.Value.(*stmt), nil
	}
	prepared, err := c.raw.Prepare(query)
	if err != nil {
		return nil, translate(err)
	}
	st := &stmt{query: query, verb: parseVerb(query), close: prepared.Close}
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

func (c *conn) evictStatement(e *list.Element) error {
	st := c.recent.Remove(e).(*stmt)
	delete(c.stmts, st.query)
	return translate(st.close())
}

// run executes a statement of the store's own, prepared.
func (c *conn) run(query string) error {
	st, err := c.statement(query)
	if err != nil {
		return err
	}
	_, err = st.exec.ExecContext(context.Background(), nil)
	return translate(err)
}

// script executes SQL of any number of statements, not kept.
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

// each calls fn with every row of a statement of the store's own. The values
// are fn's only until it returns.
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

func (c *conn) setNumber(name string, n int64) error {
	return c.script(context.Background(), "PRAGMA "+name+" = "+strconv.FormatInt(n, 10))
}

// close finalizes the statements first: SQLite keeps a connection alive, locks
// and all, until its last statement is gone.
func (c *conn) close() error {
	var errs []error
	for e := c.recent.Front(); e != nil; e = c.recent.Front() {
		errs = append(errs, c.evictStatement(e))
	}
	errs = append(errs, translate(c.raw.Close()))
	return errors.Join(errs...)
}
