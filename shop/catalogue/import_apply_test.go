package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/shoptest"
)

// priceFile returns a file with other prices, and nothing else, of the products of stagedFile.
func priceFile(products int, price string) string {
	var b strings.Builder
	b.WriteString("Handle,Variant SKU,Variant Price\n")
	for i := range products {
		fmt.Fprintf(&b, "item-%d,ITEM-%d,%s\n", i, i, price)
	}
	return b.String()
}

// What staff members and buyers change between two slices of an import is retained where the file
// has no column for it, and a product that the file cannot change any more is noted.
func TestCatalogue_ImportProducts_EditsBetweenChanges(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustImport(t, s, stagedFile(staged, "10"), catalogue.ImportOptions{})
	sized := catalogue.ProductInput{Handle: "item-697", Title: "Sized", Options: []string{"Size"}, Variants: []catalogue.VariantInput{
		{Options: []string{"S"}, Price: 300}, {Options: []string{"M"}, Price: 300},
	}}
	edited := plainProduct("item-698", 500)
	edited.Vendor = "Weaver"
	report := mustImport(t, s, priceFile(staged, "12.50"), catalogue.ImportOptions{Progress: duringStaging(func() {
		for sku, by := range map[string]int64{"ITEM-0": 3, "ITEM-699": -1} {
			if _, err := s.Catalogue.ChangeStock(t.Context(), access.Operator(), sku, catalogue.StockChange{Adjust: &by}); err != nil {
				t.Errorf("change stock of %s: %v", sku, err)
			}
		}
		mustSaveProduct(t, s, plainProduct("item-1", 500)) // the import has changed it before
		mustSaveProduct(t, s, edited)
		mustSaveProduct(t, s, sized)
	})})
	for handle, want := range map[string]string{
		"item-0": "1250, 4 left", "item-1": "500, 10 left", "item-300": "1250, 1 left", "item-697": "300, 0 left",
		"item-698": "1250 Weaver, 10 left", "item-699": "1250, 4 left",
	} {
		p := mustFindHandle(t, s, handle)
		left := 0
		if quantity := p.Variants[0].AvailableQuantity; quantity != nil {
			left = *quantity
		}
		if got := strings.TrimSpace(fmt.Sprintf("%d %s", p.Price.Amount, p.Vendor)) + fmt.Sprintf(", %d left", left); got != want {
			t.Errorf("%s: got %s, want %s", handle, got, want)
		}
	}
	if report.Changed != staged-1 || len(report.Notes) != 1 || report.Notes[0].Kind != productfile.NoteRowSkipped || report.Notes[0].Line != 699 {
		t.Errorf("got %d changed, notes %+v, want %d and a note on line 699", report.Changed, report.Notes, staged-1)
	}
	s.checkSound(t)
}

// killDuring imports a file and ends the import as a killed process does, when some of its changes
// are applied.
func (s catalogueShop) killDuring(t *testing.T, file string) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		opts := catalogue.ImportOptions{Progress: duringStaging(runtime.Goexit)}
		_, err := s.Catalogue.ImportProducts(context.Background(), access.Operator(), strings.NewReader(file), opts)
		t.Errorf("import: got %v, want it killed", err)
	}()
	<-ended
	if n := s.count(t, "import_changes"); n == 0 || n >= staged {
		t.Fatalf("got %d changes that are not applied, want some", n)
	}
}

// The changes of a committed import whose process was killed are applied in the background, and
// before the next import.
func TestCatalogue_EndAbandonedImport_Committed(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s catalogueShop) error{
		"Background": func(s catalogueShop) error {
			for range 100 { // a lock that is not there within a millisecond is requested again later
				if next, err := s.Catalogue.EndAbandonedImport(t.Context()); err != nil || next.IsZero() {
					return err
				}
			}
			return errors.New("there is always a next check")
		},
		"NextImport": func(s catalogueShop) error {
			_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(noProduct), catalogue.ImportOptions{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCatalogueShop(t)
			mustImport(t, s, stagedFile(staged, "10"), catalogue.ImportOptions{})
			s.killDuring(t, strings.ReplaceAll(stagedFile(staged+1, "12.50"), "woven,", "knitted,"))
			if first, last := mustFindHandle(t, s, "item-0"), mustFindHandle(t, s, "item-699"); first.Price.Amount != 1250 || last.Price.Amount != 1000 {
				t.Errorf("when killed: got prices %d and %d, want 1250 and 1000", first.Price.Amount, last.Price.Amount)
			}
			mustFindHandle(t, s, "item-700") // a new product is visible
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			if n := len(mustFindHandles(t, s, catalogue.ProductFilter{Search: "knitted"})); n != staged+1 {
				t.Errorf("got %d products found by their new tag, want %d", n, staged+1)
			}
			s.checkSound(t)
			if again := mustImport(t, s, stagedFile(staged, "12.50"), catalogue.ImportOptions{DryRun: true}); again.Changed != staged {
				t.Errorf("got %+v, want only tags to differ", again)
			}
		})
	}
}

// The changes of an import in a copied file are not trusted: another program may have written them.
func TestCatalogue_EndAbandonedImport_Copy(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustImport(t, s, stagedFile(staged, "10"), catalogue.ImportOptions{})
	s.killDuring(t, strings.ReplaceAll(stagedFile(staged, "12.50"), "Title", "Body (HTML)"))
	err := s.store.Update(t.Context(), db.ID(s.UID()), func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.Exec(`
			UPDATE import_changes
			SET product = replace(product, 'Item 699', 'Safe<script>alert(1)</script>')`); err != nil {
			return err
		}
		return catalogue.SanitizeCopy(ctx, tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Catalogue.EndAbandonedImport(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := mustFindHandle(t, s, "item-699"); p.DescriptionHTML != "Safe" {
		t.Errorf("got description %q, want Safe", p.DescriptionHTML)
	}
	shoptest.CheckStock(t, s.Shop, s.store)
}
