package catalogue_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

func TestCatalogue_ListCollections(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for _, in := range []catalogue.CollectionInput{
		{Handle: "men", Title: "Men’s wear", Position: new(3)},
		{
			Handle: "eid", Title: "ঈদ সংগ্রহ — Été", Position: new(1), DescriptionHTML: "<b>Eid</b><script>x</script>",
			Image: "/eid.svg", ImageAlt: "Eid",
		},
		{Handle: "home", Title: "home 100%", Position: new(2)},
	} {
		s.clock.Advance(time.Minute)
		mustSaveCollection(t, s, in)
	}
	draft := plainProduct("draft", 1)
	draft.Status = catalogue.ProductDraft
	for _, in := range []catalogue.ProductInput{plainProduct("one", 1), plainProduct("two", 1), draft} {
		in.Collections = []string{"eid"}
		mustSaveProduct(t, s, in)
	}
	for _, test := range []struct {
		name   string
		filter catalogue.CollectionFilter
		want   []string
	}{
		{"Manual", catalogue.CollectionFilter{}, []string{"eid", "home", "men"}},
		{"ManualDesc", catalogue.CollectionFilter{SortBy: "manual", Sort: "desc"}, []string{"men", "home", "eid"}},
		{"Title", catalogue.CollectionFilter{SortBy: "title"}, []string{"home", "men", "eid"}},
		{"Newest", catalogue.CollectionFilter{SortBy: "createdAt"}, []string{"home", "eid", "men"}},
		{"Oldest", catalogue.CollectionFilter{SortBy: "createdAt", Sort: "asc"}, []string{"men", "eid", "home"}},
		{"Updated", catalogue.CollectionFilter{SortBy: "updatedAt"}, []string{"home", "eid", "men"}},
		{"Search", catalogue.CollectionFilter{Search: "ete"}, []string{"eid"}},
		{"SearchBangla", catalogue.CollectionFilter{Search: "সং ঈদ"}, []string{"eid"}},
		{"SearchWildcardIsText", catalogue.CollectionFilter{Search: "1%0"}, []string{}},
		{"SearchPercent", catalogue.CollectionFilter{Search: "100%"}, []string{"home"}},
		{"SearchNothing", catalogue.CollectionFilter{Search: "%"}, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			list, err := s.Catalogue.ListCollections(t.Context(), test.filter)
			if err != nil {
				t.Fatal(err)
			}
			handles := []string{}
			for _, c := range list.Nodes {
				handles = append(handles, c.Handle)
			}
			if diff := cmp.Diff(test.want, handles); diff != "" {
				t.Error(diff)
			}
			if list.Meta.TotalCount != len(test.want) {
				t.Errorf("got total %d, want %d", list.Meta.TotalCount, len(test.want))
			}
		})
	}
	t.Run("One", func(t *testing.T) {
		t.Parallel()
		list, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{Request: page.Request{Limit: new(1)}})
		if err != nil {
			t.Fatal(err)
		}
		if want := (page.Meta{TotalCount: 3, CurrentPage: 1, HasNextPage: true, TotalPages: 3}); list.Meta != want {
			t.Errorf("got meta %+v, want %+v", list.Meta, want)
		}
		eid := list.Nodes[0]
		want := catalogue.Collection{
			ID: eid.ID, Handle: "eid", Title: "ঈদ সংগ্রহ — Été", DescriptionHTML: "<b>Eid</b>",
			Image:        &catalogue.Image{ID: eid.ID, URL: "/eid.svg", Alt: "Eid", Renditions: []catalogue.Rendition{}},
			ProductCount: 2, UpdatedAt: eid.UpdatedAt,
		}
		if diff := cmp.Diff(want, eid); diff != "" {
			t.Error(diff)
		}
		found, err := s.Catalogue.FindCollection(t.Context(), eid.ID)
		if diff := cmp.Diff(&eid, found); err != nil || diff != "" {
			t.Errorf("by ID: got error %v, collection (-want +got):\n%s", err, diff)
		}
		for _, id := range []string{"", "eid", "\x00"} {
			if _, err := s.Catalogue.FindCollection(t.Context(), id); !fault.HasCode(err, fault.CodeNotFound) {
				t.Errorf("id %q: got error %v", id, err)
			}
		}
	})
	t.Run("InvalidFilter", func(t *testing.T) {
		t.Parallel()
		_, err := s.Catalogue.ListCollections(t.Context(), catalogue.CollectionFilter{SortBy: "price", Sort: "up", Request: page.Request{Limit: new(0)}})
		invalid := shop.AsError(err)
		if invalid.Code != fault.CodeValidationFailed || len(invalid.Fields) != 3 {
			t.Errorf("got error %v, fields %v", err, invalid.Fields)
		}
	})
}

