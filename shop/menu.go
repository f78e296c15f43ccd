package shop

import (
	"cmp"
	"context"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/locale"
)

// SiteMenus are the menus of the site in one language, as buyers see them.
type SiteMenus struct {
	Main      []MenuEntry `json:"main" nullable:"false" doc:"In the header"`
	Footer    []MenuEntry `json:"footer" nullable:"false" doc:"In the footer"`
	Secondary []MenuEntry `json:"secondary" nullable:"false" doc:"Smaller, above the header"`
}

// MenuEntry is a link of a menu, with the links below it.
type MenuEntry struct {
	Title string         `json:"title"`
	Link  string         `json:"link" doc:"A path such as /collections/eid, or a URL; empty for a title above other links"`
	Items []MenuSubentry `json:"items" nullable:"false" doc:"The second level"`
}

// MenuSubentry is a link on the second level of a menu.
type MenuSubentry struct {
	Title string `json:"title"`
	Link  string `json:"link" doc:"As in the first level"`
}

// FindMenus returns the menus in a language, without the links that buyers cannot follow. Codes:
// validation_failed.
func (s *Shop) FindMenus(ctx context.Context, lang string) (*SiteMenus, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	language, err := set.languageOf(lang)
	if err != nil {
		return nil, err
	}
	language = cmp.Or(language, set.language())
	found, err := s.Designs.ShownMenus(ctx)
	if err != nil {
		return nil, err
	}
	return &SiteMenus{
		Main: menuEntries(found.Main, language), Footer: menuEntries(found.Footer, language), Secondary: menuEntries(found.Secondary, language),
	}, nil
}

func menuEntries(items []design.MenuItem, language locale.Language) []MenuEntry {
	entries := make([]MenuEntry, len(items))
	for i, item := range items {
		entries[i] = MenuEntry{Title: item.Title.In(language), Link: item.Link, Items: make([]MenuSubentry, len(item.Items))}
		for j, below := range item.Items {
			entries[i].Items[j] = MenuSubentry{below.Title.In(language), below.Link}
		}
	}
	return entries
}

// findTargets returns which of the products, collections, pages and policies buyers see, also by
// handles that they had earlier.
func findTargets(tx *db.Tx, wanted design.Targets) (found design.Targets, err error) {
	if found.Products, err = catalogue.VisibleProducts(tx, wanted.Products); err != nil {
		return found, err
	}
	if found.Collections, err = catalogue.VisibleCollections(tx, wanted.Collections); err != nil {
		return found, err
	}
	if len(wanted.Pages)+len(wanted.Policies) == 0 {
		return found, nil
	}
	set, err := findSettings(tx)
	for _, page := range set.Pages {
		found.Pages = append(found.Pages, page.Slug)
	}
	for _, policy := range set.effectivePolicies() {
		found.Policies = append(found.Policies, policy.Slug)
	}
	return found, err
}
