package site

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"storefront/shop"
	"storefront/shop/locale"
)

// llms describes the site for programs that read pages for people; see https://llmstxt.org.
func (s *Site) llms(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "text")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	address := func(title, path, about string) {
		fmt.Fprintf(&b, "- [%s](%s)", markdown(title), f.at+path)
		if about != "" {
			b.WriteString(": " + about)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "# %s\n\n> Online shop in %s. Prices are in %s.\n\n", markdown(f.Name), f.front.Country, f.front.Currency)
	b.WriteString("Every product page has its price, stock, variants and delivery as JSON-LD (schema.org). A buyer orders without an account " +
		"at /checkout, after /cart/add?item=ID:QUANTITY with the ID of a variant, which its page and the feed have.\n\n")
	b.WriteString("## Products\n\n")
	address("All products", f.path("/collections/all"), "")
	for _, c := range f.lists {
		address(locale.NameIn(f.Lang, c.Title), f.path("/collections/"+c.Handle), "")
	}
	address("Search", f.path("/search?q=tea"), "replace tea")
	address("Feed", f.path("/feed.xml"), "all variants as RSS, with price and availability")
	address("Sitemap", "/sitemap.xml", "")
	b.WriteString("\n## The shop\n\n")
	for _, p := range f.front.LegalPolicies {
		address(f.in(p.Title), f.path("/policies/"+p.Slug), "")
	}
	for _, p := range f.front.Pages {
		address(f.in(p.Title), f.path("/pages/"+p.Slug), "")
	}
	b.WriteString(contacts(&f.front.SupportContact))
	return &Response{Status: http.StatusOK, Media: "text/markdown; charset=utf-8", Body: []byte(b.String())}, nil
}

// contacts returns a line with the ways to reach the shop, "" if there is none.
func contacts(c *shop.SupportContact) string {
	var ways []string
	for _, way := range []*string{c.Phone, c.Email} {
		if text(way) != "" {
			ways = append(ways, text(way))
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "- Contact: " + strings.Join(ways, ", ") + "\n"
}

// markdown returns a text of the shop as one line of Markdown.
func markdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "<", `\<`).Replace(oneLine(text))
}
