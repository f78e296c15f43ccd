package catalogue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// CollectionChange is a change of a collection's content. Nil fields are unchanged.
type CollectionChange struct {
	Handle          *string // empty means derived from the title
	Title           *string
	DescriptionHTML *string // sanitized when saved
	Image           *string // as in CollectionInput; empty removes the image
	ImageID         *string // of an uploaded image, instead of Image; empty removes the image
	ImageAlt        *string
	Position        *int // from 1
	// Check accepts the collection before the change, or returns an error; nil accepts any.
	Check func(CollectionRecord) error
}

// UpdateCollection changes the fields of a collection (handle, title or ID) that change sets.
// Nothing is written if it has them already. Codes: not_found, validation_failed, and
// change.Check's.
func (c *Catalogue) UpdateCollection(
	ctx context.Context, caller access.Caller, collection string, change CollectionChange,
) (*CollectionRecord, error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, c.data, caller, access.ToUpdateCollection, func(tx *db.Tx, who access.Staff) (*CollectionRecord, error) {
		before, err := changedCollection(tx, collection, address, change.Check)
		if err != nil {
			return nil, err
		}
		want, err := change.apply(tx, before)
		if err != nil {
			return nil, err
		}
		if want != before {
			if want.mediaID != "" && want.mediaID != before.mediaID {
				if err := useMedia(tx, want.mediaID); err != nil {
					return nil, err
				}
			}
			if err := updateCollection(tx, want); err != nil {
				return nil, err
			}
			if want.handle != before.handle {
				if err := saveEarlierHandle(tx, "collection", want.id, before.handle, want.handle); err != nil {
					return nil, err
				}
			}
			if err := who.Audit(tx, want.subject(), want.changes(before)...); err != nil {
				return nil, err
			}
		}
		saved, err := findCollectionRecord(tx, want.id, address)
		return &saved, err
	})
}

// changedCollection returns the row of a collection (handle, title or ID) that check accepts.
// Codes: not_found, and check's.
func changedCollection(tx *db.Tx, collection string, address MediaAddress, check func(CollectionRecord) error) (row collectionRow, err error) {
	id, err := requireCollection(tx, collection)
	if err != nil {
		return row, err
	}
	if check != nil {
		record, err := findCollectionRecord(tx, id, address)
		if err == nil {
			err = check(record)
		}
		if err != nil {
			return row, err
		}
	}
	return findCollectionRowByID(tx, id)
}

// apply returns the row after the change. Codes: validation_failed.
func (change *CollectionChange) apply(tx *db.Tx, before collectionRow) (collectionRow, error) {
	row := before
	in := CollectionInput{Position: change.Position}
	for _, field := range []struct {
		to, from *string
	}{
		{&in.Handle, change.Handle}, {&in.Title, change.Title}, {&in.DescriptionHTML, change.DescriptionHTML}, {&in.Image, change.Image},
		{&in.ImageID, change.ImageID}, {&in.ImageAlt, change.ImageAlt},
	} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	var bad fault.Invalid
	if change.Title == nil {
		in.Title = before.title
	}
	clean := in.clean()
	row.title = clean.title
	if change.Handle != nil {
		row.handle = clean.handle
	}
	if change.DescriptionHTML != nil {
		row.descriptionHTML = clean.descriptionHTML
	}
	if change.ImageAlt != nil {
		row.imageAlt = clean.imageAlt
	}
	if change.Position != nil {
		row.position = int64(*change.Position)
		checkCount(&bad, "position", row.position, 1)
	}
	row.check(&bad)
	if err := bad.Err(); err != nil {
		return row, err
	}
	if change.Image != nil || change.ImageID != nil {
		row.imageURL, row.imageAlt = clean.imageURL, clean.imageAlt
		if err := row.setMedia(tx, in.ImageID); err != nil {
			return row, err
		}
	}
	if row.handle == before.handle {
		return row, nil
	}
	taken, err := collectionHandleExists(tx, row.handle)
	if taken {
		bad.Add("handle", fault.CodeInvalidValue, "Another collection has the handle %s.", row.handle)
	}
	return row, errors.Join(err, bad.Err())
}

