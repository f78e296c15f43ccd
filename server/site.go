package server

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"storefront/prepared"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/conversion"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/site"
	"storefront/site/orderpage"
	"storefront/transport"
)

// serveSite responds with a page of the shop at the request's host. It returns false if the request
// is not for a page of a shop.
func (s *Server) serveSite(x *exchange, r *http.Request) bool {
	if isReserved(r.URL.Path) || s.isStatus(r) {
		return false
	}
	if s.sites.pages.ServeFile(x, r) {
		x.route, x.quiet = "site "+site.FilesPath, true
		return true
	}
	host := requestHost(r)
	uid, owned := s.siteOwner(host)
	if !owned {
		main, ok := s.mainShop()
		if !ok {
			return s.explainHost(x, r)
		}
		if !isRead(r) && r.Method != http.MethodPost {
			return false
		}
		uid = main
	}
	x.caller = access.Caller{Client: clientAddress(r, s.cfg.TrustedProxies), Agent: r.UserAgent()}
	var err error
	switch x.shop, err = s.cfg.Tenants.Shop(&x.deadline, uid); {
	case err == nil:
	case fault.HasCode(err, fault.CodeTenantNotFound):
		return s.explainHost(x, r)
	default:
		s.failPage(x, r, err)
		return true
	}
	own, err := x.shop.Site(&x.deadline)
	if err != nil {
		s.failPage(x, r, err)
		return true
	}
	if !own.Enabled {
		return false
	}
	page := s.sites.pages.Find(own.Languages, r.Method, r.URL.Path)
	if !owned && !page.IsKnown() && !wantsPage(r) {
		return false // a client of the API with a mistyped path
	}
	origin, domain := s.siteOrigin(uid, own, host)
	if domain != "" && domain != host && isRead(r) {
		x.route = "site redirect"
		x.Header()["Cache-Control"] = redirectCaching
		http.Redirect(x, r, origin+r.URL.RequestURI(), http.StatusMovedPermanently)
		return true
	}
	if origin == "" {
		origin = s.sites.origin(uid, host)
	}
	s.servePage(x, r, page, origin)
	return true
}

// explainHost responds to a browser at a host without a shop. It returns false for other clients.
func (s *Server) explainHost(x *exchange, r *http.Request) bool {
	if !isRead(r) || !wantsPage(r) {
		return false
	}
	x.route = "site"
	x.writePage(http.StatusNotFound, textPage{
		Title: "There is no shop at this address",
		Text: "This server hosts online shops, but none at " + requestHost(r) + ". Check the spelling of the address. " +
			"If the shop is yours, add this domain to it in the dashboard, under Settings, Domains.",
	})
	return true
}

