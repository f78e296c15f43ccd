package catalogue

import (
	"cmp"
	"context"
	"errors"
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
	ImageID         string `json:"imageId"`         // of an uploaded image, instead of Image; empty means none
	ImageAlt        string `json:"imageAlt"`
	Position        *int   `json:"position"` // from 1; nil leaves it unchanged and puts a new collection last
}

// collectionRow is a row of the table collections.
type collectionRow struct {
	id, handle, title, descriptionHTML, imageURL, imageAlt string
	mediaID                                                string // of an uploaded image; "" if there is none
	position                                               int64
}

// setMedia makes the collection's image the uploaded one with an ID, or the one of its URL. Codes:
// validation_failed.
func (r *collectionRow) setMedia(tx *db.Tx, id string) error {
	var failure error
	var bad fault.Invalid
	image := imageRow{url: r.imageURL, alt: r.imageAlt}
	if id != "" || image.url != "" {
		image.setMedia(id, mediaFinder(tx, &failure), "image", &bad)
	}
	r.imageURL, r.imageAlt, r.mediaID = image.url, image.alt, image.media.id
	return errors.Join(failure, bad.Err())
}

// SaveCollection creates the collection with in.Handle, or replaces its content; its products are
// unchanged. check must accept the collection before the change, nil for a new one; a nil check
// accepts any. Nothing is written if the content is the same. Codes: validation_failed, and
// check's.
func (c *Catalogue) SaveCollection(
	ctx context.Context, caller access.Caller, in CollectionInput, check func(*CollectionRecord) error,
) (*CollectionRecord, error) {
	return c.saveCollectionAs(ctx, caller, access.ToSaveCollection, "", in, check)
}

// FindCollectionRecord returns a collection (handle, title or ID) for staff members. Codes:
// not_found, unauthenticated, forbidden.
func (c *Catalogue) FindCollectionRecord(ctx context.Context, caller access.Caller, collection string) (*CollectionRecord, error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, c.data, caller, access.ToFindCollectionRecord, func(tx *db.Tx, _ access.Staff) (*CollectionRecord, error) {
		id, err := requireCollection(tx, collection)
		if err != nil {
			return nil, err
		}
		found, err := findCollectionRecord(tx, id, address)
		return &found, err
	})
}

// SeedCollection creates a collection, or returns the one with in.Handle unchanged. Its ID is
// derived from in.Handle, so that it is the same in every shop. Codes: validation_failed.
func (c *Catalogue) SeedCollection(ctx context.Context, caller access.Caller, in CollectionInput) (*CollectionRecord, error) {
	return c.saveCollectionAs(ctx, caller, access.ToSeedCollection, seedID("collection", in.Handle), in, nil)
}

// saveCollectionAs saves a collection that check accepts. With an id, an existing collection is
// left unchanged.
func (c *Catalogue) saveCollectionAs(
	ctx context.Context, caller access.Caller, use access.UseCase, id string, in CollectionInput, check func(*CollectionRecord) error,
) (*CollectionRecord, error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, c.data, caller, use, func(tx *db.Tx, who access.Staff) (*CollectionRecord, error) {
		want, err := in.row()
		if err != nil {
			return nil, err
		}
		want.id = id
		if err := want.setMedia(tx, in.ImageID); err != nil {
			return nil, err
		}
		if before, err := findCollectionRow(tx, want.handle); err == nil && id != "" {
			saved, err := findCollectionRecord(tx, before.id, address)
			return &saved, err
		}
		if check != nil {
			if err := checkCollection(tx, want.handle, address, check); err != nil {
				return nil, err
			}
		}
		id, changes, err := c.saveCollection(tx, want, in.Position == nil)
		if err != nil {
			return nil, err
		}
		saved, err := findCollectionRecord(tx, id, address)
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			return &saved, nil
		}
		return &saved, who.Audit(tx, access.Subject{Kind: access.SubjectCollection, ID: id, Label: saved.Title}, changes...)
	})
}

// checkCollection calls check with the collection of a handle, nil if there is none.
func checkCollection(tx *db.Tx, handle string, address MediaAddress, check func(*CollectionRecord) error) error {
	row, err := findCollectionRow(tx, handle)
	if errors.Is(err, db.ErrNotFound) {
		return check(nil)
	} else if err != nil {
		return err
	}
	before, err := findCollectionRecord(tx, row.id, address)
	if err != nil {
		return err
	}
	return check(&before)
}

// clean returns the cleaned texts as a row, with a handle derived from the title if there is none.
func (in *CollectionInput) clean() collectionRow {
	row := collectionRow{
		handle: input.CleanHandle(in.Handle), title: input.CleanLine(in.Title), descriptionHTML: cleanHTML(in.DescriptionHTML, ""),
		imageURL: strings.TrimSpace(input.Clean(in.Image)), imageAlt: input.CleanLine(in.ImageAlt),
	}
	if row.handle == "" {
		row.handle = cmp.Or(input.Slug(row.title), input.ScriptSlug(row.title))
	}
	return row
}

func (in *CollectionInput) row() (collectionRow, error) {
	row := in.clean()
	var bad fault.Invalid
	if in.Position != nil {
		row.position = int64(*in.Position)
		checkCount(&bad, "position", row.position, 1)
	}
	row.check(&bad)
	return row, bad.Err()
}

