package tenants_test

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
	"storefront/tenants"
	"storefront/tenants/doctor"
)

// later returns the change of a configuration to that of a later version of the program, with one
// or two more schema steps.
func later(t *testing.T, more int) func(*tenants.Config) {
	schema, steps := shoptest.LaterSchema(t, more)
	return func(cfg *tenants.Config) { cfg.Schema, cfg.Steps = schema, steps }
}

// firstSchema returns the first released schema.
func firstSchema(t *testing.T) string {
	_, steps := shoptest.LaterSchema(t, 1)
	return string(steps["01.sql"].Data)
}

// A file with the first schema has the schema of a new one after all steps, which doctor compares.
func TestSteps_SchemaEquality(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*tenants.Config){
		"this version": thisVersion, "a later version": later(t, 2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			createShop(t, dir, sqlite.Options{Schema: firstSchema(t)})
			cfg := tenants.Config{Dir: dir, Schema: shoptest.Schema(t), Key: exportKey}
			change(&cfg)
			all, err := tenants.Open(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := all.Migrate(t.Context(), "acme"); err != nil {
				t.Fatal(err)
			}
			if err := all.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			shops := []string{"acme"}
			examined, err := doctor.Examine(t.Context(), cfg, tenants.RestoreSources{}, shops, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range examined.Shops[0].Findings {
				if f.Name == "schema" && f.State != doctor.StateOK {
					t.Errorf("schema.sql differs from the first schema with all steps: %s", f.Message)
				}
			}
		})
	}
}

// A database with the first schema has the same tables after all steps as a new one: columns,
// constraints and indexes, whatever their order and the names that the server chooses.
func TestSteps_PostgresEquality(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	tables := func(database string) []string {
		t.Helper()
		const query = `
			SELECT 'column ' || c.relname || '.' || a.attname || ': ' || format_type(a.atttypid, a.atttypmod)
				|| coalesce(' ' || (SELECT collname FROM pg_collation WHERE oid = a.attcollation), '')
				|| CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
				|| coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
			FROM pg_attribute a
			JOIN pg_class c ON c.oid = a.attrelid
			LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
			WHERE c.relnamespace = 'storefront'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
				AND NOT a.attisdropped
			UNION ALL
			SELECT 'constraint of ' || conrelid::regclass || ': ' || pg_get_constraintdef(oid)
			FROM pg_constraint
			WHERE connamespace = 'storefront'::regnamespace
			UNION ALL
			SELECT 'index: ' || regexp_replace(indexdef, '"?(\w+_(pkey|key\d*))"? ON', 'ON')
			FROM pg_indexes
			WHERE schemaname = 'storefront'`
		out, err := exec.Command("psql", c.Address(database), "-XqtA", "-c", query).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		lines := strings.Split(string(out), "\n")
		slices.Sort(lines)
		return lines
	}
	for name, change := range map[string]func(*tenants.Config){
		"this": thisVersion, "later": later(t, 2),
	} {
		upgraded, fresh := name+"_upgraded", name+"_fresh"
		c.SQL("CREATE DATABASE " + upgraded)
		c.SQL("CREATE DATABASE " + fresh)
		first := postgres.Options{Schema: firstSchema(t)}
		engine, err := postgres.Open(t.Context(), c.Address(upgraded), first)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.New(engine, db.Options{}).Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, database := range []string{upgraded, fresh} {
			open(t, "", func(cfg *tenants.Config) {
				change(cfg)
				setDatabase(cfg, c.Address(database))
			})
		}
		if diff := cmp.Diff(tables(fresh), tables(upgraded)); diff != "" {
			t.Errorf("%s version: a new database differs from the first one after all steps "+
				"(-new +upgraded):\n%s", name, diff)
		}
	}
}

// SQLite before 3.45, with which an operator may open a shop's file, calls NULL invalid JSON.
func TestSchema_NullableJSON(t *testing.T) {
	t.Parallel()
	nullable := regexp.MustCompile(`(?m)^ +\w+ +TEXT +CHECK \(json_valid.*`)
	if found := nullable.FindAllString(shoptest.Schema(t), -1); found != nil {
		t.Errorf("got %q, want x IS NULL OR json_valid(x)", found)
	}
}

