package catalogue_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/input"
)

// insertMedia stores rows of images, each a minute after the one before, named a, b, ….
func insertMedia(tb testing.TB, s catalogueShop, alts ...string) {
	tb.Helper()
	for i, alt := range alts {
		s.clock.Advance(time.Minute)
		err := s.store.Update(tb.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
			return tx.Do(`
				INSERT INTO media (id, alt, alt_key, width, height, bytes, format, renditions, created_at)
				VALUES (?, ?, ?, 640, 480, 9000, 'jpg', '[[640,480],[160,120]]', ?)`,
				fmt.Sprintf("%c", 'a'+i), alt, input.FoldKey(alt), db.Millis(tx.Now()))
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func TestMedia_List(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	insertMedia(t, s, "Été panjabi", "লাল শাড়ি", "")
	for _, test := range []struct {
		name   string
		filter catalogue.MediaFilter
		want   []string
	}{
		{"NewestFirst", catalogue.MediaFilter{}, []string{"c", "b", "a"}},
		{"Search", catalogue.MediaFilter{Search: "panj ete"}, []string{"a"}},
		{"SearchBangla", catalogue.MediaFilter{Search: "শাড়ি"}, []string{"b"}},
		{"SearchWildcardIsText", catalogue.MediaFilter{Search: "%"}, []string{}},
		{"Unused", catalogue.MediaFilter{Unused: true}, []string{"c", "b", "a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			list, err := s.Catalogue.ListMedia(t.Context(), access.Operator(), test.filter)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, m := range list.Nodes {
				got = append(got, m.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" || list.Meta.TotalCount != len(test.want) {
				t.Errorf("got %d images (-want +got):\n%s", list.Meta.TotalCount, diff)
			}
		})
	}
	list, err := s.Catalogue.ListMedia(t.Context(), access.Operator(), catalogue.MediaFilter{Search: "panjabi"})
	if err != nil {
		t.Fatal(err)
	}
	want := []catalogue.Media{{
		ID: "a", URL: "/media/test/a/640.jpg", Alt: "Été panjabi", Width: 640, Height: 480, Bytes: 9000,
		Renditions: []catalogue.Rendition{
			{Width: 640, Height: 480, URL: "/media/test/a/640.jpg"}, {Width: 160, Height: 120, URL: "/media/test/a/160.jpg"},
		},
		CreatedAt: s.clock.Now().Add(-2 * time.Minute),
	}}
	if diff := cmp.Diff(want, list.Nodes); diff != "" {
		t.Errorf("image (-want +got):\n%s", diff)
	}
}
