package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
	"storefront/shop/sequence"
	"storefront/shop/throttle"
)

// Config is the configuration of [Reviews]. Every field is required.
type Config struct {
	Data      access.Data // of the shop
	IDs       *sequence.Source
	Catalogue *catalogue.Catalogue // stores the photos
	// Order returns the function that finds an order of the caller. Codes: not_found.
	Order func(ctx context.Context, caller access.Caller, invoiceUID string) (FindOrder, error)
}

// FindOrder returns an order if the caller is its buyer. Codes: not_found, also for other callers.
type FindOrder func(tx *db.Tx) (*Order, error)

// Order is what reviews depend on of an order.
type Order struct {
	Number      int64
	BuyerName   string
	IsDelivered bool // and not returned
	Products    []Product
}

// Product is a product of an order, with the title that it had then.
type Product struct{ ID, Title string }

// Reviews are the reviews of one shop's products. It is safe for concurrent use. Create one with
// [New].
type Reviews struct{ cfg Config }

// New returns the reviews of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Reviews { return &Reviews{cfg} }

// Status is the status of a review.
//
//api:enum ReviewStatus
type Status string

// The statuses. A review that its buyer sends again is pending again.
const (
	Pending   Status = "pending"   // not checked yet
	Published Status = "published" // buyers see it
	Rejected  Status = "rejected"  // it is not shown, and its photo was deleted
)

// Limits of a review.
const (
	MinRating = 1
	MaxRating = 5
	MaxText   = 1000 // characters
	maxName   = 40   // characters
	maxPhotos = 10   // of an order within an hour
)

// Review is a review as staff see it.
type Review struct {
	ID           string           `json:"_id"`
	ProductID    string           `json:"productId"`
	ProductTitle string           `json:"productTitle"`
	OrderID      string           `json:"orderId" doc:"Invoice UID of the order"`
	OrderNumber  int64            `json:"orderNumber"`
	Rating       int              `json:"rating" doc:"1 to 5"`
	Text         string           `json:"text" doc:"Of the buyer, in lines; empty for a rating alone"`
	Name         string           `json:"name" doc:"The buyer's first name; empty if it was erased"`
	Photo        *catalogue.Image `json:"photo" doc:"Of the buyer; null if there is none"`
	Status       Status           `json:"status"`
	CreatedAt    time.Time        `json:"createdAt"`
	SentAt       time.Time        `json:"sentAt" doc:"When the buyer sent this text"`
	Version      string           `json:"version" doc:"ETag of what the buyer sent, for If-Match"`

	PhotoID string `json:"-"` // "" if there is none
}

// ProductReview is a published review as buyers see it.
type ProductReview struct {
	ID     string           `json:"_id"`
	Rating int              `json:"rating" doc:"1 to 5"`
	Text   string           `json:"text" doc:"In lines; empty for a rating alone"`
	Name   string           `json:"name" doc:"The buyer's first name; empty if it was erased"`
	SentAt time.Time        `json:"sentAt"`
	Photo  *catalogue.Image `json:"photo" doc:"Of the buyer; null if there is none"`

	PhotoID string `json:"-"` // "" if there is none
}

// OfProduct are the published reviews of a product.
type OfProduct struct {
	Count, Sum int             // of the ratings
	Newest     []ProductReview // at most [MaxShown]
}

// MaxShown is the maximum number of reviews on the page of a product.
const MaxShown = 10

// OfOrder is a product of a delivered order with the review of its buyer.
type OfOrder struct {
	Product
	Status   Status // "" if there is no review yet
	Rating   int
	Text     string
	HasPhoto bool
}

// Input is a review as a buyer sends it.
type Input struct {
	ProductID   string
	Rating      int
	Text        string
	Photo       *Photo // nil leaves the photo of an earlier review unless RemovePhoto is set
	RemovePhoto bool
}

// Photo is a picture as a buyer sends it.
type Photo struct {
	ContentType string
	Body        []byte
}

