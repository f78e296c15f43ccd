package site

import (
	"context"
	"encoding/xml"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"time"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// textPage is the data of a page with a text of the merchant.
type textPage struct {
	*frame
	Heading string
	Text    template.HTML // sanitized
}

// policy is the page of a policy of the shop.
func (s *Site) policy(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "text")
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(f.front.LegalPolicies, func(p shop.LegalPolicy) bool { return p.Slug == r.page.name })
	if at < 0 {
		return nil, &fault.Error{Code: fault.CodeNotFound}
	}
	found := f.front.LegalPolicies[at]
	p := textPage{frame: f, Heading: f.in(found.Title), Text: template.HTML(found.BodyHTML)}
	f.Title, f.Description = p.Heading, plainText(found.BodyHTML, 160)
	f.listed(nil)
	return s.respond("text", p)
}

// messagePage is the data of a page that explains an error.
type messagePage struct {
	*frame
	Heading, Text string
	Search, Again bool
}

// Explain returns the page of an error in the shop's frame; ok is false if a buyer cannot have
// caused it.
func (s *Site) Explain(ctx context.Context, found Page, v Visit, err error) (response *Response, ok bool) {
	if errors.Is(err, context.Canceled) {
		return nil, false
	}
	w := wordsOf[found.language]
	p := messagePage{}
	status := http.StatusNotFound
	switch {
	case fault.HasCode(err, fault.CodeNotFound):
		p.Heading, p.Text, p.Search = w.NotFound, w.NotFoundText, true
	case fault.HasCode(err, fault.CodeRateLimited):
		status, p.Heading, p.Text, p.Again = http.StatusTooManyRequests, w.TooMany, w.TooManyText, true
	case fault.HasCode(err, fault.CodeUnavailable):
		status, p.Heading, p.Text, p.Again = http.StatusServiceUnavailable, w.Busy, w.BusyText, true
	case fault.HasCode(err, fault.CodeMalformed), fault.HasCode(err, fault.CodeForbidden):
		status, p.Heading, p.Text, p.Again = http.StatusForbidden, w.OtherSite, w.BusyText, true
	default:
		return nil, false
	}
	if p.frame, err = s.newFrame(ctx, &request{Visit: v, page: found}, "message"); err != nil {
		return nil, false
	}
	p.Title = p.Heading
	if response, err = s.respond("message", p); err != nil {
		return nil, false
	}
	response.Status = status
	return response, true
}

// sitemapURL is an address in a sitemap. See https://www.sitemaps.org/protocol.html.
type sitemapURL struct {
	Location   string        `xml:"loc"`
	Modified   string        `xml:"lastmod,omitempty"`
	Alternates []sitemapLink `xml:"xhtml:link"`
}

type sitemapLink struct {
	Rel  string `xml:"rel,attr"`
	Lang string `xml:"hreflang,attr"`
	URL  string `xml:"href,attr"`
}

// maxSitemap is the maximum number of products in a sitemap: each has two addresses in a shop of
// two languages, and a file must not have more than 50,000.
const maxSitemap = 20_000

// sitemap lists the addresses of a shop for search engines.
func (s *Site) sitemap(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "text")
	if err != nil {
		return nil, err
	}
	set := struct {
		XMLName xml.Name     `xml:"urlset"`
		Space   string       `xml:"xmlns,attr"`
		HTML    string       `xml:"xmlns:xhtml,attr"`
		URLs    []sitemapURL `xml:"url"`
	}{Space: "http://www.sitemaps.org/schemas/sitemap/0.9", HTML: "http://www.w3.org/1999/xhtml"}
	add := func(path string, modified time.Time) {
		var alternates []sitemapLink
		if len(r.page.languages) > 1 {
			for _, language := range r.page.languages {
				alternates = append(alternates, sitemapLink{"alternate", string(language), f.at + f.pathIn(language, path)})
			}
		}
		for _, language := range r.page.languages {
			one := sitemapURL{Location: f.at + f.pathIn(language, path), Alternates: alternates}
			if !modified.IsZero() {
				one.Modified = modified.UTC().Format(time.RFC3339)
			}
			set.URLs = append(set.URLs, one)
		}
	}
	add("/", time.Time{})
	add("/collections/all", time.Time{})
	for _, c := range f.lists {
		add("/collections/"+c.Handle, c.UpdatedAt)
	}
	for _, p := range f.front.LegalPolicies {
		add("/policies/"+p.Slug, time.Time{})
	}
	err = r.eachProduct(ctx, func(p *catalogue.Product) { add("/products/"+p.Handle, p.UpdatedAt) })
	if err != nil {
		return nil, err
	}
	body, err := xml.Marshal(set)
	if err != nil {
		return nil, err
	}
	return &Response{Status: http.StatusOK, Media: "application/xml; charset=utf-8", Body: append([]byte(xml.Header), body...)}, nil
}

// eachProduct calls fn with the published products, at most maxSitemap, the newest first.
func (r *request) eachProduct(ctx context.Context, fn func(*catalogue.Product)) error {
	limit := page.NoLimit
	ids, err := r.Shop.Catalogue.FindProductIDs(ctx, catalogue.ProductFilter{Request: page.Request{Limit: &limit}})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids[:min(len(ids), maxSitemap)], page.MaxLimit) {
		products, err := r.Shop.Catalogue.FindPublished(ctx, some)
		if err != nil {
			return err
		}
		for i := range products {
			fn(&products[i])
		}
	}
	return nil
}

// robots closes the pages of one buyer to search engines, and refers to the sitemap.
func (s *Site) robots(_ context.Context, r *request) (*Response, error) {
	text := "User-agent: *\n"
	for _, language := range r.page.languages {
		prefix := ""
		if language != r.page.languages[0] {
			prefix = "/" + string(language)
		}
		for _, path := range []string{"/cart", "/checkout", "/account", "/orders/", "/search"} {
			text += "Disallow: " + prefix + path + "\n"
		}
	}
	text += "Disallow: /t/\nDisallow: /api/\nDisallow: /admin/\n\nSitemap: " + r.Origin + "/sitemap.xml\n"
	return &Response{Status: http.StatusOK, Media: "text/plain; charset=utf-8", Body: []byte(text)}, nil
}
