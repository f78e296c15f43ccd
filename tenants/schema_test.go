package tenants_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

var update = flag.Bool("update", false, "freeze this version's schema and a shop of it in testdata, where they are not there yet")

// oldest is the first schema that shops were made with. It never changes.
var oldest = filepath.Join("testdata", "schema-1.sql")

// A file made today must be the same as one made with the oldest schema and brought forward.
func TestSteps_SchemaEquality(t *testing.T) {
	t.Parallel()
	newest := shoptest.Schema(t)
	forward := t.TempDir()
	createShop(t, forward, db.Options{Schema: oldestSchema(t)})
	got := schemaOf(t, forward, db.Options{Schema: newest, Steps: tenants.Steps()})

	fresh := t.TempDir()
	createShop(t, fresh, db.Options{Schema: newest, Steps: tenants.Steps()})
	want := schemaOf(t, fresh, db.Options{Schema: newest, Steps: tenants.Steps()})

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema.sql is not the oldest schema plus all steps (-schema.sql +oldest and steps):\n%s\n"+
			"Write the change as the next of the steps in tenants/schema.go too.", diff)
	}
}

// oldestSchema reads the frozen schema.
func oldestSchema(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(oldest)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func createShop(t *testing.T, dir string, opts db.Options) {
	t.Helper()
	store := openStore(t, dir, opts)
	err := store.Create(t.Context(), "drift", func(context.Context, *db.Tx) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func openStore(t *testing.T, dir string, opts db.Options) *db.Store {
	t.Helper()
	store, err := db.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// schemaOf gives the objects of a file by type and name, each with its text without comments and
// without differences in white space.
func schemaOf(t *testing.T, dir string, opts db.Options) map[string]string {
	t.Helper()
	store := openStore(t, dir, opts)
	defer store.Close(context.Background())
	objects := map[string]string{}
	err := store.View(t.Context(), "drift", func(_ context.Context, tx *db.Tx) error {
		_, err := db.Query(tx, func(r db.Row) (struct{}, error) {
			var kind, name, text string
			err := r.Scan(&kind, &name, &text)
			objects[kind+" "+name] = normalize(text)
			return struct{}{}, err
		}, `
			SELECT type, name, coalesce(sql, '')
			FROM sqlite_schema`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(objects) == 0 {
		t.Fatal("the file has no schema")
	}
	return objects
}

func normalize(sql string) string {
	var words []string
	for line := range strings.Lines(sql) {
		code, _, _ := strings.Cut(line, "--")
		words = append(words, strings.Fields(code)...)
	}
	text := strings.ReplaceAll(strings.Join(words, " "), `"`, "") // renaming quotes
	for _, mark := range []string{"(", ")", ","} {
		text = strings.ReplaceAll(text, " "+mark, mark)
		text = strings.ReplaceAll(text, mark+" ", mark)
	}
	return text
}
