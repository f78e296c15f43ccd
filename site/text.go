package site

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"

	"storefront/shop"
	"storefront/shop/fault"
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
