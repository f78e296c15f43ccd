package site

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/district"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/status"
)

// landing is a landing page while it is rendered.
type landing struct {
	page    *design.LandingPage
	product *catalogue.Product // nil if it was withdrawn
	form    *checkoutPage      // as the buyer sent it; nil at first
	sent    url.Values
}

// landingPage is a page that advertisements lead to.
func (s *Site) landingPage(ctx context.Context, r *request) (*Response, error) {
	if err := r.findLanding(ctx); err != nil {
		return nil, err
	}
	return s.showLanding(ctx, r)
}

// findLanding finds the landing page of the address and its product.
func (r *request) findLanding(ctx context.Context) error {
	_, preview := r.page.Preview()
	found, err := r.Shop.Designs.FindLandingPage(ctx, r.page.name, preview)
	if err != nil {
		return err
	}
	r.landing = &landing{page: found}
	product, err := r.catalogue().FindProductByHandle(ctx, found.Product)
	if err != nil && !fault.HasCode(err, fault.CodeNotFound) {
		return err
	}
	r.landing.product = product
	return nil
}

// showLanding renders the landing page, with the form as the buyer sent it.
func (s *Site) showLanding(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "landing")
	if err != nil {
		return nil, err
	}
	found := r.landing.page
	f.Title, f.Description = found.Title.In(f.Lang), found.Description.In(f.Lang)
	if product := r.landing.product; product != nil {
		if f.Description == "" {
			f.Description = plainText(product.DescriptionHTML, 160)
		}
		if len(product.Images) > 0 {
			f.setPreview(&product.Images[0])
		}
	}
	f.listed(nil)
	sections := found.Sections
	if len(sections) == 0 {
		sections = f.Design.Templates.Landing
	}
	p := sectionsPage{frame: f}
	if p.Sections, p.Untitled, err = s.buildSections(ctx, r, f, sections, false); err != nil {
		return nil, err
	}
	return s.respond("landing", p)
}

// orderForm is the section with the form of an order.
type orderForm struct {
	*checkoutPage
	Heading    string
	Action     string
	Quantities []radio
	Variants   []radio
	Shown      string // the amounts that the form shows
	Sold       bool
	Closed     bool // the shop accepts no cash on delivery
}

// Several reports that the buyer chooses among variants.
func (p *orderForm) Several() bool { return len(p.Variants) > 1 }

// Many reports that the variants are too many to show all of them.
func (p *orderForm) Many() bool { return len(p.Variants) > maxRadios }

// maxRadios is the maximum number of variants that are shown beside one another.
const maxRadios = 6

// Field returns the choices of a field.
func (p *orderForm) Field(name string, choices []radio) radios { return radios{name, choices} }

// factsSection is the beginning of a landing page: pictures, price and a way to the form.
type factsSection struct {
	section
	Lead       string
	Pictures   []*picture
	Price, Was string
	Badge      string
}

var _ = show("productFacts", func(b *sectionBuilder, s design.ProductFacts) (any, error) {
	landing := b.request.landing
	if landing == nil || landing.product == nil {
		return nil, nil
	}
	product, heading := landing.product, landing.page.Title.In(b.Lang)
	one := b.card(product, 0)
	p := factsSection{
		section: b.newTitle(heading), Lead: firstParagraph(product.DescriptionHTML), Price: one.Price, Was: one.Was, Badge: one.Badge,
	}
	for i := range product.Images[:min(len(product.Images), maxPictures)] {
		p.Pictures = append(p.Pictures, b.newPicture(&product.Images[i], 720, heading))
	}
	return p, nil
})

// firstParagraph returns the first paragraph of a sanitized text.
func firstParagraph(content string) string {
	first, _, _ := strings.Cut(content, "</p>")
	return plainText(first, 240)
}

// maxSingles is the number of quantities to choose from without a quantity price.
const maxSingles = 3

var _ = show("orderForm", func(b *sectionBuilder, s design.OrderForm) (any, error) {
	if landing := b.request.landing; landing != nil && landing.product != nil {
		return b.newOrderForm(s, landing), nil
	}
	return nil, nil
})

func (b *sectionBuilder) newOrderForm(s design.OrderForm, l *landing) *orderForm {
	p := &orderForm{
		checkoutPage: l.form, Heading: cmp.Or(s.Title.In(b.Lang), b.W.OrderHere), Action: b.path(b.page.rest),
		Sold: !l.product.Available, Closed: !slices.Contains(b.front.PaymentMethods, status.PayCOD),
	}
	if p.checkoutPage == nil {
		p.checkoutPage = &checkoutPage{frame: b.frame, codeStep: codeStep{PhoneHint: b.W.PhoneHint}}
	}
	b.addVariants(p, l.product, l.sent.Get("variant"))
	b.addQuantities(p, l.product, l.sent.Get("quantity"))
	p.Deliveries = nil
	p.addDeliveries(b.front.DeliveryCharges, l.sent.Get("delivery"))
	if len(p.Deliveries) == 1 { // of several none is chosen, so that nobody pays too much unnoticed
		p.Deliveries[0].Chosen = true
	}
	p.Shown = p.shownAmounts()
	return p
}

