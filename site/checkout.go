package site

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"storefront/shop/account"
	"storefront/shop/district"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/status"
	"storefront/site/orderpage"
)

// checkoutPage is the data of the checkout.
type checkoutPage struct {
	*frame
	Lines     []shownLine
	Notices   []string
	Form      checkoutForm
	Wrong     wrong
	Alert     string
	Districts []district.District
	SignedIn  bool
	codeStep
	checkoutSums
	goods  int64 // price of the items after discounts; 0 if it is unknown
	quoted int64 // the total; 0 if there is none yet
}

// checkoutForm is the form as the buyer sent it.
type checkoutForm struct {
	Phone, Name, Address, City, Coupon, Note string
	Delivery                                 string // ID of a delivery charge
	Payment                                  status.PaymentMethod
	Key                                      string // idempotency key
	Code                                     string // sent to the phone
	Save                                     bool   // in the account
	Agreed                                   bool   // to the notice about incomplete orders
	sent                                     bool   // by the buyer, rather than filled in at first
	workProofs
}

// checkoutSums is the part of the checkout that depends on the price.
type checkoutSums struct {
	Deliveries     []radio
	Methods        []radio
	Sums           []sumLine
	Total          string // "" until a delivery charge is chosen
	TotalName      string
	Expected       string // the total in minor units, which the order must have
	CouponWrong    string
	CashOnDelivery bool
	Advance        *advanceNote
}

// advanceNote is the advance that the shop requires, before the button.
type advanceNote struct {
	Text, Why, Rest string
	Amount          int64
}

// setAdvance adds the advance of the order; nil means none.
func (p *checkoutPage) setAdvance(asked *order.AdvanceTerms, total int64) {
	if p.Advance = nil; asked == nil {
		return
	}
	text, why := orderpage.AdvanceText(p.Lang, p.Money(asked.Amount), asked.Reason)
	p.Advance = &advanceNote{Text: text, Why: why, Amount: asked.Amount.Amount}
	if total > asked.Amount.Amount {
		p.Advance.Rest = p.W.ToPayOnDelivery + ": " + p.Amount(total-asked.Amount.Amount)
	}
}

// explainAdvance shows the advance of an order that was refused because its form has shown none, or
// a smaller one. ok is false if the order was refused otherwise.
func (p *checkoutPage) explainAdvance(refused error) (ok bool) {
	found, _ := errors.AsType[*fault.Error](refused)
	if found == nil {
		return false
	}
	asked, ok := found.Details["advance"].(*order.AdvanceTerms)
	if ok {
		p.setAdvance(asked, p.quoted)
		p.Notices = append(p.Notices, p.Advance.Text+". "+p.Advance.Why)
	}
	return ok
}

// explainPrice explains the refusal of a landing page's order with another price.
func (p *checkoutPage) explainPrice(refused error) {
	if !p.explainAdvance(refused) {
		p.Alert = p.W.FormChanged
	}
}

// radio is one of several choices.
type radio struct {
	Value, Text, Hint, Amount string
	Chosen                    bool
}

// radios are the choices of a field.
type radios struct {
	Name   string
	Radios []radio
}

// Choices returns the choices of a field, delivery or payment.
func (p *checkoutPage) Choices(name string) radios {
	if name == "payment" {
		return radios{name, p.Methods}
	}
	return radios{name, p.Deliveries}
}

type sumLine struct{ Name, Amount string }

// checkout is the page where a buyer enters the address and orders.
func (s *Site) checkout(ctx context.Context, r *request) (*Response, error) {
	in := checkoutForm{Key: rand.Text(), Coupon: strings.TrimSpace(r.Query.Get("coupon"))}
	customer, err := r.customer(ctx)
	if err != nil {
		return nil, err
	}
	if customer != nil {
		in.Name, in.Phone = customer.Name, localNumber(text(customer.PhoneNumber))
		if in.Save = len(customer.Addresses) == 0; !in.Save {
			in.Address, in.City = customer.Addresses[0].Line1, customer.Addresses[0].City
		}
	}
	return s.showCheckout(ctx, r, in, nil)
}

// localNumber returns a phone number as people in Bangladesh write it, and others in E.164.
func localNumber(number string) string {
	if rest, ok := strings.CutPrefix(strings.Join(strings.Fields(number), ""), "+880"); ok {
		return "0" + rest
	}
	return number
}

