package catalogue_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
)

var updateCorpus = flag.Bool("update", false, "write the reports and products of the files in testdata/import")

// Each file in testdata/import has the shape of an export of Shopify, Matrixify or WooCommerce. The
// file with the same name and the ending .golden has its report, or its problems, and the products.
func TestCatalogue_ImportProducts_Corpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "import", "*.csv"))
	if err != nil || len(files) < 21 {
		t.Fatalf("got %d files, %v, want 21 or more", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".csv"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newCatalogueShop(t)
			report, importErr := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(string(text)), catalogue.ImportOptions{})
			got := describeImport(t, s, report, importErr)
			golden := strings.TrimSuffix(file, ".csv") + ".golden"
			if *updateCorpus {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("import (-want +got):\n%s", diff)
			}
			checkAgain(t, s, string(text), report, importErr)
		})
	}
}

// checkAgain checks that importing a file again, or the export, changes nothing, and that a strict
// import rejects exactly the files that have notes.
func checkAgain(t *testing.T, s catalogueShop, text string, report *catalogue.ImportReport, importErr error) {
	t.Helper()
	strict := newCatalogueShop(t)
	_, err := strict.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(text), catalogue.ImportOptions{Strict: true})
	var rejected *catalogue.ImportError
	if (importErr != nil || len(report.Notes) > 0) != errors.As(err, &rejected) {
		t.Errorf("strict import: got %v, want problems exactly for the notes", err)
	}
	if importErr != nil {
		return
	}
	if n := strict.count(t, "products"); err != nil && n != 0 {
		t.Errorf("rejected strict import: got %d products, want 0", n)
	}
	for name, file := range map[string]string{"file": text, "export": mustExport(t, s)} {
		if again := mustImport(t, s, file, catalogue.ImportOptions{}); again.Created+again.Changed > 0 {
			t.Errorf("import the %s again: got %d created, %d changed, want none", name, again.Created, again.Changed)
		}
	}
	s.checkSound(t)
}

// describeImport returns a report, or the problems, and the products of a shop.
func describeImport(t *testing.T, s catalogueShop, report *catalogue.ImportReport, err error) string {
	t.Helper()
	var b strings.Builder
	var invalid *catalogue.ImportError
	switch {
	case errors.As(err, &invalid):
		for _, p := range invalid.Problems {
			fmt.Fprintf(&b, "%d: %s: %s\n", p.Line, p.Column, p.Message)
		}
		return b.String()
	case err != nil:
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%s: %d rows, %d products, %d created\n", report.Format, report.Rows, report.Products, report.Created)
	for _, note := range report.Notes {
		fmt.Fprintf(&b, "%d: %s: %s: %s\n", note.Line, note.Column, note.Kind, note.Message)
	}
	rest, err := json.Marshal(map[string]any{
		"collections": report.CollectionsCreated, "ignored": report.IgnoredColumns, "html": report.RemovedHTML, "apostrophes": report.ApostrophesRemoved,
	})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%s\n", rest)
	rows, err := csv.NewReader(strings.NewReader(mustExport(t, s))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if column := rows[0][i]; cell != "" && column != "Variant Low Stock" && column != "Published At" {
				fmt.Fprintf(&b, "%s=%q ", column, cell)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
