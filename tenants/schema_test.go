package tenants_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

var update = flag.Bool("update", false, "write a shop of this schema version to testdata, if it is missing")

// oldest is the first released schema. It never changes.
var oldest = "steps/01.sql"

// A new file has the same schema as a file of the oldest schema after all steps.
func TestSteps_SchemaEquality(t *testing.T) {
	t.Parallel()
	newest := shoptest.Schema(t)
	upgraded := t.TempDir()
	createShop(t, upgraded, sqlite.Options{Schema: readOldest(t)})
	got := schemaOf(t, upgraded, sqlite.Options{Schema: newest, Steps: tenants.Steps()})

	fresh := t.TempDir()
	createShop(t, fresh, sqlite.Options{Schema: newest, Steps: tenants.Steps()})
	want := schemaOf(t, fresh, sqlite.Options{Schema: newest, Steps: tenants.Steps()})

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema.sql differs from the oldest schema plus all steps (-schema.sql +oldest and steps):\n%s\n"+
			"Add the change to the next step in tenants/steps too.", diff)
	}
}

// readOldest reads the oldest schema.
func readOldest(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(oldest)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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

// schemaOf returns the objects of a file by type and name, each with its SQL without comments and
// differences in white space.
func schemaOf(t *testing.T, dir string, opts sqlite.Options) map[string]string {
	t.Helper()
	store := openStore(t, dir, opts)
	defer store.Close(context.Background())
	objects := map[string]string{}
	err := store.View(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
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
		t.Fatal("got a file without a schema")
	}
	return objects
}

func normalize(sql string) string {
	var words []string
	for line := range strings.Lines(sql) {
		code, _, _ := strings.Cut(line, "--")
		words = append(words, strings.Fields(code)...)
	}
	text := strings.ReplaceAll(strings.Join(words, " "), `"`, "") // ALTER TABLE … RENAME adds quotes
	for _, mark := range []string{"(", ")", ","} {
		text = strings.ReplaceAll(text, " "+mark, mark)
		text = strings.ReplaceAll(text, mark+" ", mark)
	}
	return text
}
