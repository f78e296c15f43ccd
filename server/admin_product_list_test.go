package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/shop/catalogue"
	"storefront/shop/page"
)

// The list of products has those of each filter, and no others, in the order of each sort.
func TestAdmin_ListProducts(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.upload()
	for _, body := range []string{
		`{"title":"Tea","status":"active","images":[{"mediaId":"<media>"}],"collections":["<collection>"],"variants":[{"price":90000,"stock":20}]}`,
		`{"title":"Jam","status":"active","variants":[{"price":12000,"stock":0}]}`,
		`{"title":"Apron","status":"draft","collections":["<collection>"],"variants":[{"price":70000,"stock":3}]}`,
		`{"title":"Cap","status":"archived","images":[{"url":"/cap.jpg"}],"variants":[{"price":5000}]}`,
	} {
		s.shop.Clock.Advance(time.Minute)
		s.product("POST", "products", body)
	}
	var tea page.List[catalogue.ProductRecord]
	s.as("GET", "products?search=tea", "", "Cookie", s.owner).ok(http.StatusOK, &tea)
	order := `"source":"phone","customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`
	s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":2}],`+order)
	s.must("POST", "orders", `{"items":[{"variantId":"`+tea.Nodes[0].Variants[0].ID+`","quantity":1}],`+order)
	s.shop.Clock.Advance(time.Minute)
	s.must("PATCH", "products/jam", `{"vendor":"Aarong"}`)

	for query, want := range map[string]string{
		"":                             "Mug Tea Jam Apron Cap",
		"status=active":                "Mug Tea Jam",
		"status=draft&status=archived": "Apron Cap",
		"stock=in":                     "Mug Tea Apron Cap",
		"stock=low":                    "Apron",
		"stock=out":                    "Jam",
		"noImage=true":                 "Mug Jam Apron",
		"collectionId=<collection>":    "Tea Apron",
		"collectionId=<collection>&status=active": "Tea",
		"search=ap":                          "Apron",
		"search=mug&stock=out":               "",
		"sortBy=title":                       "Apron Cap Jam Mug Tea",
		"sortBy=title&sort=desc":             "Tea Mug Jam Cap Apron",
		"sortBy=createdAt&sort=desc":         "Cap Apron Jam Tea Mug",
		"sortBy=price":                       "Cap Jam Mug Apron Tea",
		"sortBy=stock&sort=desc":             "Tea Mug Apron Cap Jam",
		"sortBy=sold&sort=desc&limit=2":      "Mug Tea",
		"sortBy=updatedAt&sort=desc&limit=1": "Jam",
	} {
		var list page.List[catalogue.ProductRecord]
		s.as("GET", "products?"+query, "", "Cookie", s.owner).ok(http.StatusOK, &list)
		var titles []string
		for _, p := range list.Nodes {
			titles = append(titles, p.Title)
		}
		if got := strings.Join(titles, " "); got != want {
			t.Errorf("products?%s: got %q, want %q", query, got, want)
		}
	}
}
