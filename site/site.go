package site

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/page"
)

// Site renders the pages of shops. It is safe for concurrent use. Create one with [New].
type Site struct {
	templates map[string]*pageTemplate
	files     *files
}

// New returns the site. Its templates are parsed once per process, and the result is shared.
func New() (*Site, error) { return parsed() }

// parsed parses the templates once: parsing takes milliseconds.
var parsed = sync.OnceValues(func() (*Site, error) {
	found, err := newFiles()
	if err != nil {
		return nil, err
	}
	templates, err := parseTemplates(found)
	if err != nil {
		return nil, err
	}
	return &Site{templates: templates, files: found}, nil
})

// Visit is one request for a page.
type Visit struct {
	Shop   *shop.Shop
	Caller access.Caller
	// Request is the request. Pages that all buyers share must not depend on it.
	Request *http.Request
	// Origin is the origin of the shop's canonical host, such as https://shop.example.
	Origin string
	// Now is the time of the request.
	Now time.Time
	// Query has the parameters that the page knows; see [Page.Query].
	Query url.Values
}

// Response is a rendered page, or a redirect.
type Response struct {
	Status   int
	Media    string // content type of Body
	Body     []byte
	Location string // of a redirect
	Cookies  []*http.Cookie
}

// Page is the page at a path.
type Page struct {
	// Route is the pattern of the page's path, for logs and metrics.
	Route string
	// Shared reports that all buyers receive the same bytes.
	Shared bool

	parameters []string
	language   locale.Language
	languages  []locale.Language
	preview    string // beginning of the paths of a preview, such as /preview/TOKEN; "" means none
	rest       string // the path without the preview and the language
	name       string // the variable part of the path, such as a handle
	render     func(*Site, context.Context, *request) (*Response, error)
	open       func(*Site, context.Context, *request) (*Document, error)
	work       func(url.Values) int // as of the route
	upload     bool                 // see IsUpload
}

// request is a visit of a page.
type request struct {
	Visit
	page   Page
	posted url.Values // by form
	photo  []byte     // by form; empty means none
	// landing is the landing page of the address; nil on other pages.
	landing *landing
}

// route is a page by its path. A name in braces matches one segment.
type route struct {
	method, pattern string
	parameters      []string
	shared          bool
	render          func(*Site, context.Context, *request) (*Response, error)
	work            func(url.Values) int // see [Page.Work]; nil means 1
	upload          bool                 // see [Page.IsUpload]
}

// listParameters are the parameters of a list of products.
var listParameters = append([]string{"sort", "page", "stock", "sale", "min", "max"}, facetParameters...)

// facetParameters are the parameters of a list that the values of facets set.
var facetParameters = []string{"option", "vendor", "type", "tag"}

