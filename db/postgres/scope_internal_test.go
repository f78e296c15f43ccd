package postgres

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"storefront/db"
)

func projectSchema(tb testing.TB) *schema {
	tb.Helper()
	text, err := os.ReadFile("../../schema.sql")
	if err != nil {
		tb.Fatal(err)
	}
	s, err := parseSchema(string(text))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestScope(t *testing.T) {
	t.Parallel()
	s := projectSchema(t)
	for _, test := range []struct{ query, want string }{
		{`SELECT id FROM orders WHERE number = ?`, `select id from (SELECT * FROM orders WHERE shop = $2) orders where number = $1`},
		{"SELECT o.id -- all\nFROM orders AS o JOIN order_items i ON i.order_number = o.number, products",
			`select o.id from (SELECT * FROM orders WHERE shop = $1) o join (SELECT * FROM order_items WHERE shop = $1) i` +
				` on i.order_number = o.number, (SELECT * FROM products WHERE shop = $1) products`},
		{`SELECT p.id FROM collection_products cp CROSS JOIN products p ON p.id = cp.product_id`,
			`select p.id from (SELECT * FROM collection_products WHERE shop = $1) cp` +
				` join (SELECT * FROM products WHERE shop = $1) p on p.id = cp.product_id`},
		{`SELECT 1 FROM (SELECT id FROM orders) o WHERE EXISTS (SELECT 1 FROM coupons WHERE id IS NOT DISTINCT FROM ?)`,
			`select 1 from (select id from (SELECT * FROM orders WHERE shop = $2) orders) o where exists` +
				` (select 1 from (SELECT * FROM coupons WHERE shop = $2) coupons where id is not distinct from $1)`},
		{`INSERT INTO settings (key, value) VALUES (?, ?), (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value RETURNING value`,
			`insert into settings (shop, key, value) values ($5, $1, $2), ($5, $3, $4)` +
				` on conflict (shop, key) do update set value = excluded.value returning value`},
		{`INSERT INTO cursors (name, seq) SELECT name, ? FROM counters ON CONFLICT DO NOTHING`,
			`insert into cursors (shop, name, seq) select $2, name, $1 from (SELECT * FROM counters WHERE shop = $2) counters` +
				` on conflict do nothing`},
		{`UPDATE variants SET stock = (SELECT SUM(delta) FROM stock_movements) WHERE id = ? OR +tracked = 0 RETURNING id`,
			`update variants set stock = (select sum(delta) from (SELECT * FROM stock_movements WHERE shop = $2) stock_movements)` +
				` where "variants".shop = $2 AND ( id = $1 or tracked = 0 ) returning id`},
		{`DELETE FROM outbox`, `delete from outbox WHERE "outbox".shop = $1`},
		{`WITH n AS (SELECT id FROM orders) SELECT n.id FROM n`,
			`with n as (select id from (SELECT * FROM orders WHERE shop = $1) orders) select n.id from n`},
		{`SELECT 'FROM orders; --', x'0aFF' FROM orders;`,
			`select 'FROM orders; --', '\x0aFF'::bytea from (SELECT * FROM orders WHERE shop = $1) orders`},
	} {
		got, err := scope(s, test.query)
		if err != nil || got.text != test.want {
			t.Errorf("%s: got %v\n%v, want\n%s", test.query, err, got, test.want)
		}
	}
}

func TestScope_Refused(t *testing.T) {
	t.Parallel()
	s := projectSchema(t)
	for _, query := range []string{
		``, `COMMIT`, `SELECT 1; SELECT 2`, `TABLE orders`, `SELECT * FROM orders`, `SELECT o.* FROM orders o`, `SELECT id, * FROM orders`,
		`SELECT 1 FROM engine_state`, `SELECT 1 FROM shops`, `SELECT 1 FROM pg_class`, `SELECT 1 FROM pg_catalog.pg_class`,
		`SELECT 1 FROM storefront.orders`, `SELECT 1 FROM nothing`, `SELECT 1 FROM "pg_class"`, `SELECT 1 FROM ONLY orders`,
		`SELECT 1 FROM LATERAL (SELECT 1) x`, `SELECT 1 FROM generate_series(1, 2)`, `SELECT query_to_xml('SELECT 1', true, true, '')`,
		`SELECT set_config('a', 'b', false)`, `SELECT pg_read_file('x')`, `SELECT 'orders'::regclass`, `SELECT shop FROM orders`,
		`SELECT o.shop FROM orders o`, `SELECT "shop" FROM orders`, `UPDATE orders SET shop = 1`, `SELECT $$x$$`, `SELECT E'\''`, `SELECT U&'x'`,
		`WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM d`, `WITH orders AS (SELECT 1) SELECT 1 FROM orders`,
		`WITH pg_class AS (SELECT 1 FROM pg_class) SELECT 1`, `INSERT INTO orders DEFAULT VALUES`, `INSERT INTO nothing (id) VALUES (1)`,
		`INSERT INTO orders (id) SELECT 1 UNION SELECT * FROM coupons`, `INSERT INTO settings (key) VALUES (1) ON CONFLICT ON CONSTRAINT x DO NOTHING`,
		`UPDATE orders SET id = 1 FROM coupons`, `UPDATE orders SET id = 1 WHERE true WHERE true`, `DELETE FROM orders USING coupons`,
		`DELETE FROM orders WHERE id = 1) OR (1 = 1`, `UPDATE nothing SET id = 1`, `UPDATE ONLY orders SET id = 1`, `SELECT 1 WHERE id IN orders`,
		`SELECT (SELECT 1 FROM nothing)`, `SELECT 1 FROM (orders JOIN nothing)`, `EXPLAIN ANALYZE SELECT 1`, `EXPLAIN EXPLAIN SELECT 1`,
		`SELECT 1 INTO orders`, `SELECT 1 FROM orders FOR UPDATE`, `SELECT 1 FROM orders TABLESAMPLE SYSTEM (1)`, `SELECT EXTRACT(year FROM orders)`,
		`SELECT 1 FROM orders o, nothing`, `SELECT 1 FROM orders NATURAL JOIN coupons`, `VALUES (1) UNION TABLE orders`, `SELECT 'a`, `SELECT "a`,
	} {
		if got, err := scope(s, query); !errors.Is(err, db.ErrStatement) {
			t.Errorf("%s: got %v, %v, want ErrStatement", query, got, err)
		}
	}
}

// Whatever the text, a statement is refused or each of its tables is restricted.
func FuzzScope(f *testing.F) {
	for _, query := range []string{
		"SELECT o.id FROM orders o LEFT JOIN coupons c ON c.id = o.coupon_id WHERE o.number IN (?, ?) ORDER BY o.number DESC LIMIT ? + 0",
		"INSERT INTO counters (name, value) VALUES ('x', ?), (?, 2) ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value",
		"INSERT INTO cursors (name, seq) SELECT name, (SELECT MAX(seq) FROM outbox) FROM counters",
		"UPDATE variants SET stock = stock - ? WHERE id = ? AND (stock >= ? OR EXISTS (SELECT 1 FROM products))",
		"DELETE FROM work_proofs WHERE key IN (SELECT key FROM work_proofs WHERE expires_at <= ? LIMIT 10)",
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) INSERT INTO cursors (name, seq) SELECT 'x' || i, i FROM n",
		"SELECT (a.id, b.id) > (?, ?) FROM (orders a JOIN orders b ON a.id = b.id), (SELECT id FROM coupons) c -- x",
	} {
		f.Add(query)
	}
	s := projectSchema(f)
	f.Fuzz(func(t *testing.T, query string) {
		got, err := scope(s, query)
		if err != nil {
			if !errors.Is(err, db.ErrStatement) {
				t.Fatalf("got %v, want ErrStatement", err)
			}
			return
		}
		checkRestricted(t, s, got)
	})
}

