package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/review"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// delivered places an order of a product, delivers it, and returns it.
func (s *pageSite) delivered(t *testing.T, product string) *order.Placed {
	t.Helper()
	placed, err := s.shop.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(product, 1), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.shop.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.shop.Orders.MarkDelivered(t.Context(), access.Operator(), placed.InvoiceUID, nil); err != nil {
		t.Fatal(err)
	}
	return placed
}

// reviews returns the reviews as staff see them, newest first.
func (s *pageSite) reviews(t *testing.T) []review.Review {
	t.Helper()
	list, err := s.shop.Reviews.ListReviews(t.Context(), access.Operator(), review.ListFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Nodes
}

func (s *pageSite) publish(t *testing.T, id string) {
	t.Helper()
	if _, err := s.shop.Reviews.PublishReview(t.Context(), access.Operator(), id, nil); err != nil {
		t.Fatal(err)
	}
}

func reviewOf(placed *order.Placed, product, rating, text string) url.Values {
	return url.Values{"k": {placed.OrderToken}, "product": {product}, "rating": {rating}, "text": {text}}
}

// A buyer without scripts reviews a product of a delivered order. Buyers see the review once it is
// published, and search engines read what they see.
func TestSite_Review(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	placed := s.delivered(t, s.tea.ID)
	b := s.browser()
	address := shopHost + "/orders/" + placed.InvoiceUID
	own := b.get(t, address+"?k="+placed.OrderToken)
	own.has(http.StatusOK, "Your review: Tea &lt;b&gt;", "5 stars, very good", `name="product" value="`+s.tea.ID+`"`)
	before := b.get(t, shopHost+"/products/tea")
	before.lacks("Reviews", "aggregateRating", `class="rating"`)

	sent := b.post(t, address+"/review", reviewOf(placed, s.tea.ID, "4", "Strong <script>alert(1)</script>\nand fresh"))
	sent.has(http.StatusOK, "Thank you. The shop will check it.", "Send again", `value="4" required checked`)
	pending := b.get(t, shopHost+"/products/tea")
	pending.lacks("Strong", "aggregateRating")
	if got, want := pending.header.Get("ETag"), before.header.Get("ETag"); got != want {
		t.Errorf("a pending review renewed the page: got ETag %s, want %s", got, want)
	}
	all := s.reviews(t)
	if len(all) != 1 || all[0].Status != review.Pending || all[0].Name == "" || all[0].OrderID != placed.InvoiceUID {
		t.Fatalf("got %+v, want one pending review", all)
	}

	s.publish(t, all[0].ID)
	shown := b.get(t, shopHost+"/products/tea")
	shown.has(http.StatusOK, "Strong &lt;script&gt;alert(1)&lt;/script&gt;<br>and fresh", "4.0 · 1 review", "Verified purchase", all[0].Name,
		`"aggregateRating":{"@type":"AggregateRating","bestRating":5,"ratingValue":"4.0","reviewCount":1,"worstRating":1}`, `"reviewBody":"Strong `)
	shown.lacks("<script>alert")
	b.get(t, shopHost+"/bn/products/tea").has(http.StatusOK, "৪.০ · ১টি রিভিউ", "কেনা নিশ্চিত")

	// the buyer changes it: it is pending again
	b.post(t, address+"/review", reviewOf(placed, s.tea.ID, "1", "Bad")).has(http.StatusOK, "Thank you")
	b.get(t, shopHost+"/products/tea").lacks("Strong", "Bad", "aggregateRating")
	again := s.reviews(t)
	if len(again) != 1 || again[0].Rating != 1 || again[0].Status != review.Pending || again[0].Version == all[0].Version {
		t.Fatalf("got %+v, want one pending review of another version", again)
	}
	s.publish(t, again[0].ID)
	b.get(t, shopHost+"/products/tea").has(http.StatusOK, "Bad", "1.0 · 1 review")
	if _, err := s.shop.Reviews.RejectReview(t.Context(), access.Operator(), again[0].ID, nil); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/products/tea").lacks("Bad", "aggregateRating")
}

// Only the buyer of a delivered order reviews its products, within the limits.
func TestSite_ReviewRefused(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	placed := s.delivered(t, s.tea.ID)
	address := shopHost + "/orders/" + placed.InvoiceUID
	b := s.browser()
	stranger := b.get(t, address)
	stranger.has(http.StatusOK)
	stranger.lacks("Your review")
	form := reviewOf(placed, s.tea.ID, "5", "Mine")
	form.Set("k", placed.OrderToken+"x")
	b.send(t, http.MethodPost, address+"/review", form).has(http.StatusNotFound)
	b.send(t, http.MethodPost, otherHost+"/orders/"+placed.InvoiceUID+"/review", reviewOf(placed, s.tea.ID, "5", "Mine")).has(http.StatusNotFound)
	b.send(t, http.MethodPost, address+"/review", reviewOf(placed, s.saree.ID, "5", "Not bought")).has(http.StatusNotFound)

	b.get(t, address+"?k="+placed.OrderToken) // sets the cookie of the page
	for _, rating := range []string{"", "0", "6", "5.5"} {
		b.send(t, http.MethodPost, address+"/review", reviewOf(placed, s.tea.ID, rating, "Kept <b>")).
			has(http.StatusUnprocessableEntity, "Choose 1 to 5 stars", "Kept &lt;b&gt;</textarea>")
	}
	b.send(t, http.MethodPost, address+"/review", reviewOf(placed, s.tea.ID, "5", strings.Repeat("ক", 1001))).
		has(http.StatusUnprocessableEntity, "at most 1,000 characters")

	open, err := s.shop.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(s.tea.ID, 1), "")
	if err != nil {
		t.Fatal(err)
	}
	undelivered := b.post(t, shopHost+"/orders/"+open.InvoiceUID+"/review", reviewOf(open, s.tea.ID, "5", "Too early"))
	undelivered.has(http.StatusOK)
	undelivered.lacks("Your review")
	if _, err := s.shop.Reviews.SubmitReview(t.Context(), access.Caller{OrderToken: open.OrderToken}, open.InvoiceUID,
		review.Input{ProductID: s.tea.ID, Rating: 5}); !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("an order that is not delivered: got %v, want state_conflict", err)
	}
	if got := s.reviews(t); len(got) != 0 {
		t.Errorf("got %+v, want no review", got)
	}
}

