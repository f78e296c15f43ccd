package site

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"storefront/shop/fault"
)

// parseLink returns the items of a link, without their prices. Each is a variant's ID, with a colon
// and the quantity unless it is 1. Anyone can write a link, so invalid parts are ignored.
func parseLink(items []string) (lines []cartLine) {
	for _, item := range items {
		id, text, _ := strings.Cut(item, ":")
		known := slices.ContainsFunc(lines, func(l cartLine) bool { return l.variant == id })
		if known || !isID(id) || len(lines) == maxLines {
			continue
		}
		quantity, err := strconv.Atoi(text)
		if err != nil || quantity < 1 {
			quantity = 1
		}
		lines = append(lines, cartLine{variant: id, quantity: min(quantity, maxUnits)})
	}
	return lines
}

// openCartLink puts the items of a link into the cart and leads to the checkout. The cart has these
// quantities then, so that a link can be opened twice. Variants that buyers do not see are left
// out. Codes: not_found (nothing is left).
func (s *Site) openCartLink(ctx context.Context, r *request) (*Response, error) {
	lines := parseLink(r.Query["item"])
	if len(lines) == 0 {
		return nil, errNothingSold()
	}
	ids := make([]string, len(lines))
	for i, line := range lines {
		ids[i] = line.variant
	}
	products, err := r.catalogue().FindByVariants(ctx, ids)
	if err != nil {
		return nil, err
	}
	lines = slices.DeleteFunc(lines, func(l cartLine) bool {
		_, variant := findVariant(products, l.variant)
		return variant == nil
	})
	if len(lines) == 0 {
		return nil, errNothingSold()
	}
	for i := range lines {
		_, variant := findVariant(products, lines[i].variant)
		lines[i].price = variant.Price.Amount
	}
	for _, line := range r.cartLines() {
		known := slices.ContainsFunc(lines, func(l cartLine) bool { return l.variant == line.variant })
		if !known && len(lines) < maxLines {
			lines = append(lines, line)
		}
	}
	query := url.Values{"added": {"1"}}
	if coupon := r.Query.Get("coupon"); coupon != "" {
		query.Set("coupon", coupon)
	}
	return redirect(r.page.prefix()+"/checkout?"+query.Encode(), r.cartCookie(lines)), nil
}

func errNothingSold() error {
	return fault.Errorf(fault.CodeNotFound, "No product of this link is sold any more.")
}
