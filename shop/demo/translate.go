package demo

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/translation"
)

// translations are the Bangla texts of all records but products, by kind, ID and field. Each record
// has one.
//
//go:embed translations.json
var translations string

// errKept means that a record has a translation, or another text than the demo's.
var errKept = errors.New("the record stays as it is")

// withoutTranslations returns the product file without the columns in Bangla, which a shop in other
// languages would refuse.
func withoutTranslations(file []byte) ([]byte, error) {
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("parse the product file: %w", err)
	}
	// They are the last columns.
	width := slices.IndexFunc(rows[0], func(name string) bool { return strings.HasSuffix(name, "[bn]") })
	for i := range rows {
		rows[i] = rows[i][:width]
	}
	var own bytes.Buffer
	if err := csv.NewWriter(&own).WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write the product file: %w", err)
	}
	return own.Bytes(), nil
}

// seedTranslations translates the demo's records. Those that the shop has changed, translated or
// deleted stay as they are. Concurrent transactions are committed together, which takes a fraction
// of the time.
func seedTranslations(ctx context.Context, s *shop.Shop, caller access.Caller) error {
	originals := translated()
	var group errgroup.Group
	for kind, records := range decode[map[translation.Kind]map[string]translation.Texts](translations) {
		for id, texts := range records {
			isDemo := func(t shop.Translation) error {
				for _, text := range t.Texts {
					original, known := originals[kind][id]
					isChanged := known && text.Text != original
					if texts[text.Field] != "" && (text.Translation != "" || isChanged) {
						return errKept
					}
				}
				return nil
			}
			group.Go(func() error {
				_, err := s.SaveTranslation(ctx, caller, kind, id, texts, isDemo)
				if err == nil || errors.Is(err, errKept) || fault.HasCode(err, fault.CodeNotFound) {
					return nil
				}
				return fmt.Errorf("translate the %s %s: %w", kind, id, err)
			})
		}
	}
	return group.Wait()
}

// translated returns the demo's texts that are translated, by kind and ID. A tag or type has none:
// its ID is its text.
func translated() map[translation.Kind]map[string]string {
	set := decode[shop.Settings](settings)
	pages, policies, lists := map[string]string{}, map[string]string{}, map[string]string{}
	for _, p := range set.Pages {
		pages[p.Slug] = p.BodyHTML
	}
	for _, p := range set.LegalPolicies {
		policies[p.Slug] = p.BodyHTML
	}
	for _, c := range decode[[]catalogue.CollectionInput](collections) {
		lists[c.Handle] = c.DescriptionHTML
	}
	return map[translation.Kind]map[string]string{
		translation.Page: pages, translation.Policy: policies, translation.Collection: lists,
		translation.Shop: {"shop": *set.SupportContact.Address},
	}
}
