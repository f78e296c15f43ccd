package site

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/site/orderpage"
)

// accountPage is the data of the page of a signed-in buyer.
type accountPage struct {
	*frame
	Customer       *account.Customer
	Saved          account.Address // the default address
	Orders         []orderLink
	HasPasskeys    bool // at the host of the page
	Passkeys       []passkeyRow
	Previous, Next string // paths
	Wrong          wrong
	Alert          string
	IsSaved        bool // the form was accepted
}

// orderLink is an order in a list.
type orderLink struct {
	orderpage.Row
	Path string
}

// ordersPerPage is the number of orders on a page of the account.
const ordersPerPage = 20

// account is the page of the buyer: orders, name and address, or the sign-in.
func (s *Site) account(ctx context.Context, r *request) (*Response, error) {
	customer, err := r.customer(ctx)
	if err != nil {
		return nil, err
	}
	if customer == nil {
		return s.showSignIn(ctx, r, signInForm{}, nil)
	}
	return s.showAccount(ctx, r, customer, nil)
}

// showAccount renders the account, with the error of its form.
func (s *Site) showAccount(ctx context.Context, r *request, customer *account.Customer, refused error) (*Response, error) {
	f, err := s.newFrame(ctx, r, "account")
	if err != nil {
		return nil, err
	}
	f.Title = f.W.Account
	p := accountPage{frame: f, Customer: customer, HasPasskeys: r.hasPasskeys(), IsSaved: r.Query.Has("saved")}
	if len(customer.Addresses) > 0 {
		p.Saved = customer.Addresses[0]
	}
	code := http.StatusOK
	if refused != nil {
		var ok bool
		if p.Wrong, p.Alert, ok = f.explain(refused); !ok {
			return nil, refused
		}
		code = http.StatusUnprocessableEntity
	}
	if err := s.addOrders(ctx, r, &p); err != nil {
		return nil, err
	}
	if err := s.addPasskeys(ctx, r, &p); err != nil {
		return nil, err
	}
	response, err := s.respond("account", p)
	if err != nil {
		return nil, err
	}
	response.Status = code
	return response, nil
}

// addOrders adds one page of the buyer's orders, the newest first.
func (s *Site) addOrders(ctx context.Context, r *request, p *accountPage) error {
	at, err := strconv.Atoi(r.Query.Get("page"))
	if err != nil || at < 1 {
		at = 1
	}
	limit := ordersPerPage
	found, err := r.Shop.Orders.ListMyOrders(ctx, r.Caller, order.Filter{Request: page.Request{Page: &at, Limit: &limit}})
	if err != nil {
		return err
	}
	for i := range found.Nodes {
		o := &found.Nodes[i]
		row := orderpage.NewRow(o, p.Lang, p.front.TimeZone)
		p.Orders = append(p.Orders, orderLink{row, p.path("/orders/" + o.InvoiceUID)})
	}
	link := func(to int) string { return p.path("/account") + "?page=" + strconv.Itoa(to) }
	if at > 1 {
		p.Previous = link(at - 1)
	}
	if at*ordersPerPage < found.Meta.TotalCount {
		p.Next = link(at + 1)
	}
	return nil
}

// saveAccount changes the buyer's name and default address.
func (s *Site) saveAccount(ctx context.Context, r *request) (*Response, error) {
	form, err := r.form()
	if err != nil {
		return nil, err
	}
	customer, err := r.customer(ctx)
	if err != nil {
		return nil, err
	}
	if customer == nil {
		return redirect(r.page.prefix() + "/account"), nil
	}
	in := account.ProfileInput{Name: new(form.Get("name"))}
	address := account.Address{Line1: form.Get("address"), City: form.Get("city")}
	if len(customer.Addresses) > 0 || strings.TrimSpace(address.Line1+address.City) != "" {
		in.Address = &address
	}
	if _, err := r.Shop.Accounts.UpdateProfile(ctx, r.Caller, in); err != nil {
		customer.Name, customer.Addresses = *in.Name, []account.Address{address}
		return s.showAccount(ctx, r, customer, err)
	}
	return redirect(r.page.prefix()+"/account?saved=1", r.signedInCookie(true)), nil
}

