package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// staged is a number of new products that an import writes in slices.
const staged = 700

// stagedFile returns a file of products in a new collection.
func stagedFile(products int, price string) string {
	var b strings.Builder
	b.WriteString("Handle,Title,Tags,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Image Src,Collections\n")
	for i := range products {
		fmt.Fprintf(&b, "item-%d,Item %d,woven,ITEM-%d,shopify,%d,%s,/images/%d.svg,New\n", i, i, i, 1+i%5, price, i)
	}
	return b.String()
}

// duringStaging returns a Progress function that calls fn once, when some slices are stored.
func duringStaging(fn func()) func(done, total int) {
	var once sync.Once
	return func(done, total int) {
		if total > 0 && done > total*3/4 {
			once.Do(fn)
		}
	}
}

// visible describes what buyers and staff members see of a shop.
func visible(t *testing.T, s catalogueShop) string {
	t.Helper()
	list, err1 := s.Catalogue.ListProducts(t.Context(), access.Operator(), catalogue.ProductListFilter{})
	collections, err2 := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{})
	low, err3 := s.Catalogue.ListStock(t.Context(), access.Operator(), catalogue.StockListFilter{})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	_, err := s.Catalogue.FindProductByHandle(t.Context(), "item-0")
	return fmt.Sprintf("%d listed, %d to buyers, %d found, %d collections, low on stock %t, by handle %t", list.Meta.TotalCount,
		len(mustFindHandles(t, s, catalogue.ProductFilter{})), len(mustFindHandles(t, s, catalogue.ProductFilter{Search: "woven"})),
		collections.Meta.TotalCount, low.Meta.TotalCount > 0, err == nil)
}

// wantExported wants a file of the products to have some. An export is recorded, so it would wait
// for the transaction in which Progress is called.
func wantExported(t *testing.T, s catalogueShop, want int) {
	t.Helper()
	if got := strings.Count(mustExport(t, s), "\n") - 1; got != want {
		t.Errorf("got %d products exported, want %d", got, want)
	}
}

const (
	seesNothing = "0 listed, 0 to buyers, 0 found, 0 collections, low on stock false, by handle false"
	seesAll     = "700 listed, 700 to buyers, 700 found, 1 collections, low on stock true, by handle true"
)

// The products of a large import are hidden until all of them are written.
func TestCatalogue_ImportProducts_HiddenUntilComplete(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	before, err := s.ContentVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored := 0
	report := mustImport(t, s, stagedFile(staged, "10"), catalogue.ImportOptions{Progress: duringStaging(func() {
		if got := visible(t, s); got != seesNothing {
			t.Errorf("while the import is under way: got %s, want %s", got, seesNothing)
		}
		if during, err := s.ContentVersion(t.Context()); err != nil || during != before {
			t.Errorf("content version while the import is under way: got %v, %v, want %v", during, err, before)
		}
		if n := s.count(t, "outbox"); n != 0 {
			t.Errorf("while the import is under way: got %d events, want none", n)
		}
		stored = s.count(t, "products")
	})})
	if n := s.count(t, "outbox"); n != staged {
		t.Errorf("got %d events, want one for each of %d products", n, staged)
	}
	if stored == 0 {
		t.Error("got no products stored before the last slice, want some")
	}
	if report.Created != staged || len(report.CollectionsCreated) != 1 {
		t.Errorf("got report %+v", report)
	}
	if got := visible(t, s); got != seesAll {
		t.Errorf("afterwards: got %s, want %s", got, seesAll)
	}
	wantExported(t, s, staged)
	if after, err := s.ContentVersion(t.Context()); err != nil || after == before {
		t.Errorf("content version after the import: got %v, %v, want another one", after, err)
	}
	if again := mustImport(t, s, mustExport(t, s), catalogue.ImportOptions{}); again.Unchanged != staged {
		t.Errorf("import the export: got %+v, want %d unchanged", again, staged)
	}
	s.checkSound(t)
}

func (s catalogueShop) count(t *testing.T, table string) (n int) {
	t.Helper()
	err := s.store.View(t.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`SELECT COUNT(*) FROM ` + table).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s catalogueShop) checkSound(t *testing.T) {
	t.Helper()
	shoptest.CheckStock(t, s.Shop, s.store)
	if faults, err := s.CheckInvariants(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("invariants: got %q, %v, want none", faults, err)
	}
	if n := s.count(t, "imports"); n != 0 {
		t.Errorf("got %d imports under way, want 0", n)
	}
}

