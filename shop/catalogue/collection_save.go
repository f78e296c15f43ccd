package catalogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// CollectionInput is a whole collection as the merchant gives it. What is left out is empty,
// except where a field says otherwise.
type CollectionInput struct {
	Handle          string `json:"handle"` // URL slug, by which the collection is known; "": made from the title
	Title           string `json:"title"`
	DescriptionHTML string `json:"descriptionHtml"` // sanitized when written
	Image           string `json:"image"`           // http or https, or a path that begins with /; "": none
	ImageAlt        string `json:"imageAlt"`
	Position        *int   `json:"position"` // from 1; nil: as it was, or last
}

// collectionRow is a collection as the file has it.
type collectionRow struct {
	id, handle, title, descriptionHTML, imageURL, imageAlt string
	position                                               int64
}

// SaveCollection makes the collection with in's handle, or makes the one that there is what in
// says; its products stay. One that is already as it should be is left untouched. Codes:
// validation_failed.
func (c *Catalogue) SaveCollection(ctx context.Context, caller access.Caller, in CollectionInput) (*Collection, error) {
	if err := c.authorize(ctx, caller); err != nil {
		return nil, err
	}
	return c.SaveCollectionAs(ctx, "", in)
}

// saveCollectionAs gives a new collection the id; "": one is made.
func (c *Catalogue) SaveCollectionAs(ctx context.Context, id string, in CollectionInput) (*Collection, error) {
	want, err := in.row()
	if err != nil {
		return nil, err
	}
	want.id = id
	var saved Collection
	err = c.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		id, err := c.saveCollection(tx, want, in.Position == nil)
		if err != nil {
			return err
		}
		saved, err = findCollection(tx, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("save collection: %w", err)
	}
	return &saved, nil
}

func (in *CollectionInput) row() (collectionRow, error) {
	var bad fault.Invalid
	row := collectionRow{
		handle: CleanHandle(in.Handle), title: cleanLine(in.Title), descriptionHTML: cleanHTML(in.DescriptionHTML, ""),
		imageURL: strings.TrimSpace(input.Clean(in.Image)), imageAlt: cleanLine(in.ImageAlt),
	}
	if row.handle == "" {
		row.handle = input.Slug(row.title)
	}
	if in.Position != nil {
		row.position = int64(*in.Position)
		checkCount(&bad, "position", row.position, 1)
	}
	if row.title == "" {
		bad.Add("title", fault.CodeRequired, "A collection has a title.")
	}
	input.CheckText(&bad, "title", row.title, maxLine)
	input.CheckText(&bad, "imageAlt", row.imageAlt, maxLine)
	if row.handle == "" && row.title != "" {
		bad.Add("handle", fault.CodeRequired, "Give a handle: none can be made from this title.")
	} else if row.handle != "" && (!handlePattern.MatchString(row.handle) || utf8.RuneCountInString(row.handle) > maxLine) {
		bad.Add("handle", fault.CodeInvalidValue, "A handle is letters, digits, - and _, at most %d of them.", maxLine)
	}
	if len(row.descriptionHTML) > maxText {
		bad.Add("descriptionHtml", fault.CodeInvalidValue, "A description has at most %d bytes.", maxText)
	}
	if row.imageURL != "" && !isImageURL(row.imageURL) {
		bad.Add("image", fault.CodeInvalidValue, "An image is an http or https address, or a path that begins with a slash.")
	}
	return row, bad.Err()
}

// saveCollection writes the collection unless it is there as it should be.
func (c *Catalogue) saveCollection(tx *db.Tx, want collectionRow, anyPosition bool) (id string, err error) {
	before, err := findCollectionRow(tx, want.handle)
	if errors.Is(err, db.ErrNotFound) {
		if anyPosition {
			if want.position, err = nextCollectionPosition(tx); err != nil {
				return "", err
			}
		}
		if want.id == "" {
			want.id = c.ids.Next(tx.Now())
		}
		return want.id, insertCollection(tx, want)
	} else if err != nil {
		return "", err
	}
	want.id = before.id
	if anyPosition {
		want.position = before.position
	}
	if want == before {
		return want.id, nil
	}
	return want.id, updateCollection(tx, want)
}

// AddToCollection puts products (handles or ids) at the end of a collection (handle, title or id);
// those that are in it stay where they are. It gives how many were added. Codes: not_found (the
// collection), validation_failed (a product that there is not).
func (c *Catalogue) AddToCollection(ctx context.Context, caller access.Caller, collection string, products ...string) (added int, err error) {
	if err := c.authorize(ctx, caller); err != nil {
		return 0, err
	}
	return c.changeMembers(ctx, collection, products, insertMember)
}

// RemoveFromCollection takes products (handles or ids) out of a collection (handle, title or id).
// It gives how many were in it. Codes: not_found (the collection), validation_failed (a product
// that there is not).
func (c *Catalogue) RemoveFromCollection(ctx context.Context, caller access.Caller, collection string, products ...string) (removed int, err error) {
	if err := c.authorize(ctx, caller); err != nil {
		return 0, err
	}
	return c.changeMembers(ctx, collection, products, deleteMember)
}

func (c *Catalogue) changeMembers(ctx context.Context, collection string, products []string,
	change func(tx *db.Tx, collectionID, productID string) (changed bool, err error)) (changes int, err error) {
	err = c.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		changes = 0
		index, err := findCollectionIndex(tx)
		if err != nil {
			return err
		}
		id, ok := index.find(collection)
		if !ok {
			return fault.Errorf(fault.CodeNotFound, "There is no collection %q.", input.Cut(cleanLine(collection), maxLine))
		}
		members, err := productIDsFor(tx, products)
		if err != nil {
			return err
		}
		for _, member := range members {
			changed, err := change(tx, id, member)
			if err != nil {
				return err
			}
			if changed {
				changes++
			}
		}
		return nil
	})
	return changes, err
}

// productIDsFor gives the ids of the products with these handles or ids. Codes: validation_failed.
func productIDsFor(tx *db.Tx, names []string) ([]string, error) {
	handles := make([]string, len(names))
	for i, name := range names {
		handles[i] = CleanHandle(name)
	}
	byHandle, err := findProductIDs(tx, handles)
	if err != nil {
		return nil, err
	}
	rows, err := findProductRows(tx, names)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	ids := make([]string, len(names))
	for i, name := range names {
		if id, ok := byHandle[handles[i]]; ok {
			ids[i] = id
		} else if slices.ContainsFunc(rows, func(p *productRow) bool { return p.id == name }) {
			ids[i] = name
		} else {
			bad.Add(fmt.Sprintf("products[%d]", i), fault.CodeInvalidValue, "There is no product %q.", input.Cut(cleanLine(name), maxLine))
		}
	}
	return ids, bad.Err()
}