var routes = []route{
	{http.MethodGet, "/", nil, true, (*Site).home, nil, false},
	{http.MethodGet, "/products/{name}", []string{"variant"}, true, (*Site).product, productWork, false},
	{http.MethodGet, "/collections/{name}", listParameters, true, (*Site).collection, listWork, false},
	{http.MethodGet, "/search", append([]string{"q"}, listParameters...), true, (*Site).search, listWork, false},
	{http.MethodGet, "/search/suggestions", []string{"q"}, true, (*Site).suggest, suggestWork, false},
	{http.MethodGet, "/policies/{name}", nil, true, (*Site).policy, nil, false},
	{http.MethodGet, "/pages/{name}", nil, true, (*Site).text, nil, false},
	{http.MethodGet, tokensPattern, nil, true, (*Site).tokens, nil, false},
	{http.MethodGet, "/l/{name}", nil, true, (*Site).landingPage, nil, false},
	{http.MethodPost, "/l/{name}/total", nil, false, (*Site).landingTotal, nil, false},
	{http.MethodPost, "/l/{name}/incomplete", nil, false, (*Site).saveIncompleteLanding, nil, false},
	{http.MethodPost, "/l/{name}", nil, false, (*Site).orderOnLanding, nil, false},
	{http.MethodGet, "/robots.txt", nil, true, (*Site).robots, nil, false},
	{http.MethodGet, "/llms.txt", nil, true, (*Site).llms, nil, false},
	{http.MethodGet, "/manifest.webmanifest", nil, true, (*Site).manifest, nil, false},
	{http.MethodGet, iconPath, nil, true, (*Site).icon, nil, false},
	{http.MethodGet, "/cart", []string{"added"}, false, (*Site).cart, nil, false},
	{http.MethodPost, "/cart", nil, false, (*Site).changeCart, nil, false},
	{http.MethodGet, "/cart/add", []string{"item", "coupon"}, false, (*Site).openCartLink, nil, false},
	{http.MethodGet, "/checkout", []string{"added", "coupon"}, false, (*Site).checkout, nil, false},
	{http.MethodPost, "/checkout", nil, false, (*Site).placeOrder, nil, false},
	{http.MethodPost, "/checkout/quote", nil, false, (*Site).quote, nil, false},
	{http.MethodPost, "/checkout/incomplete", nil, false, (*Site).saveIncomplete, nil, false},
	{http.MethodGet, "/account", []string{"page", "saved"}, false, (*Site).account, nil, false},
	{http.MethodPost, "/account", nil, false, (*Site).signIn, nil, false},
	{http.MethodPost, "/account/passkeys", nil, false, (*Site).passkeys, nil, false},
	{http.MethodPost, "/account/details", nil, false, (*Site).saveAccount, nil, false},
	{http.MethodPost, "/account/sign-out", nil, false, (*Site).signOut, nil, false},
	{http.MethodGet, "/account/name", nil, false, (*Site).buyerName, nil, false},
	{http.MethodGet, "/orders/{name}", []string{"k", "payment", "not_started", "placed", "reviewed", "reported"}, false, (*Site).order, nil, false},
	{http.MethodPost, "/orders/{name}/pay", nil, false, (*Site).payOrder, nil, false},
	{http.MethodPost, "/orders/{name}/report", nil, false, (*Site).reportPayment, nil, false},
	{http.MethodPost, "/orders/{name}/cancel", nil, false, (*Site).cancelOrder, nil, false},
	{http.MethodPost, "/orders/{name}/review", nil, false, (*Site).reviewOrder, nil, true},
	{http.MethodPost, "/orders/{name}/again", nil, false, (*Site).orderAgain, nil, false},
}

// unmatched is the route of paths without a page.
const unmatched = "unmatched"

