package server

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/julienschmidt/httprouter"

	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/site/orderpage"
)

// orderPageRoute is the route of the page of an order.
const orderPageRoute = order.PagePath + ":tenant/:order"

// routeOrderPage adds the page of an order.
func (s *Server) routeOrderPage() {
	handle := func(method, route string, do orderPageStep) {
		s.routes.handle(method, route, s.orderPageHandler(route, do))
	}
	handle(http.MethodGet, orderPageRoute, orderpage.Visit.Show)
	handle(http.MethodPost, orderPageRoute+"/pay", orderpage.Visit.Pay)
	handle(http.MethodPost, orderPageRoute+"/report", orderpage.Visit.Report)
}

// orderPageStep is a method of [orderpage.Visit].
type orderPageStep func(
	v orderpage.Visit, ctx context.Context, w http.ResponseWriter, r *http.Request,
) error

// orderPageHandler returns the handler of a route of the page. It finds the shop and counts the
// request.
func (s *Server) orderPageHandler(route string, do orderPageStep) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := w.(*exchange)
		x.route = strings.NewReplacer(":tenant", "{tenant}", ":order", "{order}").Replace(route)
		h := x.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex")
		x.caller.Client = clientAddress(r, s.cfg.TrustedProxies)
		err := s.countPageView(x)
		if err == nil {
			x.shop, err = s.cfg.Tenants.Shop(&x.deadline, params.ByName("tenant"))
		}
		if err == nil && isRead(r) {
			if own := s.orderPageURL(&x.deadline, x.shop, params.ByName("order"), r.URL.Query()); own != "" {
				http.Redirect(x, r, own, http.StatusFound)
				return
			}
		}
		if err == nil {
			err = x.visitOrderPage(r, params.ByName("order"), do)
		}
		if err == nil {
			return
		}
		if f, ok := orderpage.Explain(r, err); ok {
			x.writePage(f.Status, textPage{Title: f.Title, Text: f.Text})
			return
		}
		x.fail(err)
	}
}

// countPageView counts a view of an order's page. Codes: rate_limited.
func (s *Server) countPageView(x *exchange) error {
	if s.limits == nil {
		return nil
	}
	wait := s.limits.pages.allow(x.caller.Client, 1, s.cfg.Now())
	if wait == 0 {
		return nil
	}
	x.overRate = true
	x.Header().Set("Retry-After", strconv.Itoa(wait))
	return &fault.Error{Code: fault.CodeRateLimited}
}

func (x *exchange) visitOrderPage(r *http.Request, order string, do orderPageStep) error {
	release, err := x.AcquireRecord(&x.deadline)
	if err != nil {
		return err
	}
	defer release()
	return do(orderpage.Visit{Shop: x.shop, Caller: x.caller, Order: order}, &x.deadline, x, r)
}
