package catalogue

import (
	"context"
	"errors"
	"math"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// MediaChange is a change of some fields of an uploaded image. Nil fields are unchanged.
type MediaChange struct {
	Alt *string
	// Check is called with the image before the change, in its transaction; an error prevents the
	// change. nil means that it is not called.
	Check func(Media) error
}

// FindMedia returns an uploaded image. Codes: not_found, unauthenticated, forbidden.
func (c *Catalogue) FindMedia(ctx context.Context, caller access.Caller, id string) (*Media, error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, c.data, caller, access.ToFindMedia, func(tx *db.Tx, _ access.Staff) (*Media, error) {
		row, err := requireMedia(tx, id)
		if err != nil {
			return nil, err
		}
		return new(row.media(address)), nil
	})
}

// UpdateMedia changes an uploaded image. Products and collections that show it have a text
// alternative of their own. Codes: not_found, validation_failed, change.Check's.
func (c *Catalogue) UpdateMedia(ctx context.Context, caller access.Caller, id string, change MediaChange) (*Media, error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, c.data, caller, access.ToUpdateMedia, func(tx *db.Tx, who access.Staff) (*Media, error) {
		alt, err := checkMediaAlt(value(change.Alt))
		if err != nil {
			return nil, err
		}
		row, err := requireMedia(tx, id)
		if err != nil {
			return nil, err
		}
		if err := access.Accept(change.Check, row.media(address)); err != nil {
			return nil, err
		}
		before := row.alt
		if change.Alt == nil || alt == before {
			return new(row.media(address)), nil
		}
		row.alt = alt
		if err := updateMediaAlt(tx, &row); err != nil {
			return nil, err
		}
		return new(row.media(address)), who.Audit(tx, row.subject(), access.Changed("alt", before, alt)...)
	})
}

// value returns what p points to, the zero value if it is nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// MediaDeletion describes the deletion of an uploaded image.
type MediaDeletion struct {
	// Now deletes the files immediately. This requires a recent proof, and that no order shows the
	// image. Otherwise they are deleted [Config.MediaRetention] after the last use of the image, so
	// that backups of the shop find them. The files of an image in orders are stored as long as the
	// orders.
	Now bool
	// Check is as in [MediaChange].
	Check func(Media) error
}

// DeleteMedia removes an unused uploaded image from the library. Codes: not_found, in_use,
// proof_required, how.Check's.
func (c *Catalogue) DeleteMedia(ctx context.Context, caller access.Caller, id string, how MediaDeletion) error {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return err
	}
	err = access.Do(ctx, c.data, caller, access.ToDeleteMedia, func(tx *db.Tx, who access.Staff) error {
		if how.Now {
			if err := who.Prove(tx); err != nil {
				return err
			}
		}
		row, err := lockDeletable(tx, id, how.Now)
		if err != nil {
			return err
		}
		if err := access.Accept(how.Check, row.media(address)); err != nil {
			return err
		}
		if row.usedBy > 0 {
			return &fault.Error{
				Code: fault.CodeInUse, Message: "The shop shows this image in products or collections, or as its logo: remove it there first.",
				Details: map[string]any{"usedBy": row.usedBy},
			}
		}
		if how.Now {
			if err := c.refuseOrdered(tx, id); err != nil {
				return err
			}
		}
		if err := markMediaDeleted(tx, id, how.Now); err != nil {
			return err
		}
		return who.Audit(tx, row.subject(), access.Set("now", how.Now))
	})
	if err != nil {
		return err
	}
	if !how.Now {
		return nil
	}
	return c.purgeMedia(ctx, id)
}

// lockDeletable locks and returns an image of the library. With now it may also be a removed image
// that still has files. Codes: not_found.
func lockDeletable(tx *db.Tx, id string, now bool) (mediaRow, error) {
	if err := lockMedia(tx, id); err != nil {
		return mediaRow{}, err
	}
	row, err := findMediaRow(tx, id)
	if errors.Is(err, db.ErrNotFound) || err == nil && (row.purging || row.deleted && !now) {
		return row, errNoMedia()
	}
	return row, err
}

// refuseOrdered refuses an image that orders show: it must have its files as long as the orders
// exist. Codes: in_use.
func (c *Catalogue) refuseOrdered(tx *db.Tx, id string) error {
	n, err := c.ordersOf(tx, id, math.MaxInt32)
	if err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	return &fault.Error{
		Code: fault.CodeInUse, Message: "Orders show this image: its files are stored for as long as the orders.",
		Details: map[string]any{"usedBy": n},
	}
}

func errNoMedia() error { return fault.Errorf(fault.CodeNotFound, "The image does not exist.") }

// requireMedia returns an image of the library. Codes: not_found.
func requireMedia(tx *db.Tx, id string) (mediaRow, error) {
	row, err := findMediaRow(tx, id)
	if errors.Is(err, db.ErrNotFound) || err == nil && (row.deleted || row.purging) {
		return row, errNoMedia()
	}
	return row, err
}
