package storefront

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// document is the page at one address, for its template.
type document struct {
	Tenant, SMSPage string
	Lang            string // en or bn
	Site            string // name of the shop
	Title           string
	Description     string
	URL             string // canonical
	Image           string // absolute URL of the preview's picture; may be empty
	Private         bool   // not for search engines
	Product         *productData
	Picture         string // URL of the first picture; may be empty
	Style           string
	Main            string
	Modules         []string // in addition to Main
	Responses       map[string]json.RawMessage

	status int
}

// The parts of the API's responses that describe an address.
type (
	tenantInfo struct {
		Name          string
		LogoURL       *string
		LegalPolicies []struct{ Slug, Title, BodyHTML string }
	}
	collectionList struct{ Nodes []collectionInfo }
	collectionInfo struct {
		ID                             string `json:"_id"`
		Handle, Title, DescriptionHTML string
		Image                          *image
	}
	image struct{ URL string }
)

// view is one of the page's views: its module, and the query parameter with its value.
type view struct{ module, parameter string }

// The views by the first of these parameters in the query, otherwise by the value of view, as in
// main.js.
var (
	viewsByParameter = []view{
		{"order", "order"}, {"product", "product"}, {"products", "collection"}, {"products", "search"}, {"pages", "policy"},
	}
	viewsByName = map[string]view{
		"products": {module: "products"}, "checkout": {module: "checkout"}, "account": {module: "account"}, "track": {module: "pages"},
	}
)

func viewOf(query url.Values) view {
	for _, v := range viewsByParameter {
		if query.Get(v.parameter) != "" {
			return v
		}
	}
	if v, ok := viewsByName[query.Get("view")]; ok {
		return v
	}
	return view{module: "home"}
}

// describe requests the first data of an address's view, and describes it.
func (h *handler) describe(r *http.Request) *document {
	query := r.URL.Query()
	v := viewOf(query)
	d := &document{
		Tenant: h.Tenant, SMSPage: h.SMSPage, Lang: languageOf(r), status: http.StatusOK,
		Style: h.files.Base + "style.css", Responses: map[string]json.RawMessage{},
	}
	if r.URL.Path != "/" {
		d.status, v = http.StatusNotFound, view{module: "home"}
	}
	modules := h.files.URLs("js/main.js", "js/view/"+v.module+".js")
	d.Main, d.Modules = modules[0], modules[1:]
	c := &apiClient{api: h.API, tenant: h.Tenant, page: r, responses: d.Responses}
	var shop tenantInfo
	var collections collectionList
	c.get("/tenant", &shop)
	c.get("/collections?limit=-1", &collections)
	d.Site = nameIn(d.Lang, shop.Name)
	if shop.LogoURL != nil {
		d.setPreview(h.absolute(*shop.LogoURL))
	}
	if d.status == http.StatusOK {
		h.describeView(d, c, v, query, &shop, collections.Nodes)
	}
	d.Private = d.Private || d.status != http.StatusOK
	if d.Title == "" {
		d.Title = d.Site
	} else if d.Site != "" {
		d.Title += " · " + d.Site
	}
	return d
}

func (h *handler) describeView(d *document, c *apiClient, v view, query url.Values, shop *tenantInfo, collections []collectionInfo) {
	value := query.Get(v.parameter)
	switch {
	case v.module == "product":
		h.describeProduct(d, c, value, query.Get("variant"))
	case v.parameter == "collection":
		d.status = http.StatusNotFound
		for _, of := range collections {
			if of.Handle == value {
				d.status = http.StatusOK
				d.Title, d.Description, d.URL = nameIn(d.Lang, of.Title), plainText(of.DescriptionHTML), h.address("collection", value)
				if of.Image != nil {
					d.setPreview(h.absolute(of.Image.URL))
				}
				c.getList(query, "collection", "collectionIds%5B%5D="+url.QueryEscape(of.ID)+"&sortBy=manual&")
			}
		}
	case v.parameter == "policy":
		d.status = http.StatusNotFound
		for _, policy := range shop.LegalPolicies {
			if policy.Slug == value {
				d.status = http.StatusOK
				d.Title, d.Description, d.URL = nameIn(d.Lang, policy.Title), plainText(policy.BodyHTML), h.address("policy", value)
			}
		}
	case v.parameter == "search":
		d.Private = true
		c.getList(query, "search", "search="+url.QueryEscape(value)+"&")
	case v.module == "products":
		d.URL = h.address("view", "products")
		c.getList(query, "view", "")
	case v.module == "home":
		d.URL, d.Description = h.absolute("/"), listTitles(d.Lang, collections)
		if len(collections) > 0 {
			c.get("/products?collectionIds%5B%5D="+url.QueryEscape(collections[0].ID)+"&sortBy=manual&limit=11&inStock=true", nil)
		}
		c.get("/products?limit=12&inStock=true", nil)
		c.get("/products?limit=16&inStock=true&onSale=true&sortBy=bestSelling", nil)
	default: // an order, and data of one buyer
		d.Private = true
	}
}

// setPreview sets the picture of previews to the first of these addresses that preview services can
// draw. They ignore SVG, so the address of an SVG image would hide the shop's logo.
func (d *document) setPreview(addresses ...string) {
	for _, address := range addresses {
		if to, err := url.Parse(address); err == nil && address != "" && !strings.EqualFold(path.Ext(to.Path), ".svg") {
			d.Image = address
			return
		}
	}
}

// getList requests the first page of a list, unless the query has further parameters, such as a
// filter.
func (c *apiClient) getList(query url.Values, parameter, filter string) {
	if len(query) == 1 && query.Has(parameter) {
		c.get("/products?"+filter+"page=1&limit=12", nil)
	}
}

// address returns the absolute URL of a view.
func (h *handler) address(parameter, value string) string {
	return h.absolute("/?" + url.Values{parameter: {value}}.Encode())
}

// absolute returns an address as an absolute URL, or "" if it is not an http or https URL.
func (h *handler) absolute(address string) string {
	to, err := h.origin.Parse(address)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return ""
	}
	return to.String()
}

// languageOf returns the language that a browser prefers. The page's scripts replace it by the
// buyer's choice.
func languageOf(r *http.Request) string {
	if strings.HasPrefix(strings.ToLower(r.Header.Get("Accept-Language")), "bn") {
		return "bn"
	}
	return "en"
}

var bangla = regexp.MustCompile(`\p{Bengali}`)

// nameIn returns a name of the form "English — বাংলা" in one language; others are returned
// unchanged, as in language.js.
func nameIn(language, name string) string {
	first, second, ok := strings.Cut(name, " — ")
	switch {
	case !ok || strings.Contains(second, " — "):
		return name
	case bangla.MatchString(first) == (language == "bn"):
		return first
	case bangla.MatchString(second) == (language == "bn"):
		return second
	}
	return name
}

func listTitles(language string, collections []collectionInfo) string {
	titles := make([]string, len(collections))
	for i, c := range collections {
		titles[i] = nameIn(language, c.Title)
	}
	return strings.Join(titles, ", ")
}

// maxDescription is the length of a description, in characters: previews show less.
const maxDescription = 200

var tags = regexp.MustCompile(`<[^>]*>`)

// plainText returns the beginning of a merchant's HTML as text.
func plainText(content string) string {
	text := []rune(strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(content, " "))), " "))
	if len(text) <= maxDescription {
		return string(text)
	}
	text = text[:maxDescription-1]
	beginning := string(text)
	if at := strings.LastIndex(beginning, " "); at > 0 {
		beginning = beginning[:at]
	}
	return beginning + "…"
}
