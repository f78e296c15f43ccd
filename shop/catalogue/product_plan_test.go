package catalogue_test

import (
	"strings"
	"testing"

	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
)

// Every order of the list, and the look-ups of its parts, must come from an index: a shop's pages
// must not get slower than its catalogue grows.
func TestShop_FindProducts_UsesIndexes(t *testing.T) {
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

// Where the search or a collection's own order leads, each product is looked up by itself: looking
// through a price range, or through another filter's list, for each of them takes minutes in a shop
// of ten thousand products.
func TestShop_FindProducts_FiltersTogether(t *testing.T) {
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
