package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// A link from a chat fills the cart, whatever it had, and opens the checkout with the coupon.
// Opened twice it orders once.
func TestSite_CartLink(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	red, tea := s.saree.Variants[0].ID, s.tea.Variants[0].ID
	b := s.browser()
	link := shopHost + "/cart/add?item=" + red + ":2&item=" + tea + "&item=unknown:3&coupon=EID"
	for range 2 {
		opened := b.get(t, link)
		if opened.status != http.StatusSeeOther || opened.location != "/checkout?added=1&coupon=EID" {
			t.Fatalf("got %d to %s\n%s", opened.status, opened.location, opened.html)
		}
		b.get(t, shopHost+opened.location).has(http.StatusOK, `value="EID"`, "Cotton Saree", "Tea &lt;b&gt;")
	}
	if opened := b.get(t, shopHost+"/bn/cart/add?item="+tea+":1000"); opened.location != "/bn/checkout?added=1" {
		t.Errorf("got %d to %s", opened.status, opened.location)
	}
	b.get(t, shopHost+"/cart").has(http.StatusOK, `max="99" value="99"`, `max="3" value="2"`)
	b.get(t, shopHost+"/cart/add?item=unknown").has(http.StatusNotFound, `<form class="search"`)
	b.get(t, shopHost+"/cart/add").has(http.StatusNotFound)
	b.get(t, otherHost+"/cart/add?item="+tea).has(http.StatusNotFound)

	without := s.browser()
	without.client.Jar = nil // cookies are off
	opened := without.get(t, link)
	without.get(t, shopHost+without.get(t, shopHost+opened.location).location).has(http.StatusOK, "This browser stores no cookies")
}

// Staff make a link with its text and its code for print. It leads to what buyers see.
func TestAdmin_OrderLink(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	variant := func(handle string) string {
		return s.must("GET", "products/"+handle, "")["variants"].([]any)[0].(map[string]any)["_id"].(string)
	}
	s.as("GET", "order-link?item="+variant("mug"), "", "Cookie", s.owner).problem(http.StatusConflict, fault.CodeStateConflict) // no site yet
	s.site = newSiteOf(t, s.shop.Shop, func(cfg *server.Config) { cfg.Now, cfg.SiteURL = s.shop.Clock.Now, "https://shops.example" })
	s.must("POST", "products", `{"title":"Silk saree — সিল্ক শাড়ি","handle":"silk","status":"active","options":["Colour"],
		"variants":[{"options":["Pink"],"price":120000},{"options":["Navy"],"price":130000}],"quantityPrices":[{"quantity":2,"price":200000}]}`)
	s.must("POST", "products", `{"title":"Draft","handle":"draft","status":"draft","variants":[{"price":100}]}`)
	pink := variant("silk")
	link := s.must("GET", "order-link?item="+pink+":2&item="+variant("mug"), "")
	text, address := link["text"].(string), link["url"].(string)
	wantTexts(t, "text", text, "Silk saree (Pink) × 2: ৳2,000\n", "Mug: ৳", "\n"+address)
	to, err := url.Parse(address)
	if err != nil || to.Path != "/cart/add" || !slices.Contains(to.Query()["item"], pink+":2") || !strings.Contains(link["qrSvg"].(string), "<svg") {
		t.Errorf("got %v", link)
	}
	for query, field := range map[string]string{
		"item=" + variant("draft"): "item[0]", "item=" + pink + "&item=none:1": "item[1]",
		"item=" + pink + ":0": "item[0]", "item=" + pink + ":x": "item[0]", "": "item",
		"item=" + pink + "&coupon=NONE": "coupon",
	} {
		problem := s.as("GET", "order-link?"+query, "", "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		if len(problem.Errors) != 1 || problem.Errors[0].Field != field {
			t.Errorf("%s: got %v, want %s", query, problem.Errors, field)
		}
	}
	var many strings.Builder
	for i := range catalogue.MaxCartLines + 1 {
		fmt.Fprintf(&many, "&item=%d", i)
	}
	problem := s.as("GET", "order-link?"+many.String()[1:], "", "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	if problem.Errors[0].Field != "item" {
		t.Errorf("got %v, want the error of item", problem.Errors)
	}
}

// A delivery that the goods make free has no amount; others name the sum from which they are free.
func TestSite_FreeDelivery(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.saveLanding(t, nil)
	s.set(t, "deliveryCharges", `[{"_id":"dhaka","name":"Inside Dhaka","charge":7000,"freeOver":100000},
		{"_id":"far","name":"Outside Dhaka","charge":13000,"freeOver":300000,"estimate":"3 days"}]`)
	const free, cheap, dear = `<span class="pick-end">Free</span>`, `<span class="pick-end">৳70</span>`, `<span class="pick-end">৳130</span>`
	b := s.browser()
	b.get(t, shopHost+"/cart/add?item="+s.saree.Variants[0].ID)
	b.get(t, shopHost+"/checkout").has(http.StatusOK, free, dear, "<small>3 days · free from ৳3,000</small>", ">1 piece · ৳2,450</a>")
	b = s.browser()
	b.get(t, shopHost+"/cart/add?item="+s.tea.Variants[0].ID)
	b.get(t, shopHost+"/checkout").has(http.StatusOK, cheap, dear)
	b.get(t, shopHost+"/checkout").lacks(free)
	b.get(t, shopHost+"/l/morning-tea").has(http.StatusOK, cheap, "free from ৳1,000")
}
