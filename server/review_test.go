package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/review"
	"storefront/shop/shoptest"
)

// graphqlData runs a document of the shop and decodes its data.
func (s *site) graphqlData(t *testing.T, document string, data any) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": document})
	if err != nil {
		t.Fatal(err)
	}
	s.send("POST", "/graphql", string(body)).ok(http.StatusOK, &struct{ Data any }{data})
}

// A client of the API writes a review with the order token, and every client reads it at once when
// it is published, with the product's average.
func TestReviewAPI(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	placed := s.delivered(t, s.tea.ID)
	list, product := "/api/v1/products/"+s.tea.ID+"/reviews", "/api/v1/products/"+s.tea.ID
	before := s.get(list)
	if got := s.get(list, "If-None-Match", before.header.Get("ETag")); got.status != http.StatusNotModified {
		t.Errorf("got %d, want a conditional response", got.status)
	}
	s.get(product)
	var written review.Review
	path := "/api/v1/orders/" + placed.InvoiceUID + "/reviews"
	s.send("POST", path, `{"productId":"`+s.tea.ID+`","rating":4,"text":"Strong"}`, "X-Order-Token", placed.OrderToken).ok(http.StatusOK, &written)
	if written.Status != review.Pending || written.Rating != 4 || written.Text != "Strong" || written.OrderID != placed.InvoiceUID {
		t.Fatalf("got %+v, want the pending review", written)
	}
	if got := s.get(list, "If-None-Match", before.header.Get("ETag")); got.status != http.StatusNotModified {
		t.Errorf("got %d, want that a pending review renews no response", got.status)
	}

	// The second review of the product replaces the first.
	var again struct {
		SubmitReview struct{ ID, Status, Text string }
	}
	s.graphqlData(t, `mutation { submitReview(orderId: "`+placed.InvoiceUID+`", productId: "`+s.tea.ID+`", rating: 5, orderToken: "`+
		placed.OrderToken+`") { ID: _id Status: status Text: text } }`, &again)
	if got := again.SubmitReview; got.ID != written.ID || got.Status != "pending" || got.Text != "" {
		t.Errorf("got %+v, want the same review with another rating", got)
	}

	s.publish(t, written.ID)
	var shown page.Page[review.ProductReview]
	s.get(list, "If-None-Match", before.header.Get("ETag")).ok(http.StatusOK, &shown)
	if len(shown.Nodes) != 1 || shown.Nodes[0].ID != written.ID || shown.Nodes[0].Rating != 5 || shown.Meta.TotalCount != 1 {
		t.Errorf("got %+v, want the published review", shown)
	}
	var one catalogue.Product
	s.get(product).ok(http.StatusOK, &one)
	want := &catalogue.Rating{Average: "5.0", Count: 1}
	if diff := cmp.Diff(want, one.Rating); diff != "" {
		t.Errorf("rating (-want +got):\n%s", diff)
	}
	const document = `{
		Reviews: productReviews(id: "ID") { Nodes: nodes { Rating: rating } }
		Product: product(id: "ID") { Rating: rating { Average: average } }
	}`
	var both struct {
		Reviews struct{ Nodes []struct{ Rating int } }
		Product struct{ Rating *struct{ Average string } }
	}
	s.graphqlData(t, strings.ReplaceAll(document, "ID\")", s.tea.ID+"\")"), &both)
	if len(both.Reviews.Nodes) != 1 || both.Reviews.Nodes[0].Rating != 5 || both.Product.Rating == nil || both.Product.Rating.Average != "5.0" {
		t.Errorf("got %+v, want the published review", both)
	}

	if _, err := s.shop.Reviews.RejectReview(t.Context(), access.Operator(), written.ID, nil); err != nil {
		t.Fatal(err)
	}
	one.Rating = nil
	s.get(product).ok(http.StatusOK, &one)
	s.get(list).ok(http.StatusOK, &shown)
	if one.Rating != nil || len(shown.Nodes) != 0 {
		t.Errorf("got rating %v and reviews %v, want none", one.Rating, shown.Nodes)
	}

	// The customer's data contain the reviews.
	export, err := s.shop.ExportCustomer(t.Context(), access.Operator(), placed.Customer.PhoneNumber)
	if err != nil || len(export.Reviews) != 1 || export.Reviews[0].ID != written.ID {
		t.Errorf("got %+v, %v, want the review in the export", export.Reviews, err)
	}
}

