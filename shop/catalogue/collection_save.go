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

// CollectionInput is the complete content of a collection. Omitted fields are emptied unless their
// comment states otherwise.
type CollectionInput struct {
	Handle          string `json:"handle"` // URL slug and natural key; empty means derived from the title
	Title           string `json:"title"`
	DescriptionHTML string `json:"descriptionHtml"` // sanitized when saved
	Image           string `json:"image"`           // an http or https URL, or a path that begins with /; empty means none
	ImageAlt        string `json:"imageAlt"`
	Position        *int   `json:"position"` // from 1; nil leaves it unchanged and puts a new collection last
}

// collectionRow is a row of the table collections.
type collectionRow struct {
	id, handle, title, descriptionHTML, imageURL, imageAlt string
	position                                               int64
}

// SaveCollection creates the collection with in.Handle, or replaces its content; its products are
// unchanged. Nothing is written if the content is the same. Codes: validation_failed.
func (c *Catalogue) SaveCollection(ctx context.Context, caller access.Caller, in CollectionInput) (*Collection, error) {
	if err := c.authorize(ctx, caller); err != nil {
		return nil, err
	}
	return c.saveCollectionAs(ctx, "", in)
}

// SeedCollection is SaveCollection with the ID of a new collection derived from in.Handle, so that
// it is the same in every shop. Codes: validation_failed.
func (c *Catalogue) SeedCollection(ctx context.Context, caller access.Caller, in CollectionInput) (*Collection, error) {
	if err := c.authorize(ctx, caller); err != nil {
		return nil, err
	}
	return c.saveCollectionAs(ctx, seedID("collection", in.Handle), in)
}

// saveCollectionAs saves a collection. id is used if it is new; an empty id is generated.
func (c *Catalogue) saveCollectionAs(ctx context.Context, id string, in CollectionInput) (*Collection, error) {
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
		bad.Add("title", fault.CodeRequired, "The title is required.")
	}
	input.CheckText(&bad, "title", row.title, maxLine)
	input.CheckText(&bad, "imageAlt", row.imageAlt, maxLine)
	if row.handle == "" && row.title != "" {
		bad.Add("handle", fault.CodeRequired, "The handle is required: none can be derived from the title.")
	} else if row.handle != "" && (!handlePattern.MatchString(row.handle) || utf8.RuneCountInString(row.handle) > maxLine) {
		bad.Add("handle", fault.CodeInvalidValue, "Must be at most %d letters, digits, hyphens and underscores, and begin with a letter or digit.", maxLine)
	}
	if len(row.descriptionHTML) > maxText {
		bad.Add("descriptionHtml", fault.CodeInvalidValue, "Must be at most %d bytes.", maxText)
	}
	if row.imageURL != "" && !isImageURL(row.imageURL) {
		bad.Add("image", fault.CodeInvalidValue, "Must be an http or https URL, or a path that begins with a slash.")
	}
	return row, bad.Err()
}

// saveCollection inserts or updates a collection, unless it is unchanged. If inheritPosition, the
// position is that of the existing collection, or the last.
func (c *Catalogue) saveCollection(tx *db.Tx, want collectionRow, inheritPosition bool) (id string, err error) {
	before, err := findCollectionRow(tx, want.handle)
	if errors.Is(err, db.ErrNotFound) {
		if inheritPosition {
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
	if inheritPosition {
		want.position = before.position
	}
	if want == before {
		return want.id, nil
	}
	return want.id, updateCollection(tx, want)
}

// AddToCollection appends products (handles or IDs) to a collection (handle, title or ID) and
// returns how many were added; products that are in it already are unchanged. Codes: not_found (the
// collection), validation_failed (an unknown product).
func (c *Catalogue) AddToCollection(ctx context.Context, caller access.Caller, collection string, products ...string) (added int, err error) {
	if err := c.authorize(ctx, caller); err != nil {
		return 0, err
	}
	return c.changeMembers(ctx, collection, products, insertMember)
}

// RemoveFromCollection removes products (handles or IDs) from a collection (handle, title or ID)
// and returns how many were in it. Codes: not_found (the collection), validation_failed (an unknown
// product).
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
			return fault.Errorf(fault.CodeNotFound, "The collection %q does not exist.", input.Cut(cleanLine(collection), maxLine))
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

// productIDsFor returns the IDs of the products with these handles or IDs. Codes: validation_failed.
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
			bad.Add(fmt.Sprintf("products[%d]", i), fault.CodeInvalidValue, "The product %q does not exist.", input.Cut(cleanLine(name), maxLine))
		}
	}
	return ids, bad.Err()
}
