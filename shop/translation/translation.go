// Package translation stores the texts of a shop's records in its second language, and checks them.
// It must not know the records: each part of the shop lists the fields of its own.
package translation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
)

// Kind is what a translated record is.
//
//api:enum TranslationKind
type Kind string

// The kinds of records. They are stored.
const (
	Product        Kind = "product"         // a product with its options
	Collection     Kind = "collection"      // a collection
	Page           Kind = "page"            // a page of the shop's own
	Policy         Kind = "policy"          // a policy
	DeliveryCharge Kind = "delivery_charge" // a delivery charge
	Shop           Kind = "shop"            // the shop: its announcement, address and texts on invoices
	Tag            Kind = "tag"             // a tag of products
	Type           Kind = "type"            // a product type
	Discount       Kind = "discount"        // an automatic discount
)

// Kinds returns the kinds, in the order of the reference.
func Kinds() []Kind {
	return []Kind{Product, Collection, Page, Policy, DeliveryCharge, Shop, Tag, Type, Discount}
}

// Texts are texts of a record by their fields.
type Texts map[string]string

// Original is a record with the texts that can be translated, in the shop's own language.
type Original struct {
	Kind  Kind
	ID    string
	Label string // its name for people
	Texts []Text
	Saved Record // the translations
}

// Text is a text that can be translated. If it is empty, a translation is not missing.
type Text struct{ Field, Text string }

// Fields returns the fields of the texts.
func (o *Original) Fields() []string {
	fields := make([]string, len(o.Texts))
	for i, text := range o.Texts {
		fields[i] = text.Field
	}
	return fields
}

// Or returns the text of a field, and otherwise the text in the shop's own language.
func (t Texts) Or(field, otherwise string) string {
	if text := t[field]; text != "" {
		return text
	}
	return otherwise
}

// Fields with longer texts than a line of maxLine characters.
const (
	Description    = "descriptionHtml"
	Body           = "bodyHtml"
	SEODescription = "seoDescription"
	Address        = "address" // of several lines
	Footer         = "footer"  // of several lines
)

// Limits of a translation, as of the fields.
const (
	maxLine = 255     // characters
	maxArea = 1000    // characters of several lines
	maxText = 1 << 19 // bytes
)

// MaxFields is the maximum number of texts that are saved together.
const MaxFields = 1000

// Clean returns texts in the form that is stored: sanitized. An empty text deletes the translation.
func Clean(texts Texts) Texts {
	clean := make(Texts, len(texts))
	for field, text := range texts {
		switch field {
		case Description, Body:
			text = input.SanitizeHTML(input.UnixNewlines(text))
		case Address, Footer:
			text = strings.TrimSpace(input.UnixNewlines(input.Clean(text)))
		default:
			text = input.CleanLine(text)
		}
		clean[input.CleanLine(field)] = text
	}
	return clean
}

// Check adds to bad the clean texts that are too long, or that a record with these fields does not
// have. path begins the fields of bad.
func (t Texts) Check(bad *fault.Invalid, path string, fields []string) {
	if len(t) > MaxFields {
		bad.Add(path, fault.CodeInvalidValue, "Must be at most %d texts.", MaxFields)
		return
	}
	for _, field := range slices.Sorted(maps.Keys(t)) {
		at := path + "." + field
		switch {
		case !slices.Contains(fields, field):
			bad.Add(at, fault.CodeUnknownField, "The record has no text %s.", input.Cut(field, maxLine))
		case field == Address || field == Footer:
			input.CheckText(bad, at, t[field], maxArea)
		case field != Description && field != Body && field != SEODescription:
			input.CheckText(bad, at, t[field], maxLine)
		case len(t[field]) > maxText:
			bad.Add(at, fault.CodeInvalidValue, "Must be at most %d bytes.", maxText)
		}
	}
}

// Record are the texts of a record by language. A nil Record has none.
type Record map[locale.Language]Texts

// Equal reports whether two records have the same texts.
func (r Record) Equal(other Record) bool { return maps.EqualFunc(r, other, maps.Equal) }