// Find returns the page at a path of a shop with these languages. The first language has no prefix.
// The page of an unknown path responds with 404.
func (s *Site) Find(languages []locale.Language, method, path string) Page {
	page := Page{Route: unmatched, language: languages[0], languages: languages, render: (*Site).unknown}
	page.preview, path = cutPreview(path)
	page.rest = path
	for _, other := range languages[1:] {
		prefix := "/" + string(other)
		if path == prefix {
			page.language, page.rest = other, "/"
		} else if rest, ok := strings.CutPrefix(path, prefix+"/"); ok {
			page.language, page.rest = other, "/"+rest
		}
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, r := range routes {
		if name, ok := matchPath(r.pattern, page.rest); ok && r.method == method {
			page.Route, page.Shared = "site "+r.pattern, r.shared && page.preview == ""
			page.parameters, page.name, page.render, page.work, page.upload = r.parameters, name, r.render, r.work, r.upload
			return page
		}
	}
	if method == http.MethodGet && page.preview == "" {
		page.findDocument()
	}
	return page
}

// matchPath reports whether a path has a pattern, and returns the segment in place of its name.
func matchPath(pattern, path string) (name string, ok bool) {
	before, after, hasName := strings.Cut(pattern, "{name}")
	if !hasName {
		return "", pattern == path
	}
	rest, ok := strings.CutPrefix(path, before)
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(rest, after)
	return name, ok && name != "" && !strings.Contains(name, "/")
}

// IsKnown reports whether a page of this kind exists.
func (p Page) IsKnown() bool { return p.Route != unmatched }

// IsUpload reports whether a request of this media type sends the page a photo. Its body must be
// read, and limited, before the page is rendered.
func (p Page) IsUpload(mediaType string) bool { return p.upload && mediaType == "multipart/form-data" }

// Query returns the parameters of a query that the page knows. Others, such as the parameters of a
// campaign, do not change a page.
func (p Page) Query(raw string) url.Values {
	query, _ := url.ParseQuery(raw) // without its invalid parts
	known := url.Values{}
	for _, name := range p.parameters {
		for _, value := range query[name] {
			if value == "" || len(value) > maxParameter || !isText(value) {
				continue
			}
			limit := 1
			switch {
			case slices.Contains(facetParameters, name):
				limit = maxValues
			case name == "item":
				limit = maxLines
			}
			if len(known[name]) < limit && !slices.Contains(known[name], value) {
				known.Add(name, value)
			}
		}
		slices.Sort(known[name])
	}
	return known
}

// Work returns the cost of rendering the page with a query, for rate limits: what the API charges
// for the same data.
func (p Page) Work(query url.Values) int {
	if p.work == nil {
		return 1
	}
	return p.work(query)
}

func productWork(url.Values) int {
	limit := maxRelated
	return 1 + catalogue.RelatedWork(page.Request{Limit: &limit})
}

func listWork(query url.Values) int {
	limit, number := listSize, pageNumber(query.Get("page"))
	filter := catalogue.ProductFilter{
		Request: page.Request{Limit: &limit, Page: &number}, Search: query.Get("q"),
		Options: query["option"], Vendors: query["vendor"], Types: query["type"],
	}
	return filter.FacetWork() + filter.Work()
}

func suggestWork(query url.Values) int { return catalogue.SuggestionWork(query.Get("q")) }

// isText reports whether a text can be stored: PostgreSQL stores no others.
func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// maxValues is the maximum number of values of a facet's parameter. Further ones are ignored.
const maxValues = 20

// maxParameter is the maximum length of a parameter, in bytes. Longer ones are ignored.
const maxParameter = 500

// Render renders a page. It returns the errors of the page's use cases; see [Page.ForError].
func (s *Site) Render(ctx context.Context, page Page, v Visit) (*Response, error) {
	r := &request{Visit: v, page: page}
	if len(page.languages) > 1 {
		r.Caller.Language = page.language
	}
	if page.Shared {
		return page.render(s, ctx, r)
	}
	return s.renderOwn(ctx, r)
}

// MovedError is the error of a page that has another path now.
type MovedError struct{ Path string }

func (e *MovedError) Error() string { return "the page is at " + e.Path }

// unknown is the page at an unknown path. Without the slash at its end, the path may be the path
// of a page.
func (s *Site) unknown(_ context.Context, r *request) (*Response, error) {
	path := r.page.prefix() + strings.TrimRight(r.page.rest, "/")
	if path+"/" == r.page.prefix()+r.page.rest && r.Request.Method != http.MethodPost &&
		s.Find(r.page.languages, http.MethodGet, path).IsKnown() {
		return nil, &MovedError{Path: path}
	}
	return nil, &fault.Error{Code: fault.CodeNotFound}
}

// redirect returns a redirect after a form was accepted.
func redirect(to string, cookies ...*http.Cookie) *Response {
	return &Response{Status: http.StatusSeeOther, Location: to, Cookies: cookies}
}

// prefix returns the prefix of paths in the page's language: "" or "/bn", after the
// beginning of a preview.
func (p Page) prefix() string { return p.prefixOf(p.language) }

func (p Page) prefixOf(language locale.Language) string {
	if language == p.languages[0] {
		return p.preview
	}
	return p.preview + "/" + string(language)
}

// Catalogue returns a shop's catalogue in the page's language.
func (p Page) Catalogue(s *shop.Shop) *catalogue.Catalogue {
	if p.language == p.languages[0] {
		return s.Catalogue
	}
	return s.Catalogue.In(p.language)
}

func (r *request) catalogue() *catalogue.Catalogue { return r.page.Catalogue(r.Shop) }

// other returns the site's other language; ok is false if it has one.
func (p Page) other() (language locale.Language, ok bool) {
	at := slices.IndexFunc(p.languages, func(l locale.Language) bool { return l != p.language })
	if at < 0 {
		return "", false
	}
	return p.languages[at], true
}