// SubmitReview saves the caller's review of a product of an order, and replaces an earlier one. It
// is pending then. Codes: validation_failed, not_found (also for an order of another buyer),
// state_conflict (not delivered); with a photo also rate_limited, image_invalid,
// unsupported_media_type, quota_reached and unavailable.
func (r *Reviews) SubmitReview(ctx context.Context, caller access.Caller, invoiceUID string, in Input) (*Review, error) {
	findOrder, err := r.cfg.Order(ctx, caller, invoiceUID)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if in.Rating < MinRating || in.Rating > MaxRating {
		bad.Add("rating", fault.CodeInvalidValue, "Must be 1 to 5.")
	}
	in.Text = input.CheckNote(&bad, "text", in.Text, MaxText)
	invalid := bad.Err()
	accepted := func(tx *db.Tx) (*Order, error) {
		order, err := findOrder(tx)
		if err != nil { // first: it is the same for every text of a stranger
			return nil, err
		}
		return order, cmp.Or(invalid, order.accepts(tx, in.ProductID))
	}
	var saved []Review
	save := func(tx *db.Tx, photoID string) error {
		order, err := accepted(tx)
		if err != nil {
			return err
		}
		if err := r.save(tx, order, in, photoID); err != nil {
			return err
		}
		found, err := findByOrder(tx, order.Number, in.ProductID)
		if err == nil {
			saved = []Review{*found}
		}
		return err
	}
	if in.Photo == nil {
		err = r.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return save(tx, "") })
	} else {
		err = r.storePhoto(ctx, in.Photo, accepted, save)
	}
	if err != nil {
		return nil, err
	}
	return &saved[0], r.AddPhotos(ctx, saved)
}

// storePhoto stores the photo of a review, and calls save with its ID. accepted is called before
// the photo is decoded.
func (r *Reviews) storePhoto(
	ctx context.Context, photo *Photo, accepted func(*db.Tx) (*Order, error), save func(tx *db.Tx, photoID string) error,
) error {
	err := r.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		order, err := accepted(tx)
		if err != nil {
			return err
		}
		tx.SkipContentVersion()
		return order.countPhoto(tx)
	})
	if err != nil {
		return err
	}
	return r.cfg.Catalogue.StorePhoto(ctx, photo.ContentType, photo.Body, save)
}

// countPhoto counts a photo of the order. Codes: rate_limited.
func (o *Order) countPhoto(tx *db.Tx) error {
	photos := throttle.New(fmt.Appendf(nil, "photos of order %d", o.Number), maxPhotos, time.Hour)
	if err := photos.Check(tx); err != nil {
		return err
	}
	return photos.Count(tx)
}

// accepts returns nil if the buyer can review a product of the order. Codes: not_found,
// state_conflict.
func (o *Order) accepts(tx *db.Tx, productID string) error {
	if !o.IsDelivered {
		return &fault.Error{Code: fault.CodeStateConflict, Message: "The products of an order can be reviewed once it is delivered."}
	}
	exists, err := hasProduct(tx, productID)
	if err != nil {
		return err
	}
	if !exists || !slices.ContainsFunc(o.Products, func(p Product) bool { return p.ID == productID }) {
		return &fault.Error{Code: fault.CodeNotFound, Message: "The order has no such product, or it was deleted."}
	}
	return nil
}