// MaxCollectionOrder limits the products whose order in a collection is set.
const MaxCollectionOrder = 2000

// ArrangeCollection sets the products of a collection (handle, title or ID) by ID or handle, in
// this order; repeated ones count once. check accepts the collection before the change; nil accepts
// any. Codes: not_found (the collection), validation_failed, and check's.
func (c *Catalogue) ArrangeCollection(
	ctx context.Context, caller access.Caller, collection string, products []string, check func(CollectionRecord) error,
) (*CollectionRecord, error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	return access.WriteAlone(ctx, c.data, caller, access.ToArrangeCollection, func(tx *db.Tx, who access.Staff) (*CollectionRecord, error) {
		if len(products) > MaxCollectionOrder {
			var bad fault.Invalid
			bad.Add("productIds", fault.CodeInvalidValue, "Must have at most %d products.", MaxCollectionOrder)
			return nil, bad.Err()
		}
		row, err := changedCollection(tx, collection, address, check)
		if err != nil {
			return nil, err
		}
		before, err := findMembers(tx, row.id)
		if err != nil {
			return nil, err
		}
		want, err := FindProductsNamed(tx, "productIds", products)
		if err != nil {
			return nil, err
		}
		changes, err := arrangeMembers(tx, row.id, before, want)
		if err != nil {
			return nil, err
		}
		if len(changes) > 0 {
			if err := who.Audit(tx, row.subject(), changes...); err != nil {
				return nil, err
			}
		}
		saved, err := findCollectionRecord(tx, row.id, address)
		return &saved, err
	})
}

// arrangeMembers replaces the products before of a collection by want, and returns the changes for
// the audit log.
func arrangeMembers(tx *db.Tx, collectionID string, before []memberRow, want []string) ([]access.Change, error) {
	positions := make(map[string]int64, len(before))
	ids := make([]string, len(before))
	for i, m := range before {
		positions[m.productID], ids[i] = m.position, m.productID
	}
	if slices.Equal(ids, want) {
		return nil, nil
	}
	var removed, added, moved [][]any
	var touched []string
	for i, id := range want {
		position, isMember := positions[id]
		switch {
		case !isMember:
			added, touched = append(added, []any{collectionID, id, i + 1}), append(touched, id)
		case position != int64(i+1):
			moved = append(moved, []any{i + 1, collectionID, id})
		}
		delete(positions, id)
	}
	for _, id := range ids {
		if _, isLeft := positions[id]; isLeft {
			removed, touched = append(removed, []any{collectionID, id}), append(touched, id)
		}
	}
	if err := writeMembers(tx, removed, added, moved); err != nil {
		return nil, err
	}
	for _, id := range touched {
		if err := TouchProduct(tx, id); err != nil {
			return nil, err
		}
	}
	return []access.Change{{Field: "products", Before: ids, After: want}}, nil
}

// FindProductsNamed returns the IDs of the products with these IDs or handles, each once. field is
// the name of the list in errors. Codes: validation_failed.
func FindProductsNamed(tx *db.Tx, field string, names []string) ([]string, error) {
	handles := make([]string, len(names))
	for i, name := range names {
		handles[i] = input.CleanHandle(name)
	}
	byHandle, err := findProductIDs(tx, handles)
	if err != nil {
		return nil, err
	}
	byID, err := FindProductTitles(tx, names)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	ids, seen := make([]string, 0, len(names)), make(map[string]bool, len(names))
	for i, name := range names {
		id, ok := byHandle[handles[i]]
		if _, isID := byID[name]; isID {
			id, ok = name, true
		}
		if !ok {
			bad.Add(fmt.Sprintf("%s[%d]", field, i), fault.CodeInvalidValue, "The product %q does not exist.", input.Cut(input.CleanLine(name), maxLine))
		} else if !seen[id] {
			ids, seen[id] = append(ids, id), true
		}
	}
	return ids, bad.Err()
}
