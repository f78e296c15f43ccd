package catalogue_test

import (
	"strings"
	"testing"

	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
)

// Every sort order of the list, and the look-ups of its parts, must use an index: the time of a
// page must not grow faster than the catalogue.
func TestCatalogue_FindProducts_UsesIndexes(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for _, query := range catalogue.ProductListQueries() {
		plan := shoptest.QueryPlan(t, s.store, s.UID(), query.SQL, query.Args)
		for _, step := range plan {
			if step == "SCAN p" || step == "SCAN v" || strings.Contains(step, "TEMP B-TREE") && !query.Sorts {
				t.Errorf("%s: plan %q\nof %s", query.Name, plan, query.SQL)
			}
		}
		if query.Index != "" && !strings.Contains(strings.Join(plan, "\n"), query.Index) {
			t.Errorf("%s: plan %q does not use %s", query.Name, plan, query.Index)
		}
	}
}

// If a list is driven by the search or by a collection's order, each product must be found by its
// key: scanning a price range, or the list of another filter, for each of them takes minutes in a
// shop of 10,000 products.
func TestCatalogue_FindProducts_CombinedFilters(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for _, query := range catalogue.ProductFilterQueries() {
		plan := shoptest.QueryPlan(t, s.store, s.UID(), query.SQL, query.Args)
		for _, step := range plan {
			found := strings.HasPrefix(step, "SEARCH p ")
			if found && (!strings.Contains(step, query.Index) || strings.Contains(step, "number=? AND id=?")) || step == "SCAN p" {
				t.Errorf("%s: plan %q\nof %s", query.Name, plan, query.SQL)
			}
		}
	}
}
