package sqlite_test

import (
	"context"
	"testing"

	"storefront/db/dbtest"
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
	holdWriter  = dbtest.HoldWriter
	queue       = dbtest.Queue
)

func openStore(tb testing.TB, dir string, opts sqlite.Options) *sqlite.Store {
	tb.Helper()
	if opts.Schema == "" {
		opts.Schema = schema
	}
	s, err := sqlite.Open(dir, opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

// newShop returns a store with the tenant demo, which has 100 of item "a".
func newShop(tb testing.TB, opts sqlite.Options) *sqlite.Store {
	tb.Helper()
	s := openStore(tb, tb.TempDir(), opts)
	create(tb, s, shop)
	return s
}
