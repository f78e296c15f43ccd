package site

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"storefront/shop/account"
	"storefront/shop/district"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/status"
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

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
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
