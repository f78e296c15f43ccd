package tenants_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
	"storefront/db/sqlite"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// firstOnPostgres is the version of the first schema that was in PostgreSQL.
const firstOnPostgres = 24

// Every step after the first schema that was in PostgreSQL has statements for it.
func TestSteps_Postgres(t *testing.T) {
	t.Parallel()
	for _, step := range tenants.Steps()[firstOnPostgres-1:] {
		if step.Postgres == "" {
			t.Errorf("step %q has no statements for PostgreSQL", step.Name)
		}
	}
}

// A database with the first schema has the same tables after all steps as a new one: columns,
// constraints and indexes, whatever their order and the names that the server chooses.
func TestSteps_PostgresEquality(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	newest, steps := shoptest.Schema(t), tenants.Steps()
	tables := func(database string) map[string]string {
		t.Helper()
		const query = `
			SELECT 'column ' || c.relname || '.' || a.attname || ': ' || format_type(a.atttypid, a.atttypmod) || ' '
				|| coalesce((SELECT collname FROM pg_collation WHERE oid = a.attcollation), '') || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
				|| coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
			FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
			WHERE c.relnamespace = 'storefront'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
			UNION ALL
			SELECT 'constraint of ' || conrelid::regclass || ': ' || pg_get_constraintdef(oid) FROM pg_constraint
			WHERE connamespace = 'storefront'::regnamespace
			UNION ALL
			SELECT 'index: ' || regexp_replace(indexdef, '"?(\w+_(pkey|key\d*))"? ON', 'ON') FROM pg_indexes WHERE schemaname = 'storefront'`
		out, err := exec.Command("psql", c.Address(database), "-XqtA", "-c", query).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		objects := map[string]string{}
		for line := range strings.Lines(string(out)) {
			objects[strings.TrimSpace(line)] = ""
		}
		return objects
	}
	create := func(database string, opts postgres.Options) {
		t.Helper()
		engine, err := postgres.Open(t.Context(), c.Address(database), opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.New(engine, db.Options{}).Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c.SQL(`CREATE DATABASE upgraded`)
	create("upgraded", postgres.Options{Schema: schemaOfVersion(t, firstOnPostgres), Steps: steps[:firstOnPostgres-1]})
	create("upgraded", postgres.Options{Schema: newest, Steps: steps})
	c.SQL(`CREATE DATABASE fresh`)
	create("fresh", postgres.Options{Schema: newest, Steps: steps})
	if diff := cmp.Diff(tables("fresh"), tables("upgraded")); diff != "" {
		t.Errorf("a new database differs from the first one after all steps (-new +upgraded):\n%s\n"+
			"Add the change to the next step in tenants/steps for PostgreSQL too.", diff)
	}
}

// quotedName is a name that ALTER TABLE … RENAME has quoted.
var quotedName = regexp.MustCompile(`"(\w+)"`)

// schemaOfVersion returns the statements that created the tables of a released schema, from a shop
// in testdata.
func schemaOfVersion(t *testing.T, version int) string {
	t.Helper()
	dir := t.TempDir()
	dbtest.Unpack(t, oldShop(version), filepath.Join(dir, "tenants", "acme.db"))
	store := openStore(t, dir, sqlite.Options{Schema: readOldest(t), Steps: tenants.Steps()[:version-1]})
	defer store.Close(context.Background())
	var statements []string
	err := store.View(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		var err error
		statements, err = db.Query(tx, func(r db.Row) (text string, err error) { return text, r.Scan(&text) }, `
			SELECT sql FROM sqlite_schema
			WHERE sql IS NOT NULL AND name NOT LIKE '%\_search\__%' ESCAPE '\'
			ORDER BY type = 'index'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return quotedName.ReplaceAllString(strings.Join(statements, ";\n"), "$1")
}