// Only the buyer of a delivered order reviews its products by the API.
func TestReviewAPI_Refused(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	placed := s.delivered(t, s.tea.ID)
	open, err := s.shop.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(s.tea.ID, 1), "")
	if err != nil {
		t.Fatal(err)
	}
	good := `{"productId":"` + s.tea.ID + `","rating":4}`
	for _, tt := range []struct {
		name, order, token, body string
		status                   int
		code                     fault.Code
	}{
		{"WrongToken", placed.InvoiceUID, placed.OrderToken + "x", good, http.StatusNotFound, fault.CodeNotFound},
		{"TokenOfAnother", placed.InvoiceUID, open.OrderToken, good, http.StatusNotFound, fault.CodeNotFound},
		{"NoToken", placed.InvoiceUID, "", good, http.StatusNotFound, fault.CodeNotFound},
		{"Undelivered", open.InvoiceUID, open.OrderToken, good, http.StatusConflict, fault.CodeStateConflict},
		{"NotBought", placed.InvoiceUID, placed.OrderToken, `{"productId":"` + s.saree.ID + `","rating":4}`, http.StatusNotFound, fault.CodeNotFound},
		{"Rating", placed.InvoiceUID, placed.OrderToken, `{"productId":"` + s.tea.ID + `","rating":6}`,
			http.StatusUnprocessableEntity, fault.CodeValidationFailed},
		{"Text", placed.InvoiceUID, placed.OrderToken, `{"productId":"` + s.tea.ID + `","rating":4,"text":"` + strings.Repeat("x", 1001) + `"}`,
			http.StatusUnprocessableEntity, fault.CodeValidationFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.send("POST", "/api/v1/orders/"+tt.order+"/reviews", tt.body, "X-Order-Token", tt.token).problem(tt.status, tt.code)
		})
	}
	s.send("POST", "/api/v1/orders/"+placed.InvoiceUID+"/reviews", good, "X-Order-Token", placed.OrderToken, "X-Tenant", "other").
		problem(http.StatusNotFound, fault.CodeNotFound)
	s.get("/api/v1/products/none/reviews").problem(http.StatusNotFound, fault.CodeNotFound)
	if got := s.reviews(t); len(got) != 0 {
		t.Errorf("got %+v, want no review", got)
	}
}

// Clients read the menus as the site shows them: in one language, without what buyers do not see.
func TestMenusAPI(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.get("/api/v1/menus").ok(http.StatusOK, new(shop.SiteMenus))
	text := func(english, bangla string) design.Text { return design.Text{English: english, Bangla: bangla} }
	_, _, err := s.shop.Designs.SaveMenus(t.Context(), access.Operator(), design.Menus{Main: []design.MenuItem{
		{MenuLink: design.MenuLink{Title: text("Tea", "চা"), Link: "/products/tea"}},
		{MenuLink: design.MenuLink{Title: text("Gone", ""), Link: "/products/gone"}},
		{MenuLink: design.MenuLink{Title: text("More", "")}, Items: []design.MenuLink{
			{Title: text("Women", "নারী"), Link: "/collections/women"}, {Title: text("Lost", ""), Link: "/collections/lost"},
		}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for lang, titles := range map[string][3]string{"": {"Tea", "More", "Women"}, "bn": {"চা", "More", "নারী"}} {
		want := shop.SiteMenus{Main: []shop.MenuEntry{
			{Title: titles[0], Link: "/products/tea", Items: []shop.MenuSubentry{}},
			{Title: titles[1], Items: []shop.MenuSubentry{{Title: titles[2], Link: "/collections/women"}}},
		}, Footer: []shop.MenuEntry{}, Secondary: []shop.MenuEntry{}}
		var got shop.SiteMenus
		s.get("/api/v1/menus?lang="+lang).ok(http.StatusOK, &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("menus in %q (-want +got):\n%s", lang, diff)
		}
		var both struct{ Menus shop.SiteMenus }
		s.graphqlData(t, `{ menus(lang: "`+lang+`") { main { title link items { title link } } footer { title } secondary { title } } }`, &both)
		if diff := cmp.Diff(want, both.Menus); diff != "" {
			t.Errorf("menus in %q by GraphQL (-want +got):\n%s", lang, diff)
		}
	}
	s.get("/api/v1/menus?lang=!").problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
}
