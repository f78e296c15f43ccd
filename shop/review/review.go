package review

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/sequence"
)

// Config is the configuration of [Reviews]. Every field is required.
type Config struct {
	Data access.Data // of the shop
	IDs  *sequence.Source
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
	Rejected  Status = "rejected"  // it is not shown
)

// Limits of a review.
const (
	MinRating = 1
	MaxRating = 5
	MaxText   = 1000 // characters
	maxName   = 40   // characters
)

// Review is a review as staff see it.
type Review struct {
	ID           string    `json:"_id"`
	ProductID    string    `json:"productId"`
	ProductTitle string    `json:"productTitle"`
	OrderID      string    `json:"orderId" doc:"Invoice UID of the order"`
	OrderNumber  int64     `json:"orderNumber"`
	Rating       int       `json:"rating" doc:"1 to 5"`
	Text         string    `json:"text" doc:"Of the buyer, in lines; empty for a rating alone"`
	Name         string    `json:"name" doc:"The buyer's first name; empty if it was erased"`
	Status       Status    `json:"status"`
	CreatedAt    time.Time `json:"createdAt"`
	SentAt       time.Time `json:"sentAt" doc:"When the buyer sent this text"`
	Version      string    `json:"version" doc:"ETag of the buyer's text and rating, for If-Match"`
}

// Shown is a published review as buyers see it.
type Shown struct {
	Rating     int
	Text, Name string
	SentAt     time.Time
}

// OfProduct are the published reviews of a product.
type OfProduct struct {
	Count, Sum int     // of the ratings
	Newest     []Shown // at most [MaxShown]
}

// MaxShown is the maximum number of reviews on the page of a product.
const MaxShown = 10

// OfOrder is a product of a delivered order with the review of its buyer.
type OfOrder struct {
	Product
	Status Status // "" if there is no review yet
	Rating int
	Text   string
}

// Input is a review as a buyer sends it.
type Input struct {
	ProductID string
	Rating    int
	Text      string
}

// SubmitReview saves the caller's review of a product of an order, and replaces an earlier one. It
// is pending then. Codes: validation_failed, not_found (also for an order of another buyer),
// state_conflict (not delivered).
func (r *Reviews) SubmitReview(ctx context.Context, caller access.Caller, invoiceUID string, in Input) error {
	findOrder, err := r.cfg.Order(ctx, caller, invoiceUID)
	if err != nil {
		return err
	}
	var bad fault.Invalid
	if in.Rating < MinRating || in.Rating > MaxRating {
		bad.Add("rating", fault.CodeInvalidValue, "Must be 1 to 5.")
	}
	in.Text = input.CheckNote(&bad, "text", in.Text, MaxText)
	invalid := bad.Err()
	return r.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		order, err := findOrder(tx)
		if err != nil { // first: it is the same for every text of a stranger
			return err
		}
		if invalid != nil {
			return invalid
		}
		if err := order.accepts(tx, in.ProductID); err != nil {
			return err
		}
		return r.save(tx, order, in)
	})
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

// save creates the review of an order's product, or replaces it unless it is the same.
func (r *Reviews) save(tx *db.Tx, order *Order, in Input) error {
	before, err := findByOrder(tx, order.Number, in.ProductID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	next := row{
		id: r.cfg.IDs.Next(tx.Now()), productID: in.ProductID, orderNumber: order.Number,
		rating: in.Rating, text: in.Text, name: firstName(order.BuyerName), sentAt: db.Millis(tx.Now()),
	}
	if before != nil {
		if before.Rating == in.Rating && before.Text == in.Text {
			return nil // sent twice
		}
		next.sentAt = max(next.sentAt, db.Millis(before.SentAt)+1) // another version
	}
	if before == nil || before.Status != Published {
		tx.SkipContentVersion()
	}
	return saveReview(tx, next)
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

// FindPublished returns the published reviews of a product, for its page.
func (r *Reviews) FindPublished(ctx context.Context, productID string) (*OfProduct, error) {
	var found *OfProduct
	err := r.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		found, err = findPublished(tx, productID)
		return err
	})
	return found, err
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