// addVariants lists the variants that can be bought.
func (b *sectionBuilder) addVariants(p *orderForm, product *catalogue.Product, chosen string) {
	for i := range product.Variants {
		v := &product.Variants[i]
		if !v.Available {
			continue
		}
		p.Variants = append(p.Variants, radio{Value: v.ID, Text: b.in(v.Title), Amount: b.Money(v.Price), Chosen: v.ID == chosen})
	}
	if len(p.Variants) > 0 && !slices.ContainsFunc(p.Variants, func(v radio) bool { return v.Chosen }) {
		p.Variants[0].Chosen = true
	}
}

// addQuantities lists quantities with their amounts, unless these depend on the variant.
func (b *sectionBuilder) addQuantities(p *orderForm, product *catalogue.Product, chosen string) {
	same := product.PriceRange.Min == product.PriceRange.Max
	for _, quantity := range quantitiesOf(product) {
		value := strconv.Itoa(quantity)
		one := radio{Value: value, Text: b.Digits(value) + b.pieces(quantity), Chosen: value == chosen}
		if same {
			units := []catalogue.Units{{Price: product.Price.Amount, Quantity: quantity}}
			one.Amount = b.Amount(product.Price.Amount*int64(quantity) - product.QuantityDiscount(units))
		}
		p.Quantities = append(p.Quantities, one)
	}
	if !slices.ContainsFunc(p.Quantities, func(q radio) bool { return q.Chosen }) {
		p.Quantities[0].Chosen = true
	}
}

// pieces returns the word after a number of units.
func (f *frame) pieces(quantity int) string {
	if quantity == 1 {
		return f.W.Piece
	}
	return f.W.Pieces
}

// quantitiesOf returns the quantities of a product to choose from.
func quantitiesOf(product *catalogue.Product) []int {
	all := []int{1}
	for _, price := range product.QuantityPrices {
		all = append(all, price.Quantity)
	}
	if len(all) == 1 {
		all = append(all, 2, maxSingles)
	}
	return all
}

// shownAmounts identifies the amounts that the form shows.
func (p *orderForm) shownAmounts() string {
	var text strings.Builder
	for _, choices := range [][]radio{p.Variants, p.Quantities, p.Deliveries} {
		for _, c := range choices {
			text.WriteString(c.Value + " " + c.Amount + "\n")
		}
	}
	sum := sha256.Sum256([]byte(text.String()))
	return base32.StdEncoding.EncodeToString(sum[:10])
}

// orderOnLanding places the order of a landing page's form, which needs neither scripts nor
// cookies.
func (s *Site) orderOnLanding(ctx context.Context, r *request) (*Response, error) {
	if err := r.findLanding(ctx); err != nil {
		return nil, err
	}
	in, form, err := r.readCheckout()
	if err != nil {
		return nil, err
	}
	if in.Payment = status.PayCOD; !isKey(form.Get("key")) {
		in.Key = r.derivedKey(form)
	}
	f, err := s.newFrame(ctx, r, "landing")
	if err != nil {
		return nil, err
	}
	r.landing.sent = form
	r.landing.form = &checkoutPage{frame: f, Form: in, codeStep: codeStep{PhoneHint: f.W.PhoneHint}}
	refuse := func(refused error, session []*http.Cookie) (*Response, error) {
		p := r.landing.form
		switch {
		case fault.HasCode(refused, fault.CodePriceChanged):
			p.Alert = p.W.FormChanged
		case errors.Is(refused, errNoDistrict):
			p.Alert, p.Wrong = p.W.Fix, wrong{"address": p.W.AddDistrict}
		case fault.HasCode(refused, fault.CodeOutOfStock), fault.HasCode(refused, fault.CodeQuantityLimit):
			p.Alert = p.W.ChooseFewer
		default:
			if err := s.explainRefusal(ctx, r, p, refused); err != nil {
				return nil, err
			}
		}
		if p.markMissing(); fault.HasCode(refused, fault.CodeIdempotencyKeyReused) {
			p.Form.Key = ""
		}
		response, err := s.showLanding(ctx, r)
		if err == nil {
			response.Status = http.StatusUnprocessableEntity
			response.Cookies = append(response.Cookies, session...)
		}
		return response, err
	}
	input, err := s.landingInput(ctx, r, in, form)
	if err != nil {
		return refuse(err, nil)
	}
	placed, session, err := r.submitOrder(ctx, in, *input, form)
	if err != nil {
		if session != nil {
			delete(form, "code")
			r.landing.form.Form.Code = ""
		}
		return refuse(err, session)
	}
	to := r.page.prefix() + "/orders/" + placed.InvoiceUID + "?" + url.Values{"k": {placed.OrderToken}, "placed": {"1"}}.Encode()
	return redirect(to, append(session, r.tokenCookie(placed.InvoiceUID, placed.OrderToken))...), nil
}

