package site

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"storefront/shop/catalogue"
	"storefront/shop/order"
)

const (
	cartCookie = "cart"
	cartTime   = 30 * 24 * 60 * 60 // of the cookie, in seconds
	maxLines   = catalogue.MaxCartLines
	// maxForm is the maximum size of a form, in bytes.
	maxForm = 64 << 10
)

// cartLine is a line of the cart, as the cookie stores it.
type cartLine struct {
	variant  string
	quantity int
	price    int64 // in minor units, as last shown to the buyer
}

// The cookie has a line for each variant, with a dot between lines and a tilde between the parts of
// a line, which no ID contains.
const (
	lineSeparator = "."
	partSeparator = "~"
)

// parseCart returns the lines of a cookie. Anyone can write it, so invalid parts are ignored.
func parseCart(value string) (lines []cartLine) {
	for part := range strings.SplitSeq(value, lineSeparator) {
		parts := strings.Split(part, partSeparator)
		if len(parts) != 3 || !isID(parts[0]) {
			continue
		}
		quantity, err := strconv.Atoi(parts[1])
		if err != nil || quantity < 1 || quantity > maxUnits {
			continue
		}
		price, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil || price < 0 {
			continue
		}
		if slices.ContainsFunc(lines, func(l cartLine) bool { return l.variant == parts[0] }) {
			continue
		}
		lines = append(lines, cartLine{parts[0], quantity, price})
		if len(lines) == maxLines {
			break
		}
	}
	return lines
}

func isID(text string) bool {
	return text != "" && len(text) <= 64 &&
		strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

func formatCart(lines []cartLine) string {
	var parts []string
	for _, l := range lines {
		parts = append(parts, l.variant+partSeparator+strconv.Itoa(l.quantity)+partSeparator+strconv.FormatInt(l.price, 10))
	}
	return strings.Join(parts, lineSeparator)
}

func (r *request) cartLines() []cartLine {
	cookie, err := r.Request.Cookie(cartCookie)
	if err != nil {
		return nil
	}
	return parseCart(cookie.Value)
}

// cartCookie returns the cookie of a cart. Scripts read it to show the number of items.
func (r *request) cartCookie(lines []cartLine) *http.Cookie {
	c := &http.Cookie{
		Name: cartCookie, Value: formatCart(lines), Path: "/", MaxAge: cartTime,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(r.Origin, "https:"),
	}
	if len(lines) == 0 {
		c.MaxAge = -1
	}
	return c
}

// shownLine is a line of the cart on a page.
type shownLine struct {
	Variant, Title, Choice, Path string
	Picture                      *picture
	Letters                      string
	Quantity, Max                int
	Price, Total                 string // of a unit, and of the line
	QuantityPrices               []string
	Notice                       string
	Blocked                      bool // not ordered

	item order.ItemInput
	// by quantity prices, of all lines with the product; in one of them
	discount int64
}

// cartPage is the data of the page of the cart.
type cartPage struct {
	*frame
	Lines     []shownLine
	Notices   []string
	Alert     string
	Saved     string // by quantity prices; "" means nothing
	Subtotal  string // after it and the automatic discounts
	Discounts []sumLine
	CanOrder  bool
}

// loadCart returns the lines of the cart with the present products, the changes since the buyer
// last saw them, and the cart to store.
func (s *Site) loadCart(ctx context.Context, r *request, f *frame) (shown []shownLine, notices []string, stored []cartLine, err error) {
	lines := r.cartLines()
	if len(lines) == 0 {
		return nil, nil, nil, nil
	}
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i] = l.variant
	}
	products, err := r.catalogue().FindByVariants(ctx, ids)
	if err != nil {
		return nil, nil, nil, err
	}
	withdrawn := 0
	for _, l := range lines {
		product, variant := findVariant(products, l.variant)
		if variant == nil {
			withdrawn++
			continue
		}
		line := f.shownLine(product, variant, &l)
		if l.price != variant.Price.Amount {
			notices = append(notices, line.Title+" "+f.W.PriceChanged+" "+line.Price)
			l.price = variant.Price.Amount
		}
		shown, stored = append(shown, line), append(stored, l)
	}
	addQuantityDiscounts(products, shown)
	if withdrawn > 0 {
		notices = append(notices, f.count(withdrawn, f.W.Product)+" "+f.W.Withdrawn)
	}
	return shown, notices, stored, nil
}

