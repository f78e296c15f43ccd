package catalogue

import (
	"fmt"

	"storefront/db"
	"storefront/shop/locale"
	"storefront/shop/translation"
)

// addLabels sets the labels of the values in a language; "" means the shop's own.
func (f *ProductFacets) addLabels(tx *db.Tx, language locale.Language) error {
	label(f.Vendors, nil) // a brand has one name
	var fields []string
	for _, option := range f.Options {
		fields = append(fields, optionText(option.Name))
		for _, v := range option.Values {
			fields = append(fields, valueText(v.Value))
		}
	}
	texts, err := findOptionTexts(tx, fields, language)
	if err != nil {
		return err
	}
	for i := range f.Options {
		option := &f.Options[i]
		option.Label = texts.Or(optionText(option.Name), option.Name)
		label(option.Values, func(value string) string { return texts[valueText(value)] })
	}
	if err := labelTerms(tx, translation.Type, f.Types, language); err != nil {
		return err
	}
	return labelTerms(tx, translation.Tag, f.Tags, language)
}

// labelTerms sets the labels of types or tags in a language.
func labelTerms(tx *db.Tx, kind translation.Kind, values []FacetValue, language locale.Language) error {
	var keys []string
	if language != "" {
		for _, v := range values {
			keys = append(keys, termID(v.Value))
		}
	}
	found, err := translation.Find(tx, kind, keys)
	label(values, func(value string) string { return found[termID(value)][language][fieldName] })
	return err
}

// label sets the labels of the values of a facet to their translations. A value without one has the
// label of the shop's own language, as have values with the same translation.
func label(values []FacetValue, in func(value string) string) {
	count := map[string]int{}
	for i := range values {
		v := &values[i]
		if v.Label = v.Value; in != nil && in(v.Value) != "" {
			v.Label = in(v.Value)
		}
		count[v.Label]++
	}
	for i := range values {
		if v := &values[i]; count[v.Label] > 1 {
			v.Label = v.Value
		}
	}
}

// findOptionTexts returns the most frequent translations of options and their values, by field. ""
// has none.
func findOptionTexts(tx *db.Tx, fields []string, language locale.Language) (translation.Texts, error) {
	texts, most := translation.Texts{}, map[string]int{}
	if language == "" {
		return texts, nil
	}
	for chunk := range db.Chunks(fields) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT t.field, t.text, COUNT(*)
			FROM translations t
			JOIN products p ON p.id = t.id
			WHERE t.kind = 'product' AND t.language = ? AND t.field IN `+list+` AND `+publishedInOrder+`
			GROUP BY t.field, t.text
			ORDER BY t.field, t.text`, append(append([]any{string(language)}, args...), db.Millis(tx.Now())), func(r db.Row) error {
			var field, text string
			var count int
			if err := r.Scan(&field, &text, &count); err != nil {
				return err
			}
			if count > most[field] {
				texts[field], most[field] = text, count
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find translations of options: %w", err)
		}
	}
	return texts, nil
}
