package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// CollectionPath has a collection in the path.
type CollectionPath struct {
	ID string `path:"id" doc:"The collection's _id or handle" example:"eid-collection"`
}

// CollectionInput is the content of a collection.
type CollectionInput struct {
	Handle          string `json:"handle,omitempty" doc:"URL slug and natural key; derived from the title if left out"`
	Title           string `json:"title"`
	DescriptionHTML string `json:"descriptionHtml,omitempty" doc:"Sanitized when saved"`
	Image           string `json:"image,omitempty" doc:"An http or https URL, or a path that begins with a slash"`
	ImageID         string `json:"imageId,omitempty" doc:"The _id of an uploaded image, instead of image"`
	ImageAlt        string `json:"imageAlt,omitempty" doc:"Text alternative. Defaults to the uploaded image's"`
	Position        *int   `json:"position,omitempty" doc:"Position from 1. A new collection is the last by default"`
}

// CollectionProducts are products to add to a collection, or to remove from it.
type CollectionProducts struct {
	Products []string `json:"products" nullable:"false" doc:"Handles or IDs"`
}

// ChangedMembers is the number of products that were added or removed.
type ChangedMembers struct {
	Changed int `json:"changed"`
}

// CollectionChange is a change of a collection's content.
type CollectionChange struct {
	Handle          *string          `json:"handle,omitempty" doc:"URL slug; derived from the title if empty. Earlier handles still lead to it"`
	Title           *string          `json:"title,omitempty"`
	DescriptionHTML Nullable[string] `json:"descriptionHtml,omitzero" doc:"Sanitized when saved"`
	Image           Nullable[string] `json:"image,omitzero" doc:"An http or https URL, or a path that begins with a slash; null removes the image"`
	ImageID         Nullable[string] `json:"imageId,omitzero" doc:"The _id of an uploaded image, instead of image; null removes the image"`
	ImageAlt        Nullable[string] `json:"imageAlt,omitzero"`
	Position        *int             `json:"position,omitempty" doc:"Position from 1"`
}

// CollectionOrder are all products of a collection.
type CollectionOrder struct {
	ProductIDs []string `json:"productIds" nullable:"false" doc:"In the order that buyers see, at most 2,000; duplicates count once"`
}

// The parts of the version of a collection, each with its own changes.
const (
	versionCollection = iota
	versionMembers
)

// collectionVersion is the version of a collection: a hash of its content without its products.
func collectionVersion(c catalogue.CollectionRecord) string {
	return versionOf([]any{c.Handle, c.Title, c.DescriptionHTML, c.Image, c.Position})
}

// membersVersion is the version of the products of a collection and of their order.
func membersVersion(c catalogue.CollectionRecord) string { return versionOf(c.ProductIDs) }

// collection returns a collection with its version.
func (r *request) collection(c *catalogue.CollectionRecord, err error) (*catalogue.CollectionRecord, error) {
	if err == nil {
		r.setVersion(collectionVersion(*c) + "-" + membersVersion(*c))
	}
	return c, err
}

func collectionOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listCollections", Path: "collections",
			Tag: tagProducts, Use: access.ToListCollectionRecords, List: true,
			Summary:     "List collections in the merchant's order",
			Description: "Buyers see them in the same order.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			Search string `query:"search" doc:"The beginnings of words of the title"`
		}) (*page.List[catalogue.CollectionRecord], error) {
			return in.shop().Catalogue.ListCollectionRecords(ctx, in.caller(), catalogue.CollectionFilter{Request: in.page(), Search: in.Search})
		}),

		define(Operation{
			ID: "getCollection", Path: "collections/{id}",
			Tag: tagProducts, Use: access.ToFindCollectionRecord, Versioned: true,
			Summary:     "One collection",
			Description: "Found by its ID, handle or title.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			CollectionPath
		}) (*catalogue.CollectionRecord, error) {
			return in.collection(in.shop().Catalogue.FindCollectionRecord(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "saveCollection", Method: http.MethodPost, Path: "collections",
			Tag: tagProducts, Use: access.ToSaveCollection, Idempotent: true, Versioned: true,
			Summary: "Create a collection, or replace its content",
			Description: "The handle identifies the collection. Its products remain. With " +
				"create=true, an existing collection with this handle is not replaced.",
			Example: map[string]any{"title": "Eid collection"},
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			Creation
			Body CollectionInput
		}) (*catalogue.CollectionRecord, error) {
			return in.collection(in.shop().Catalogue.SaveCollection(ctx, in.caller(), catalogue.CollectionInput(in.Body),
				checkCreation(in.Creation, "handle", "Another collection has this handle.", checkExisting(in.part(versionCollection), collectionVersion))))
		}),

		define(Operation{
			ID: "updateCollection", Method: http.MethodPatch, Path: "collections/{id}",
			Tag: tagProducts, Use: access.ToUpdateCollection,
			Versioned:   true,
			Summary:     "Change some fields of a collection",
			Description: "Fields that are left out are unchanged, and so are its products.",
			Codes:       []fault.Code{fault.CodeNotFound},
			Example:     map[string]any{"position": 1},
		}, func(ctx context.Context, in *struct {
			request
			CollectionPath
			Precondition
			Body CollectionChange
		}) (*catalogue.CollectionRecord, error) {
			return in.collection(in.shop().Catalogue.UpdateCollection(ctx, in.caller(), in.ID, catalogue.CollectionChange{
				Handle: in.Body.Handle, Title: in.Body.Title, DescriptionHTML: in.Body.DescriptionHTML.edit(), Image: in.Body.Image.edit(),
				ImageID: in.Body.ImageID.edit(), ImageAlt: in.Body.ImageAlt.edit(), Position: in.Body.Position,
				Check: check(in.part(versionCollection), collectionVersion),
			}))
		}),

		define(Operation{
			ID: "arrangeCollection", Method: http.MethodPut, Path: "collections/{id}/products",
			Tag: tagProducts, Use: access.ToArrangeCollection, Versioned: true,
			Summary: "Set the products of a collection and their order",
			Description: "Products that are left out leave the collection. With If-Match, the " +
				"request fails if somebody else has changed the products since; an edit of the " +
				"collection's content does not conflict.",
			Codes:   []fault.Code{fault.CodeNotFound},
			Example: map[string]any{"productIds": []string{"0ZRJS5B790K7P6HF38ZGHBY4KD"}},
		}, func(ctx context.Context, in *struct {
			request
			CollectionPath
			Precondition
			Body CollectionOrder
		}) (*catalogue.CollectionRecord, error) {
			return in.collection(in.shop().Catalogue.ArrangeCollection(ctx, in.caller(), in.ID, in.Body.ProductIDs,
				check(in.part(versionMembers), membersVersion)))
		}),

		define(Operation{
			ID: "deleteCollection", Method: http.MethodDelete, Path: "collections/{id}",
			Tag: tagProducts, Use: access.ToDeleteCollection,
			Summary:     "Delete a collection",
			Description: "Its products stay in the shop.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			CollectionPath
			Precondition
		}) (*Done, error) {
			return done(in.shop().Catalogue.DeleteCollection(ctx, in.caller(), in.ID, checkExisting(in.part(versionCollection), collectionVersion)))
		}),

		define(Operation{
			ID: "addToCollection", Method: http.MethodPost, Path: "collections/{id}/add",
			Tag: tagProducts, Use: access.ToAddToCollection,
			Summary:     "Add products to a collection",
			Description: "Products already in it are not counted.",
			Codes:       []fault.Code{fault.CodeNotFound},
			Example:     map[string]any{"products": []string{"mango-pickle"}},
		}, func(ctx context.Context, in *struct {
			request
			CollectionPath
			Body CollectionProducts
		}) (*ChangedMembers, error) {
			n, err := in.shop().Catalogue.AddToCollection(ctx, in.caller(), in.ID, in.Body.Products...)
			return &ChangedMembers{n}, err
		}),

		define(Operation{
			ID: "removeFromCollection", Method: http.MethodPost, Path: "collections/{id}/remove",
			Tag: tagProducts, Use: access.ToRemoveFromCollection,
			Summary:     "Remove products from a collection",
			Description: "Products that are not in it are not counted.",
			Codes:       []fault.Code{fault.CodeNotFound},
			Example:     map[string]any{"products": []string{"mango-pickle"}},
		}, func(ctx context.Context, in *struct {
			request
			CollectionPath
			Body CollectionProducts
		}) (*ChangedMembers, error) {
			n, err := in.shop().Catalogue.RemoveFromCollection(ctx, in.caller(), in.ID, in.Body.Products...)
			return &ChangedMembers{n}, err
		}),
	}
}
