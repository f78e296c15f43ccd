package catalogue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

func TestCatalogue_ListVendors(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for handle, vendor := range map[string]string{"one": "Aarong", "two": "Aarong", "three": "Bata", "four": "", "draft": "Draft"} {
		product := plainProduct(handle, 1)
		product.Vendor = vendor
		if handle == "draft" {
			product.Status = catalogue.ProductDraft
		}
		mustSaveProduct(t, s, product)
	}
	list, err := s.Catalogue.ListVendors(t.Context(), page.Request{Limit: new(1)})
	if err != nil {
		t.Fatal(err)
	}
	want := &page.Page[catalogue.Vendor]{
		Nodes: []catalogue.Vendor{{Name: "Aarong", ProductCount: 2}},
		Meta:  page.Meta{TotalCount: 2, CurrentPage: 1, HasNextPage: true, TotalPages: 2},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("first page (-want +got):\n%s", diff)
	}
	if list, err = s.Catalogue.ListVendors(t.Context(), page.Request{Limit: new(page.NoLimit)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]catalogue.Vendor{{Name: "Aarong", ProductCount: 2}, {Name: "Bata", ProductCount: 1}}, list.Nodes); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if _, err := s.Catalogue.ListVendors(t.Context(), page.Request{Page: new(0)}); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("page 0: got %v, want validation_failed", err)
	}
}