// Staff publish what they have read: a text that the buyer has replaced since then is refused.
func TestSite_ReviewReplacedBeforePublishing(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	placed := s.delivered(t, s.tea.ID)
	buyer := access.Caller{OrderToken: placed.OrderToken}
	submit := func(text string) {
		t.Helper()
		in := review.Input{ProductID: s.tea.ID, Rating: 5, Text: text}
		if _, err := s.shop.Reviews.SubmitReview(t.Context(), buyer, placed.InvoiceUID, in); err != nil {
			t.Fatal(err)
		}
	}
	submit("Good")
	read := s.reviews(t)[0]
	submit("Buy at evil.example")
	path := "/admin/v1/shops/test/reviews/" + read.ID + "/publish"
	created, _, err := s.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "till", Scopes: []staff.Scope{"site.write"}})
	if err != nil {
		t.Fatal(err)
	}
	key := "Bearer " + created
	for _, decision := range []string{"publish", "reject"} {
		at := strings.TrimSuffix(path, "publish") + decision
		s.send("POST", at, "", "Authorization", key, "If-Match", `"`+read.Version+`"`).problem(http.StatusPreconditionFailed, fault.CodeChangedMeanwhile)
		s.send("POST", at, "[]", "Authorization", key).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	}
	s.browser().get(t, shopHost+"/products/tea").lacks("evil.example")
	s.send("POST", "/admin/v1/shops/test/reviews/none/publish", "", "Authorization", key).problem(http.StatusNotFound, fault.CodeNotFound)
	now := s.reviews(t)[0]
	for range 2 {
		s.send("POST", path, "", "Authorization", key, "If-Match", `"`+now.Version+`"`).ok(http.StatusOK, &now)
	}
	if now.Status != review.Published {
		t.Errorf("got %+v, want it published", now)
	}
}

// The name and the text of a review are erased with the buyer; the rating remains.
func TestSite_ReviewErased(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	placed := s.delivered(t, s.tea.ID)
	b := s.browser()
	b.post(t, shopHost+"/orders/"+placed.InvoiceUID+"/review", reviewOf(placed, s.tea.ID, "2", "I am Karim of Mirpur"))
	written := s.reviews(t)[0]
	s.publish(t, written.ID)
	b.get(t, shopHost+"/products/tea").has(http.StatusOK, "of Mirpur", written.Name, `"author"`)
	if _, err := s.shop.DeleteCustomer(t.Context(), access.Operator(), placed.Customer.PhoneNumber); err != nil {
		t.Fatal(err)
	}
	shown := b.get(t, shopHost+"/products/tea")
	shown.has(http.StatusOK, "2.0 · 1 review", "A buyer")
	shown.lacks("Mirpur", written.Name, `"author"`)
}