// Staff members may save products while an import is under way; what the import is about to create
// is refused, and what they have changed becomes as in the file.
func TestCatalogue_ImportProducts_EditsDuringStaging(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustImport(t, s, "Handle,Title,Variant Price\nold,Old,1\nolder,Older,1\n", catalogue.ImportOptions{})
	file := stagedFile(staged, "10") + "old,Old,,,,,20,,\nolder,Older,,,,,20,,\n"
	var edits sync.WaitGroup
	mustImport(t, s, file, catalogue.ImportOptions{Progress: duringStaging(func() {
		save := func(in catalogue.ProductInput, want fault.Code) {
			edits.Go(func() {
				_, err := saveProduct(s, in)
				if got := shoptest.ErrorCode(err); got != want {
					t.Errorf("save %s: got %v, want %q", in.Handle, err, want)
				}
			})
		}
		save(plainProduct("item-0", 500), fault.CodeStateConflict) // hidden
		save(plainProduct("old", 500), "")
		save(plainProduct("fresh", 500), "")
		save(plainProduct(fmt.Sprintf("item-%d", staged-1), 500), "") // not yet written
		edits.Go(func() {
			_, err := s.Catalogue.SaveCollection(context.Background(), access.Operator(), catalogue.CollectionInput{Title: "New"}, nil)
			if !fault.HasCode(err, fault.CodeStateConflict) {
				t.Errorf("save the hidden collection: got %v, want state_conflict", err)
			}
		})
	})})
	edits.Wait()
	for handle, want := range map[string]int64{"old": 2000, "older": 2000, "item-0": 1000, fmt.Sprintf("item-%d", staged-1): 1000, "fresh": 500} {
		if got := mustFindHandle(t, s, handle).Price.Amount; got != want {
			t.Errorf("price of %s: got %d, want %d", handle, got, want)
		}
	}
	s.checkSound(t)
	shoptest.CheckIndex(t, s.Shop, s.store, "item", "old", "fresh")
}

// An import that fails after some slices leaves nothing behind.
func TestCatalogue_ImportProducts_CancelledDuringStaging(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	ctx, cancel := context.WithCancel(t.Context())
	opts := catalogue.ImportOptions{Progress: duringStaging(cancel)}
	_, err := s.Catalogue.ImportProducts(ctx, access.Operator(), strings.NewReader(stagedFile(staged, "10")), opts)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
	for _, table := range []string{"products", "variants", "images", "collections", "stock_movements", "product_search"} {
		if n := s.count(t, table); n != 0 {
			t.Errorf("%s: got %d rows, want 0", table, n)
		}
	}
	s.checkSound(t)
}

// abandon makes a shop's products those of an import whose process was killed.
func (s catalogueShop) abandon(t *testing.T) {
	t.Helper()
	err := s.store.Update(t.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`
			INSERT INTO imports (id, first_id, last_id, started_at)
			VALUES (1, ?, ?, ?)`, "0", "Z", tx.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// noProduct is a file of one row that is not imported.
const noProduct = "Handle,Command\nnothing,IGNORE\n"

// What a killed import has left behind is removed in the background, and before the next import.
func TestCatalogue_EndAbandonedImport(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(s catalogueShop) error{
		"Background": func(s catalogueShop) error {
			_, err := s.Catalogue.EndAbandonedImport(t.Context())
			return err
		},
		"NextImport": func(s catalogueShop) error {
			_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(noProduct), catalogue.ImportOptions{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCatalogueShop(t)
			mustImport(t, s, stagedFile(120, "10"), catalogue.ImportOptions{})
			s.abandon(t)
			if got := visible(t, s); got != seesNothing {
				t.Errorf("before: got %s, want %s", got, seesNothing)
			}
			wantExported(t, s, 0)
			if err := remove(s); err != nil {
				t.Fatal(err)
			}
			if n := s.count(t, "products") + s.count(t, "collections") + s.count(t, "product_search"); n != 0 {
				t.Errorf("got %d rows, want 0", n)
			}
			s.checkSound(t)
			if report := mustImport(t, s, stagedFile(3, "10"), catalogue.ImportOptions{}); report.Created != 3 {
				t.Errorf("next import: got %+v, want 3 created", report)
			}
		})
	}
}

// A running import is not removed, and a second one is refused.
func TestCatalogue_ImportProducts_Twice(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustImport(t, s, stagedFile(3, "10"), catalogue.ImportOptions{})
	unlock, err := s.store.LockNamed(t.Context(), "import-"+s.UID())
	if err != nil {
		t.Fatal(err)
	}
	s.abandon(t)
	if next, err := s.Catalogue.EndAbandonedImport(t.Context()); err != nil || next.IsZero() || s.count(t, "products") != 3 {
		t.Errorf("got next check %v, %v, want a later one", next, err)
	}
	_, err = s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(stagedFile(3, "10")), catalogue.ImportOptions{})
	if !fault.HasCode(err, fault.CodeStateConflict) || !strings.Contains(err.Error(), "Another import into this shop is under way") {
		t.Errorf("second import: got %v, want state_conflict", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// Existing products change in slices; an unchanged file changes nothing.
func TestCatalogue_ImportProducts_ManyChanges(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustImport(t, s, stagedFile(staged, "10"), catalogue.ImportOptions{})
	file := strings.ReplaceAll(stagedFile(staged+staged, "12.50"), "Item 7,woven", "Seventh,knitted")
	report := mustImport(t, s, file, catalogue.ImportOptions{})
	if report.Created != staged || report.Changed != staged {
		t.Errorf("got report %+v, want %d created and changed", report, staged)
	}
	for handle, title := range map[string]string{"item-7": "Seventh", "item-8": "Item 8", "item-1399": "Item 1399"} {
		if p := mustFindHandle(t, s, handle); p.Title != title || p.Price.Amount != 1250 {
			t.Errorf("%s: got %s at %d, want %s at 1250", handle, p.Title, p.Price.Amount, title)
		}
	}
	if got := mustFindHandles(t, s, catalogue.ProductFilter{Search: "knitted"}); !cmp.Equal(got, []string{"item-7"}) {
		t.Errorf("search: got %q, want item-7", got)
	}
	s.checkSound(t)
	if again := mustImport(t, s, file, catalogue.ImportOptions{}); again.Unchanged != 2*staged {
		t.Errorf("again: got %+v, want all unchanged", again)
	}
}