// check checks the texts.
func (row *collectionRow) check(bad *fault.Invalid) {
	if row.title == "" {
		bad.Add("title", fault.CodeRequired, "The title is required.")
	}
	input.CheckText(bad, "title", row.title, maxLine)
	input.CheckText(bad, "imageAlt", row.imageAlt, maxLine)
	if row.handle == "" && row.title != "" {
		bad.Add("handle", fault.CodeRequired, "The handle is required: none can be derived from the title.")
	} else if row.handle != "" && (!input.IsHandle(row.handle) || utf8.RuneCountInString(row.handle) > maxLine) {
		bad.Add("handle", fault.CodeInvalidValue, "Must be at most %d letters, digits, hyphens and underscores, and begin with a letter or digit.", maxLine)
	}
	if len(row.descriptionHTML) > maxText {
		bad.Add("descriptionHtml", fault.CodeInvalidValue, "Must be at most %d bytes.", maxText)
	}
}

// saveCollection inserts or updates a collection, unless it is unchanged, and returns the changes.
// If inheritPosition is set, the position is inherited from the existing collection, or is the
// last.
func (c *Catalogue) saveCollection(tx *db.Tx, want collectionRow, inheritPosition bool) (id string, changes []access.Change, err error) {
	before, err := findCollectionRow(tx, want.handle)
	if errors.Is(err, db.ErrNotFound) {
		if inheritPosition {
			if want.position, err = nextCollectionPosition(tx); err != nil {
				return "", nil, err
			}
		}
		if want.id == "" {
			want.id = c.ids.Next(tx.Now())
		}
		if want.mediaID != "" {
			if err := useMedia(tx, want.mediaID); err != nil {
				return "", nil, err
			}
		}
		return want.id, []access.Change{access.Set("title", want.title)}, insertCollection(tx, want)
	} else if err != nil {
		return "", nil, err
	}
	want.id = before.id
	if inheritPosition {
		want.position = before.position
	}
	if want == before {
		return want.id, nil, nil
	}
	if want.mediaID != "" && want.mediaID != before.mediaID {
		if err := useMedia(tx, want.mediaID); err != nil {
			return "", nil, err
		}
	}
	return want.id, want.changes(before), updateCollection(tx, want)
}

// DeleteCollection removes a collection (handle, title or ID) that check accepts; nil accepts any.
// Its products stay, and so do its coupons: a coupon for this collection alone applies to no
// product. Codes: not_found, and check's.
func (c *Catalogue) DeleteCollection(ctx context.Context, caller access.Caller, collection string, check func(*CollectionRecord) error) error {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return err
	}
	return access.Do(ctx, c.data, caller, access.ToDeleteCollection, func(tx *db.Tx, who access.Staff) error {
		id, err := requireCollection(tx, collection)
		if err != nil {
			return err
		}
		before, err := findCollectionRecord(tx, id, address)
		if err != nil {
			return err
		}
		if err := access.Accept(check, &before); err != nil {
			return err
		}
		if err := deleteCollection(tx, id); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectCollection, ID: id, Label: before.Title})
	})
}

// requireCollection returns the ID of a collection (handle, title or ID). Codes: not_found.
func requireCollection(tx *db.Tx, collection string) (id string, err error) {
	index, err := findCollectionIndex(tx)
	if err != nil {
		return "", err
	}
	id, ok := index.find(collection)
	if !ok {
		return "", fault.Errorf(fault.CodeNotFound, "The collection %q does not exist.", input.Cut(input.CleanLine(collection), maxLine))
	}
	return id, nil
}

// AddToCollection appends products (handles or IDs) to a collection (handle, title or ID) and
// returns the number of added ones; products that are in it already are unchanged. Codes: not_found
// (the collection), validation_failed (an unknown product).
func (c *Catalogue) AddToCollection(ctx context.Context, caller access.Caller, collection string, products ...string) (added int, err error) {
	return access.Write(ctx, c.data, caller, access.ToAddToCollection, func(tx *db.Tx, who access.Staff) (int, error) {
		return changeMembers(tx, who, collection, products, insertMember)
	})
}

// RemoveFromCollection removes products (handles or IDs) from a collection (handle, title or ID)
// and returns the number of removed ones. Codes: not_found (the collection), validation_failed (an
// unknown product).
func (c *Catalogue) RemoveFromCollection(ctx context.Context, caller access.Caller, collection string, products ...string) (removed int, err error) {
	return access.Write(ctx, c.data, caller, access.ToRemoveFromCollection, func(tx *db.Tx, who access.Staff) (int, error) {
		return changeMembers(tx, who, collection, products, deleteMember)
	})
}

func changeMembers(
	tx *db.Tx, who access.Staff, collection string, products []string,
	change func(tx *db.Tx, collectionID, productID string) (changed bool, err error),
) (changes int, err error) {
	id, err := requireCollection(tx, collection)
	if err != nil {
		return 0, err
	}
	members, err := FindProductsNamed(tx, "products", products)
	if err != nil {
		return 0, err
	}
	for _, member := range members {
		changed, err := change(tx, id, member)
		if err != nil {
			return 0, err
		}
		if changed {
			changes++
		}
	}
	if changes == 0 {
		return 0, nil
	}
	row, err := findCollectionRowByID(tx, id)
	if err != nil {
		return 0, err
	}
	return changes, who.Audit(tx, row.subject(), access.Set("products", members))
}

// subject returns the collection as in the audit log.
func (r collectionRow) subject() access.Subject {
	return access.Subject{Kind: access.SubjectCollection, ID: r.id, Label: r.title}
}

// changes returns the differences to a collection's earlier row, for the audit log.
func (r collectionRow) changes(before collectionRow) []access.Change {
	return slices.Concat(
		access.Changed("handle", before.handle, r.handle), access.Changed("title", before.title, r.title),
		access.Changed("descriptionHtml", before.descriptionHTML, r.descriptionHTML),
		access.Changed("image", before.imageURL, r.imageURL), access.Changed("imageAlt", before.imageAlt, r.imageAlt),
		access.Changed("position", before.position, r.position),
	)
}