func isRead(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// checkPageRequest checks the method, and the origin of a form. Codes: method_not_allowed,
// forbidden.
func (s *Server) checkPageRequest(r *http.Request) error {
	if !isRead(r) && r.Method != http.MethodPost {
		return &fault.Error{Code: fault.CodeMethodNotAllowed, Message: "Pages support GET, HEAD and POST."}
	}
	if err := s.sites.crossOrigin.Check(r); err != nil {
		return &fault.Error{Code: fault.CodeForbidden, Message: "The form was sent from another website."}
	}
	return nil
}

// failPage responds with an error that has no page in the shop's frame.
func (s *Server) failPage(x *exchange, r *http.Request, err error) {
	x.route = cmp.Or(x.route, "site")
	if f, ok := orderpage.Explain(r, err); ok {
		x.failure = err
		x.writePage(f.Status, textPage{Title: f.Title, Text: f.Text})
		return
	}
	if !wantsPage(r) {
		x.fail(err)
		return
	}
	p := x.problem(err)
	x.writePage(p.Status, textPage{Title: p.Title, Text: p.Detail})
}

// pagePolicy lets a page use its own files and show pictures of any host, which merchants choose. A
// form may lead to a gateway, which form-action would forbid in some browsers.
var pagePolicy = []string{"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: http: https:; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'"}

// policyWith returns pagePolicy, open for the tags of the shop alone.
func policyWith(tags conversion.Tags) []string {
	scripts, reports := site.PolicyHosts(tags)
	if scripts == "" {
		return pagePolicy
	}
	policy := strings.Replace(pagePolicy[0], "script-src 'self'", "script-src 'self'"+scripts, 1)
	return []string{strings.Replace(policy, "connect-src 'self'", "connect-src 'self'"+reports, 1)}
}

// pageReferrer sends no path of a page to other sites.
var pageReferrer = []string{"strict-origin-when-cross-origin"}

// ownPageReferrer sends nothing of a buyer's own page to other sites. Without any referrer,
// browsers would send the page's forms without their origin, which [http.CrossOriginProtection]
// requires over plain HTTP.
var ownPageReferrer = []string{"same-origin"}

// movedTo returns where visitors of a page with this error are sent. If there is no redirect, it
// returns err, or the error of the look-up.
func (s *Server) movedTo(x *exchange, r *http.Request, err error) (to string, _ error) {
	if moved, ok := errors.AsType[*site.MovedError](err); ok {
		return (&url.URL{Path: moved.Path, RawQuery: r.URL.RawQuery}).String(), nil
	}
	if !isRead(r) || !fault.HasCode(err, fault.CodeNotFound) {
		return "", err
	}
	to, ok, failed := x.shop.Content.FindRedirect(&x.deadline, r.URL)
	if failed != nil || !ok {
		return "", cmp.Or(failed, err)
	}
	target, failed := url.Parse(to)
	if failed != nil {
		return "", failed
	}
	// A redirect to a host that became the shop's later may lead back here.
	if owner, own := s.siteOwner(target.Hostname()); own && owner == x.shop.UID() {
		if _, again, failed := x.shop.Content.FindRedirect(&x.deadline, target); again || failed != nil {
			return "", cmp.Or(failed, err)
		}
	}
	return to, nil
}

// redirectCaching lets browsers store a redirect for an hour: without it they store one for ever,
// and a mistyped target could not be corrected.
var redirectCaching = []string{"public, max-age=3600"}

// servePage responds with a page of the exchange's shop.
func (s *Server) servePage(x *exchange, r *http.Request, page site.Page, origin string) {
	x.route = page.Route
	h := x.Header()
	h.Del("Access-Control-Allow-Origin")
	h.Del("Access-Control-Expose-Headers")
	h["Content-Security-Policy"] = pagePolicy
	if own, err := x.shop.Site(&x.deadline); err == nil {
		h["Content-Security-Policy"] = policyWith(own.Advertising.Tags())
	}
	h["Referrer-Policy"] = ownPageReferrer
	if token, ok := page.Preview(); ok && !s.admitPreview(x, r, token) {
		return
	}
	v := site.Visit{Shop: x.shop, Caller: x.caller, Request: r, Origin: origin, Now: s.cfg.Now(), Query: page.Query(r.URL.RawQuery)}
	err := s.checkPageRequest(r)
	style, isStyle := page.StyleHash()
	switch {
	case err != nil:
	case isStyle:
		err = s.serveStyle(x, r, style, v)
	case page.Streamed():
		err = s.serveDocument(x, r, page, v)
	case page.Shared:
		err = s.serveSharedPage(x, r, page, v)
	default:
		err = s.serveOwnPage(x, page, v)
	}
	if err == nil {
		return
	}
	to, err := s.movedTo(x, r, err)
	if err == nil {
		h["Cache-Control"] = redirectCaching
		if !page.IsKnown() && s.countArrival(x, page, v) { // the target's address lacks the campaign
			h["Cache-Control"] = headerNoStore
		}
		http.Redirect(x, r, to, http.StatusMovedPermanently)
		return
	}
	response := s.explainPage(x, page, v, transport.AsError(err).Code)
	if response == nil {
		s.failPage(x, r, err)
		return
	}
	p := x.problem(err) // its headers, and the log
	response.Send(x, r, p.Status, headerNoStore[0])
}

// admitPreview reports whether a token permits to see the draft of the design, and lets the
// dashboard frame the page. Otherwise it has responded.
func (s *Server) admitPreview(x *exchange, r *http.Request, token string) bool {
	ok, err := x.shop.Designs.IsPreview(&x.deadline, token)
	switch {
	case err != nil:
		s.failPage(x, r, err)
	case !ok:
		x.writePage(http.StatusGone, textPage{
			Title: "This preview has ended", Text: "A preview of a design lasts one hour. Open it again in the dashboard, under Site.",
		})
	case r.Method == http.MethodPost:
		x.writePage(http.StatusForbidden, textPage{Title: "This is a preview", Text: "To order, visit the shop's own pages."})
		return false
	default:
		h := x.Header()
		ancestors := strings.TrimSpace("'self' " + s.cfg.PublicURL)
		if s.sites.name == "localhost" {
			ancestors += " http://127.0.0.1:*" // the dashboard on the same machine
		}
		h["Content-Security-Policy"] = []string{strings.TrimSuffix(pagePolicy[0], "'none'") + ancestors}
		h["X-Robots-Tag"] = []string{"noindex"}
		h["Referrer-Policy"] = ownPageReferrer
	}
	return err == nil && ok
}

// explainTimeout limits the rendering of an error's page, after the request's own time has passed.
const explainTimeout = time.Second

// explainPage returns the page of an error in the shop's frame; nil if it has none. It is stored,
// so that a flood of refused requests renders it once.
func (s *Server) explainPage(x *exchange, page site.Page, v site.Visit, code fault.Code) *prepared.Response {
	page, ok := page.ForError(code)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(&x.deadline), explainTimeout)
	defer cancel()
	version, err := x.shop.PageVersion(ctx)
	if err != nil {
		return nil
	}
	key := prepared.Key{Tenant: x.shop.UID(), Path: v.Origin, Request: page.Route} // other paths have a slash
	found, _ := s.cache.Find(key)
	if response := found.ForVersion(version); response != nil {
		return response
	}
	response, err := s.cache.Prepare(ctx, key, version, func() error { return nil }, func(ctx context.Context) *prepared.Response {
		rendered, err := s.sites.pages.Render(ctx, page, v)
		if err != nil {
			return nil
		}
		return prepared.NewResponse(key.Tenant, rendered.Media, rendered.Body)
	})
	if err != nil {
		return nil
	}
	return response
}

