package admin

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"storefront/server/admin/barcode"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/locale"
)

// OrderLink is a link by which a buyer orders.
type OrderLink struct {
	URL   string `json:"url" doc:"Fills the cart and opens the checkout"`
	Text  string `json:"text" doc:"A message with the items, their prices and the link"`
	QRSVG string `json:"qrSvg" doc:"The link as a QR code, an SVG image"`
}

// orderLinkOperations returns the operations on links for orders.
func orderLinkOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "getOrderLink", Path: "order-link", Tag: tagProducts, Use: access.ToDescribeLink,
			Summary: "A link by which a buyer orders",
			Description: "For a chat, a post or a poster: it fills the cart and opens the checkout, also for a buyer without an account. " +
				"A link of a coupon needs the permission to see coupons.",
			Codes: []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			Items  []string `query:"item,explode" required:"true" doc:"ID of a variant, with a colon and the quantity; up to 50" example:"<variant>:2"`
			Coupon string   `query:"coupon" doc:"Code of a coupon to fill in"`
		}) (*OrderLink, error) {
			return in.orderLink(ctx, in.Items, in.Coupon)
		}),
	}
}

func (r *request) orderLink(ctx context.Context, refs []string, coupon string) (*OrderLink, error) {
	items := make([]catalogue.LinkItem, len(refs))
	query := url.Values{}
	for i, ref := range refs {
		id, text, ok := strings.Cut(ref, ":")
		items[i] = catalogue.LinkItem{VariantID: id, Quantity: 1}
		if ok {
			items[i].Quantity, _ = strconv.Atoi(text) // 0 is refused
		}
		query.Add("item", ref)
	}
	linked, err := r.shop().Catalogue.DescribeLink(ctx, r.caller(), items)
	if err != nil {
		return nil, err
	}
	if coupon != "" {
		found, err := r.shop().Orders.FindCoupon(ctx, r.caller(), coupon)
		if err == nil && found.Code == "" || fault.HasCode(err, fault.CodeNotFound) {
			var bad fault.Invalid
			bad.Add("coupon", fault.CodeInvalidValue, "There is no such coupon.")
			err = bad.Err()
		}
		if err != nil {
			return nil, err
		}
		query.Set("coupon", found.Code)
	}
	origin, err := r.x.SiteOrigin(ctx)
	if err != nil {
		return nil, err
	}
	own, err := r.shop().Site(ctx)
	if err != nil {
		return nil, err
	}
	link := &OrderLink{URL: origin + "/cart/add?" + query.Encode()}
	link.Text = linkText(linked, own.Languages[0]) + link.URL
	link.QRSVG, err = barcode.QR(link.URL)
	return link, err
}

// linkText returns a line for each item.
func linkText(items []catalogue.LinkedItem, language locale.Language) string {
	var text strings.Builder
	for _, item := range items {
		text.WriteString(locale.NameIn(language, item.Title))
		if item.Variant != "" {
			fmt.Fprintf(&text, " (%s)", locale.NameIn(language, item.Variant))
		}
		if item.Quantity > 1 {
			text.WriteString(" × " + language.Digits(strconv.Itoa(item.Quantity)))
		}
		text.WriteString(": " + language.Digits(item.Total.Text()) + "\n")
	}
	return text.String()
}
