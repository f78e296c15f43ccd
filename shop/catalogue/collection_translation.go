package catalogue

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/page"
	"storefront/shop/translation"
)

// titleKeySeparator separates the keys of a collection's title in both languages. No title has it,
// and it sorts before any character. The space lets a search find the word after it.
const titleKeySeparator = "\x1f "

// titleKey returns the key of a collection's title, with the translated ones, which are searched
// but do not change the order.
func (r collectionRow) titleKey(tx *db.Tx) (string, error) {
	found, err := translation.Find(tx, translation.Collection, []string{r.id})
	if err != nil {
		return "", err
	}
	key := input.FoldKey(r.title)
	for _, language := range locale.Languages() {
		if title := found[r.id][language][fieldTitle]; title != "" {
			key += titleKeySeparator + input.FoldKey(title)
		}
	}
	return key, nil
}

// translateCollections replaces the texts of collections that are translated into the language; ""
// changes nothing.
func translateCollections(tx *db.Tx, language locale.Language, list ...*Collection) error {
	if language == "" || len(list) == 0 {
		return nil
	}
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	found, err := translation.Find(tx, translation.Collection, ids)
	if err != nil {
		return err
	}
	for _, c := range list {
		texts := found[c.ID][language]
		c.Title, c.DescriptionHTML = texts.Or(fieldTitle, c.Title), texts.Or(fieldDescription, c.DescriptionHTML)
		if c.Image != nil && c.Image.Alt != "" {
			c.Image = new(*c.Image)
			c.Image.Alt = texts.Or(fieldImageAlt, c.Image.Alt)
		}
	}
	return nil
}

// translateSuggested is translateCollections for suggestions.
func translateSuggested(tx *db.Tx, language locale.Language, list []SuggestedCollection) error {
	collections := make([]*Collection, len(list))
	for i, c := range list {
		collections[i] = &Collection{ID: c.ID, Title: c.Title}
	}
	err := translateCollections(tx, language, collections...)
	for i, c := range collections {
		list[i].Title = c.Title
	}
	return err
}

// FindTranslatedCollections returns the collections with these IDs, in this order, for their
// translation.
func FindTranslatedCollections(tx *db.Tx, ids []string) ([]translation.Original, error) {
	saved, err := translation.Find(tx, translation.Collection, ids)
	if err != nil {
		return nil, err
	}
	byID := map[string]translation.Original{}
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT c.id, c.title, c.description_html, c.image_alt
			FROM collections c
			WHERE c.id IN `+list, args, func(r db.Row) error {
			var id, title, description, alt string
			if err := r.Scan(&id, &title, &description, &alt); err != nil {
				return err
			}
			byID[id] = translation.Original{Kind: translation.Collection, ID: id, Label: title, Saved: saved[id], Texts: []translation.Text{
				{Field: fieldTitle, Text: title}, {Field: fieldDescription, Text: description}, {Field: fieldImageAlt, Text: alt},
			}}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find collections: %w", err)
		}
	}
	found := make([]translation.Original, 0, len(ids))
	for _, id := range ids {
		if c, ok := byID[id]; ok {
			found = append(found, c)
		}
	}
	return found, nil
}

// FindTranslatedCollection returns a collection (handle, title or ID) for its translation. Codes:
// not_found.
func FindTranslatedCollection(tx *db.Tx, collection string) (translation.Original, error) {
	id, err := requireCollection(tx, collection)
	if err != nil {
		return translation.Original{}, err
	}
	found, err := FindTranslatedCollections(tx, []string{id})
	if err != nil {
		return translation.Original{}, err
	}
	return found[0], nil
}

// ListTranslatedCollections is [ListTranslatedProducts] for collections, in the merchant's order.
func ListTranslatedCollections(tx *db.Tx, missingIn locale.Language, w page.Window) ([]translation.Original, page.Count, error) {
	where, args := collectionNotHidden, []any{}
	if missingIn != "" {
		of := func(field string) string { return lacks(translation.Collection, "c.id", "'"+field+"'") }
		where += ` AND (replace(c.title, ' — ', '') = c.title AND ` + of(fieldTitle) + ` OR c.description_html <> '' AND ` + of(fieldDescription) +
			` OR c.image_alt <> '' AND replace(c.image_alt, ' — ', '') = c.image_alt AND ` + of(fieldImageAlt) + `)`
		args = []any{string(missingIn), string(missingIn), string(missingIn)}
	}
	ids, count, err := listTranslated(tx, `collections c WHERE `+where, `c.id`, `c.position, c.id`, args, w)
	if err != nil {
		return nil, count, err
	}
	found, err := FindTranslatedCollections(tx, ids)
	return found, count, err
}

// SaveCollectionTranslations replaces the translations of the collection with this ID, in the
// transaction of a use case of staff. Nothing is written if they are the same.
func SaveCollectionTranslations(tx *db.Tx, who access.Staff, id string, before, texts translation.Record) error {
	if before.Equal(texts) {
		return nil
	}
	if err := translation.Save(tx, translation.Collection, id, before, texts); err != nil {
		return err
	}
	row, err := findCollectionRowByID(tx, id)
	if err != nil {
		return err
	}
	if err := updateCollection(tx, row); err != nil { // its search
		return err
	}
	return who.Audit(tx, row.subject(), translation.Changes(before, texts)...)
}

// ownTitleKey returns the key of the title in the shop's own language.
func ownTitleKey(titleKey string) string {
	own, _, _ := strings.Cut(titleKey, titleKeySeparator)
	return own
}
