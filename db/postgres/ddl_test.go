package postgres_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
