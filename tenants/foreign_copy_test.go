package tenants_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
	"storefront/tenants/doctor"
)

// foreignSchemas are changes of schema.sql that no integrity check notices, with what is reported.
var foreignSchemas = map[string]struct{ from, to, want string }{
	"trigger": {"", "CREATE TRIGGER spy AFTER INSERT ON customers BEGIN DELETE FROM orders; END;", "trigger spy on customers"},
	"view":    {"", "CREATE VIEW everybody AS SELECT phone FROM customers;", "view everybody"},
	"table":   {"", "CREATE TABLE stolen (id INTEGER PRIMARY KEY) STRICT;", "table stolen"},
	"index":   {"", "CREATE INDEX products_by_nothing ON products (vendor);", "index products_by_nothing"},
	"missing index": {"CREATE INDEX images_by_product ON images (product_id, position);", "",
		"index images_by_product is missing"},
	"missing constraint": {"value INTEGER NOT NULL CHECK (value >= 0)", "value INTEGER NOT NULL", "table counters differs"},
}

func TestForeignCopy_Schema(t *testing.T) {
	dbtest.NeedFiles(t, "a copy of another schema is a file")
	t.Parallel()
	for name, tt := range foreignSchemas {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := shoptest.Schema(t)
			changed := schema + tt.to
			if tt.from != "" {
				if changed = strings.Replace(schema, tt.from, tt.to, 1); changed == schema {
					t.Fatalf("schema.sql does not contain %q", tt.from)
				}
			}
			dir := t.TempDir()
			forged, err := tenants.Open(tenants.Config{Dir: dir, Schema: changed})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := forged.Create(t.Context(), "acme", named(t, "Shop acme")); err != nil {
				t.Fatal(err)
			}
			file := backUp(t, forged, "acme")
			if err := forged.Close(t.Context()); err != nil {
				t.Fatal(err)
			}

			all := open(t, dir, nil)
			before := list(t, dir)
			if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme"}); !errors.Is(err, db.ErrForeignSchema) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("restore: got error %v, want ErrForeignSchema with %q", err, tt.want)
			}
			if diff := cmp.Diff(before, list(t, dir)); diff != "" {
				t.Errorf("files of the data folder (-before +after):\n%s", diff)
			}

			v, err := tenants.OpenVerifier(tenants.Config{Dir: dir, Schema: schema})
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close(context.Background())
			verified, err := v.Verify(t.Context(), file)
			if err != nil || len(verified.Faults) != 1 || !strings.Contains(verified.Faults[0], tt.want) {
				t.Errorf("verify: got %+v, %v, want a fault with %q", verified, err, tt.want)
			}

			examined, err := doctor.Examine(t.Context(), tenants.Config{Dir: dir, Schema: schema}, tenants.RestoreSources{}, []string{"acme"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			failing := ""
			for _, f := range examined.Shops[0].Findings {
				if f.Name == "schema" && f.State == doctor.StateFailing {
					failing = f.Message
				}
			}
			if !strings.Contains(failing, tt.want) {
				t.Errorf("examine: got the failing finding %q of the schema, want one with %q", failing, tt.want)
			}
		})
	}
}

// A trigger in a file of an older version must not run with the schema steps.
func TestForeignCopy_OldSchema(t *testing.T) {
	t.Parallel()
	old := t.TempDir()
	const trigger = "CREATE TRIGGER spy AFTER INSERT ON orders BEGIN DELETE FROM customers; END;"
	createShop(t, old, sqlite.Options{Schema: firstSchema(t) + trigger})
	all := open(t, "", later(t, 1))
	_, err := all.Restore(t.Context(), tenants.RestoreOptions{File: filepath.Join(old, "tenants", "acme.db"), Of: "acme", DropSecrets: true})
	if !errors.Is(err, db.ErrForeignSchema) || !strings.Contains(err.Error(), "trigger spy on orders") {
		t.Errorf("got error %v, want ErrForeignSchema with the trigger", err)
	}
}

