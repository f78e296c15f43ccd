package catalogue

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/translation"
)

// fieldName is the field of the translation of a tag or type.
const fieldName = "name"

// termID returns the ID of a tag or type as a translated record: the folded text, in the form of a
// segment of a path.
func termID(text string) string {
	id := strings.NewReplacer("%", "%25", "/", "%2F").Replace(input.FoldKey(text))
	if strings.Trim(id, ".") == "" {
		id = strings.ReplaceAll(id, ".", "%2E")
	}
	return id
}

// FindTranslatedTerms returns the tags or types of the products for their translation, in the order
// of the alphabet. Spellings that differ in case or accents are one.
func FindTranslatedTerms(tx *db.Tx, kind translation.Kind) ([]translation.Original, error) {
	query := `
		SELECT DISTINCT p.type
		FROM products p
		WHERE p.type <> '' AND ` + notHidden
	if kind == translation.Tag {
		query = `
		SELECT DISTINCT t.tag
		FROM product_tags t
		JOIN products p ON p.id = t.product_id
		WHERE ` + notHidden
	}
	texts, err := db.Query(tx, db.ScanText, query)
	if err != nil {
		return nil, fmt.Errorf("find terms of products: %w", err)
	}
	saved, err := translation.FindAll(tx, kind)
	if err != nil {
		return nil, err
	}
	byKey := map[string]string{}
	for _, text := range texts {
		key := termID(text)
		if shown, ok := byKey[key]; !ok || text < shown {
			byKey[key] = text
		}
	}
	all := make([]translation.Original, 0, len(byKey))
	for key, text := range byKey {
		all = append(all, translation.Original{
			Kind: kind, ID: key, Label: text, Saved: saved[key], Texts: []translation.Text{{Field: fieldName, Text: text}},
		})
	}
	slices.SortFunc(all, func(a, b translation.Original) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// TermName is a tag or type of products, folded, with its translation.
type TermName struct{ Term, Name string }

// FindTermNames returns the tags and types that are translated into a language.
func FindTermNames(tx *db.Tx, language locale.Language) (names []TermName, err error) {
	for _, kind := range []translation.Kind{translation.Tag, translation.Type} {
		found, err := translation.FindAll(tx, kind)
		if err != nil {
			return nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(found)) {
			term, err := url.PathUnescape(id)
			if err != nil {
				return nil, fmt.Errorf("find translated terms: %w", err)
			}
			if name := found[id][language][fieldName]; name != "" {
				names = append(names, TermName{term, name})
			}
		}
	}
	return names, nil
}

// FindTypeLabels returns a function that returns the name of a product type in the catalogue's
// language.
func (c *Catalogue) FindTypeLabels(ctx context.Context) (labelOf func(kind string) string, err error) {
	found := map[string]translation.Record{}
	if c.language != "" {
		err = c.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			found, err = translation.FindAll(tx, translation.Type)
			return err
		})
	}
	return func(kind string) string { return found[termID(kind)][c.language].Or(fieldName, kind) }, err
}
