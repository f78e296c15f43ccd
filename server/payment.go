package server

import (
	"net/http"
	"net/url"
	"strings"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// routePayments adds the routes for the webhooks of payment gateways and for returning buyers.
func (s *Server) routePayments() {
	s.routeProvider(http.MethodPost, plugin.GatewayAWebhookPath, s.handleGatewayAWebhook)
	// The gateway's page posts a form. A buyer who reloads or shares the URL sends a GET.
	s.routeProvider(http.MethodPost, plugin.GatewayAReturnPath, s.handleGatewayAReturn)
	s.routeProvider(http.MethodGet, plugin.GatewayAReturnPath, s.handleGatewayAReturn)
	s.routeProvider(http.MethodGet, plugin.GatewayBCallbackPath, s.handleGatewayBCallback)
	s.routePageReturn(http.MethodPost, plugin.GatewayAReturnPath, s.handleGatewayAReturn)
	s.routePageReturn(http.MethodGet, plugin.GatewayAReturnPath, s.handleGatewayAReturn)
	s.routePageReturn(http.MethodGet, plugin.GatewayBCallbackPath, s.handleGatewayBCallback)
}

func (s *Server) handleGatewayAWebhook(x *exchange, r *http.Request, to *shop.Shop) {
	body, err := s.readProviderBody(x, r)
	switch {
	case fault.HasCode(err, fault.CodeUnavailable): // the gateway must send it again
		x.fail(err)
		return
	case err != nil: // too large, or ended early: neither can be authentic
		x.rejectWebhook()
		return
	}
	// The body is a form, even if the gateway sends another content type.
	authentic, err := to.Orders.HandlePaymentWebhook(r.Context(), plugin.GatewayA, "application/x-www-form-urlencoded", body)
	switch {
	case err != nil:
		x.fail(err)
	case !authentic:
		x.rejectWebhook()
	default:
		x.writeText(http.StatusOK, "text/plain; charset=utf-8", "OK")
	}
}

func (s *Server) handleGatewayAReturn(x *exchange, r *http.Request, to *shop.Shop) {
	ref := r.URL.Query().Get("tran_id")
	if r.Method == http.MethodPost {
		body, _ := s.readProviderBody(x, r) // an unreadable body contains no attempt
		if form, err := url.ParseQuery(string(body)); err == nil {
			ref = form.Get("tran_id")
		}
	}
	back, configured, err := to.Orders.HandleReturn(r.Context(), plugin.GatewayA, ref, r.URL.Query().Get("result"))
	s.redirectBuyer(x, r, back, configured, err)
}

func (s *Server) handleGatewayBCallback(x *exchange, r *http.Request, to *shop.Shop) {
	back, configured, err := to.Orders.HandleCallback(r.Context(), plugin.GatewayB, order.ParseCallbackQuery(r.URL.RawQuery))
	s.redirectBuyer(x, r, back, configured, err)
}

// resultPath is the result page for buyers of a shop without a storefrontUrl.
const resultPath = "/payment/result"

// redirectBuyer redirects a returning buyer to the page of the order where they began to pay, to
// the storefront, or to the result page if the shop has none.
func (s *Server) redirectBuyer(x *exchange, r *http.Request, back order.ReturnTarget, configured bool, err error) {
	switch {
	case err != nil:
		x.fail(err)
		return
	case !configured:
		x.rejectWebhook()
		return
	}
	query := url.Values{"payment": {string(back.Result)}}
	onPage := strings.HasSuffix(r.URL.Path, order.PageReturn) && back.OrderID != ""
	target := back.URL
	if onPage || target == "" {
		target = s.orderPageURL(&x.deadline, x.shop, back.OrderID, query)
	}
	switch {
	case target != "":
	case onPage:
		target = order.PagePath + x.shop.UID() + "/" + back.OrderID + "?" + query.Encode()
	default:
		if back.OrderID != "" {
			query.Set("order", back.OrderID)
		}
		target = resultPath + "?" + query.Encode()
	}
	http.Redirect(x, r, target, http.StatusFound)
}

// resultTexts are the title and text of the result page.
var resultTexts = map[order.ReturnResult][2]string{
	order.ReturnSuccess:   {"Payment received", "Thank you. You can close this page."},
	order.ReturnFailed:    {"Payment failed", "You have not been charged. Go back to the shop to pay again."},
	order.ReturnCancelled: {"Payment cancelled", "You have not been charged. Go back to the shop to pay again."},
	order.ReturnPending:   {"Payment not confirmed yet", "This can take some minutes. The shop will notify you."},
}

// routeResult adds the result page.
func (s *Server) routeResult() {
	s.routePublic(http.MethodGet, resultPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		text, ok := resultTexts[order.ReturnResult(query.Get("payment"))]
		if !ok {
			text = resultTexts[order.ReturnPending]
		}
		w.(*exchange).writePage(http.StatusOK, textPage{Title: text[0], Text: text[1], Order: orderName(query.Get("order"))})
	}))
}

// orderName returns text if it has the form of an invoice UID, otherwise nothing: anyone can write
// the query.
func orderName(text string) string {
	if len(text) != 16 || strings.Trim(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") != "" {
		return ""
	}
	return text
}
