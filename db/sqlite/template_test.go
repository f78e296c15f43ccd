package sqlite_test

import (
	"context"
	"errors"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

// searchSchema has a search index, which exports omit.
const searchSchema = "CREATE VIRTUAL TABLE search USING fts5 (title);"

// All files are created from one database in memory. No data of one tenant may be in the next
// one's, after failures too, and the search index, which is written late, must be in the file.
func TestCreate_ReusedTemplate(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), sqlite.Options{Schema: searchSchema})
	refused := errors.New("refused")
	write := func(word string, then func() error) func(context.Context, *db.Tx) error {
		return func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO search (title) VALUES (?)`, word)
			return errors.Join(err, then())
		}
	}
	well := func() error { return nil }
	if err := s.Create(t.Context(), "first", write("lamp", well)); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), "failed", write("shawl", func() error { return refused })); !errors.Is(err, refused) {
		t.Errorf("create: got %v, want the refusal", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Create did not panic")
			}
		}()
		_ = s.Create(t.Context(), "panicked", write("kettle", func() error { panic("init") }))
	}()
	if err := s.Create(t.Context(), "second", write("saree", well)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[db.ID]string{"first": "lamp", "second": "saree"} {
		err := s.View(t.Context(), id, func(_ context.Context, tx *db.Tx) error {
			for _, word := range []string{"lamp", "shawl", "kettle", "saree"} {
				var n int
				if err := tx.QueryRow(`SELECT COUNT(*) FROM search WHERE search MATCH ?`, word).Scan(&n); err != nil {
					return err
				}
				if found := n == 1; found != (word == want) {
					t.Errorf("%s: got %d rows with %q, want %v", id, n, word, word == want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := s.Check(t.Context(), id); err != nil || len(found.Faults) > 0 {
			t.Errorf("check of %s: got %+v, %v, want no faults", id, found, err)
		}
	}
	if ids, err := s.List(t.Context()); err != nil || len(ids) != 2 {
		t.Errorf("list: got %v, %v, want two tenants", ids, err)
	}
}