// A shop of an earlier version is upgraded with its data and can sell, in a file or in the
// database. The programs of the earlier versions refuse it from then on, running and restarted,
// with what to do.
func TestSteps_EarlierVersions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	versions := []func(*tenants.Config){nil, later(t, 1), later(t, 2)}
	first := open(t, dir, nil)
	buyer := fillShop(t, create(t, first, "old"))
	create(t, first, "other")
	programs := []*tenants.Tenants{first}
	refused := func(all *tenants.Tenants, which string) {
		t.Helper()
		s, err := all.FindIncludingSuspended(t.Context(), "old")
		if err == nil {
			err = s.SetSettings(t.Context(), access.Operator(), named(t, "New"))
		}
		if !errors.Is(err, db.ErrNewer) || !strings.Contains(err.Error(), "start that version, or restore") {
			t.Errorf("%s: got %v, want that it refuses the newer shop", which, err)
		}
	}
	for i, change := range versions[1:] {
		all := open(t, dir, change)
		if !dbtest.OnPostgres() { // whose tables it has migrated at its start
			done, err := all.Migrate(t.Context(), "old")
			from := len(tenants.Steps()) + 1 + i
			if err != nil || done.From != from || done.To != from+1 || done.Copy == nil {
				t.Fatalf("got %+v, %v, want from %d to %d", done, err, from, from+1)
			}
		}
		checkShop(t, find(t, all, "old"), buyer, i)
		for _, earlier := range programs {
			refused(earlier, "a running program")
		}
		programs = append(programs, all)
	}
	refused(open(t, dir, nil), "a restarted program")

	var got []string
	for _, uid := range []db.ID{"old", "other"} {
		err := tenants.StoreOf(programs[2]).View(t.Context(), uid, func(_ context.Context, tx *db.Tx) error {
			labels, err := db.Query(tx, db.ScanText, `
				SELECT label || ' to ' || city
				FROM order_labels
				ORDER BY order_number`)
			got = append(got, labels...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"order 1001 to Dhaka", "order 1002 to Dhaka"}; !slices.Equal(got, want) {
		t.Errorf("got what the steps have written as %q, want %q", got, want)
	}
}

// A command refuses shops of an earlier version until they are migrated.
func TestSteps_Command(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	create(t, open(t, dir, nil), "old")
	command := func(cfg *tenants.Config) {
		later(t, 2)(cfg)
		cfg.Command = true
	}
	_, err := open(t, dir, command).FindIncludingSuspended(t.Context(), "old")
	if !errors.Is(err, db.ErrOutdated) {
		t.Errorf("got %v, want ErrOutdated", err)
	}
	all := open(t, dir, func(cfg *tenants.Config) {
		command(cfg)
		cfg.MigrateDatabase = true
	})
	if !dbtest.OnPostgres() {
		if _, err := all.Migrate(t.Context(), "old"); err != nil {
			t.Fatal(err)
		}
	}
	find(t, open(t, dir, command), "old")
}

// fillShop configures a courier, and places an order and one that is cancelled.
func fillShop(t *testing.T, s *shop.Shop) (buyer access.Caller) {
	t.Helper()
	configureCourier(t, s)
	product, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "পাঞ্জাবি", Handle: "panjabi", Tags: []string{"Eid"},
		Images:   []catalogue.ImageInput{{URL: "https://img.example/panjabi.jpg"}},
		Variants: []catalogue.VariantInput{{SKU: "P-1", Price: 450_00, Tracked: true, Stock: new(100)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Orders.SaveCoupon(t.Context(), access.Operator(), order.CouponSpec{
		Code: "TENTH", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), Active: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	buyer = register(t, s, "buyer@example.com")
	placePanjabi(t, s, buyer, product.Product)
	second := placePanjabi(t, s, buyer, product.Product)
	if _, err := s.Orders.CancelOrder(t.Context(), buyer, second.InvoiceUID, "too late"); err != nil {
		t.Fatal(err)
	}
	return buyer
}

// checkShop checks the data that fillShop wrote, after more orders, and places another order.
func checkShop(t *testing.T, s *shop.Shop, buyer access.Caller, more int) {
	t.Helper()
	mine, err := s.Orders.ListMyOrders(t.Context(), buyer, order.Filter{})
	if err != nil || len(mine.Nodes) != 2+more {
		t.Fatalf("got orders %+v, %v, want %d", mine, err, 2+more)
	}
	cancelled, live := mine.Nodes[more], mine.Nodes[more+1]
	if live.Total.Amount != 810_00 || live.OrderNumber != 1001 || live.Coupon == nil ||
		cancelled.Status != status.OrderCancelled {
		t.Errorf("got orders %+v, %+v", live, cancelled)
	}
	const search = "পাঞ্জা"
	products, err := s.Catalogue.FindProducts(t.Context(), catalogue.ProductFilter{Search: search})
	if err != nil || len(products.Nodes) != 1 {
		t.Fatalf("search: got %+v, %v, want one product", products, err)
	}
	found, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{Search: search})
	if err != nil || len(found.Nodes) != 2+more {
		t.Errorf("search of orders by an item: got %+v, %v, want all", found, err)
	}
	if order := placePanjabi(t, s, buyer, products.Nodes[0]); order.OrderNumber != int64(1003+more) {
		t.Errorf("next order number: got %d, want %d", order.OrderNumber, 1003+more)
	}
	if got := secretOf(t, s); got != "chosen" {
		t.Errorf("courier's secret: got %q, want chosen", got)
	}
	if faults, err := s.CheckInvariants(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("invariants after an order: got %v, %v", faults, err)
	}
}

// placePanjabi places an order of two units with the coupon.
func placePanjabi(
	t *testing.T, s *shop.Shop, caller access.Caller, p catalogue.Product,
) *order.Placed {
	t.Helper()
	order, err := s.Orders.PlaceOrder(t.Context(), caller, order.Input{
		Items: []order.ItemInput{{ProductID: p.ID, Quantity: 2}}, CouponCode: new("TENTH"),
		Customer:        &order.CustomerInput{PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12, Road 5", Area: new("Mirpur"), City: "Dhaka"},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	return order
}

func createShop(t *testing.T, dir string, opts sqlite.Options) {
	t.Helper()
	store := openStore(t, dir, opts)
	err := store.Create(t.Context(), "acme", func(context.Context, *db.Tx) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func openStore(t *testing.T, dir string, opts sqlite.Options) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
