package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/picture"
	"storefront/shop/plan"
)

// Limits of a shop's uploaded images.
const (
	maxMedia          = 20_000
	defaultMediaQuota = 5 << 30 // bytes
	maxMediaAlt       = 500     // characters
)

// MediaFiles creates and stores the files of the uploaded images of one shop. It is safe for
// concurrent use.
type MediaFiles interface {
	// Fetch downloads an image from another host. Codes: image_invalid.
	Fetch(ctx context.Context, url string) (*MediaUpload, error)
	// Process returns the clean files of an upload. Codes: unsupported_media_type, image_invalid,
	// unavailable.
	Process(ctx context.Context, contentType string, body []byte) (*picture.Image, error)
	// Put stores the files of an image so that they survive a crash. Files that exist are unchanged.
	Put(ctx context.Context, image *picture.Image) error
	// Delete deletes the files of an image. Missing files are no error.
	Delete(ctx context.Context, id string) error
}

// MediaUpload is an image uploaded by a staff member or downloaded from another host.
type MediaUpload struct {
	ContentType string
	Body        []byte
	Alt         string // text alternative where the image is used without one; empty means none
}

// UploadMedia stores an image. If the shop already has the image, the existing one is returned with
// created false, and restored to the library if it had been deleted. Codes:
// unsupported_media_type, image_invalid, unavailable, quota_reached, validation_failed,
// unauthenticated, forbidden.
func (c *Catalogue) UploadMedia(ctx context.Context, caller access.Caller, in MediaUpload) (m *Media, created bool, err error) {
	who, err := c.data.Authorize(ctx, caller, access.ToUploadMedia)
	if err != nil {
		return nil, false, err
	}
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, false, err
	}
	alt, err := checkMediaAlt(in.Alt)
	if err != nil {
		return nil, false, err
	}
	if c.media == nil {
		return nil, false, fault.Errorf(fault.CodeUnavailable, "The server stores no images.")
	}
	image, err := c.media.Process(ctx, in.ContentType, in.Body)
	if err != nil {
		return nil, false, err
	}
	row, created, err := c.storeMedia(ctx, c.storingAs(who), image, alt, nil)
	if err != nil {
		return nil, false, err
	}
	return new(row.media(address)), created, nil
}

func checkMediaAlt(alt string) (string, error) {
	var bad fault.Invalid
	alt = input.CleanLine(alt)
	input.CheckText(&bad, "alt", alt, maxMediaAlt)
	return alt, bad.Err()
}

// maxMediaAttempts limits the attempts to store an image while images are being purged.
const maxMediaAttempts = 3

// errPurged means that images were purged after an upload found or stored its files.
var errPurged = errors.New("images were purged in the meantime")

// mediaUse uses a stored image in the transaction that inserts its row.
type mediaUse func(ctx context.Context, tx *db.Tx, m *mediaRow) error

// storing is how an image is stored: by a staff member, or as a photo of a buyer.
type storing struct {
	view, update func(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error
	checkQuota   func(tx *db.Tx, more int64) error
	accept       func(tx *db.Tx, row *mediaRow, created bool) error // the row, once it is inserted or found
}

// storingAs stores images for a staff member, in the library.
func (c *Catalogue) storingAs(who access.Staff) storing {
	return storing{
		view: func(ctx context.Context, fn func(context.Context, *db.Tx) error) error {
			return c.data.ViewAs(ctx, who, fn)
		},
		update: func(ctx context.Context, fn func(context.Context, *db.Tx) error) error {
			return c.data.UpdateAs(ctx, who, fn)
		},
		checkQuota: c.checkMediaQuota,
		accept:     func(tx *db.Tx, row *mediaRow, created bool) error { return c.acceptStored(tx, who, row, created) },
	}
}

// storeMedia stores first the files and then the row, so that a crash leaves no row without files.
// use may be nil.
func (c *Catalogue) storeMedia(
	ctx context.Context, how storing, image *picture.Image, alt string, use mediaUse,
) (row mediaRow, created bool, err error) {
	for range maxMediaAttempts {
		if row, created, err = c.storeMediaOnce(ctx, how, image, alt, use); !errors.Is(err, errPurged) {
			return row, created, err
		}
	}
	return row, false, errPurging(err)
}

// errPurging is the error of an upload of an image that is being deleted permanently.
func errPurging(err error) error {
	return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: 2, Message: "The image is being deleted. Try again in a moment.", Err: err}
}

