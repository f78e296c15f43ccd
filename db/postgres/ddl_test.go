package postgres_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
)

var update = flag.Bool("update", false, "rewrite testdata/ddl.sql")

func readSchema(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile("../../schema.sql")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// The statements are in a file, so that a review of a change of schema.sql shows what it means
// here.
func TestDDL_Golden(t *testing.T) {
	t.Parallel()
	statements, err := postgres.DDL(readSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(statements, ";\n\n") + ";\n"
	const path = "testdata/ddl.sql"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("run go test ./db/postgres -update (-file +now):\n%s", diff)
	}
}

// A schema with what is not translated is refused.
func TestDDL_Refused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`CREATE TABLE a (id NUMERIC PRIMARY KEY)`,
		`CREATE TABLE a (id TEXT)`,
		`CREATE TABLE a (shop TEXT PRIMARY KEY)`,
		`CREATE TABLE shops (id TEXT PRIMARY KEY)`,
		`CREATE TABLE a (id TEXT PRIMARY KEY CHECK (random() > 1))`,
		`CREATE TABLE a (id TEXT PRIMARY KEY REFERENCES nothing (id))`,
		`CREATE TABLE a (id TEXT PRIMARY KEY COLLATE NOCASE)`,
		`CREATE TABLE a (id TEXT PRIMARY KEY); CREATE TABLE a (id TEXT PRIMARY KEY)`,
		`CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END`,
		`CREATE INDEX i ON nothing (id)`,
		`CREATE TABLE a (id TEXT PRIMARY KEY, "or der" TEXT)`,
	} {
		if got, err := postgres.DDL(text); err == nil {
			t.Errorf("%s: got %q, want an error", text, got[len(got)-1])
		}
	}
	if _, err := postgres.DDL(dbtest.Schema); err != nil {
		t.Errorf("the schema of the kit: %v", err)
	}
}

// The script for psql creates the tables as the program does. That for Citus runs where Citus is
// replaced by functions of its names.
func TestScript(t *testing.T) {
	t.Parallel()
	schema := readSchema(t)
	c := dbtest.NewCluster(t)
	for _, citus := range []bool{false, true} {
		script, err := postgres.Script(schema, nil, citus)
		if err != nil {
			t.Fatal(err)
		}
		name := "plain"
		if citus {
			name = "citus"
		}
		c.SQL(`CREATE DATABASE ` + name)
		psql := func(statements string) string {
			t.Helper()
			cmd := exec.Command("psql", c.Address(name), "-XqtA", "-v", "ON_ERROR_STOP=1")
			cmd.Stdin = strings.NewReader(statements)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			return strings.TrimSpace(string(out))
		}
		if citus { // what the program reads of it
			psql(`SET allow_system_table_mods = on;
				CREATE TABLE pg_catalog.pg_dist_partition (logicalrel regclass, partmethod "char", colocationid int);
				CREATE FUNCTION create_distributed_table(name regclass, key text, colocate_with text) RETURNS void LANGUAGE sql AS $$
					INSERT INTO pg_catalog.pg_dist_partition
					SELECT name, 'h', CASE colocate_with WHEN 'none' THEN 7
						ELSE (SELECT colocationid FROM pg_catalog.pg_dist_partition WHERE logicalrel = colocate_with::regclass) END
				$$`)
		}
		psql(script)
		engine, err := postgres.Open(t.Context(), c.Address(name), postgres.Options{Schema: schema, Command: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := db.New(engine, db.Options{})
		scattered := func() []string {
			t.Helper()
			info, err := engine.Server(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return info.Scattered
		}
		if got := scattered(); got != nil {
			t.Errorf("%s: got scattered tables %q, want none", name, got)
		}
		if citus {
			psql(`UPDATE pg_catalog.pg_dist_partition SET colocationid = 8 WHERE logicalrel = 'storefront.order_items'::regclass;
				DELETE FROM pg_catalog.pg_dist_partition WHERE logicalrel = 'storefront.orders'::regclass`)
			got := scattered()
			if slices.Sort(got); !slices.Equal(got, []string{"order_items", "orders"}) {
				t.Errorf("got scattered tables %q, want those that are not with the others", got)
			}
		}
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	random := regexp.MustCompile(`(?m)^\\(un)?restrict .*$`) // of newer versions of pg_dump
	tables := func(database string) string {
		cmd := exec.Command("pg_dump", "--schema-only", "--no-owner", "--schema=storefront", c.Address(database))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return random.ReplaceAllString(string(out), "")
	}
	c.SQL(`CREATE DATABASE own`)
	if _, err := open(t, c.Address("own"), postgres.Options{Schema: schema}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "citus"} {
		if diff := cmp.Diff(tables("own"), tables(name)); diff != "" {
			t.Errorf("%s differs from what the program creates (-program +script):\n%s", name, diff)
		}
	}
}

// An index serves the check whether a deleted row is referred to. Without one, each check reads all
// rows of the shop in that table, and deleting 10,000 orders took 5 s instead of 1 s.
func TestDDL_ReferencesIndexed(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	if _, err := open(t, c.Address("postgres"), postgres.Options{Schema: readSchema(t)}); err != nil {
		t.Fatal(err)
	}
	const references = `FROM pg_constraint f WHERE contype = 'f' AND connamespace = 'storefront'::regnamespace`
	if n := c.SQL(`SELECT count(*) > 30 ` + references); n != "t" {
		t.Fatal("got few references")
	}
	unserved := c.SQL(`SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) ` + references + ` AND NOT EXISTS (
		SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[2]
		WHERE i.indrelid = f.conrelid AND (i.indkey::int2[])[0:array_length(f.conkey, 1) - 1] = f.conkey
			AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = '(' || a.attname || ' IS NOT NULL)'))`)
	if unserved != "" {
		t.Errorf("references without an index:\n%s", unserved)
	}
}
