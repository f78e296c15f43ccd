package graphql

import (
	"context"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

type collectionsArgs struct {
	pageArgs
	langArgs
	Sort   *string
	SortBy *string
	Search *string
}

// Collections returns one page of the collections.
func (*publicQuery) Collections(ctx context.Context, args collectionsArgs) (*pageOf[*collection], error) {
	r, done, err := beginList(ctx, args.cost(), args.input().Work())
	if err != nil {
		return nil, err
	}
	defer done()
	collections, err := args.catalogue(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := collections.ListCollections(ctx, catalogue.CollectionFilter{
		Request: args.input(), SortBy: orZero(args.SortBy), Sort: orZero(args.Sort), Search: orZero(args.Search),
	})
	if err != nil {
		return nil, err
	}
	return newPage(found, r.collection), nil
}

// Collection returns one collection.
func (*publicQuery) Collection(ctx context.Context, args struct {
	langArgs
	ID     *ID
	Handle *string
}) (*collection, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	collections, err := args.catalogue(ctx, r)
	if err != nil {
		return nil, err
	}
	var found *catalogue.Collection
	switch {
	case args.ID != nil && args.Handle == nil:
		found, err = collections.FindCollection(ctx, string(*args.ID))
	case args.Handle != nil && args.ID == nil:
		found, err = collections.FindCollectionByHandle(ctx, *args.Handle)
	default:
		return nil, errIDOrHandle()
	}
	if err != nil {
		return nil, err
	}
	return r.collection(found), nil
}

// errIDOrHandle returns the error of a query with neither, or both, of an ID and a handle.
func errIDOrHandle() error {
	return fault.InputError(fault.FieldError{Field: "id", Code: fault.CodeInvalidValue, Message: "Send one of id and handle."})
}

type collection struct {
	ID           ID
	Handle       string
	Title        string
	Image        *image
	ProductCount int32
	UpdatedAt    graphqlgo.Time

	request *request
	html    string
}

func (r *request) collection(c *catalogue.Collection) *collection {
	return &collection{
		ID: ID(c.ID), Handle: c.Handle, Title: c.Title, Image: convertNull(c.Image, newImage),
		ProductCount: toInt(c.ProductCount), UpdatedAt: newTime(c.UpdatedAt), request: r, html: c.DescriptionHTML,
	}
}

// DescriptionHTML returns the description, counted by its length.
func (c *collection) DescriptionHTML() string { return c.request.text(c.html) }
