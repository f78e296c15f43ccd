package shop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/job"
)

// ProductAction is an action on many products.
//
//api:enum ProductAction
type ProductAction string

// The actions on many products.
const (
	// Make them active, and publish those that are not published.
	ProductsPublish ProductAction = "publish"
	ProductsDraft   ProductAction = "draft"   // make them drafts
	ProductsArchive ProductAction = "archive" // archive them
	// Delete drafts and archived products.
	ProductsDelete          ProductAction = "delete"
	ProductsAddTags         ProductAction = "addTags"         // add tags
	ProductsRemoveTags      ProductAction = "removeTags"      // remove tags
	ProductsAddToCollection ProductAction = "addToCollection" // add them to a collection
	// Remove them from a collection.
	ProductsRemoveFromCollection ProductAction = "removeFromCollection"
	// Change the price of each variant.
	ProductsPrice ProductAction = "price"
	// Store the images that they show from other hosts as uploaded images.
	ProductsImportImages ProductAction = "importImages"
)

// ProductOptions are the options of actions on products.
type ProductOptions struct {
	Tags       []string              `json:"tags,omitempty"`       // addTags, removeTags
	Collection string                `json:"collection,omitempty"` // addToCollection, removeFromCollection: ID or handle
	Price      catalogue.PriceChange `json:"price,omitzero"`       // price
}

// ProductsChange is an action on many products, selected either by their IDs or by a filter.
type ProductsChange struct {
	Action  ProductAction
	IDs     []string                     // 1 to job.MaxIDs; duplicates count once
	Filter  *catalogue.ProductListFilter // at most job.MaxItems products match; its page is not used
	Options ProductOptions
	DryRun  bool // only return what would happen
}

// productAction is the work of a [ProductAction] on each product: a change, the import of its
// images, or its deletion.
type productAction struct {
	check        func(in *ProductOptions, bad *fault.Invalid) // nil means that there are no options
	change       func(in ProductOptions) catalogue.ProductChange
	importImages bool
}

func (a productAction) use() access.UseCase {
	switch {
	case a.importImages:
		return access.ToImportMedia
	case a.change == nil:
		return access.ToDeleteProduct
	}
	return access.ToUpdateProduct
}

var productActions = map[ProductAction]productAction{
	ProductsPublish: statusAction(catalogue.ProductActive),
	ProductsDraft:   statusAction(catalogue.ProductDraft),
	ProductsArchive: statusAction(catalogue.ProductArchived),
	ProductsDelete:  {},
	ProductsAddTags: {
		check:  checkProductTags,
		change: func(in ProductOptions) catalogue.ProductChange { return catalogue.ProductChange{AddTags: in.Tags} },
	},
	ProductsRemoveTags: {
		check:  checkProductTags,
		change: func(in ProductOptions) catalogue.ProductChange { return catalogue.ProductChange{RemoveTags: in.Tags} },
	},
	ProductsAddToCollection: {
		check: checkProductCollection,
		change: func(in ProductOptions) catalogue.ProductChange {
			return catalogue.ProductChange{AddCollections: []string{in.Collection}}
		},
	},
	ProductsRemoveFromCollection: {
		check: checkProductCollection,
		change: func(in ProductOptions) catalogue.ProductChange {
			return catalogue.ProductChange{RemoveCollections: []string{in.Collection}}
		},
	},
	ProductsPrice: {
		check:  func(in *ProductOptions, bad *fault.Invalid) { in.Price.Check(bad, "options") },
		change: func(in ProductOptions) catalogue.ProductChange { return catalogue.ProductChange{Reprice: &in.Price} },
	},
	ProductsImportImages: {importImages: true},
}

// ProductActionNames returns the actions on many products.
func ProductActionNames() []ProductAction { return slices.Sorted(maps.Keys(productActions)) }

func statusAction(status catalogue.ProductStatus) productAction {
	return productAction{change: func(ProductOptions) catalogue.ProductChange { return catalogue.ProductChange{Status: &status} }}
}

func checkProductTags(in *ProductOptions, bad *fault.Invalid) {
	if len(in.Tags) == 0 {
		bad.Add("options.tags", fault.CodeRequired, "At least one tag is required.")
	}
}

func checkProductCollection(in *ProductOptions, bad *fault.Invalid) {
	if in.Collection == "" {
		bad.Add("options.collection", fault.CodeRequired, "The collection is required.")
	}
}