func (c *Catalogue) storeMediaOnce(
	ctx context.Context, how storing, image *picture.Image, alt string, use mediaUse,
) (row mediaRow, created bool, err error) {
	var purges int64
	err = how.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if purges, err = findPurges(tx); err != nil {
			return err
		}
		_, err = findMediaRow(tx, image.ID)
		if errors.Is(err, db.ErrNotFound) {
			return how.checkQuota(tx, image.Size())
		}
		return err
	})
	if err != nil {
		return row, false, err
	}
	if err := c.media.Put(ctx, image); err != nil {
		return row, false, fmt.Errorf("store image: %w", err)
	}
	err = how.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		want := newMediaRow(image, alt, tx)
		if created, err = insertMedia(tx, &want); err != nil {
			return err
		}
		// The found or stored files may have been deleted before the row was inserted.
		now, err := findPurges(tx)
		if err != nil {
			return errors.Join(errPurged, err)
		}
		if now != purges {
			return errPurged
		}
		before := want
		if !created {
			if before, err = findMediaRow(tx, image.ID); err != nil {
				return err
			}
		}
		row, row.hashes = before, want.hashes
		if err := how.accept(tx, &row, created); err != nil {
			return err
		}
		if use == nil {
			return nil
		}
		return use(ctx, tx, &row)
	})
	return row, created, err
}

// acceptStored checks the quota for a new image, and returns an existing one to the library.
func (c *Catalogue) acceptStored(tx *db.Tx, who access.Staff, row *mediaRow, created bool) error {
	switch {
	case row.purging:
		return errPurging(nil)
	case created:
		if err := c.checkMediaQuota(tx, 0); err != nil {
			return err
		}
		return who.Audit(tx, row.subject(), access.Set("alt", row.alt), access.Set("width", row.width), access.Set("height", row.height))
	}
	// The smaller files are from this upload; another version may have scaled them differently.
	if err := replaceHashes(tx, row); err != nil {
		return err
	}
	if err := restoreMedia(tx, row.id); err != nil {
		return err
	}
	if !row.deleted {
		return nil
	}
	return who.Audit(tx, row.subject())
}

// checkMediaQuota checks that the shop may store more bytes. Codes: quota_reached, plan_limit.
func (c *Catalogue) checkMediaQuota(tx *db.Tx, more int64) error {
	count, bytes, err := sumMedia(tx)
	if err != nil {
		return err
	}
	if err := withinQuota(count, bytes, more, maxMedia, c.mediaQuota); err != nil {
		return err
	}
	return plan.Check(tx, plan.ImageBytes, more)
}

// withinQuota checks a number of images and their bytes, and one image more unless it has no bytes.
// Codes: quota_reached.
func withinQuota(count int, bytes, more int64, maxCount int, quota int64) error {
	if more > 0 {
		count, bytes = count+1, bytes+more
	}
	switch {
	case count > maxCount:
		return fault.Errorf(fault.CodeQuotaReached, "The shop has %d images, the most that it can have. Delete unused images.", maxCount)
	case bytes > quota:
		return fault.Errorf(fault.CodeQuotaReached, "The shop's images use all of its %d MiB. Delete unused images.", quota>>20)
	}
	return nil
}

func newMediaRow(image *picture.Image, alt string, tx *db.Tx) mediaRow {
	row := mediaRow{
		id: image.ID, alt: alt, width: image.Width, height: image.Height, bytes: image.Size(),
		format: string(image.Format), colour: image.Colour, createdAt: db.Millis(tx.Now()),
	}
	for _, f := range image.Files {
		row.sizes = append(row.sizes, mediaSize{f.Width, f.Height})
		row.hashes = append(row.hashes, picture.ID(f.Data))
	}
	return row
}

// subject returns the image as in the audit log.
func (m *mediaRow) subject() access.Subject {
	return access.Subject{Kind: access.SubjectMedia, ID: m.id, Label: m.alt}
}

func encodeFiles[T mediaSize | string](list []T) (string, error) {
	text, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("encode files of an image: %w", err)
	}
	return string(text), nil
}
