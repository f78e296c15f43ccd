package site

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"storefront/shop/campaign"
)

// arrivalCookie stores what led a buyer to the shop. Only the server reads it.
const arrivalCookie = "campaign"

// Arrival is the beginning of a visit that an advertisement or another website led to.
type Arrival struct {
	Key    campaign.Key
	Cookie *http.Cookie
}

// arrivalRoutes are the patterns of the pages with which a visit can begin. The others are of one
// buyer: a gateway leads to them too.
var arrivalRoutes = []string{
	"/", "/products/{name}", "/collections/{name}", "/search", "/policies/{name}", "/pages/{name}", "/l/{name}", "/cart/add",
}

// FindArrival returns the visit that begins with a request for a page; nil if none does. isOwn
// reports whether a host is the shop's. The response must not be stored by shared caches then.
func (p Page) FindArrival(v Visit, isOwn func(host string) bool) *Arrival {
	r := v.Request
	query, referrer := r.URL.RawQuery, r.Referer()
	if query == "" && referrer == "" || r.Method != http.MethodGet || p.preview != "" || !p.isArrival() || !isVisitor(r) {
		return nil
	}
	touch := campaign.NewTouch(query, referrer, r.URL.Path, isOwn, v.Now)
	if touch == nil {
		return nil
	}
	next, isNew := readHistory(r, v.Now).Add(touch, v.Now)
	if !isNew {
		return nil
	}
	return &Arrival{campaign.KeyOf(touch), &http.Cookie{
		Name: arrivalCookie, Value: next.Encode(), Path: "/", MaxAge: int(campaign.Lifetime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(v.Origin, "https:"),
	}}
}

// isArrival reports whether a visit can begin with the page. An unknown path can be redirected to
// one.
func (p Page) isArrival() bool {
	pattern, ok := strings.CutPrefix(p.Route, "site ")
	return !p.IsKnown() || ok && slices.Contains(arrivalRoutes, pattern)
}

// programs are parts of the names of clients that are no buyers, in lower case.
var programs = []string{
	"bot", "crawl", "spider", "slurp", "facebookexternalhit", "meta-external", "facebookcatalog", "preview", "monitor", "headless", "lighthouse",
	"curl", "wget", "python", "go-http-client", "okhttp", "java/", "whatsapp/",
}

// isVisitor reports whether a request is most likely a buyer's who sees the page: not one of a
// program, or of a browser that loads the page ahead.
func isVisitor(r *http.Request) bool {
	agent := strings.ToLower(r.UserAgent())
	if agent == "" || slices.ContainsFunc(programs, func(name string) bool { return strings.Contains(agent, name) }) {
		return false
	}
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return true
}

func readHistory(r *http.Request, now time.Time) campaign.History {
	cookie, err := r.Cookie(arrivalCookie)
	if err != nil {
		return campaign.History{}
	}
	return campaign.ParseHistory(cookie.Value, now)
}

// attribution returns what led the buyer to an order. Without cookies it is the campaign in the
// address of the form's page.
func (r *request) attribution() *campaign.AttributionInput {
	found := readHistory(r.Request, r.Now).Attribution()
	if found == nil {
		found = &campaign.Attribution{}
		if at, err := url.Parse(r.Request.Referer()); err == nil {
			found.Last = campaign.NewTouch(at.RawQuery, "", at.Path, nil, r.Now)
		}
	}
	in := found.Input()
	if own, err := r.Shop.Site(r.Request.Context()); err == nil {
		in.Consent = r.consent(&own.Advertising)
	}
	for name, value := range map[string]**string{"_fbp": &in.Fbp, "_fbc": &in.Fbc} {
		if cookie, err := r.Request.Cookie(name); err == nil {
			*value = &cookie.Value
		}
	}
	return in
}