// ChangeProducts starts a job that executes an action on many products, each in a transaction of
// its own, or with DryRun only returns its results. Codes: validation_failed, not_found (the
// collection), job_limit, unauthenticated, forbidden.
func (s *Shop) ChangeProducts(ctx context.Context, caller access.Caller, in ProductsChange) (*job.Job, error) {
	if _, err := s.data.Authorize(ctx, caller, access.ToChangeProducts); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	action, ok := productActions[in.Action]
	if !ok {
		bad.Add("action", fault.CodeInvalidValue, "Must be one of %s.", input.JoinValues(ProductActionNames()))
		return nil, bad.Err()
	}
	who, err := s.data.Authorize(ctx, caller, action.use())
	if err != nil {
		return nil, err
	}
	if action.check != nil {
		action.check(&in.Options, &bad)
	}
	ids := job.UniqueIDs(&bad, in.IDs, in.Filter != nil, func(id string) string { return id })
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if in.Options.Collection != "" {
		collection, err := s.Catalogue.FindCollectionRecord(ctx, caller, in.Options.Collection)
		if err != nil {
			return nil, err
		}
		in.Options.Collection = collection.ID
	}
	targets, err := s.productTargets(ctx, who, ids, in.Filter)
	if err != nil {
		return nil, err
	}
	if in.DryRun {
		return job.Preview{
			Kind: job.Kind(in.Action), Targets: targets, Now: s.now(),
			Check: func(ctx context.Context, part []string) ([]error, error) {
				return s.checkProducts(ctx, who, action, part, in.Options)
			},
		}.Run(ctx, who)
	}
	return s.Jobs.Create(ctx, caller, job.Request{
		Kind: job.Kind(in.Action), Options: in.Options, Targets: targets, Use: access.ToChangeProducts,
	})
}

// productTargets returns the selected products with their titles. It includes products that do not
// exist, so that each of them gets a result.
func (s *Shop) productTargets(
	ctx context.Context, who access.Staff, ids []string, filter *catalogue.ProductListFilter,
) (targets []job.Target, err error) {
	synonyms, err := s.synonyms(ctx)
	if err != nil {
		return nil, err
	}
	err = s.data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		selected := ids
		if filter != nil {
			if selected, err = catalogue.FindFiltered(ctx, tx, *filter, synonyms, job.MaxItems+1); err != nil {
				return err
			}
			if err := job.CheckMatches(len(selected)); err != nil {
				return err
			}
		}
		titles, err := catalogue.FindProductTitles(tx, selected)
		targets = make([]job.Target, len(selected))
		for i, id := range selected {
			targets[i] = job.Target{Subject: id, Label: titles[id]}
		}
		return err
	})
	return targets, err
}

// errProductUnchanged is the error for a product that an action does not change.
var errProductUnchanged = job.Unchanged("The product already has this state.")

// checkProducts returns for each product the reason why the action would not change it; nil if it
// would.
func (s *Shop) checkProducts(
	ctx context.Context, who access.Staff, action productAction, ids []string, in ProductOptions,
) (rules []error, err error) {
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		rules = make([]error, len(ids))
		for i, id := range ids {
			if rules[i] = action.rule(tx, id, in); rules[i] == nil {
				continue
			}
			if _, isKnown := errors.AsType[*fault.Error](rules[i]); !isKnown && !job.IsUnchanged(rules[i]) {
				return rules[i]
			}
		}
		return nil
	})
	return rules, err
}

// rule returns the reason why the action would not change a product; nil if it would.
func (a productAction) rule(tx *db.Tx, id string, in ProductOptions) error {
	if a.importImages {
		n, err := catalogue.CountExternalImages(tx, id)
		if err == nil && n == 0 {
			return errProductUnchanged
		}
		return err
	}
	if a.change == nil {
		return catalogue.CheckDelete(tx, id)
	}
	changes, err := catalogue.CheckUpdate(tx, id, a.change(in))
	if err == nil && !changes {
		return errProductUnchanged
	}
	return err
}

// JobActions returns what jobs do with each of their items, by the jobs' kinds.
func (s *Shop) jobActions() map[job.Kind]job.Action {
	all := s.Orders.JobActions()
	maps.Copy(all, s.productJobActions())
	return all
}

// productJobActions returns the actions of jobs on each product, by the jobs' kinds.
func (s *Shop) productJobActions() map[job.Kind]job.Action {
	all := map[job.Kind]job.Action{}
	for name, action := range productActions {
		all[job.Kind(name)] = job.Action{
			Use: action.use(), View: access.ProductsRead, Outside: action.importImages,
			Do: func(ctx context.Context, item *job.Item, options json.RawMessage) (warning string, err error) {
				var in ProductOptions
				if err := json.Unmarshal(options, &in); err != nil {
					return "", fmt.Errorf("decode options: %w", err)
				}
				if action.importImages {
					return s.importImages(ctx, item)
				}
				if action.change == nil {
					return "", s.Catalogue.DeleteProduct(ctx, item.Caller(), item.Subject)
				}
				if _, err := s.Catalogue.UpdateProduct(ctx, item.Caller(), item.Subject, action.change(in)); err != nil {
					return "", err
				}
				if item.Recorded() {
					return "", nil
				}
				return errProductUnchanged.Error(), nil
			},
		}
	}
	return all
}

// importImages imports the images of a product from other hosts. A repetition after an interruption
// is harmless: it does not repeat imported images.
func (s *Shop) importImages(ctx context.Context, item *job.Item) (warning string, err error) {
	images, err := s.Catalogue.ImportMedia(ctx, item.Caller(), catalogue.MediaImport{Product: item.Subject})
	if err != nil {
		return "", err
	}
	if len(images) == 0 {
		return errProductUnchanged.Error(), nil
	}
	failed := slices.DeleteFunc(slices.Clone(images), func(i catalogue.ImportedImage) bool { return i.Code == nil })
	if len(failed) == 0 {
		return "", nil
	}
	return "", fault.Errorf(*failed[0].Code, "Images not imported: %d of %d. %s: %v", len(failed), len(images), failed[0].URL, *failed[0].Message)
}
