package server

import (
	"context"
	"net/http"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/review"
)

func (s *Server) registerReviews() {
	registerCatalogue(s, operation{
		id: "listProductReviews", path: "/api/v1/products/{id}/reviews", tag: tagCatalogue,
		summary:     "List the published reviews of a product",
		description: "Newest first. Only buyers of delivered orders write reviews, and the shop publishes them. The product has their average.",
		codes:       []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
	}, func(ctx context.Context, in *struct {
		request
		ListQuery
		ID string `path:"id" doc:"The product's _id" example:"0ZRJS5B790K7P6HF38ZGHBY4KD"`
	}) (*page.Page[review.ProductReview], error) {
		done, err := in.beginList(ctx, in.input().Work())
		if err != nil {
			return nil, err
		}
		defer done()
		return in.x.shop.Reviews.ListPublished(ctx, in.ID, in.input())
	})

	register(s, operation{
		id: "submitReview", method: http.MethodPost, path: "/api/v1/orders/{orderId}/reviews", tag: tagOrders,
		token: requiredToken, orderToken: true,
		summary: "Review a product of a delivered order",
		description: "For the order's owner, or with the order token. Each product of an order has one review: sending it again replaces it. " +
			"Buyers see it once the shop has published it. A photo can be added on the order's page, and stays.",
		codes:   []fault.Code{fault.CodeNotFound, fault.CodeStateConflict},
		example: map[string]any{"productId": exampleProductID, "rating": 5, "text": "Soft and warm"},
	}, func(ctx context.Context, in *struct {
		request
		OrderID string `path:"orderId" doc:"The invoice UID, 16 characters" example:"7ZK3QW8N5T2M4R6V"`
		Body    struct {
			ProductID string `json:"productId"`
			Rating    int    `json:"rating" doc:"1 to 5"`
			Text      string `json:"text,omitempty" doc:"At most 1,000 characters; may be omitted"`
		}
	}) (*review.Review, error) {
		return in.x.shop.Reviews.SubmitReview(ctx, in.x.caller, in.OrderID, review.Input{
			ProductID: in.Body.ProductID, Rating: in.Body.Rating, Text: in.Body.Text,
		})
	})
}

func (s *Server) registerMenus() {
	registerCatalogue(s, operation{
		id: "listDiscounts", path: "/api/v1/discounts", tag: tagStore,
		summary: "The automatic discounts of the shop",
		description: "Those that buyers can get now, without a code. A quote has the ones that an order gets: each unit counts for one of " +
			"them, and the larger amount goes first.",
		codes: []fault.Code{fault.CodeValidationFailed},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
	}) (*order.Discounts, error) {
		return in.x.shop.ListDiscounts(ctx, in.Lang)
	}))

	registerCatalogue(s, operation{
		id: "getMenus", path: "/api/v1/menus", tag: tagStore,
		summary: "The menus of the shop's site",
		description: "Without links to what buyers do not see. An empty main menu means that the merchant made none: the site then shows the " +
			"collections, in the footer with the pages.",
		codes: []fault.Code{fault.CodeValidationFailed},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
	}) (*shop.SiteMenus, error) {
		return in.x.shop.FindMenus(ctx, in.Lang)
	}))
}