func TestCatalogue_SaveCollection(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	first := mustSaveCollection(t, s, catalogue.CollectionInput{Title: "Home & Living"})
	if first.Handle != "home-living" {
		t.Errorf("got handle %q, want home-living", first.Handle)
	}
	mustSaveProduct(t, s, plainProduct("lamp", 1))
	if added, err := s.Catalogue.AddToCollection(t.Context(), access.Operator(), "home & living", "lamp", "lamp"); added != 1 || err != nil {
		t.Errorf("added %d, %v", added, err)
	}
	version, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := mustSaveCollection(t, s, catalogue.CollectionInput{Title: "Home & Living"})
	if after, err := s.Version(t.Context()); err != nil || after != version {
		t.Errorf("save unchanged: got content version %[2]d, %[3]v, want %[1]d", version, after, err)
	}
	if again.ProductCount != 1 {
		t.Errorf("got %d products, want 1", again.ProductCount)
	}
	s.clock.Advance(time.Minute)
	changed := mustSaveCollection(t, s, catalogue.CollectionInput{Handle: "home-living", Title: "Home"})
	if changed.ID != first.ID || changed.Title != "Home" || !changed.UpdatedAt.After(first.UpdatedAt) {
		t.Errorf("got %+v, want the title Home, the ID %s and a later change than %v", changed, first.ID, first.UpdatedAt)
	}
	for field, in := range map[string]catalogue.CollectionInput{
		"title":    {Handle: "x"},
		"handle":   {Title: "…"},
		"image":    {Title: "x", Image: "javascript:alert(1)"},
		"position": {Title: "x", Position: new(0)},
	} {
		_, err := s.Catalogue.SaveCollection(t.Context(), access.Operator(), in, nil)
		if invalid := shop.AsError(err); invalid.Code != fault.CodeValidationFailed || len(invalid.Fields) != 1 || invalid.Fields[0].Field != field {
			t.Errorf("%s: got error %v", field, err)
		}
	}
	long := catalogue.CollectionInput{Title: strings.Repeat("x", 256), Handle: "x"}
	if _, err := s.Catalogue.SaveCollection(t.Context(), access.Operator(), long, nil); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("title of 256 characters: got %v, want validation_failed", err)
	}
}

func TestCatalogue_CollectionMembers(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	c := mustSaveCollection(t, s, catalogue.CollectionInput{Handle: "c", Title: "C"})
	ids := map[string]string{}
	for _, handle := range []string{"one", "two", "three"} {
		ids[handle] = mustSaveProduct(t, s, plainProduct(handle, 1)).ID
	}
	manual := catalogue.ProductFilter{CollectionIDs: []string{c.ID}, SortBy: "manual"}
	if added, err := s.Catalogue.AddToCollection(t.Context(), access.Operator(), "c", "three", ids["one"]); added != 2 || err != nil {
		t.Errorf("added %d, %v", added, err)
	}
	if added, err := s.Catalogue.AddToCollection(t.Context(), access.Operator(), c.ID, "TWO", "three"); added != 1 || err != nil {
		t.Errorf("added %d, %v", added, err)
	}
	if diff := cmp.Diff([]string{"three", "one", "two"}, mustFindHandles(t, s, manual)); diff != "" {
		t.Error(diff)
	}
	if removed, err := s.Catalogue.RemoveFromCollection(t.Context(), access.Operator(), "c", "one"); removed != 1 || err != nil {
		t.Errorf("removed %d, %v", removed, err)
	}
	if removed, err := s.Catalogue.RemoveFromCollection(t.Context(), access.Operator(), "c", "one"); removed != 0 || err != nil {
		t.Errorf("removed %d, %v", removed, err)
	}
	if diff := cmp.Diff([]string{"three", "two"}, mustFindHandles(t, s, manual)); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Catalogue.AddToCollection(t.Context(), access.Operator(), "nobody", "one"); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("unknown collection: got %v, want not_found", err)
	}
	if _, err := s.Catalogue.AddToCollection(t.Context(), access.Operator(), "c", "one", "nobody"); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("unknown product: got %v, want validation_failed", err)
	}
	if diff := cmp.Diff([]string{"three", "two"}, mustFindHandles(t, s, manual)); diff != "" {
		t.Errorf("members after a rejected change (-want +got):\n%s", diff)
	}
}
