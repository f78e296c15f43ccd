package site

import (
	"context"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"storefront/shop"
	"storefront/shop/fault"
)

// textPage is the data of a page with a text of the merchant.
type textPage struct {
	*frame
	Heading string
	Text    template.HTML // sanitized
	Cookies bool          // whether to explain the site's cookies
}

// policy is the page of a policy of the shop.
func (s *Site) policy(ctx context.Context, r *request) (*Response, error) {
	return s.showText(ctx, r, func(front *shop.StoreFront) []shop.LegalPolicy { return front.LegalPolicies })
}

// text is one of the shop's own pages.
func (s *Site) text(ctx context.Context, r *request) (*Response, error) {
	return s.showText(ctx, r, func(front *shop.StoreFront) (texts []shop.LegalPolicy) {
		for _, p := range front.Pages {
			texts = append(texts, shop.LegalPolicy(p))
		}
		return texts
	})
}

// showText renders the text with the slug of the address.
func (s *Site) showText(ctx context.Context, r *request, of func(*shop.StoreFront) []shop.LegalPolicy) (*Response, error) {
	f, err := s.newFrame(ctx, r, "text")
	if err != nil {
		return nil, err
	}
	texts := of(f.front)
	at := slices.IndexFunc(texts, func(p shop.LegalPolicy) bool { return p.Slug == r.page.name })
	if at < 0 {
		return nil, &fault.Error{Code: fault.CodeNotFound}
	}
	found := texts[at]
	p := textPage{frame: f, Heading: f.in(found.Title), Text: template.HTML(found.BodyHTML)}
	p.Cookies = strings.Contains(found.Slug, "privacy")
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

// ForError returns the page that explains an error with a code instead of this page. It is the same
// for all pages of a language, and its Route states both. ok is false if a buyer cannot have caused
// the error.
func (p Page) ForError(code fault.Code) (page Page, ok bool) {
	w, message := wordsOf[p.language], messagePage{}
	switch code {
	case fault.CodeNotFound:
		message.Heading, message.Text, message.Search = w.NotFound, w.NotFoundText, true
	case fault.CodeRateLimited:
		message.Heading, message.Text, message.Again = w.TooMany, w.TooManyText, true
	case fault.CodeUnavailable:
		message.Heading, message.Text, message.Again = w.Busy, w.BusyText, true
	case fault.CodeTooLarge:
		message.Heading, message.Text = w.TooLarge, w.TooLargeText
	case fault.CodeMalformed:
		message.Heading, message.Text, message.Again = w.Malformed, w.BusyText, true
	case fault.CodeForbidden:
		message.Heading, message.Text, message.Again = w.OtherSite, w.OtherSiteText, true
	default:
		return Page{}, false
	}
	return Page{
		Route: string(code) + " " + string(p.language), Shared: true, language: p.language, languages: p.languages,
		render: func(s *Site, ctx context.Context, r *request) (_ *Response, err error) {
			shown := message // requests share the page
			if shown.frame, err = s.newFrame(ctx, r, "message"); err != nil {
				return nil, err
			}
			shown.Title = shown.Heading
			return s.respond("message", shown)
		},
	}, true
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