// readCheckout returns the form as the buyer sent it.
func (r *request) readCheckout() (checkoutForm, url.Values, error) {
	form, err := r.form()
	if err != nil {
		return checkoutForm{}, nil, err
	}
	in := checkoutForm{
		Phone: form.Get("phone"), Name: form.Get("name"), Address: form.Get("address"), City: form.Get("city"),
		Coupon: strings.TrimSpace(form.Get("coupon")), Note: form.Get("note"), Delivery: form.Get("delivery"),
		Payment: status.PaymentMethod(form.Get("payment")), Key: form.Get("key"), Code: form.Get("code"),
		Save: form.Has("remember"), Agreed: form.Has("agreed"), sent: true, workProofs: readWorkProofs(form),
	}
	if !isKey(in.Key) {
		in.Key = rand.Text()
	}
	return in, form, nil
}

// isKey reports whether an idempotency key has the form of the checkout's own keys, which nobody
// guesses.
func isKey(key string) bool {
	return len(key) == len(rand.Text()) && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// showCheckout renders the checkout with the form as the buyer sent it, and the error of the order.
func (s *Site) showCheckout(ctx context.Context, r *request, in checkoutForm, refused error) (*Response, error) {
	p, stored, err := s.newCheckout(ctx, r, in)
	if err != nil {
		return nil, err
	}
	if len(items(p.Lines)) == 0 {
		to := url.URL{Path: r.page.prefix() + "/cart", RawQuery: r.Query.Encode()}
		return redirect(to.String(), r.cartCookie(stored)), nil
	}
	code := http.StatusOK
	if refused == nil {
		p.reportCheckout()
	}
	if refused != nil {
		if err := s.explainRefusal(ctx, r, p, refused); err != nil {
			return nil, err
		}
		p.markMissing()
		if code = http.StatusUnprocessableEntity; fault.HasCode(refused, fault.CodeIdempotencyKeyReused) {
			p.Form.Key = rand.Text()
		}
	}
	response, err := s.respond("checkout", p)
	if err != nil {
		return nil, err
	}
	response.Status = code
	response.Cookies = append(response.Cookies, r.cartCookie(stored))
	return response, nil
}

// reportCheckout makes the page report that the buyer begins to order.
func (p *checkoutPage) reportCheckout() {
	var ids []string
	for _, item := range items(p.Lines) {
		ids = append(ids, *item.VariantID)
	}
	p.report(newBrowserEvent("InitiateCheckout", p.Currency.Money(p.goods), p.Currency, ids...))
}

// markMissing marks the fields that must be filled in. The domain reports them one after the other.
func (p *checkoutPage) markMissing() {
	if p.Wrong == nil {
		p.Wrong = wrong{}
	}
	for _, field := range []struct{ name, value string }{
		{"phone", p.Form.Phone}, {"name", p.Form.Name}, {"address", p.Form.Address}, {"city", p.Form.City},
	} {
		if strings.TrimSpace(field.value) == "" {
			p.Wrong[field.name] = p.fieldText(field.name, fault.CodeRequired, "")
		}
	}
}

// explainRefusal adds the texts of the error of an order, or what the buyer must do first. It
// returns the error if a buyer cannot have caused it.
func (s *Site) explainRefusal(ctx context.Context, r *request, p *checkoutPage, refused error) error {
	form, err := r.form()
	if err != nil {
		return err
	}
	p.CodeSent = form.Has("code")
	purpose := account.WorkForOrders
	if fault.HasCode(refused, fault.CodePhoneProofRequired) || fault.HasCode(refused, fault.CodeTooManyOpenOrders) {
		if _, err := r.sendCode(ctx, p.Form.Phone, p.Form.Codes); err == nil {
			p.CodeSent, p.Form.Code, p.Alert = true, "", p.W.CodeNeeded
			return nil
		} else if !fault.HasCode(err, fault.CodeSMSUnavailable) { // then the order's error has the remedy
			refused, purpose = err, account.WorkForOTP
			p.CodeSent = p.CodeSent || fault.HasCode(err, fault.CodeRateLimited) // one may be on its way
		}
	}
	var ok bool
	switch p.Work, ok = workOf(refused, purpose); {
	case ok:
		p.Alert, p.Again = p.W.Working, form.Has("again")
	case p.explainAdvance(refused):
	case fault.HasCode(refused, fault.CodePriceChanged): // the page shows the present total
		if form.Get("total") == "" { // without scripts, this is the first time that it is shown
			p.Notices = append(p.Notices, p.W.CheckTotal+" "+p.Total+".")
			break
		}
		p.Alert = p.W.TotalChanged + " " + p.Total + "."
	default:
		if p.Wrong, p.Alert, ok = p.explain(refused); !ok {
			return refused
		}
	}
	return nil
}

func (s *Site) newCheckout(ctx context.Context, r *request, in checkoutForm) (*checkoutPage, []cartLine, error) {
	f, err := s.newFrame(ctx, r, "checkout")
	if err != nil {
		return nil, nil, err
	}
	f.Title = f.W.CheckOut
	p := &checkoutPage{frame: f, Form: in, SignedIn: r.Caller.Bearer != "", codeStep: codeStep{PhoneHint: f.W.PhoneHint}}
	var stored []cartLine
	if p.Lines, p.Notices, stored, err = s.loadCart(ctx, r, f); err != nil {
		return nil, nil, err
	}
	if len(items(p.Lines)) == 0 {
		return p, stored, nil
	}
	for _, l := range p.Lines {
		if l.Blocked {
			p.Notices = append(p.Notices, l.Title+" "+f.W.SoldOutLine)
		}
	}
	found, err := r.Shop.ListDistricts(ctx)
	if err != nil {
		return nil, nil, err
	}
	p.Districts = found.Nodes
	p.choosePayment()
	return p, stored, s.addSums(ctx, r, p)
}

// choosePayment lists the payment methods, and chooses the first unless the buyer has chosen.
func (p *checkoutPage) choosePayment() {
	methods := p.front.PaymentMethods
	if !slices.Contains(methods, p.Form.Payment) && len(methods) > 0 {
		p.Form.Payment = methods[0]
	}
	p.CashOnDelivery = p.Form.Payment == status.PayCOD
	for _, method := range methods {
		hint := p.W.PayNow
		if method == status.PayCOD {
			hint = p.W.PayOnDeliveryText
		}
		p.Methods = append(p.Methods, radio{
			Value: string(method), Text: p.methodName(method), Hint: hint, Chosen: method == p.Form.Payment,
		})
	}
}

// addSums prices the cart as far as the form determines the price.
func (s *Site) addSums(ctx context.Context, r *request, p *checkoutPage) error {
	in := p.input()
	quote, options, err := s.price(ctx, r, in)
	if err != nil && in.CouponCode != nil { // the coupon, most likely: without it the order has a price
		if fields, _, ok := p.explain(err); ok && fields["coupon"] != "" {
			p.CouponWrong = fields["coupon"]
			in.CouponCode = nil
			quote, options, err = s.price(ctx, r, in)
		}
	}
	if fault.HasCode(err, fault.CodePaymentMethodUnavailable) || fault.HasCode(err, fault.CodeValidationFailed) {
		in.PaymentMethod, in.ShippingAddress, err = nil, nil, nil // explained when the buyer orders
		quote, options, err = s.price(ctx, r, in)
	}
	if err != nil {
		if _, all, ok := p.explain(err); ok {
			p.Alert, err = all, nil
		}
		return err
	}
	if quote == nil {
		prices, err := r.Shop.Orders.PriceItems(ctx, r.Caller, in.Items)
		if err != nil {
			return err
		}
		if p.goods = prices.Total; prices.FreeDelivery {
			waive(options)
		}
		p.addDeliveries(options, "")
		p.addGoods(prices.Subtotal, prices.Quantity, prices.Discounts)
		p.TotalName = p.W.ChooseDelivery
		return nil
	}
	p.addQuote(quote)
	return nil
}

// addQuote adds the sums of a quote.
func (p *checkoutPage) addQuote(quote *order.Quote) {
	p.goods = quote.Subtotal.Amount - quote.Discount.Amount
	chosen, options := "", quote.DeliveryOptions
	if quote.Delivery != nil {
		chosen = quote.Delivery.ID
		if quote.DeliveryCharge.Amount == 0 && !isFree(*quote.Delivery, p.goods) { // by a discount, as each of them
			waive(options)
		}
	}
	p.addDeliveries(options, chosen)
	p.addGoods(quote.Subtotal.Amount, quote.QuantityDiscount.Amount, quote.Discounts)
	rest := quote.Discount.Amount - quote.QuantityDiscount.Amount
	for _, d := range quote.Discounts {
		if d.Kind != order.CouponFreeDelivery {
			rest -= d.Amount.Amount
		}
	}
	if rest > 0 {
		name := p.W.Discount
		if quote.Coupon != nil {
			name = p.W.Coupon + " " + quote.Coupon.Code
		}
		p.Sums = append(p.Sums, sumLine{name, "−" + p.Amount(rest)})
	}
	delivery := p.Money(quote.DeliveryCharge)
	if quote.DeliveryCharge.Amount == 0 {
		delivery = p.W.DeliveryFree
	}
	name := p.W.Delivery
	for _, d := range quote.Discounts {
		if d.Kind == order.CouponFreeDelivery {
			name += " (" + p.in(d.Title) + ")"
		}
	}
	p.Sums = append(p.Sums, sumLine{name, delivery})
	if quote.Rounding.Amount != 0 {
		p.Sums = append(p.Sums, sumLine{p.W.Rounding, "−" + p.Money(quote.Rounding)})
	}
	p.quoted = quote.Total.Amount
	p.setAdvance(quote.Advance, p.quoted)
	p.Total, p.Expected, p.TotalName = p.Money(quote.Total), strconv.FormatInt(quote.Total.Amount, 10), p.W.ToPay
	if p.CashOnDelivery {
		p.TotalName = p.W.ToPayOnDelivery
	}
}

// addGoods adds the sum of the lines, and their discounts by quantity prices and without a code.
func (p *checkoutPage) addGoods(subtotal, discount int64, automatic []order.AppliedDiscount) {
	p.Sums = append(p.Sums, sumLine{p.W.Goods, p.Amount(subtotal)})
	if discount > 0 {
		p.Sums = append(p.Sums, sumLine{p.W.QuantityDiscount, "−" + p.Amount(discount)})
	}
	for _, d := range automatic {
		if d.Kind != order.CouponFreeDelivery {
			p.Sums = append(p.Sums, sumLine{p.in(d.Title), "−" + p.Money(d.Amount)})
		}
	}
}

// addDeliveries lists the delivery charges that the buyer can choose.
func (p *checkoutPage) addDeliveries(options []order.DeliveryCharge, chosen string) {
	for _, o := range options {
		hints := make([]string, 0, 2)
		if o.Estimate != nil {
			hints = append(hints, p.in(*o.Estimate))
		}
		one := radio{Value: o.ID, Text: p.in(o.Name), Amount: p.Money(o.Charge), Chosen: o.ID == chosen}
		if isFree(o, p.goods) {
			one.Amount = p.W.Free
		} else if o.FreeOver != nil {
			hints = append(hints, p.W.FreeOver+" "+p.Money(*o.FreeOver))
		}
		one.Hint = strings.Join(hints, " · ")
		p.Deliveries = append(p.Deliveries, one)
	}
}

// waive makes each delivery free.
func waive(options []order.DeliveryCharge) {
	for i := range options {
		options[i].Charge.Amount = 0
	}
}

// isFree reports whether a delivery of goods of this amount costs nothing.
func isFree(o order.DeliveryCharge, goods int64) bool {
	return o.Charge.Amount == 0 || o.FreeOver != nil && goods >= o.FreeOver.Amount
}

// Brief returns the number of units and their price, such as 3 pieces · ৳1,200.
func (p *checkoutPage) Brief() string {
	units := 0
	for _, l := range p.Lines {
		if !l.Blocked {
			units += l.Quantity
		}
	}
	brief := p.Digits(strconv.Itoa(units)) + p.pieces(units)
	if len(p.Sums) > 0 {
		brief += " · " + p.Sums[0].Amount
	}
	return brief
}

// input returns the form as the input of a quote.
func (p *checkoutPage) input() order.Input {
	in := order.Input{Items: items(p.Lines), PaymentMethod: &p.Form.Payment}
	if p.Form.Payment == "" {
		in.PaymentMethod = nil
	}
	if strings.TrimSpace(p.Form.City) != "" {
		in.ShippingAddress = &account.Address{Line1: unknownLine, City: p.Form.City, Area: optional(p.Form.Address)}
		if len([]rune(p.Form.Address)) > maxArea {
			in.ShippingAddress.Area = nil
		}
	}
	in.DeliveryChargeID, in.CouponCode = optional(p.Form.Delivery), optional(p.Form.Coupon)
	return in
}

// unknownLine stands for a part of an address on which the price does not depend.
const unknownLine = "–"

// maxArea is the length of the longest area of an address, in characters.
const maxArea = 100

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// price returns the price of an order, or, if the delivery charge is undecided, those to choose
// from. Codes: as for [order.Orders.QuoteOrder], without delivery_charge_required.
func (s *Site) price(ctx context.Context, r *request, in order.Input) (*order.Quote, []order.DeliveryCharge, error) {
	quote, err := r.Shop.Orders.QuoteOrder(ctx, r.Caller, in)
	if err == nil {
		return quote, nil, nil
	}
	found, ok := errors.AsType[*fault.Error](err)
	if !ok || found.Code != fault.CodeDeliveryRequired {
		return nil, nil, err
	}
	if in.DeliveryChargeID != nil { // not for this address: choose another
		in.DeliveryChargeID = nil
		return s.price(ctx, r, in)
	}
	options, _ := found.Details["deliveryCharges"].([]order.DeliveryCharge)
	return nil, options, nil
}

// quote returns the part of the checkout that depends on the price, for the script.
func (s *Site) quote(ctx context.Context, r *request) (*Response, error) {
	in, _, err := r.readCheckout()
	if err != nil {
		return nil, err
	}
	p, _, err := s.newCheckout(ctx, r, in)
	if err != nil {
		return nil, err
	}
	body, err := s.execute("checkout", "sums", p)
	if err != nil {
		return nil, err
	}
	return &Response{Status: http.StatusOK, Media: htmlMedia, Body: body}, nil
}

// placeOrder places the order and leads to its page, or to the gateway.
func (s *Site) placeOrder(ctx context.Context, r *request) (*Response, error) {
	in, form, err := r.readCheckout()
	if err != nil {
		return nil, err
	}
	input := order.Input{
		Items: parseItems(form["item"]), Customer: &order.CustomerInput{Name: &in.Name, PhoneNumber: &in.Phone},
		ShippingAddress:  &account.Address{Line1: in.Address, City: in.City},
		DeliveryChargeID: optional(in.Delivery), CouponCode: optional(in.Coupon), Note: optional(in.Note),
	}
	if in.Payment != "" {
		input.PaymentMethod = &in.Payment
	}
	expected, _ := strconv.ParseInt(form.Get("total"), 10, 64)  // 0 for a total that was not shown: the page will show it
	advance, _ := strconv.ParseInt(form.Get("advance"), 10, 64) // 0 for one that was not shown
	input.ExpectedTotal, input.ExpectedAdvance = &expected, new(max(0, advance))
	placed, session, err := r.submitOrder(ctx, in, input, form)
	if err != nil {
		if session != nil { // proven by now: the code is used up
			delete(form, "code")
			in.Code = ""
		}
		response, err := s.showCheckout(ctx, r, in, err)
		if err == nil {
			response.Cookies = append(response.Cookies, session...)
		}
		return response, err
	}
	r.saveAddress(ctx, in)
	path := r.page.prefix() + "/orders/" + placed.InvoiceUID
	to := path + "?" + url.Values{"k": {placed.OrderToken}, "placed": {"1"}}.Encode()
	if redirectURL := text(placed.Payment.RedirectURL); redirectURL != "" {
		to = redirectURL
	}
	cookies := append(session, r.cartCookie(nil), r.tokenCookie(placed.InvoiceUID, placed.OrderToken))
	return redirect(to, cookies...), nil
}

// saveAddress makes the address of an order the default one of the signed-in buyer, if the buyer
// ticked the box. The order is placed, whether or not this succeeds.
func (r *request) saveAddress(ctx context.Context, in checkoutForm) {
	if in.Save && r.Caller.Bearer != "" {
		address := account.Address{Line1: in.Address, City: in.City}
		_, _ = r.Shop.Accounts.UpdateProfile(ctx, r.Caller, account.ProfileInput{Address: &address})
	}
}

// submitOrder signs in with the code of the form, if it has one, and places the order. It returns
// the cookies of the session that began, even if the order is refused.
func (r *request) submitOrder(
	ctx context.Context, in checkoutForm, input order.Input, form url.Values,
) (placed *order.Placed, session []*http.Cookie, err error) {
	if form.Has("again") {
		return nil, nil, &fault.Error{Code: fault.CodePhoneProofRequired} // another code is sent
	}
	r.Caller.WorkProof, input.Attribution = in.Orders, r.attribution()
	if in.Code == "" {
		placed, err = r.Shop.Orders.PlaceOrderOnPage(ctx, r.Caller, input, in.Key)
		return placed, nil, err
	}
	token, wrongCode := r.verifyCode(ctx, in.Phone, in.Code, in.Name)
	if wrongCode != nil {
		// The form was sent before, and has used the code up.
		if placed, err = r.Shop.Orders.FindPlaced(ctx, r.Caller, input, in.Key); err == nil {
			return placed, nil, nil
		}
		if placed, err = r.Shop.Orders.PlaceOrderOnPage(ctx, r.Caller, input, in.Key); err != nil { // it may need no code
			return nil, nil, wrongCode
		}
		return placed, nil, nil
	}
	r.Caller.Bearer = token
	placed, err = r.Shop.Orders.PlaceOrderOnPage(ctx, r.Caller, input, in.Key)
	return placed, r.sessionCookies(token), err
}

// firstName returns the name by which a page greets the buyer.
func firstName(name string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(name), " ")
	return cmp.Or(first, name)
}