// serveSharedPage responds with a page that is the same for all buyers, from the cache if it is
// there.
func (s *Server) serveSharedPage(x *exchange, r *http.Request, page site.Page, v site.Visit) error {
	version, err := x.shop.PageVersion(&x.deadline)
	if err != nil {
		return err
	}
	// No path of the API begins without a slash. The origin changes once a domain leads here.
	key := prepared.Key{Tenant: x.shop.UID(), Path: v.Origin + r.URL.Path, Request: v.Query.Encode()}
	found, _ := s.cache.Find(key)
	response := found.ForVersion(version)
	if response != nil {
		x.ReportPrepared()
	} else if response, err = s.preparePage(x, key, version, page, v); err != nil {
		return err
	}
	x.Header()["Referrer-Policy"] = pageReferrer
	if r.Header.Get("Save-Data") != "on" {
		x.Header()["Speculation-Rules"] = s.sites.speculation
	}
	caching := "public, max-age=0, must-revalidate"
	if s.countArrival(x, page, v) {
		caching = ownCaching
	}
	response.Send(x, r, http.StatusOK, caching)
	return nil
}

// serveStyle responds with the stylesheet of the design, which is stored forever at its own hash. A
// page that was sent before a publication receives the present one.
func (s *Server) serveStyle(x *exchange, r *http.Request, hash string, v site.Visit) error {
	if err := x.Charge(1); err != nil {
		return err
	}
	found, err := v.Shop.Designs.Published(&x.deadline)
	if err != nil {
		return err
	}
	caching := "public, max-age=31536000, immutable"
	if found.Hash != hash {
		caching = headerNoStore[0]
	}
	prepared.NewResponse(x.shop.UID(), "text/css; charset=utf-8", []byte(found.Stylesheet)).Send(x, r, http.StatusOK, caching)
	return nil
}

// preparePage renders a shared page and stores it. Codes: rate_limited, and the page's.
func (s *Server) preparePage(
	x *exchange, key prepared.Key, version shop.ContentVersion, page site.Page, v site.Visit,
) (*prepared.Response, error) {
	var failed error
	render := func(ctx context.Context) *prepared.Response {
		release, err := x.AcquireList(ctx)
		if err != nil {
			failed = err
			return nil
		}
		defer release()
		response, err := s.sites.pages.Render(ctx, page, v)
		if err != nil {
			failed = err
			return nil
		}
		return prepared.NewResponse(key.Tenant, response.Media, response.Body)
	}
	admit := func() error { return x.Charge(page.Work(v.Query)) }
	response, err := s.cache.Prepare(&x.deadline, key, version, admit, render)
	if err == nil && response == nil && failed == nil { // another request prepared it and got an error
		if err = admit(); err == nil {
			response = render(&x.deadline)
		}
	}
	return response, errors.Join(err, failed)
}

// serveOwnPage responds with a page of one buyer.
func (s *Server) serveOwnPage(x *exchange, page site.Page, v site.Visit) error {
	if err := x.Charge(page.Work(v.Query)); err != nil {
		return err
	}
	acquire := x.AcquireRecord
	if media, _, err := mime.ParseMediaType(v.Request.Header.Get("Content-Type")); err == nil && page.IsUpload(media) {
		if err := x.readPhoto(v.Request); err != nil {
			return err
		}
		acquire = x.acquirePhoto
	}
	release, err := acquire(&x.deadline)
	if err != nil {
		return err
	}
	defer release()
	response, err := s.sites.pages.Render(&x.deadline, page, v)
	if err != nil {
		return err
	}
	s.countArrival(x, page, v)
	x.sendPage(response)
	return nil
}

// sendPage sends a page that is not stored, or a redirect.
func (x *exchange) sendPage(response *site.Response) {
	for _, cookie := range response.Cookies {
		http.SetCookie(x, cookie)
	}
	h := x.Header()
	if response.Location != "" {
		h.Set("Location", response.Location)
	} else {
		h.Set("Content-Type", response.Media)
	}
	x.WriteHeader(response.Status)
	_, _ = x.Write(response.Body) // the client may be gone
}

// orderPageURL returns the address of an order's page at the shop's own host, "" if it has none.
func (s *Server) orderPageURL(ctx context.Context, to *shop.Shop, order string, query url.Values) string {
	own, err := to.Site(ctx)
	if err != nil || !own.Enabled || order == "" {
		return ""
	}
	origin, _ := s.siteOrigin(to.UID(), own, "")
	if origin == "" {
		return ""
	}
	path := "/orders/" + order
	language := locale.Language(query.Get("lang"))
	if len(own.Languages) > 1 && language == "" {
		language = to.Orders.FindLanguage(ctx, order)
	}
	if slices.Contains(own.Languages[1:], language) {
		path = "/" + string(language) + path
	}
	if query.Del("lang"); len(query) > 0 {
		path += "?" + query.Encode()
	}
	return origin + path
}