// landingInput returns the form as an order. Codes: price_changed if it shows other amounts than it
// would now, out_of_stock.
func (s *Site) landingInput(ctx context.Context, r *request, in checkoutForm, form url.Values) (*order.Input, error) {
	product := r.landing.product
	if product == nil {
		return nil, &fault.Error{Code: fault.CodeOutOfStock}
	}
	b := &sectionBuilder{frame: r.landing.form.frame, site: s, ctx: ctx, request: r}
	if form.Get("shown") != b.newOrderForm(design.OrderForm{}, r.landing).Shown {
		return nil, &fault.Error{Code: fault.CodePriceChanged}
	}
	quantity, _ := strconv.Atoi(form.Get("quantity"))
	variant := form.Get("variant")
	input := &order.Input{
		Items:           []order.ItemInput{{ProductID: product.ID, VariantID: &variant, Quantity: max(quantity, 1)}},
		Customer:        &order.CustomerInput{Name: &in.Name, PhoneNumber: &in.Phone},
		ShippingAddress: &account.Address{Line1: in.Address, City: cityOf(in.Address)}, PaymentMethod: &in.Payment,
		DeliveryChargeID: optional(in.Delivery),
	}
	if total, err := strconv.ParseInt(form.Get("total"), 10, 64); err == nil { // the script has shown it
		input.ExpectedTotal = &total
	}
	return input, s.chooseCity(ctx, r, input)
}

// landingTotal returns the total of a landing page's form, for the script.
func (s *Site) landingTotal(ctx context.Context, r *request) (*Response, error) {
	if err := r.findLanding(ctx); err != nil {
		return nil, err
	}
	in, form, err := r.readCheckout()
	if err != nil {
		return nil, err
	}
	f, err := s.newFrame(ctx, r, "landing")
	if err != nil {
		return nil, err
	}
	in.Payment = status.PayCOD
	r.landing.sent, r.landing.form = form, &checkoutPage{frame: f, Form: in}
	input, err := s.landingInput(ctx, r, in, form)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(input.ShippingAddress.Line1) == "" {
		input.ShippingAddress.Line1 = unknownLine
	}
	quote, _, err := s.price(ctx, r, order.Input{
		Items: input.Items, ShippingAddress: input.ShippingAddress, DeliveryChargeID: input.DeliveryChargeID, PaymentMethod: input.PaymentMethod,
	})
	if err != nil {
		return nil, err
	}
	body, err := s.execute(sectionKind, "landing-total", quoteTotal{f, quote})
	return &Response{Status: http.StatusOK, Media: htmlMedia, Body: body}, err
}

// quoteTotal is a total with its amount for the form. Quote is nil until a delivery charge is
// chosen.
type quoteTotal struct {
	*frame
	Quote *order.Quote
}

// cityOf returns the district that an address names last, "" if it names none.
func cityOf(address string) string {
	parts := district.Parts(address)
	for _, part := range slices.Backward(parts) {
		if name, ok := district.Find(part); ok {
			return name
		}
	}
	return ""
}

// errNoDistrict is the error of an address without its district.
var errNoDistrict = errors.New("the address has no district")

// chooseCity completes an address without a district by the delivery charge that the buyer
// chose: the only area of the charge, or its name. The error is errNoDistrict if it has several
// areas. A district that is named stays: the charge must be one for it.
func (s *Site) chooseCity(ctx context.Context, r *request, in *order.Input) error {
	if in.ShippingAddress.City != "" {
		return nil
	}
	front, err := r.Shop.StoreFront(ctx, string(r.page.language))
	if err != nil {
		return err
	}
	if in.DeliveryChargeID == nil {
		in.ShippingAddress.City = front.Country
		return nil
	}
	for _, charge := range front.DeliveryCharges {
		switch {
		case charge.ID != *in.DeliveryChargeID:
		case len(charge.Areas) > 1:
			return errNoDistrict
		default:
			in.ShippingAddress.City = slices.Concat(charge.Areas, []string{charge.Name})[0]
		}
	}
	return nil
}

// derivedKey returns the idempotency key of a form that has none of its own: the page is the same
// for all buyers, and without scripts it cannot have one. It follows from the device and the whole
// form, so that nobody else's form has it, and the same form leads to the same order.
func (r *request) derivedKey(form url.Values) string {
	secret, err := r.Shop.Designs.DeriveKey(r.Request.Context(), strings.Join([]string{
		r.Caller.Client, r.Caller.Agent, r.page.name, form.Encode(),
	}, "\x00"))
	if err != nil {
		return rand.Text()
	}
	return base32.StdEncoding.EncodeToString(secret)[:len(rand.Text())]
}