// HTML that was not written through this program is sanitized when a copy becomes a shop.
func TestForeignCopy_HTML(t *testing.T) {
	dbtest.NeedFiles(t, "it edits the file of a backup")
	t.Parallel()
	const hostile, clean = `<p id="cart" onclick="steal()">Honey<script>steal()</script></p>`, `<p>Honey</p>`
	all := open(t, "", nil)
	s := create(t, all, "acme")
	if _, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Handle: "honey", Title: "Honey", DescriptionHTML: "<p>x</p>", Variants: []catalogue.VariantInput{{Price: 100}},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Catalogue.SaveCollection(t.Context(), access.Operator(),
		catalogue.CollectionInput{Title: "Food", DescriptionHTML: "<p>x</p>"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{
		"legalPolicies": []map[string]string{{"slug": "terms", "title": "Terms", "bodyHtml": "<p>x</p>"}},
	})); err != nil {
		t.Fatal(err)
	}
	file := backUp(t, all, "acme")
	editBackup(t, file, func(tx *db.Tx) error {
		for _, query := range []string{
			`UPDATE products SET description_html = ?`,
			`UPDATE collections SET description_html = ?`,
			`UPDATE settings SET value = json_array(json_object('slug', 'terms', 'title', 'Terms', 'bodyHtml', ?)) WHERE key = 'legalPolicies'`,
		} {
			if _, err := tx.Exec(query, hostile); err != nil {
				return err
			}
		}
		return nil
	})
	for _, as := range []string{"", "clone"} {
		done, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", As: as})
		if err != nil {
			t.Fatal(err)
		}
		wantHTML(t, find(t, all, done.UID), clean)
	}
	var export strings.Builder
	editBackup(t, file, func(*db.Tx) error { return nil })
	forged := open(t, "", nil)
	if _, err := forged.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", DropSecrets: true}); err != nil {
		t.Fatal(err)
	}
	if err := forged.Export(t.Context(), "acme", &export); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(export.String(), clean, strings.ReplaceAll(hostile, `"`, `\"`))
	done, err := all.Import(t.Context(), tenants.ImportOptions{From: strings.NewReader(text), As: "imported", DropSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	wantHTML(t, find(t, all, done.UID), clean)
}

// editBackup changes the rows of a backup, as another program could.
func editBackup(t *testing.T, file string, edit func(tx *db.Tx) error) {
	t.Helper()
	dir := t.TempDir()
	store := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: tenants.Steps()})
	err := store.RestoreNew(t.Context(), "acme", file, func(_ context.Context, tx *db.Tx) error { return edit(tx) })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file + ".json"); err != nil && !errors.Is(err, os.ErrNotExist) { // the checksum
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(file), store.Backup(t.Context(), "acme", file), store.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

func wantHTML(t *testing.T, s *shop.Shop, want string) {
	t.Helper()
	product, err := s.Catalogue.FindProductByHandle(t.Context(), "honey")
	if err != nil {
		t.Fatal(err)
	}
	collections, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	front, err := s.StoreFront(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if product.DescriptionHTML != want || collections.Nodes[0].DescriptionHTML != want || front.LegalPolicies[0].BodyHTML != want {
		t.Errorf("got the HTML %q of the product, %q of the collection, %q of the policy, want %q",
			product.DescriptionHTML, collections.Nodes[0].DescriptionHTML, front.LegalPolicies[0].BodyHTML, want)
	}
}

// Without its secrets a copy accepts no credential of the original: the file may be somebody
// else's.
func TestForeignCopy_DropSecrets(t *testing.T) {
	t.Parallel()
	from := open(t, "", nil)
	s := create(t, from, "acme")
	apiKey, _, err := s.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "panel"})
	if err != nil {
		t.Fatal(err)
	}
	buyer := register(t, s, "buyer@example.com")
	file := backUp(t, from, "acme")
	var export strings.Builder
	if err := from.Export(t.Context(), "acme", &export); err != nil {
		t.Fatal(err)
	}

	all := open(t, "", nil)
	if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", DropSecrets: true}); err != nil {
		t.Fatal(err)
	}
	imported := open(t, "", nil)
	if _, err := imported.Import(t.Context(), tenants.ImportOptions{From: strings.NewReader(export.String()), DropSecrets: true}); err != nil {
		t.Fatal(err)
	}
	for name, all := range map[string]*tenants.Tenants{"restore": all, "import": imported} {
		s := find(t, all, "acme")
		if err := s.Staff.CheckAPIKey(t.Context(), apiKey, access.OrdersWrite); !fault.HasCode(err, fault.CodeUnauthenticated) {
			t.Errorf("%s: API key: got %v, want unauthenticated", name, err)
		}
		if _, err := s.Accounts.Me(t.Context(), buyer); !fault.HasCode(err, fault.CodeTokenInvalid) {
			t.Errorf("%s: access token: got %v, want token_invalid", name, err)
		}
	}
}
