package graphql

import (
	"context"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/review"
)

// ProductReviews returns one page of the published reviews of a product.
func (*publicQuery) ProductReviews(ctx context.Context, args struct {
	pageArgs
	ID ID
}) (*pageOf[productReview], error) {
	r, done, err := beginList(ctx, args.cost(), args.input().Work())
	if err != nil {
		return nil, err
	}
	defer done()
	found, err := r.shop.Reviews.ListPublished(ctx, string(args.ID), args.input())
	if err != nil {
		return nil, err
	}
	return newPage(found, newProductReview), nil
}

// Menus returns the menus of the shop's site.
func (*publicQuery) Menus(ctx context.Context, args langArgs) (*shop.SiteMenus, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	return r.shop.FindMenus(ctx, orZero(args.Lang))
}

// SubmitReview saves the review of a product of an order.
func (*mutation) SubmitReview(ctx context.Context, args struct {
	OrderID    ID
	ProductID  ID
	Rating     int32
	Text       *string
	OrderToken *string
}) (*reviewResolver, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	saved, err := r.shop.Reviews.SubmitReview(ctx, withOrderToken(r.caller, args.OrderToken), string(args.OrderID), review.Input{
		ProductID: string(args.ProductID), Rating: int(args.Rating), Text: orZero(args.Text),
	})
	if err != nil {
		return nil, err
	}
	return new(newReview(saved)), nil
}

type productReview struct {
	ID     ID
	Rating int32
	Text   string
	Name   string
	SentAt graphqlgo.Time
	Photo  *image
}

func newProductReview(r *review.ProductReview) productReview {
	return productReview{
		ID: ID(r.ID), Rating: toInt(r.Rating), Text: r.Text, Name: r.Name, SentAt: newTime(r.SentAt), Photo: convertNull(r.Photo, newImage),
	}
}

type rating struct {
	Average string
	Count   int32
}

func newRating(r *catalogue.Rating) rating { return rating{r.Average, toInt(r.Count)} }

type reviewResolver struct {
	ID           ID
	ProductID    ID
	ProductTitle string
	OrderID      ID
	OrderNumber  Long
	Rating       int32
	Text         string
	Name         string
	Photo        *image
	Status       review.Status
	CreatedAt    graphqlgo.Time
	SentAt       graphqlgo.Time
	Version      string
}

func newReview(r *review.Review) reviewResolver {
	return reviewResolver{
		ID: ID(r.ID), ProductID: ID(r.ProductID), ProductTitle: r.ProductTitle, OrderID: ID(r.OrderID), OrderNumber: Long(r.OrderNumber),
		Rating: toInt(r.Rating), Text: r.Text, Name: r.Name, Photo: convertNull(r.Photo, newImage), Status: r.Status,
		CreatedAt: newTime(r.CreatedAt), SentAt: newTime(r.SentAt), Version: r.Version,
	}
}