// save creates the review of an order's product, or replaces it unless it is the same. photoID is
// of a new photo, "" if there is none.
func (r *Reviews) save(tx *db.Tx, order *Order, in Input, photoID string) error {
	before, err := findByOrder(tx, order.Number, in.ProductID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	next := row{
		id: r.cfg.IDs.Next(tx.Now()), productID: in.ProductID, orderNumber: order.Number,
		rating: in.Rating, text: in.Text, name: firstName(order.BuyerName), sentAt: db.Millis(tx.Now()), photoID: photoID,
	}
	if before != nil {
		if photoID == "" && !in.RemovePhoto {
			next.photoID = before.PhotoID
		}
		if before.Rating == in.Rating && before.Text == in.Text && before.PhotoID == next.photoID {
			return nil // sent twice
		}
		next.sentAt = max(next.sentAt, db.Millis(before.SentAt)+1) // another version
	}
	return r.replace(tx, before, next)
}

// replace stores a review in place of the one before, which may be nil.
func (r *Reviews) replace(tx *db.Tx, before *Review, next row) error {
	isShown := before != nil && before.Status == Published
	if !isShown {
		tx.SkipContentVersion()
	}
	if err := saveReview(tx, next); err != nil {
		return err
	}
	if isShown {
		if err := catalogue.CountRating(tx, next.productID); err != nil {
			return err
		}
	}
	if before == nil || before.PhotoID == "" || before.PhotoID == next.photoID {
		return nil
	}
	return r.cfg.Catalogue.DropPhoto(tx, before.PhotoID)
}

// FindOrderReviews returns the products of the caller's delivered order, each with its review. The
// list is empty if the order is not delivered. Codes: not_found.
func (r *Reviews) FindOrderReviews(ctx context.Context, caller access.Caller, invoiceUID string) ([]OfOrder, error) {
	findOrder, err := r.cfg.Order(ctx, caller, invoiceUID)
	if err != nil {
		return nil, err
	}
	var found []OfOrder
	err = r.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		found = nil
		order, err := findOrder(tx)
		if err != nil {
			return err
		}
		if !order.IsDelivered {
			return nil
		}
		existing, err := findOfOrder(tx, order.Number, order.Products)
		for _, product := range order.Products {
			if own, ok := existing[product.ID]; ok {
				own.Product = product
				found = append(found, own)
			}
		}
		return err
	})
	return found, err
}

// ListPublished returns one page of the published reviews of a product that buyers see, newest
// first. Codes: not_found, validation_failed.
func (r *Reviews) ListPublished(ctx context.Context, productID string, request page.Request) (*page.Page[ProductReview], error) {
	var bad fault.Invalid
	window := request.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var found []ProductReview
	var total int
	err := r.cfg.Data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if total, err = countPublished(tx, productID); err != nil {
			return err
		}
		found, err = listPublished(tx, productID, window)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.CodeNotFound, Message: "No product has this ID."}
	}
	if err != nil {
		return nil, err
	}
	list := &page.Page[ProductReview]{Nodes: db.OrEmpty(found), Meta: window.MetaFor(total)}
	return list, r.addPhotosTo(ctx, list.Nodes)
}

// addPhotosTo adds the photos of published reviews.
func (r *Reviews) addPhotosTo(ctx context.Context, to []ProductReview) error {
	photos, err := r.findPhotos(ctx, len(to), func(i int) string { return to[i].PhotoID })
	for i := range to {
		to[i].Photo = photos[i]
	}
	return err
}

// FindPublished returns the published reviews of a product, for its page.
func (r *Reviews) FindPublished(ctx context.Context, productID string) (*OfProduct, error) {
	var found *OfProduct
	err := r.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		found, err = findPublished(tx, productID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, r.addPhotosTo(ctx, found.Newest)
}

// AddPhotos adds the photos of reviews that [FindOfOrders] returned.
func (r *Reviews) AddPhotos(ctx context.Context, to []Review) error {
	photos, err := r.findPhotos(ctx, len(to), func(i int) string { return to[i].PhotoID })
	for i := range to {
		to[i].Photo = photos[i]
	}
	return err
}

// findPhotos returns the photos of n reviews, nil for those that have none. idOf returns the ID of
// a review's photo.
func (r *Reviews) findPhotos(ctx context.Context, n int, idOf func(i int) string) ([]*catalogue.Image, error) {
	var ids []string
	for i := range n {
		if id := idOf(i); id != "" {
			ids = append(ids, id)
		}
	}
	found, err := r.cfg.Catalogue.FindImages(ctx, ids)
	photos := make([]*catalogue.Image, n)
	for i := range n {
		if photo, ok := found[idOf(i)]; ok {
			photos[i] = &photo
		}
	}
	return photos, err
}

// firstName returns the first name of a buyer as the shop shows it. Titles and initials such as
// "Md." are not names.
func firstName(name string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return ""
	}
	at := slices.IndexFunc(words, func(word string) bool {
		return !strings.HasSuffix(word, ".") && !slices.Contains([]string{"md", "mst", "mr", "mrs", "মোঃ", "মো:", "মোছাঃ"}, strings.ToLower(word))
	})
	return input.Cut(words[max(at, 0)], maxName)
}