// checkRestricted reads a translated statement without the rules of scope: a table's name may only
// be in a restricted subquery, behind INSERT INTO, or in an UPDATE or DELETE with its condition.
func checkRestricted(t *testing.T, s *schema, got *scoped) {
	t.Helper()
	rest := got.text
	shop := "shop = $" + strconv.Itoa(got.params+1)
	for name := range s.tables {
		rest = strings.ReplaceAll(rest, "(SELECT * FROM "+name+" WHERE "+shop+")", "(restricted)")
	}
	tokens, err := tokenize(strings.ReplaceAll(rest, "$", "_"))
	if err != nil {
		return // a string in it contains what only looks like a token
	}
	for i, tok := range tokens {
		if i == 0 || tok.kind != word || s.tables[tok.text] == nil {
			continue
		}
		switch before := tokens[i-1]; {
		case before.is("into"):
			if !strings.Contains(rest, "(shop,") && !strings.Contains(rest, "$"+strconv.Itoa(got.params+1)+",") {
				t.Fatalf("inserted without a shop: %s", got.text)
			}
		case i == 1 && before.is("update"), i == 2 && before.is("from") && tokens[0].is("delete"):
			if !strings.Contains(rest, ".shop = $"+strconv.Itoa(got.params+1)) {
				t.Fatalf("not restricted: %s", got.text)
			}
		case before.is("from", "join"):
			t.Fatalf("table %s is not restricted: %s", tok.text, got.text)
		}
	}
}

// Servers that cannot run the statements are refused, with what to do.
func TestCheckServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, encoding, want string }{
		{"15.20 (Debian 15.20-1)", "UTF8", ""},
		{"18beta1", "UTF8", ""},
		{"14.19", "UTF8", "the database cannot be used: PostgreSQL 14.19 is too old: upgrade the database server to version 15 or newer"},
		{"9.6.24", "UTF8", "the database cannot be used: PostgreSQL 9.6.24 is too old: upgrade the database server to version 15 or newer"},
		{"16.1", "SQL_ASCII", "the database cannot be used: its encoding is SQL_ASCII: create it with ENCODING 'UTF8'"},
	} {
		got := ""
		if err := checkServer(test.version, test.encoding); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s, %s: got %q, want %q", test.version, test.encoding, got, test.want)
		}
	}
}

// The cache of translated statements does not grow without limit, whatever the lengths of lists.
func TestTranslate_Bounded(t *testing.T) {
	t.Parallel()
	e := &Engine{schema: projectSchema(t)}
	query := func(n int) string { return "SELECT id FROM orders WHERE number = " + strconv.Itoa(n) }
	for n := range 3*maxTranslations + 10 {
		if _, err := e.translate(query(n)); err != nil {
			t.Fatal(err)
		}
	}
	cached := 0
	e.scoped.Range(func(any, any) bool { cached++; return true })
	if cached == 0 || cached > maxTranslations {
		t.Errorf("got %d cached translations, want at most %d", cached, maxTranslations)
	}
	last, err := e.translate(query(0))
	again, againErr := e.translate(query(0))
	if err != nil || againErr != nil || last != again {
		t.Errorf("got %v and %v, %v and %v, want the cached translation", last, again, err, againErr)
	}
}
