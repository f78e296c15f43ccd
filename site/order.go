package site

import (
	"context"
	"net/http"
	"slices"

	"storefront/shop/fault"
	"storefront/site/orderpage"
)

// orderPage is the data of the page of an order.
type orderPage struct {
	*frame
	Order      *orderpage.View
	Thanks     string
	CancelPath string
	AgainPath  string
	ReviewPath string
	Reviews    []reviewForm
}

func (r *request) orderVisit(token string) orderpage.Visit {
	caller := r.Caller
	caller.OrderToken = token
	return orderpage.Visit{Shop: r.Shop, Caller: caller, Order: r.page.name, Origin: r.Origin}
}

// tokenCookie returns the cookie that proves the buyer to the page of an order.
func (r *request) tokenCookie(order, token string) *http.Cookie {
	return orderpage.Visit{Shop: r.Shop, Order: order, Origin: r.Origin}.TokenCookie(token, "/")
}

// order is the page of an order: its progress, its sums, and what the buyer can do next.
func (s *Site) order(ctx context.Context, r *request) (*Response, error) {
	return s.orderWith(ctx, r, r.orderVisit(""), nil)
}

// reportPayment reports a payment of an order's advance. A report that is refused is shown again.
func (s *Site) reportPayment(ctx context.Context, r *request) (*Response, error) {
	form, err := r.form()
	if err != nil {
		return nil, err
	}
	to, again, err := r.orderVisit("").SendReport(ctx, form, r.page.prefix()+"/orders/"+r.page.name, r.page.language)
	if err != nil {
		return nil, err
	}
	if again == nil {
		return redirect(to), nil
	}
	response, err := s.orderWith(ctx, r, *again, nil)
	if err == nil {
		response.Status = http.StatusUnprocessableEntity
	}
	return response, err
}

// orderWith is the page of an order for a visit, after a review was refused; nil means that none
// was.
func (s *Site) orderWith(ctx context.Context, r *request, visit orderpage.Visit, refused *refusedReview) (*Response, error) {
	shown, cookie, err := visit.View(ctx, r.Request, r.page.language)
	if err != nil {
		return nil, err
	}
	f, err := s.newFrame(ctx, r, "order")
	if err != nil {
		return nil, err
	}
	f.Title = shown.Title
	path := f.path("/orders/" + r.page.name)
	p := orderPage{frame: f, Order: shown, AgainPath: path + "/again"}
	shown.PayPath = path + "/pay"
	if shown.Advance != nil && shown.Advance.Path != "" {
		shown.Advance.Path = path + "/report"
	}
	if shown.Cancellable {
		p.CancelPath = path + "/cancel"
	}
	if r.Query.Get("placed") != "" && len(shown.Recipient) > 0 {
		p.Thanks = f.W.ThankYou + ", " + firstName(shown.Recipient[0])
		if err := r.reportPurchase(ctx, f, visit, shown.Token); err != nil {
			return nil, err
		}
	}
	if shown.Reviewable {
		p.ReviewPath = path + "/review"
		if err := p.addReviews(ctx, r, shown.Token, refused); err != nil {
			return nil, err
		}
	}
	response, err := s.respond("order", p)
	if err == nil && refused != nil {
		response.Status = http.StatusUnprocessableEntity
	}
	if err == nil && cookie != nil {
		response.Cookies = append(response.Cookies, cookie)
	}
	return response, err
}

// reportPurchase makes the page report the order that the buyer has just placed.
func (r *request) reportPurchase(ctx context.Context, f *frame, visit orderpage.Visit, token string) error {
	if f.Consent == nil {
		return nil
	}
	caller := visit.Caller
	caller.OrderToken = token
	found, err := r.Shop.Orders.FindOrder(ctx, caller, r.page.name)
	if err != nil {
		return err
	}
	ids := make([]string, len(found.Items))
	for i, item := range found.Items {
		ids[i] = item.VariantID
	}
	e := newBrowserEvent("Purchase", found.Total, f.Currency, ids...)
	e.ID = found.InvoiceUID
	f.report(e)
	return nil
}

// orderAgain puts the products of an order into the cart. The cart names those that changed.
func (s *Site) orderAgain(ctx context.Context, r *request) (*Response, error) {
	found, err := r.Shop.Orders.FindOrder(ctx, r.Caller, r.page.name)
	if err != nil {
		return nil, err
	}
	lines := r.cartLines()
	for _, item := range found.Items {
		if len(lines) < maxLines && !slices.ContainsFunc(lines, func(l cartLine) bool { return l.variant == item.VariantID }) {
			lines = append(lines, cartLine{item.VariantID, min(item.Quantity, maxUnits), item.UnitPrice.Amount})
		}
	}
	return redirect(r.page.prefix()+"/cart", r.cartCookie(lines)), nil
}

// payOrder starts the payment of an order.
func (s *Site) payOrder(ctx context.Context, r *request) (*Response, error) {
	form, err := r.form()
	if err != nil {
		return nil, err
	}
	to, err := r.orderVisit(form.Get("k")).StartPayment(ctx, form, r.page.prefix()+"/orders/"+r.page.name)
	if err != nil {
		return nil, err
	}
	return redirect(to), nil
}

// cancelOrder cancels an order of the buyer.
func (s *Site) cancelOrder(ctx context.Context, r *request) (*Response, error) {
	form, err := r.form()
	if err != nil {
		return nil, err
	}
	visit := r.orderVisit(form.Get("k"))
	_, err = r.Shop.Orders.CancelOrder(ctx, visit.Caller, r.page.name, "")
	switch {
	case fault.HasCode(err, fault.CodeUnauthenticated): // a wrong token: a stranger
		return nil, &fault.Error{Code: fault.CodeNotFound}
	case err != nil && !fault.HasCode(err, fault.CodeNotCancellable): // the page shows the status
		return nil, err
	}
	return redirect(r.page.prefix() + "/orders/" + r.page.name + "?k=" + form.Get("k")), nil
}
