package demo_test

import (
	"slices"
	"testing"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/demo"
	"storefront/shop/locale"
	"storefront/shop/page"
	"storefront/shop/shoptest"
	"storefront/shop/translation"
)

// untranslated are the handles of the products that show in the dashboard what lacks a translation.
var untranslated = []string{"date-palm-jaggery", "kids-graphic-t-shirt", "wired-headphones"}

func seedCatalogue(t *testing.T, s *shop.Shop) {
	t.Helper()
	if _, err := demo.Seed(t.Context(), s, access.Operator(), false); err != nil {
		t.Fatal(shoptest.ImportProblems(err))
	}
}

func newEmptyShop(t *testing.T, settings map[string]any) *shop.Shop {
	t.Helper()
	return shoptest.New(t, &shoptest.Options{Settings: settings, Media: new(shoptest.Media)})
}

func listTranslations(t *testing.T, s *shop.Shop, kind translation.Kind, missing bool) []shop.Translation {
	t.Helper()
	filter := shop.TranslationFilter{Request: page.Request{Limit: new(page.NoLimit)}, Missing: missing}
	found, err := s.ListTranslations(t.Context(), access.Operator(), kind, filter)
	if err != nil {
		t.Fatal(err)
	}
	return found.Nodes
}

// Each text of the demo has both languages, but for those of a few products.
func TestSeed_Translations(t *testing.T) {
	t.Parallel()
	s := newEmptyShop(t, decode[map[string]any](t, demo.Settings()))
	seedCatalogue(t, s)
	var missing []string
	for _, kind := range translation.Kinds() {
		if kind != translation.Discount && len(listTranslations(t, s, kind, false)) == 0 { // the demo has none
			t.Errorf("%s: got no records", kind)
		}
		for _, found := range listTranslations(t, s, kind, true) {
			name := string(kind) + " " + found.ID
			if kind == translation.Product {
				p, err := s.Catalogue.FindProductRecord(t.Context(), access.Operator(), found.ID)
				if err != nil {
					t.Fatal(err)
				}
				name = p.Handle
			}
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if !slices.Equal(missing, untranslated) {
		t.Errorf("without a translation: got %q, want %q", missing, untranslated)
	}
}

// Labels of a facet that have the same translation are shown in English.
func TestSeed_DistinctTerms(t *testing.T) {
	t.Parallel()
	s := newEmptyShop(t, nil)
	seedCatalogue(t, s)
	for _, kind := range []translation.Kind{translation.Tag, translation.Type} {
		terms := map[string]string{}
		for _, found := range listTranslations(t, s, kind, false) {
			text := found.Texts[0].Translation
			if other, ok := terms[text]; ok {
				t.Errorf("%s: %s and %s are both %s", kind, other, found.ID, text)
			}
			terms[text] = found.ID
		}
	}
}

// Seed does not change a merchant's translations, and does not translate a merchant's texts.
func TestSeed_OwnTranslations(t *testing.T) {
	t.Parallel()
	s := newEmptyShop(t, map[string]any{
		"secondLocale": "bn",
		"pages":        []map[string]string{{"slug": "about", "title": "About", "bodyHtml": "<p>We repair radios.</p>"}},
	})
	seedCatalogue(t, s)
	save := func(kind translation.Kind, id, field, text string) {
		t.Helper()
		_, err := s.SaveTranslation(t.Context(), access.Operator(), kind, id, translation.Texts{field: text}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	save(translation.Tag, "eid", "name", "ঈদ ২০২৬")
	save(translation.Product, "mango-pickle", "descriptionHtml", "<p>আচার</p>")
	save(translation.Collection, "men", "descriptionHtml", "<p>পুরুষ</p>")
	save(translation.Type, "tea", "name", "") // as if seeding had failed before
	seedCatalogue(t, s)
	for _, want := range []struct {
		kind            translation.Kind
		id, field, text string
	}{
		{translation.Tag, "eid", "name", "ঈদ ২০২৬"},
		{translation.Product, "mango-pickle", "descriptionHtml", "<p>আচার</p>"},
		{translation.Collection, "men", "descriptionHtml", "<p>পুরুষ</p>"},
		{translation.Type, "tea", "name", "চা"},
		{translation.Page, "about", "bodyHtml", ""},
	} {
		found, err := s.FindTranslation(t.Context(), access.Operator(), want.kind, want.id)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Texts, func(text shop.TranslatedText) bool { return text.Field == want.field })
		if got := found.Texts[at].Translation; got != want.text {
			t.Errorf("%s %s: got %q, want %q", want.kind, want.id, got, want.text)
		}
	}
}

// A shop in other languages gets no Bangla translations.
func TestSeed_OtherLanguages(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]any{
		"Bangla":             {"locale": "bn-BD"},
		"Bangla and English": {"locale": "bn-BD", "secondLocale": "en"},
		"English":            {"locale": "en-GB", "secondLocale": "en"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newEmptyShop(t, settings)
			seedCatalogue(t, s)
			site, err := s.Site(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if slices.Equal(site.Languages, []locale.Language{locale.English, locale.Bangla}) {
				t.Errorf("got the languages %s", site.Languages)
			}
			list, err := s.Catalogue.FindProducts(t.Context(), catalogue.ProductFilter{})
			if err != nil || list.Meta.TotalCount < 60 {
				t.Errorf("got %d products, %v", list.Meta.TotalCount, err)
			}
			if len(site.Languages) == 2 {
				for _, found := range listTranslations(t, s, translation.Product, false) {
					for _, text := range found.Texts {
						if text.Translation != "" {
							t.Errorf("%s: got the translation %q", found.Label, text.Translation)
						}
					}
				}
			}
		})
	}
}
