package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/locale"
	"storefront/shop/page"
	"storefront/shop/translation"
)

// The fields of a product's and a collection's translation. An option and its values have
// further ones: see optionText.
const (
	fieldTitle          = "title"
	fieldDescription    = translation.Description
	fieldSEOTitle       = "seoTitle"
	fieldSEODescription = translation.SEODescription
	fieldImageAlt       = "imageAlt" // of a collection
)

// optionText and valueText are the fields of an option and of one of its values.
func optionText(name string) string { return productfile.OptionField + name }
func valueText(value string) string { return productfile.ValueField + value }

// altText is the field of the text of an image: its ID, or the URL of one that is not stored yet.
func (i *imageRow) altText() string { return productfile.AltField + cmp.Or(i.id, i.url) }

// texts returns the texts of the product that can be translated.
func (p *productRow) texts() []translation.Text {
	texts := []translation.Text{
		{Field: fieldTitle, Text: p.title}, {Field: fieldDescription, Text: p.descriptionHTML},
		{Field: fieldSEOTitle, Text: p.seoTitle}, {Field: fieldSEODescription, Text: p.seoDescription},
	}
	for _, image := range p.images {
		if image.alt != "" && image.alt != p.title { // the title has a translation of its own
			texts = append(texts, translation.Text{Field: image.altText(), Text: image.alt})
		}
	}
	for _, option := range p.buyerOptions() {
		texts = append(texts, translation.Text{Field: optionText(option.Name), Text: option.Name})
		for _, value := range option.Values {
			text := translation.Text{Field: valueText(value), Text: value}
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func (p *productRow) translated() translation.Original {
	return translation.Original{Kind: translation.Product, ID: p.id, Label: p.title, Texts: p.texts(), Saved: p.translations}
}

// loadTranslations sets the translations of products.
func loadTranslations(tx *db.Tx, rows []*productRow) error {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.id
	}
	found, err := translation.Find(tx, translation.Product, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.translations = found[row.id]; row.translations == nil {
			row.translations = translation.Record{}
		}
	}
	return nil
}

// translateProducts replaces the texts of products that buyers get, where they are translated into
// the language. It must not be called for a row that is written. "" changes nothing.
func translateProducts(tx *db.Tx, rows []*productRow, language locale.Language) error {
	if language == "" || len(rows) == 0 {
		return nil
	}
	if err := loadTranslations(tx, rows); err != nil {
		return err
	}
	for _, row := range rows {
		row.translate(row.translations[language])
	}
	return nil
}

func (p *productRow) translate(texts translation.Texts) {
	if len(texts) == 0 {
		return
	}
	for i := range p.images {
		image := &p.images[i]
		if image.alt == p.title {
			image.alt = texts.Or(fieldTitle, p.title)
		}
		image.alt = texts.Or(image.altText(), image.alt)
	}
	p.title = texts.Or(fieldTitle, p.title)
	p.descriptionHTML = texts.Or(fieldDescription, p.descriptionHTML)
	p.seoTitle = texts.Or(fieldSEOTitle, p.seoTitle)
	p.seoDescription = texts.Or(fieldSEODescription, p.seoDescription)
	for i, option := range p.buyerOptions() {
		p.options[i] = texts.Or(optionText(option.Name), option.Name)
		values, seen := map[string]string{}, map[string]bool{}
		for _, value := range option.Values {
			values[value] = texts.Or(valueText(value), value)
			seen[values[value]] = true
		}
		if len(seen) < len(values) { // two values would look the same to buyers
			continue
		}
		for at := range p.variants {
			p.variants[at].options[i] = values[p.variants[at].options[i]]
		}
	}
}

// SoldItem has the titles of a variant when it was bought.
type SoldItem struct {
	ProductID, VariantID string
	Title                *string
	Variant              *string // nil if it has none
}

// IsSecond reports whether a language is the one into which texts can be translated.
func (c *Catalogue) IsSecond(ctx context.Context, language locale.Language) (bool, error) {
	second, err := c.secondLanguage(ctx)
	return second != "" && language == second, err
}

// TranslateSold replaces the titles of bought variants that are translated into a language. A
// product that has another title by now is not what was bought, and is left out, as is a language
// that is not the shop's second one.
func (c *Catalogue) TranslateSold(ctx context.Context, tx *db.Tx, language locale.Language, items []SoldItem) error {
	translated, err := c.IsSecond(ctx, language)
	if err != nil {
		return err
	}
	if !translated {
		return nil
	}
	var ids []string
	for _, item := range items {
		if !slices.Contains(ids, item.ProductID) {
			ids = append(ids, item.ProductID)
		}
	}
	rows, err := findProductRows(tx, ids)
	if err == nil {
		err = loadTranslations(tx, rows)
	}
	if err != nil {
		return err
	}
	for _, row := range rows {
		row.translateSold(language, items)
	}
	return nil
}

// translateSold is [Catalogue.TranslateSold] for the variants of one product, which it translates.
func (p *productRow) translateSold(language locale.Language, items []SoldItem) {
	title, before := p.title, map[string]string{}
	for i := range p.variants {
		before[p.variants[i].id] = p.variantTitle(&p.variants[i])
	}
	p.translate(p.translations[language])
	for _, item := range items {
		if item.ProductID != p.id || *item.Title != title {
			continue
		}
		*item.Title = p.title
		at := slices.IndexFunc(p.variants, func(v variantRow) bool { return v.id == item.VariantID })
		if at >= 0 && item.Variant != nil && *item.Variant == before[item.VariantID] {
			*item.Variant = p.variantTitle(&p.variants[at])
		}
	}
}

// FindTranslatedProducts returns the products with these IDs, in this order, for their translation.
func FindTranslatedProducts(tx *db.Tx, ids []string) ([]translation.Original, error) {
	rows, err := findProductRows(tx, ids)
	if err == nil {
		err = loadTranslations(tx, rows)
	}
	if err != nil {
		return nil, err
	}
	found := make([]translation.Original, len(rows))
	for i, row := range rows {
		found[i] = row.translated()
	}
	return found, nil
}

// FindTranslatedProduct returns the product with this handle or ID. Codes: not_found,
// state_conflict (an import that creates it is under way).
func FindTranslatedProduct(tx *db.Tx, product string) (translation.Original, error) {
	row, err := findTranslatedProduct(tx, product)
	if err != nil {
		return translation.Original{}, err
	}
	return row.translated(), nil
}

func findTranslatedProduct(tx *db.Tx, product string) (*productRow, error) {
	row, err := findAnyProduct(tx, product)
	if err == nil {
		err = loadTranslations(tx, []*productRow{row})
	}
	return row, err
}

// SaveProductTranslations replaces the translations of the product with this ID, in the transaction
// of a use case of staff.
func (c *Catalogue) SaveProductTranslations(ctx context.Context, tx *db.Tx, who access.Staff, id string, texts translation.Record) error {
	before, err := findTranslatedProduct(tx, id)
	if err != nil {
		return err
	}
	want := *before
	want.translations = texts
	return c.saveEdit(ctx, tx, who, plannedEdit{before, &want})
}

// lacks is the condition that a product p or a collection c has no text of a field, which is an
// expression. Its parameter is the language.
func lacks(kind translation.Kind, id, field string) string {
	return `NOT EXISTS (
				SELECT 1
				FROM translations t
				WHERE t.kind = '` + string(kind) + `' AND t.id = ` + id + ` AND t.field = ` + field + ` AND t.language = ?)`
}

// missingTexts is the condition that a translation of a product p is missing. Its parameters are
// the language.
var missingTexts = func() string {
	of := func(field string) string { return lacks(translation.Product, "p.id", field) }
	text := func(column, field string) string { return `p.` + column + ` <> '' AND ` + of("'"+field+"'") }
	value := func(column string) string {
		return column + ` <> '' AND ` + of("'"+productfile.ValueField+"' || "+column)
	}
	return `(replace(p.title, ' — ', '') = p.title AND ` + text("title", fieldTitle) + ` OR ` + text("description_html", fieldDescription) + ` OR ` +
		text("seo_title", fieldSEOTitle) + ` OR ` + text("seo_description", fieldSEODescription) + `
			OR EXISTS (
				SELECT 1
				FROM images i
				WHERE i.product_id = p.id AND i.alt <> '' AND i.alt <> p.title AND replace(i.alt, ' — ', '') = i.alt
					AND ` + of("'"+productfile.AltField+"' || i.id") + `)
			OR EXISTS (
				SELECT 1
				FROM variants v
				WHERE v.product_id = p.id AND (` + value("v.option1") + ` OR ` + value("v.option2") + ` OR ` + value("v.option3") + `))
			OR (
				SELECT MAX(CASE WHEN v.option3 <> '' THEN 3 WHEN v.option2 <> '' THEN 2 WHEN v.option1 <> '' THEN 1 ELSE 0 END)
				FROM variants v
				WHERE v.product_id = p.id
			) > (
				SELECT COUNT(*)
				FROM translations t
				WHERE t.kind = 'product' AND t.id = p.id AND t.field LIKE '` + productfile.OptionField + `%' AND t.language = ?))`
}()

// ListTranslatedProducts returns one page of the products for their translation, in the order of
// creation. With a language it returns only those with a missing text.
func ListTranslatedProducts(tx *db.Tx, missingIn locale.Language, w page.Window) ([]translation.Original, page.Count, error) {
	where, args := notHidden, []any{}
	if missingIn != "" {
		where += ` AND ` + missingTexts
		args = slices.Repeat([]any{string(missingIn)}, strings.Count(missingTexts, "?"))
	}
	ids, count, err := listTranslated(tx, `products p WHERE `+where, `p.id`, `p.number`, args, w)
	if err != nil {
		return nil, count, err
	}
	found, err := FindTranslatedProducts(tx, ids)
	return found, count, err
}

// listTranslated returns the IDs of one page of records.
func listTranslated(tx *db.Tx, from, id, orderBy string, args []any, w page.Window) (ids []string, count page.Count, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM `+from+` LIMIT ?) found`, append(slices.Clone(args), page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return nil, count, fmt.Errorf("count translated records: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	query := `
		SELECT ` + id + `
		FROM ` + from + `
		ORDER BY ` + orderBy
	if w.Limit != page.NoLimit {
		query, args = query+onePage, append(args, w.Limit, w.Offset())
	}
	if ids, err = db.Query(tx, db.ScanText, query, args...); err != nil {
		return nil, count, fmt.Errorf("list translated records: %w", err)
	}
	return ids, count, nil
}
