package shop

import (
	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/design"
)

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
	for _, policy := range set.LegalPolicies {
		found.Policies = append(found.Policies, policy.Slug)
	}
	return found, err
}
