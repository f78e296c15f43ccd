package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"storefront/db"
	"storefront/db/postgres"
)

// PostgresVariable is the environment variable with the address of a PostgreSQL database for tests.
const PostgresVariable = "STOREFRONT_TEST_POSTGRES"

// OnPostgres reports whether tests run on PostgreSQL instead of files.
func OnPostgres() bool { return os.Getenv(PostgresVariable) != "" }

// NeedFiles skips a test about files if tests run on PostgreSQL. why is the reason.
func NeedFiles(tb testing.TB, why string) {
	tb.Helper()
	if OnPostgres() {
		tb.Skip("about files: " + why)
	}
}

// NeedPostgres skips a test about PostgreSQL if there is none.
func NeedPostgres(tb testing.TB) {
	tb.Helper()
	if !OnPostgres() {
		tb.Skip("needs a PostgreSQL database: set " + PostgresVariable + " to its address")
	}
}

// OpenPostgres opens a store in the database for tests, and closes it when the test ends. Stores at
// the same place have the same tenants. Each schema has tables of its own.
func OpenPostgres(tb testing.TB, place string, opts postgres.Options, store db.Options) (*db.Store, *postgres.Engine) {
	tb.Helper()
	opts.Space = digest(place)
	if opts.Namespace == "" {
		opts.Namespace = "test_" + digest(opts.Schema, string(rune(len(opts.Steps))))
	}
	var engine *postgres.Engine
	opts.Translated = func(query string) { checkIsolation(tb, engine, opts.Namespace, query) }
	engine, err := postgres.Open(context.Background(), os.Getenv(PostgresVariable), opts)
	if err != nil {
		tb.Fatal(err)
	}
	s := db.New(engine, store)
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s, engine
}

// explained has the statements with plans that were checked in this process.
var explained sync.Map

// checkIsolation fails the test unless every scan of a statement's plan has the tenant in its
// condition. All tests share the tables.
func checkIsolation(tb testing.TB, engine *postgres.Engine, namespace, query string) {
	if _, known := explained.LoadOrStore(namespace+"\x00"+query, true); known || strings.HasPrefix(query, "EXPLAIN") {
		return
	}
	plan, err := engine.Explain(context.Background(), query)
	if err != nil {
		if !errors.Is(err, db.ErrConstraint) { // expected by its test
			tb.Errorf("explain %s: %v", query, err)
		}
		return
	}
	if scan := unrestricted(plan); scan != "" {
		tb.Errorf("%s\n%s\nhas no tenant in its condition:\n%s", query, scan, strings.Join(plan, "\n"))
	}
}

var (
	tableScan = regexp.MustCompile(`(?:^\s*|-> {2})(?:Parallel )?(?:(?:Seq|Bitmap Heap) Scan on|Index (?:Only )?Scan) `)
	condition = regexp.MustCompile(`^\s+(?:Index Cond|Filter|Recheck Cond): .*\bshop = `)
	planNode  = regexp.MustCompile(`^\s*(?:->|\S)`)
)

// unrestricted returns the first scan of a table in a plan without the tenant in a condition, "" if
// there is none.
func unrestricted(plan []string) string {
	for i, line := range plan {
		if !tableScan.MatchString(line) {
			continue
		}
		restricted := false
		for _, detail := range plan[i+1:] {
			if planNode.MatchString(detail) && !strings.Contains(detail, ": ") {
				break
			}
			restricted = restricted || condition.MatchString(detail)
		}
		if !restricted {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write([]byte(text + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
