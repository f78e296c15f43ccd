package shoptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
)

// ErrorCode returns the code of an error, "" for nil.
func ErrorCode(err error) fault.Code {
	if err == nil {
		return ""
	}
	return shop.AsError(err).Code
}

// ImportProblems returns an error that lists every problem of a [catalogue.ImportError], and any
// other error unchanged.
func ImportProblems(err error) error {
	rejected, ok := errors.AsType[*catalogue.ImportError](err)
	if !ok {
		return err
	}
	var b strings.Builder
	for _, p := range rejected.Problems {
		fmt.Fprintf(&b, "\n%d %s: %s", p.Line, p.Column, p.Message)
	}
	return errors.New(b.String())
}

// MarkPosted records that the sums of products and buyers contain all orders.
func MarkPosted(tb testing.TB, store *db.Store, uid string) {
	tb.Helper()
	Exec(tb, store, uid, `
		INSERT INTO counters (name, value)
		VALUES ('posted_order', (SELECT MAX(number) FROM orders))
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
	Exec(tb, store, uid, listLines)
}

// listLines lists posted orders by their products.
const listLines = `
	INSERT INTO product_orders (product_id, order_number)
	SELECT DISTINCT i.product_id, i.order_number
	FROM order_items i
	WHERE NOT EXISTS (SELECT 1 FROM product_orders p WHERE p.product_id = i.product_id AND p.order_number = i.order_number)`

// CheckStock fails the test unless each variant's stock is the sum of its movements.
func CheckStock(tb testing.TB, s *shop.Shop, store *db.Store) {
	tb.Helper()
	err := store.View(context.Background(), db.ID(s.UID()), func(ctx context.Context, tx *db.Tx) error {
		return tx.Each(`
			SELECT v.id, v.stock, COALESCE((SELECT SUM(m.delta) FROM stock_movements m WHERE m.variant_id = v.id), 0)
				- COALESCE((SELECT SUM(i.quantity) FROM order_items i
					WHERE i.variant_id = v.id AND i.stock_taken = 1 AND i.order_number > `+order.Posted+`), 0)
			FROM variants v`, nil, func(r db.Row) error {
			var id string
			var stock, sum int64
			if err := r.Scan(&id, &stock, &sum); err != nil {
				return err
			}
			if stock != sum {
				return fmt.Errorf("stock of variant %s: got %d, want %d, the sum of its movements", id, stock, sum)
			}
			return nil
		})
	})
	if err != nil {
		tb.Error(err)
	}
}

// CheckIndex fails the test unless a search for each word finds the same products after the
// search index has been rebuilt.
func CheckIndex(tb testing.TB, s *shop.Shop, store *db.Store, words ...string) {
	tb.Helper()
	find := func() (found []string) {
		for _, word := range words {
			found = append(found, word+":")
			for _, p := range allProducts(tb, s, catalogue.ProductFilter{Search: word}).Nodes {
				found = append(found, p.Handle)
			}
		}
		return found
	}
	before := find()
	if err := store.Update(context.Background(), db.ID(s.UID()), catalogue.RebuildSearch); err != nil {
		tb.Fatalf("rebuild search: %v", err)
	}
	if after := find(); !slices.Equal(before, after) {
		tb.Errorf("search: got %v, want %v, as after a rebuild", before, after)
	}
}

// CheckCachedProducts fails the test unless s returns the same products, some of them cached, as a
// shop without a cache.
func CheckCachedProducts(tb testing.TB, s *shop.Shop, store *db.Store, clock *Clock) {
	tb.Helper()
	uncached := shop.New(shop.Config{
		Store: store, ID: db.ID(s.UID()), Sealer: Sealer(s.UID()), Hasher: Hasher(), Now: clock.Now,
	})
	got, want := allProducts(tb, s, catalogue.ProductFilter{}), allProducts(tb, uncached, catalogue.ProductFilter{})
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("cached products differ from the file (-file +cached):\n%s", diff)
	}
	for _, p := range want.Nodes {
		one, err := s.Catalogue.FindProduct(context.Background(), p.ID)
		if err != nil {
			tb.Fatal(err)
		}
		if diff := cmp.Diff(&p, one); diff != "" {
			tb.Errorf("cached product differs from the file (-file +cached):\n%s", diff)
		}
	}
}

func allProducts(tb testing.TB, s *shop.Shop, filter catalogue.ProductFilter) *page.Page[catalogue.Product] {
	tb.Helper()
	filter.Limit = new(page.NoLimit)
	list, err := s.Catalogue.FindProducts(context.Background(), filter)
	if err != nil {
		tb.Fatalf("find products: %v", err)
	}
	return list
}

// QueryPlan returns the steps of SQLite's plan for a query on the shop uid. It skips the test on
// another engine.
func QueryPlan(tb testing.TB, store *db.Store, uid, query string, args []any) (plan []string) {
	tb.Helper()
	if store.Dialect(db.ID(uid)) != db.SQLite {
		tb.Skip("about files: the test reads query plans of SQLite")
	}
	err := store.View(context.Background(), db.ID(uid), func(ctx context.Context, tx *db.Tx) error {
		plan = nil
		return tx.Each("EXPLAIN QUERY PLAN "+query, args, func(r db.Row) error {
			var id, parent, unused int64
			var step string
			err := r.Scan(&id, &parent, &unused, &step)
			plan = append(plan, step)
			return err
		})
	})
	if err != nil {
		tb.Fatal(err)
	}
	return plan
}

// FillFailures inserts failures of n unknown clients, which count until they expire.
func FillFailures(tb testing.TB, store *db.Store, uid string, n int, expires time.Time) {
	tb.Helper()
	err := store.Update(tb.Context(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		insert := db.NewInsertion("failures (key, count, first_at, last_at, expires_at)")
		var rows []any
		for i := range n {
			rows = append(rows, fmt.Appendf(nil, "filler %d", i), 1, 0, 0, db.Millis(expires)+int64(i))
		}
		return insert.Run(tx, rows)
	})
	if err != nil {
		tb.Fatal(err)
	}
}
