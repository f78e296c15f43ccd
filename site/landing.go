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
	page     *design.LandingPage
	products []*catalogue.Product // without those that were withdrawn
	form     *checkoutPage        // as the buyer sent it; nil at first
	sent     url.Values
}

// isSet reports that the page sells several products in one order.
func (l *landing) isSet() bool { return len(l.page.Products) > 1 }

// productIDs returns the IDs of the products.
func (l *landing) productIDs() []string {
	ids := make([]string, len(l.products))
	for i, product := range l.products {
		ids[i] = product.ID
	}
	return ids
}

// landingPage is a page that advertisements lead to.
func (s *Site) landingPage(ctx context.Context, r *request) (*Response, error) {
	if err := r.findLanding(ctx); err != nil {
		return nil, err
	}
	return s.showLanding(ctx, r)
}

// findLanding finds the landing page of the address and its products.
func (r *request) findLanding(ctx context.Context) error {
	_, preview := r.page.Preview()
	found, err := r.Shop.Designs.FindLandingPage(ctx, r.page.name, preview)
	if err != nil {
		return err
	}
	r.landing = &landing{page: found}
	for _, id := range found.Products {
		product, err := r.catalogue().FindProduct(ctx, id)
		switch {
		case err == nil:
			r.landing.products = append(r.landing.products, product)
		case !fault.HasCode(err, fault.CodeNotFound):
			return err
		}
	}
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
	if products := r.landing.products; len(products) > 0 {
		if f.Description == "" {
			f.Description = plainText(products[0].DescriptionHTML, 160)
		}
		if images := products[0].Images; len(images) > 0 {
			f.setPreview(&images[0])
		}
	}
	if r.landing.form == nil {
		f.reportLanding(r.landing.products)
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

// reportLanding makes the page report the products that it sells.
func (f *frame) reportLanding(products []*catalogue.Product) {
	if len(products) == 0 {
		return
	}
	var ids []string
	for _, p := range products {
		ids = append(ids, p.Variants[0].ID)
	}
	f.report(newBrowserEvent("ViewContent", products[0].Price, f.Currency, ids...))
}

// orderForm is the section with the form of an order.
type orderForm struct {
	*checkoutPage
	Heading string
	Action  string
	IsSet   bool       // of several products
	Lines   []formLine // none if everything is sold out
	Shown   string     // the amounts that the form shows
	Closed  bool       // the shop accepts no cash on delivery
	MayAsk  bool       // whether an advance may be required
	Bump    *bump      // nil means none
}

// formLine is a product that the form orders.
type formLine struct {
	card
	Variants, Quantities []radio
	product              *catalogue.Product
}

// Several reports that the buyer chooses among variants.
func (l formLine) Several() bool { return len(l.Variants) > 1 }

// Many reports that the variants are too many to show all of them.
func (l formLine) Many() bool { return len(l.Variants) > maxRadios }

// maxRadios is the maximum number of variants that are shown beside one another.
const maxRadios = 6

// Field returns the choices of a field.
func (l formLine) Field(name string, choices []radio) radios { return radios{name, choices} }

// factsSection is the beginning of a landing page: pictures, price and a way to the form.
type factsSection struct {
	section
	Lead       string
	Pictures   []*picture
	Price, Was string // of one product
	Badge      string
	Discounts  []string // titles of automatic ones
}

var _ = show("productFacts", func(b *sectionBuilder, s design.ProductFacts) (any, error) {
	landing := b.request.landing
	if landing == nil || len(landing.products) == 0 {
		return nil, nil
	}
	heading := landing.page.Title.In(b.Lang)
	p := factsSection{section: b.newTitle(heading)}
	discounts, err := b.request.Shop.Orders.ListProductDiscounts(b.ctx, b.Lang, landing.productIDs()...)
	if err != nil {
		return nil, err
	}
	for _, title := range discounts {
		p.Discounts = append(p.Discounts, b.in(title))
	}
	add := func(images []catalogue.Image, title string) {
		for i := range images {
			p.Pictures = append(p.Pictures, b.newPicture(&images[i], 720, title))
		}
	}
	if landing.isSet() {
		for _, product := range landing.products {
			add(product.Images[:min(len(product.Images), 1)], b.in(product.Title))
		}
		return p, nil
	}
	product := landing.products[0]
	one := b.card(product, 0)
	p.Lead, p.Price, p.Was, p.Badge = firstParagraph(product.DescriptionHTML), one.Price, one.Was, one.Badge
	add(product.Images[:min(len(product.Images), maxPictures)], heading)
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
	if landing := b.request.landing; landing != nil && len(landing.products) > 0 {
		return b.newOrderForm(s, landing)
	}
	return nil, nil
})

func (b *sectionBuilder) newOrderForm(s design.OrderForm, l *landing) (*orderForm, error) {
	p := &orderForm{
		checkoutPage: l.form, Heading: cmp.Or(s.Title.In(b.Lang), b.W.OrderHere), Action: b.path(b.page.rest),
		IsSet: l.isSet(), Closed: !slices.Contains(b.front.PaymentMethods, status.PayCOD),
	}
	if p.checkoutPage == nil {
		p.checkoutPage = &checkoutPage{frame: b.frame, codeStep: codeStep{PhoneHint: b.W.PhoneHint}}
	}
	for _, product := range l.products {
		if product.Available {
			p.Lines = append(p.Lines, b.newFormLine(product, len(p.Lines), l))
		}
	}
	if set, err := b.request.Shop.Settings(b.ctx); err == nil {
		p.MayAsk = len(set.Advance.Rules) > 0
	}
	p.Deliveries = nil
	if !l.isSet() && len(p.Lines) > 0 {
		p.goods = l.products[0].PriceRange.Min.Amount // at least
	}
	p.addDeliveries(b.front.DeliveryCharges, l.sent.Get("delivery"))
	if len(p.Deliveries) == 1 { // of several none is chosen, so that nobody pays too much unnoticed
		p.Deliveries[0].Chosen = true
	}
	var err error
	if p.Bump, err = b.newBump(s.Bump, p.Lines, l); err != nil {
		return nil, err
	}
	p.Shown = p.shownAmounts()
	return p, nil
}

// newFormLine returns the line at an index of a form with the variants that can be bought, and
// quantities. These have amounts, unless they depend on the variant.
func (b *sectionBuilder) newFormLine(product *catalogue.Product, at int, l *landing) formLine {
	line := formLine{card: b.card(product, at), product: product}
	for i := range product.Variants {
		if v := &product.Variants[i]; v.Available {
			line.Variants = append(line.Variants, radio{Value: v.ID, Text: b.in(v.Title), Amount: b.Money(v.Price)})
		}
	}
	same := product.PriceRange.Min == product.PriceRange.Max
	if l.isSet() {
		line.Quantities = append(line.Quantities, radio{Value: "0", Text: b.W.NotThis})
	}
	for _, quantity := range quantitiesOf(product) {
		value := strconv.Itoa(quantity)
		one := radio{Value: value, Text: b.Digits(value) + b.pieces(quantity)}
		if same {
			units := []catalogue.Units{{Price: product.Price.Amount, Quantity: quantity}}
			one.Amount = b.Amount(product.Price.Amount*int64(quantity) - product.QuantityDiscount(units))
		}
		line.Quantities = append(line.Quantities, one)
	}
	first := 0
	if l.isSet() && at == 0 {
		first = 1 // one of the first product, none of the others
	}
	sent := at
	if l.isSet() && l.sent != nil { // a product before it may be sold out since
		sent = slices.IndexFunc(l.sent["variant"], func(id string) bool {
			return slices.ContainsFunc(product.Variants, func(v catalogue.Variant) bool { return v.ID == id })
		})
		first = 0
	}
	choose(line.Variants, valueAt(l.sent["variant"], sent), 0)
	choose(line.Quantities, valueAt(l.sent["quantity"], sent), first)
	return line
}

// choose marks the choice with a value, or the one at an index.
func choose(choices []radio, value string, otherwise int) {
	at := slices.IndexFunc(choices, func(c radio) bool { return c.Value == value })
	if at < 0 {
		at = otherwise
	}
	choices[at].Chosen = true
}

// valueAt returns the value at an index of a field's values, "" if there is none.
func valueAt(values []string, at int) string {
	if at < 0 || at >= len(values) {
		return ""
	}
	return values[at]
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
	add := func(choices []radio) {
		for _, c := range choices {
			text.WriteString(c.Value + " " + c.Amount + "\n")
		}
	}
	for _, line := range p.Lines {
		add(line.Variants)
		add(line.Quantities)
	}
	add(p.Deliveries)
	if p.Bump != nil {
		text.WriteString(p.Bump.Variant + " " + p.Bump.Now + "\n")
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
			p.explainPrice(refused)
		case errors.Is(refused, errNoDistrict):
			p.Alert, p.Wrong = p.W.Fix, wrong{"address": p.W.AddDistrict}
		case errors.Is(refused, errNothingChosen):
			p.Alert, p.Wrong = p.W.Fix, wrong{"quantity": p.W.ChooseOne}
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
	b := &sectionBuilder{frame: r.landing.form.frame, site: s, ctx: ctx, request: r}
	shown, err := b.newOrderForm(r.landing.form.findOrderForm(r.landing.page.Sections), r.landing)
	if err != nil {
		return nil, err
	}
	if len(shown.Lines) == 0 {
		return nil, &fault.Error{Code: fault.CodeOutOfStock}
	}
	if form.Get("shown") != shown.Shown {
		return nil, &fault.Error{Code: fault.CodePriceChanged}
	}
	var items []order.ItemInput
	for i, line := range shown.Lines {
		quantity, err := strconv.Atoi(valueAt(form["quantity"], i))
		if err != nil && !shown.IsSet {
			quantity = 1
		}
		if variant := valueAt(form["variant"], i); quantity > 0 {
			items = append(items, order.ItemInput{ProductID: line.product.ID, VariantID: &variant, Quantity: quantity})
		}
	}
	if len(items) == 0 {
		return nil, errNothingChosen
	}
	if shown.Bump != nil && form.Get("bump") == shown.Bump.Variant {
		items = append(items, shown.Bump.item())
	}
	input := &order.Input{
		Items: items, Customer: &order.CustomerInput{Name: &in.Name, PhoneNumber: &in.Phone},
		ShippingAddress: &account.Address{Line1: in.Address, City: cityOf(in.Address)}, PaymentMethod: &in.Payment,
		DeliveryChargeID: optional(in.Delivery),
	}
	if total, err := strconv.ParseInt(form.Get("total"), 10, 64); err == nil { // the script has shown it
		input.ExpectedTotal = &total
	}
	advance, _ := strconv.ParseInt(form.Get("advance"), 10, 64) // 0 for one that was not shown
	input.ExpectedAdvance = new(max(0, advance))
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
	shown := quoteTotal{frame: f, Quote: quote}
	if quote != nil {
		p := r.landing.form
		p.setAdvance(quote.Advance, quote.Total.Amount)
		shown.Advance = p.Advance
	}
	body, err := s.execute(sectionKind, "landing-total", shown)
	return &Response{Status: http.StatusOK, Media: htmlMedia, Body: body}, err
}

// quoteTotal is a total with its amount for the form. Quote is nil until a delivery charge is
// chosen.
type quoteTotal struct {
	*frame
	Quote   *order.Quote
	Advance *advanceNote
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

// errNothingChosen is the error of a form without any unit.
var errNothingChosen = &fault.Error{Code: fault.CodeValidationFailed, Message: "No product is chosen."}

// errNoDistrict is the error of an address without its district.
var errNoDistrict = &fault.Error{Code: fault.CodeValidationFailed, Message: "The address has no district."}

// chooseCity completes an address without a district by the delivery charge that the buyer
// chose: the only area of the charge, or its name. The error is errNoDistrict if it has several
// areas. A district that is named stays: the charge must be one for it.
func (s *Site) chooseCity(ctx context.Context, r *request, in *order.Input) error {
	if in.ShippingAddress.City != "" {
		return nil
	}
	front, err := r.Shop.StoreFront(ctx, "") // the city is the same in both languages
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
