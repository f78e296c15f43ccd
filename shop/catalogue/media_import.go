package catalogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/picture"
)

// MediaImport selects the images of other hosts that are stored as uploaded ones.
type MediaImport struct {
	Product string // the handle or ID of the product that shows them; "" means all products
	DryRun  bool   // only return the images that would be imported
	// Report is called with the result of each image. nil means that it is not called.
	Report func(ImportedImage)
}

// ImportedImage is the result of importing an image of a product.
type ImportedImage struct {
	Product string      `json:"product"` // ID
	Title   string      `json:"title"`   // of the product
	URL     string      `json:"url"`     // at the other host
	Media   *string     `json:"media"`   // ID of the uploaded image; null if it was not imported
	Code    *fault.Code `json:"code"`    // the reason if it was not imported; null if it was, or for a dry run
	Message *string     `json:"message"` // the same for people
}

// importFailures lists the codes that concern one image. Other errors end an import.
var importFailures = []fault.Code{
	fault.CodeImageInvalid, fault.CodeUnsupportedMediaType, fault.CodeQuotaReached, fault.CodePlanLimit,
	fault.CodeStateConflict, fault.CodeNotFound, fault.CodeUnavailable,
}

// ImportMedia downloads the images that products show from other hosts, stores them as uploaded
// images and shows these instead. Each image is a transaction of its own: a failing one is part of
// the result, and left unchanged. Codes: not_found (the product), unavailable, unauthenticated,
// forbidden.
func (c *Catalogue) ImportMedia(ctx context.Context, caller access.Caller, in MediaImport) ([]ImportedImage, error) {
	who, err := c.data.Authorize(ctx, caller, access.ToImportMedia)
	if err != nil {
		return nil, err
	}
	if c.media == nil {
		return nil, fault.Errorf(fault.CodeUnavailable, "The server stores no images.")
	}
	var images []externalImage
	err = c.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		product := ""
		if in.Product != "" {
			row, err := findAnyProduct(tx, in.Product)
			if err != nil {
				return err
			}
			product = row.id
		}
		images, err = findExternalImages(tx, product)
		return err
	})
	if err != nil {
		return nil, err
	}
	results := make([]ImportedImage, 0, len(images))
	for _, image := range images {
		result := ImportedImage{Product: image.product, Title: image.title, URL: image.url}
		if !in.DryRun {
			id, err := c.importImage(ctx, who, image)
			failure, known := errors.AsType[*fault.Error](err)
			switch {
			case err == nil:
				result.Media = &id
			case known && slices.Contains(importFailures, failure.Code):
				result.Code, result.Message = &failure.Code, &failure.Message
			default:
				return results, fmt.Errorf("import image %s: %w", image.id, err)
			}
		}
		if in.Report != nil {
			in.Report(result)
		}
		results = append(results, result)
	}
	return results, nil
}

// importImage replaces an image of another host by an uploaded one, unless it has changed in the
// meantime. Codes: [importFailures], unauthenticated, forbidden.
func (c *Catalogue) importImage(ctx context.Context, who access.Staff, image externalImage) (id string, err error) {
	upload, err := c.media.Fetch(ctx, image.url)
	if err != nil {
		return "", err
	}
	files, err := c.processQueued(ctx, upload)
	if err != nil {
		return "", err
	}
	replace := func(ctx context.Context, tx *db.Tx, m *mediaRow) error {
		before, err := findAnyProduct(tx, image.product)
		if err != nil {
			return err
		}
		want := *before
		want.images = slices.Clone(before.images)
		shown := want.imageByID(image.id)
		if shown == nil || shown.url != image.url {
			return fault.Errorf(fault.CodeStateConflict, "The product's image has changed in the meantime.")
		}
		width, height := int64(m.width), int64(m.height)
		shown.url, shown.media, shown.width, shown.height = m.stored(), m.ref(), &width, &height
		return c.saveEdit(ctx, tx, who, plannedEdit{before, &want})
	}
	row, _, err := c.storeMedia(ctx, c.storingAs(who), files, input.Cut(input.CleanLine(image.alt), maxMediaAlt), replace)
	return row.id, err
}

// maxProcessAttempts limits how often an import waits for uploads of staff members, which come
// first.
const maxProcessAttempts = 10

// processQueued is [MediaFiles.Process], and waits if many images are being processed.
func (c *Catalogue) processQueued(ctx context.Context, upload *MediaUpload) (image *picture.Image, err error) {
	for range maxProcessAttempts {
		image, err = c.media.Process(ctx, upload.ContentType, upload.Body)
		busy, known := errors.AsType[*fault.Error](err)
		if !known || busy.RetryAfter == 0 {
			return image, err
		}
		select {
		case <-time.After(time.Duration(busy.RetryAfter) * time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, err
}

// externalImage is an image of a product that is at another host.
type externalImage struct{ id, product, title, url, alt string }

// findExternalImages returns the images of other hosts that a product shows; "" means all products.
func findExternalImages(tx *db.Tx, product string) ([]externalImage, error) {
	images, err := db.Query(tx, func(r db.Row) (i externalImage, err error) {
		err = r.Scan(&i.id, &i.product, &i.title, &i.url, &i.alt)
		return i, err
	}, `
		SELECT i.id, i.product_id, p.title, i.url, i.alt
		FROM images i
			JOIN products p ON p.id = i.product_id
		WHERE i.media_id IS NULL AND SUBSTR(i.url, 1, 1) <> '/' AND (? = '' OR i.product_id = ?) AND `+notHidden+`
		ORDER BY i.product_id, i.position`, product, product)
	if err != nil {
		return nil, fmt.Errorf("find images of other hosts: %w", err)
	}
	return images, nil
}

// CountExternalImages returns the number of images of other hosts that the product with this ID
// shows. Codes: not_found, state_conflict (an import that creates it is under way).
func CountExternalImages(tx *db.Tx, id string) (int, error) {
	if _, err := findAnyProduct(tx, id); err != nil {
		return 0, err
	}
	images, err := findExternalImages(tx, id)
	return len(images), err
}
