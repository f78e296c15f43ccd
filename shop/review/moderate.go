package review

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// ListFilter selects reviews. The zero value is the first page of all.
type ListFilter struct {
	page.Request
	Status []Status `query:"status" doc:"Only reviews in one of these statuses"`
}

// ListReviews returns one page of the reviews, newest first. Codes: validation_failed,
// unauthenticated, forbidden.
func (r *Reviews) ListReviews(ctx context.Context, caller access.Caller, filter ListFilter) (*page.List[Review], error) {
	list, err := access.ReadMany(ctx, r.cfg.Data, caller, access.ToListReviews,
		func(tx *db.Tx, _ access.Staff) (*page.List[Review], error) {
			var bad fault.Invalid
			w := filter.Window(&bad)
			if err := bad.Err(); err != nil {
				return nil, err
			}
			count, err := countReviews(tx, filter.Status)
			if err != nil {
				return nil, err
			}
			found, err := listReviews(tx, filter.Status, w)
			if err != nil {
				return nil, err
			}
			return &page.List[Review]{Nodes: found, Meta: w.ListMetaFor(count, len(found))}, nil
		})
	if err != nil {
		return nil, err
	}
	return list, r.AddPhotos(ctx, list.Nodes)
}

// PublishReview shows a review to buyers, on condition that check accepts it: its buyer may have
// changed the text in the meantime. A nil check accepts any. Codes: not_found, unauthenticated,
// forbidden, and check's.
func (r *Reviews) PublishReview(ctx context.Context, caller access.Caller, id string, check func(Review) error) (*Review, error) {
	return r.moderate(ctx, caller, access.ToPublishReview, id, Published, check)
}

// RejectReview hides a review from buyers, or withholds it, on condition that check accepts it. Its
// photo is deleted. Codes: not_found, unauthenticated, forbidden, and check's.
func (r *Reviews) RejectReview(ctx context.Context, caller access.Caller, id string, check func(Review) error) (*Review, error) {
	return r.moderate(ctx, caller, access.ToRejectReview, id, Rejected, check)
}

func (r *Reviews) moderate(
	ctx context.Context, caller access.Caller, use access.UseCase, id string, to Status, check func(Review) error,
) (*Review, error) {
	moderated, err := access.Write(ctx, r.cfg.Data, caller, use, func(tx *db.Tx, who access.Staff) (*Review, error) {
		found, err := findReview(tx, id)
		if errors.Is(err, db.ErrNotFound) {
			return nil, &fault.Error{Code: fault.CodeNotFound, Message: "No review has this ID."}
		}
		if err != nil {
			return nil, err
		}
		if err := access.Accept(check, *found); err != nil {
			return nil, err
		}
		before := found.Status
		if before == to {
			return found, nil
		}
		found.Status = to
		subject := access.Subject{Kind: access.SubjectReview, ID: id, Label: found.ProductTitle}
		if err := who.Audit(tx, subject, access.Changed("status", before, to)...); err != nil {
			return nil, err
		}
		shownBefore := before == Published
		if !shownBefore && to != Published {
			tx.SkipContentVersion()
		}
		if err := setStatus(tx, id, to); err != nil {
			return nil, err
		}
		if shownBefore || to == Published {
			if err := catalogue.CountRating(tx, found.ProductID); err != nil {
				return nil, err
			}
		}
		return found, r.dropRejected(tx, found)
	})
	if err != nil {
		return nil, err
	}
	shown := []Review{*moderated}
	err = r.AddPhotos(ctx, shown)
	return &shown[0], err
}

// dropRejected deletes the photo of a rejected review.
func (r *Reviews) dropRejected(tx *db.Tx, of *Review) error {
	id := of.PhotoID
	if id == "" || of.Status != Rejected {
		return nil
	}
	if err := removePhoto(tx, of.ID); err != nil {
		return err
	}
	of.PhotoID = ""
	return r.cfg.Catalogue.DropPhoto(tx, id)
}
