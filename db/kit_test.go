package db_test

import (
	"context"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
	"storefront/db/sqlite"
)

// The kit of dbtest, by shorter names.
const (
	schema = dbtest.Schema
	shop   = dbtest.Shop
)

var (
	create      = dbtest.Create
	addItem     = dbtest.AddItem
	addOrder    = dbtest.AddOrder
	insertOrder = dbtest.InsertOrder
	update      = dbtest.Update
	version     = dbtest.Version
	orders      = dbtest.Orders
	wantOrders  = dbtest.WantOrders
	scanInt     = dbtest.ScanInt
	holdWriter  = dbtest.HoldWriter
	queue       = dbtest.Queue
	queueAt     = dbtest.QueueAt
)

// deferring reports that the engine sends a Do with a later statement, so that the number of its
// rows is unknown when it returns.
var deferring = dbtest.OnPostgres()

// indexText returns the statement that inserts rows into the search index of a schema, from the
// query of their texts.
func indexText(tx *db.Tx, texts string) string {
	if tx.Dialect() == db.Postgres {
		return `INSERT INTO search (number, doc) SELECT row_number() OVER (ORDER BY id), to_tsvector(id) FROM (` + texts + `) t`
	}
	return `INSERT INTO search (title) ` + texts
}

// options are those of a store and of its engine.
type options struct {
	db.Options
	schema string // "": that of dbtest
	steps  []db.Step
}

// open returns a store without tenants. The tests of this package are what every engine must pass.
func open(tb testing.TB, opts options) *db.Store {
	tb.Helper()
	return openAt(tb, tb.TempDir(), opts)
}

// openAt opens the store at a place. Two of them are as two processes.
func openAt(tb testing.TB, place string, opts options) *db.Store {
	tb.Helper()
	if opts.schema == "" {
		opts.schema = schema
	}
	if dbtest.OnPostgres() {
		s, _ := dbtest.OpenPostgres(tb, place, postgres.Options{Schema: opts.schema, Steps: opts.steps, Connections: 10}, opts.Options)
		return s
	}
	s, err := sqlite.Open(place, sqlite.Options{
		Schema: opts.schema, Steps: opts.steps, Content: opts.Content, Now: opts.Now, OnCommit: opts.OnCommit, Logger: opts.Logger,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s.Store
}

// newShop returns a store with the tenant demo, which has 100 of item "a".
func newShop(tb testing.TB, opts options) *db.Store {
	tb.Helper()
	s := open(tb, opts)
	create(tb, s, shop)
	return s
}