// signOut ends the session of this browser.
func (s *Site) signOut(_ context.Context, r *request) (*Response, error) {
	return redirect(r.page.prefix()+"/account", r.sessionCookies("")...), nil
}

// buyerName responds with the name of the signed-in buyer, for the script of the frame.
func (s *Site) buyerName(ctx context.Context, r *request) (*Response, error) {
	customer, err := r.customer(ctx)
	if err != nil {
		return nil, err
	}
	if customer == nil { // the session has ended, which ends its cookies too
		return &Response{Status: http.StatusNoContent}, nil
	}
	return &Response{Status: http.StatusOK, Media: "text/plain; charset=utf-8", Body: []byte(firstName(customer.Name))}, nil
}

// signInPage is the data of the sign-in.
type signInPage struct {
	*frame
	codeStep
	Form        signInForm
	Wrong       wrong
	Alert       string
	HasPasskeys bool // at the host of the page, before a code is sent
}

// signInForm is the form of the sign-in as the buyer sent it.
type signInForm struct {
	Phone, Code, Name string
	Sent              bool // a code was sent to the phone
	NewCustomer       bool // the phone has no account, which needs a name
	workProofs
}

// codeStep is the part of a form for a code that was sent to a phone.
type codeStep struct {
	PhoneHint string // below the phone number
	CodeSent  bool
	Work      *work
	Again     bool // the work is for another code
}

// signIn sends a code to the phone of the form, or signs in with it.
func (s *Site) signIn(ctx context.Context, r *request) (*Response, error) {
	form, err := r.form()
	if err != nil {
		return nil, err
	}
	in := signInForm{
		Phone: form.Get("phone"), Code: form.Get("code"), Name: form.Get("name"),
		Sent: form.Has("code"), NewCustomer: form.Has("name"), workProofs: readWorkProofs(form),
	}
	if !in.Sent || form.Has("again") {
		sent, err := r.sendCode(ctx, in.Phone, in.Codes)
		switch {
		case err == nil:
			in.Sent, in.NewCustomer, in.Code = true, sent.IsNewCustomer, ""
		case fault.HasCode(err, fault.CodeRateLimited): // one may have been sent a moment ago
			in.Sent = true
		}
		return s.showSignIn(ctx, r, in, err)
	}
	token, err := r.verifyCode(ctx, in.Phone, in.Code, in.Name)
	if err != nil {
		in.NewCustomer = in.NewCustomer || fault.HasCode(err, fault.CodeNameRequired)
		return s.showSignIn(ctx, r, in, err)
	}
	return redirect(r.page.prefix()+"/account", r.sessionCookies(token)...), nil
}

// showSignIn renders the sign-in with the form as the buyer sent it, and its error.
func (s *Site) showSignIn(ctx context.Context, r *request, in signInForm, refused error) (*Response, error) {
	f, err := s.newFrame(ctx, r, "sign-in")
	if err != nil {
		return nil, err
	}
	f.Title = f.W.SignIn
	p := signInPage{frame: f, Form: in, HasPasskeys: r.hasPasskeys() && !in.Sent}
	p.CodeSent = in.Sent
	code := http.StatusOK
	if refused != nil {
		var ok bool
		if p.Work, ok = workOf(refused, account.WorkForOTP); ok {
			p.Alert, p.Again = f.W.Working, r.posted.Has("again")
		} else if p.Wrong, p.Alert, ok = f.explain(refused); !ok {
			return nil, refused
		}
		code = http.StatusUnprocessableEntity
	}
	response, err := s.respond("sign-in", p)
	if err != nil {
		return nil, err
	}
	response.Status = code
	return response, nil
}
