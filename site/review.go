package site

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"storefront/shop/fault"
	"storefront/shop/review"
	"storefront/site/orderpage"
)

// reviewForm is the form for the review of a product of an order.
type reviewForm struct {
	Product, Title, Text string
	Stars                []star
	IsSent               bool   // the buyer has sent a review
	HasPhoto             bool   // with a photo
	Notice               string // about the one that was just sent
	Problem              string // "" if none was refused
}

// star is one choice of a rating.
type star struct {
	Value  int
	Text   string // its words
	Chosen bool
}

// refusedReview is a review that was not saved.
type refusedReview struct {
	review.Input
	problem string
}

// addReviews adds the forms for the products of a delivered order.
func (p *orderPage) addReviews(ctx context.Context, r *request, token string, refused *refusedReview) error {
	found, err := r.Shop.Reviews.FindOrderReviews(ctx, r.orderVisit(token).Caller, r.page.name)
	if err != nil {
		return err
	}
	for _, own := range found {
		form := reviewForm{Product: own.ID, Title: p.in(own.Title), Text: own.Text, IsSent: own.Status != "", HasPhoto: own.HasPhoto}
		rating := own.Rating
		switch {
		case refused != nil && refused.ProductID == own.ID:
			form.Problem, form.Text, rating = refused.problem, refused.Text, refused.Rating
		case form.IsSent && r.Query.Get("reviewed") == own.ID:
			form.Notice = p.W.ReviewThanks
		}
		for i, text := range strings.Split(p.W.StarWords, "|") {
			form.Stars = append(form.Stars, star{Value: i + 1, Text: text, Chosen: i+1 == rating})
		}
		p.Reviews = append(p.Reviews, form)
	}
	return nil
}

// photoField is the name of the field with the photo.
const photoField = "photo"

// problemOf returns the text of a refused review for its buyer, "" if the buyer cannot mend it.
func (r *request) problemOf(err error) string {
	w := wordsOf[r.page.language]
	switch {
	case fault.HasCode(err, fault.CodeValidationFailed):
		return w.ReviewRefused
	case len(r.photo) == 0:
		return ""
	case fault.HasCode(err, fault.CodeImageInvalid), fault.HasCode(err, fault.CodeUnsupportedMediaType):
		return w.PhotoRefused
	case fault.HasCode(err, fault.CodeQuotaReached), fault.HasCode(err, fault.CodeUnavailable), fault.HasCode(err, fault.CodeRateLimited):
		return w.PhotoLater
	}
	return ""
}

// reviewOrder saves the buyer's review of a product of an order.
func (s *Site) reviewOrder(ctx context.Context, r *request) (*Response, error) {
	form, err := r.form()
	if err != nil {
		return nil, err
	}
	token := form.Get("k")
	in := review.Input{ProductID: form.Get("product"), Text: form.Get("text"), RemovePhoto: form.Get("remove") != ""}
	in.Rating, _ = strconv.Atoi(form.Get("rating")) // 0 is refused
	if len(r.photo) > 0 {                           // its type is what its bytes say: programs send wrong ones
		in.Photo = &review.Photo{ContentType: http.DetectContentType(r.photo), Body: r.photo}
	}
	_, err = r.Shop.Reviews.SubmitReview(ctx, r.orderVisit(token).Caller, r.page.name, in)
	if problem := r.problemOf(err); problem != "" {
		return s.orderWith(ctx, r, r.orderVisit(""), &refusedReview{in, problem})
	}
	if err != nil && !fault.HasCode(err, fault.CodeStateConflict) { // the page shows the status
		return nil, err
	}
	to := r.page.prefix() + "/orders/" + r.page.name + "?"
	if token != "" {
		to += "k=" + token + "&"
	}
	return &Response{Status: http.StatusSeeOther, Location: to + "reviewed=" + in.ProductID + "#review-" + in.ProductID}, nil
}

// ratings are the published reviews of a product, for its page.
type ratings struct {
	Average string // with one decimal
	Count   string // with its word
	Stars   int    // the average, rounded
	Newest  []shownReview
}

type shownReview struct {
	Name, Day, Words string // Words describe the rating
	Rating           int
	Lines            []string
	Photo            *picture // nil means none

	author, day string // for search engines; author is "" if the name was erased
}

// stars returns a rating as a picture.
func stars(rating int) string {
	return strings.Repeat("★", rating) + strings.Repeat("☆", review.MaxRating-rating)
}

// Picture returns the average as stars.
func (r *ratings) Picture() string { return stars(r.Stars) }

// Picture returns the rating as stars.
func (r shownReview) Picture() string { return stars(r.Rating) }

// addRatings adds the published reviews of the product, unless there are none.
func (p *productPage) addRatings(ctx context.Context, r *request, productID string) error {
	found, err := r.Shop.Reviews.FindPublished(ctx, productID)
	if err != nil {
		return err
	}
	if found.Count == 0 {
		return nil
	}
	p.reviews = found
	word := p.W.Reviews
	if found.Count == 1 {
		word = p.W.Review
	}
	p.Ratings = &ratings{
		Average: p.Digits(average(found)), Count: p.count(found.Count, word), Stars: (2*found.Sum + found.Count) / (2 * found.Count),
	}
	for _, shown := range found.Newest {
		row := shownReview{
			Name: cmp.Or(shown.Name, p.W.Buyer), Day: orderpage.Day(p.Lang, shown.SentAt, p.front.TimeZone), Rating: shown.Rating,
			Words:  strings.Split(p.W.StarWords, "|")[shown.Rating-1],
			author: shown.Name, day: shown.SentAt.Format("2006-01-02"), Photo: p.newPicture(shown.Photo, photoWidth, p.W.ReviewPhoto),
		}
		if shown.Text != "" {
			row.Lines = strings.Split(shown.Text, "\n")
		}
		p.Ratings.Newest = append(p.Ratings.Newest, row)
	}
	return nil
}

// photoWidth is the width of the photo of a review, in CSS pixels.
const photoWidth = 160

// average returns the average rating with one decimal.
func average(of *review.OfProduct) string {
	tenths := (20*of.Sum + of.Count) / (2 * of.Count)
	return strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10)
}

// addReviews adds the shown reviews to a product's structured data. A search engine accepts none
// without an author.
func (p *productPage) addReviews(data map[string]any) {
	if p.Ratings == nil {
		return
	}
	data["aggregateRating"] = map[string]any{
		"@type": "AggregateRating", "ratingValue": average(p.reviews), "reviewCount": p.reviews.Count,
		"bestRating": review.MaxRating, "worstRating": review.MinRating,
	}
	var all []any
	for _, shown := range p.Ratings.Newest {
		if shown.author == "" {
			continue
		}
		item := map[string]any{
			"@type": "Review", "author": map[string]any{"@type": "Person", "name": shown.author}, "datePublished": shown.day,
			"reviewRating": map[string]any{"@type": "Rating", "ratingValue": shown.Rating, "bestRating": review.MaxRating, "worstRating": review.MinRating},
		}
		if len(shown.Lines) > 0 {
			item["reviewBody"] = strings.Join(shown.Lines, "\n")
		}
		if shown.Photo != nil {
			item["image"] = p.absolute(shown.Photo.Largest)
		}
		all = append(all, item)
	}
	if all != nil {
		data["review"] = all
	}
}