// With returns the texts after a change in a language: an empty text deletes.
func (r Record) With(language locale.Language, change Texts) Record {
	all := Record{}
	maps.Copy(all, r)
	texts := Texts{}
	maps.Copy(texts, all[language])
	maps.Copy(texts, change)
	maps.DeleteFunc(texts, func(_, text string) bool { return text == "" })
	if all[language] = texts; len(texts) == 0 {
		delete(all, language)
	}
	return all
}

// Rename returns the texts with another name of a field.
func (r Record) Rename(field, name string) Record {
	for language, texts := range r {
		if text := texts[field]; text != "" {
			r = r.With(language, Texts{field: "", name: text})
		}
	}
	return r
}

// Only returns the texts of these fields. A record that loses a field loses its translation.
func (r Record) Only(fields []string) Record {
	all := Record{}
	for language, texts := range r {
		left := maps.Clone(texts)
		maps.DeleteFunc(left, func(field, _ string) bool { return !slices.Contains(fields, field) })
		if len(left) > 0 {
			all[language] = left
		}
	}
	return all
}

// compare calls fn for each text that differs between two records, in order. "" means none.
func compare(before, after Record, fn func(language locale.Language, field, was, is string) error) error {
	for _, language := range locale.Languages() {
		fields := maps.Clone(after[language])
		if fields == nil {
			fields = Texts{}
		}
		maps.Copy(fields, before[language])
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if was, is := before[language][field], after[language][field]; was != is {
				if err := fn(language, field, was, is); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Changes returns the differences between two records, for the audit log.
func Changes(before, after Record) (changes []access.Change) {
	_ = compare(before, after, func(language locale.Language, field, was, is string) error {
		changes = append(changes, access.Changed(fmt.Sprintf("%s [%s]", field, language), was, is)...)
		return nil
	})
	return changes
}

// Find returns the texts of records by their IDs.
func Find(tx *db.Tx, kind Kind, ids []string) (map[string]Record, error) {
	found := map[string]Record{}
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		if err := find(tx, found, `kind = ? AND id IN `+list, append([]any{string(kind)}, args...)...); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// FindAll returns the texts of all records of a kind by their IDs.
func FindAll(tx *db.Tx, kind Kind) (map[string]Record, error) {
	found := map[string]Record{}
	return found, find(tx, found, `kind = ?`, string(kind))
}

func find(tx *db.Tx, found map[string]Record, where string, args ...any) error {
	err := tx.Each(`
		SELECT id, field, language, text
		FROM translations
		WHERE `+where, args, func(r db.Row) error {
		var id, field, language, text string
		if err := r.Scan(&id, &field, &language, &text); err != nil {
			return err
		}
		if found[id] == nil {
			found[id] = Record{}
		}
		texts := found[id][locale.Language(language)]
		if texts == nil {
			texts = Texts{}
			found[id][locale.Language(language)] = texts
		}
		texts[field] = text
		return nil
	})
	if err != nil {
		return fmt.Errorf("find translations: %w", err)
	}
	return nil
}

// Save writes the differences between two versions of a record.
func Save(tx *db.Tx, kind Kind, id string, before, after Record) error {
	err := compare(before, after, func(language locale.Language, field, _, is string) error {
		if is == "" {
			return tx.Do(`
				DELETE FROM translations
				WHERE kind = ? AND id = ? AND field = ? AND language = ?`, string(kind), id, field, string(language))
		}
		return tx.Do(`
			INSERT INTO translations (kind, id, field, language, text)
			VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (kind, id, field, language) DO UPDATE SET text = excluded.text`,
			string(kind), id, field, string(language), is)
	})
	if err != nil {
		return fmt.Errorf("save translations: %w", err)
	}
	return nil
}

// Delete deletes all texts of a record.
func Delete(tx *db.Tx, kind Kind, id string) error {
	err := tx.Do(`
		DELETE FROM translations
		WHERE kind = ? AND id = ?`, string(kind), id)
	if err != nil {
		return fmt.Errorf("delete translations: %w", err)
	}
	return nil
}