// addQuantityDiscounts adds the discounts of the lines by quantity prices. A quote has them only if
// the delivery is known.
func addQuantityDiscounts(products []catalogue.Product, lines []shownLine) {
	for i := range products {
		p := &products[i]
		var units []catalogue.Units
		var last *shownLine
		for n := range lines {
			line := &lines[n]
			if line.item.ProductID == p.ID && !line.Blocked {
				_, variant := findVariant(products[i:i+1], *line.item.VariantID)
				units, last = append(units, catalogue.Units{Price: variant.Price.Amount, Quantity: line.Quantity}), line
			}
		}
		if last != nil {
			last.discount = p.QuantityDiscount(units)
		}
	}
}

func findVariant(products []catalogue.Product, id string) (*catalogue.Product, *catalogue.Variant) {
	for i := range products {
		for j := range products[i].Variants {
			if products[i].Variants[j].ID == id {
				return &products[i], &products[i].Variants[j]
			}
		}
	}
	return nil, nil
}

func (f *frame) shownLine(p *catalogue.Product, v *catalogue.Variant, l *cartLine) shownLine {
	title := f.in(p.Title)
	line := shownLine{
		Variant: v.ID, Title: title, Path: f.path("/products/"+p.Handle) + "?variant=" + url.QueryEscape(v.ID), Letters: firstLetters(title, 2),
		Quantity: l.quantity, Max: maxUnits, Price: f.Money(v.Price),
	}
	for _, price := range p.QuantityPrices {
		line.QuantityPrices = append(line.QuantityPrices, f.quantityPrice(price))
	}
	if len(v.OptionValues) > 0 {
		line.Choice = f.in(v.Title)
	}
	image := v.Image
	if image == nil && len(p.Images) > 0 {
		image = &p.Images[0]
	}
	line.Picture = f.newPicture(image, 160, title)
	if v.Available {
		line.Max = v.Orderable(maxUnits)
	}
	switch {
	case !v.Available:
		line.Notice, line.Blocked = f.W.SoldOut, true
	case line.Max < l.quantity:
		line.Notice = f.W.OnlyLeft + " " + f.Digits(strconv.Itoa(line.Max))
		line.Quantity, l.quantity = line.Max, line.Max
	}
	line.Total = f.Amount(v.Price.Amount * int64(line.Quantity))
	id := v.ID
	line.item = order.ItemInput{ProductID: p.ID, VariantID: &id, Quantity: line.Quantity}
	return line
}

// Ref returns the item of a line as a form has it; see [parseItems].
func (l shownLine) Ref() string {
	return strings.Join([]string{l.item.ProductID, *l.item.VariantID, strconv.Itoa(l.item.Quantity)}, partSeparator)
}

// parseItems returns the items of a form, as [shownLine.Ref] has written them. The domain refuses
// invalid ones.
func parseItems(refs []string) (items []order.ItemInput) {
	for _, ref := range refs[:min(len(refs), maxLines)] {
		product, rest, _ := strings.Cut(ref, partSeparator)
		variant, quantity, _ := strings.Cut(rest, partSeparator)
		units, _ := strconv.Atoi(quantity)
		items = append(items, order.ItemInput{ProductID: product, VariantID: &variant, Quantity: units})
	}
	return items
}

// items returns the lines that can be ordered.
func items(lines []shownLine) (items []order.ItemInput) {
	for _, l := range lines {
		if !l.Blocked {
			items = append(items, l.item)
		}
	}
	return items
}

// cart is the page of the cart.
func (s *Site) cart(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "cart")
	if err != nil {
		return nil, err
	}
	f.Title = f.W.Cart
	p := cartPage{frame: f}
	var stored []cartLine
	if p.Lines, p.Notices, stored, err = s.loadCart(ctx, r, f); err != nil {
		return nil, err
	}
	if r.Query.Has("added") && len(r.cartLines()) == 0 {
		p.Alert = f.W.CookiesNeeded
	}
	ordered := items(p.Lines)
	p.CanOrder = len(ordered) > 0
	if p.CanOrder {
		quote, options, err := s.price(ctx, r, order.Input{Items: ordered})
		switch {
		case err != nil:
			if _, p.Alert, p.CanOrder = f.explain(err); !p.CanOrder {
				return nil, err
			}
			p.CanOrder = false
		case quote != nil:
			p.setSums(quote.Subtotal.Amount-quote.Discount.Amount, quote.QuantityDiscount.Amount)
			p.addDiscounts(quote.Discounts)
		case options != nil: // the delivery is chosen at the next step
			prices, err := r.Shop.Orders.PriceItems(ctx, r.Caller, ordered)
			if err != nil {
				return nil, err
			}
			p.setSums(prices.Total, prices.Quantity)
			p.addDiscounts(prices.Discounts)
		}
	}
	response, err := s.respond("cart", p)
	if err != nil {
		return nil, err
	}
	if formatCart(stored) != formatCart(r.cartLines()) {
		response.Cookies = append(response.Cookies, r.cartCookie(stored))
	}
	return response, nil
}

