package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/review"
)

// reviewVersion is the version of a buyer's text.
func reviewVersion(r review.Review) string { return r.Version }

// reviewInput is the request that moderates a review.
type reviewInput struct {
	request
	Precondition
	NoBody
	ReviewID string `path:"reviewId" doc:"The review's _id" example:"01980c5e-7f2a-7c1e-8a55-0d6f3b2a9c11"`
}

func reviewOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listReviews", Path: "reviews", Tag: tagSite, Use: access.ToListReviews, List: true,
			Summary: "List the buyers' reviews of products, newest first",
			Description: "Only the buyer of a delivered order can review its products. Buyers see the published reviews. " +
				"Until then only staff see the photo.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			review.ListFilter
		}) (*page.List[review.Review], error) {
			in.Request = in.page()
			return in.shop().Reviews.ListReviews(ctx, in.caller(), in.ListFilter)
		}),

		define(Operation{
			ID: "publishReview", Method: http.MethodPost, Path: "reviews/{reviewId}/publish", Tag: tagSite, Use: access.ToPublishReview,
			BodyOptional: true,
			Summary:      "Show a review to buyers",
			Description:  "Send the version of the text that you have read as If-Match: the buyer can replace it at any time.",
			Codes:        []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *reviewInput) (*review.Review, error) {
			return in.shop().Reviews.PublishReview(ctx, in.caller(), in.ReviewID, check(in.Precondition, reviewVersion))
		}),

		define(Operation{
			ID: "rejectReview", Method: http.MethodPost, Path: "reviews/{reviewId}/reject", Tag: tagSite, Use: access.ToRejectReview,
			BodyOptional: true,
			Summary:      "Hide a review from buyers, and delete its photo",
			Codes:        []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *reviewInput) (*review.Review, error) {
			return in.shop().Reviews.RejectReview(ctx, in.caller(), in.ReviewID, check(in.Precondition, reviewVersion))
		}),
	}
}