// addDiscounts adds the automatic discounts. The delivery charge is not in the cart, but the
// discount on it is a reason to order.
func (p *cartPage) addDiscounts(discounts []order.AppliedDiscount) {
	for _, d := range discounts {
		amount := "−" + p.Money(d.Amount)
		if d.Kind == order.CouponFreeDelivery {
			amount = p.W.DeliveryFree
		}
		p.Discounts = append(p.Discounts, sumLine{p.in(d.Title), amount})
	}
}

// setSums sets the sum of the cart after the discount by quantity prices.
func (p *cartPage) setSums(sum, discount int64) {
	p.Subtotal = p.Amount(sum)
	if discount > 0 {
		p.Saved = p.Amount(discount)
	}
}

// changeCart adds a product to the cart, or changes its lines, by a form.
func (s *Site) changeCart(ctx context.Context, r *request) (*Response, error) {
	form, err := r.form()
	if err != nil {
		return nil, err
	}
	lines := r.cartLines()
	next := r.page.prefix() + "/cart"
	if form.Get("product") != "" {
		if lines, err = r.addToCart(ctx, lines, form); err != nil {
			return nil, err
		}
		if form.Get("then") == "checkout" {
			next = r.page.prefix() + "/checkout"
		}
		next += "?added=1"
	}
	for i := range lines {
		if quantity, err := strconv.Atoi(asciiDigits(form.Get("q-" + lines[i].variant))); err == nil {
			lines[i].quantity = min(max(quantity, 0), maxUnits)
		}
	}
	lines = slices.DeleteFunc(lines, func(l cartLine) bool { return l.quantity == 0 || l.variant == form.Get("remove") })
	return redirect(next, r.cartCookie(lines)), nil
}

// addToCart adds the variant with the chosen options of a product. Codes: not_found.
func (r *request) addToCart(ctx context.Context, lines []cartLine, form url.Values) ([]cartLine, error) {
	product, err := r.catalogue().FindProductByHandle(ctx, form.Get("product"))
	if err != nil {
		return nil, err
	}
	chosen := chosenVariant(product, form)
	if chosen == nil { // the form was loaded before its options were translated
		own, err := r.Shop.Catalogue.FindProduct(ctx, product.ID)
		if err != nil {
			return nil, err
		}
		if chosen = chosenVariant(own, form); chosen == nil {
			chosen = &product.Variants[0]
		}
	}
	quantity, err := strconv.Atoi(asciiDigits(form.Get("quantity")))
	if err != nil || quantity < 1 {
		quantity = 1
	}
	for i := range lines {
		if l := &lines[i]; l.variant == chosen.ID {
			l.quantity, l.price = min(l.quantity+quantity, maxUnits), chosen.Price.Amount
			return lines, nil
		}
	}
	if len(lines) == maxLines {
		return lines, nil
	}
	return append(lines, cartLine{chosen.ID, min(quantity, maxUnits), chosen.Price.Amount}), nil
}

// chosenVariant returns the variant that a form has chosen, nil if there is none.
func chosenVariant(p *catalogue.Product, form url.Values) *catalogue.Variant {
	at := slices.IndexFunc(p.Variants, func(v catalogue.Variant) bool { return isChosen(&v, form) })
	if at < 0 {
		return nil
	}
	return &p.Variants[at]
}

// isChosen reports whether a form has the option values of a variant.
func isChosen(v *catalogue.Variant, form url.Values) bool {
	for i, value := range v.OptionValues {
		if form.Get("option"+strconv.Itoa(i+1)) != value.Value {
			return false
		}
	}
	return true
}
