package check

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// document is what a search engine reads of a page.
type document struct {
	title, description, canonical string
	noindex                       bool
	alternates                    map[string]string // URL by language
	properties                    map[string]string // Open Graph
	structured                    []string          // JSON-LD
	headings                      int               // h1
	links                         []string          // to follow
	pictures                      []string
	withoutAlt                    []string // pictures
	files                         []string // styles and scripts
	text                          bool     // a product has a description
}

// parse reads a page.
func parse(body string) *document {
	d := &document{alternates: map[string]string{}, properties: map[string]string{}}
	root, err := html.Parse(strings.NewReader(body))
	if err != nil { // only of the reader, which does not fail
		return d
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			d.read(n)
		}
	}
	return d
}

func (d *document) read(n *html.Node) {
	switch n.Data {
	case "title":
		if n.Parent.Data == "head" {
			d.title = text(n)
		}
	case "h1":
		if text(n) != "" {
			d.headings++
		}
	case "meta":
		d.readMeta(n)
	case "link":
		d.readLink(n)
	case "script":
		d.readScript(n)
	case "a":
		d.links = append(d.links, attribute(n, "href")) // also with rel=nofollow, as links in texts have
	case "img":
		d.pictures = append(d.pictures, attribute(n, "src"))
		if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "alt" }) {
			d.withoutAlt = append(d.withoutAlt, attribute(n, "src"))
		}
	case "div":
		d.text = d.text || attribute(n, "class") == "rich" && text(n) != ""
	}
}

func (d *document) readScript(n *html.Node) {
	switch {
	case attribute(n, "type") == "application/ld+json":
		d.structured = append(d.structured, text(n))
	case attribute(n, "src") != "":
		d.files = append(d.files, attribute(n, "src"))
	}
}

func (d *document) readMeta(n *html.Node) {
	content := attribute(n, "content")
	d.properties[attribute(n, "property")] = content
	switch attribute(n, "name") {
	case "description":
		d.description = content
	case "robots":
		d.noindex = strings.Contains(content, "noindex")
	}
}

func (d *document) readLink(n *html.Node) {
	to := attribute(n, "href")
	switch attribute(n, "rel") {
	case "canonical":
		d.canonical = to
	case "alternate":
		d.alternates[attribute(n, "hreflang")] = to
	case "stylesheet":
		d.files = append(d.files, to)
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// text returns the text in an element.
func text(n *html.Node) string {
	var all strings.Builder
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			all.WriteString(child.Data)
		}
	}
	return strings.TrimSpace(all.String())
}

// checkPage checks a page that the sitemap lists.
func (c *checker) checkPage(ctx context.Context, path string) {
	r := c.get(ctx, path)
	if !r.isPage() {
		c.add(BrokenPage, path, "The sitemap lists it; it responds with %d.", r.status)
		return
	}
	d := c.collect(path, r)
	if d.canonical != c.Origin+path || d.noindex {
		c.add(MissingCanonical, path, "The canonical address must be %s%s, not %q.", c.Origin, path, d.canonical)
	}
	c.checkLanguages(path, d)
	c.checkProduct(path, d)
	c.checkBudget(ctx, path, r, d)
}

// collect checks the texts of a page, and adds its links to those to follow.
func (c *checker) collect(path string, r *response) *document {
	c.report.Pages++
	d := parse(r.body)
	if d.title == "" {
		c.add(MissingTitle, path, "The page has no title.")
	}
	if d.description == "" && !d.noindex {
		c.add(MissingDescription, path, "The page has no description.")
	}
	if d.headings == 0 {
		c.add(MissingTitle, path, "The page has no heading.")
	}
	if d.canonical != "" && !strings.HasPrefix(d.canonical, c.Origin+"/") {
		c.add(SecondHost, path, "The canonical address %s is at another host.", d.canonical)
	}
	for _, source := range d.withoutAlt {
		c.add(MissingText, path, "The picture %s has no text for people who do not see it.", source)
	}
	for _, to := range d.links {
		if target, ok := c.target(path, to); ok && isFollowed(target) {
			c.later = append(c.later, link{path, target, false})
		}
	}
	for _, source := range d.pictures {
		if target, ok := c.target(path, source); ok {
			c.later = append(c.later, link{path, target, true})
		}
	}
	return d
}

// target returns the path and query of an address, if it is one of the site.
func (c *checker) target(from, address string) (path string, ok bool) {
	base, err := url.Parse(c.Origin + from)
	if err != nil {
		return "", false
	}
	to, err := base.Parse(address)
	if err != nil || to.Scheme+"://"+to.Host != c.Origin {
		return "", false
	}
	return to.RequestURI(), true
}

// isFollowed reports whether a search engine would follow a link: robots.txt closes the pages of
// one buyer. Lists that a buyer sorted or filtered are not followed, since there are many.
func isFollowed(path string) bool {
	rest, query, _ := strings.Cut(path, "?")
	for _, closed := range []string{"/cart", "/checkout", "/account", "/orders/", "/search"} {
		if strings.Contains(rest, closed) {
			return false
		}
	}
	return query == "" || strings.HasPrefix(query, "page=") && !strings.Contains(query, "&")
}

// checkLanguages checks that a page leads to itself in each language.
func (c *checker) checkLanguages(path string, d *document) {
	if len(c.languages) < 2 {
		return
	}
	for _, language := range c.languages {
		to := d.alternates[string(language)]
		if to == "" || !c.addresses[strings.TrimPrefix(to, c.Origin)] {
			c.add(MissingLanguage, path, "The page in the language %s is missing: %q.", language, to)
		}
	}
	if d.alternates["x-default"] == "" {
		c.add(MissingLanguage, path, "The page for other languages (x-default) is missing.")
	}
}

// budgets are the limits of a page's HTML, and of its HTML, styles and scripts, in gzip.
var budgets = []struct {
	path        string
	html, total int
}{
	{"/products/", 14_000, 35_000}, {"/collections/", 20_000, 35_000}, {"/checkout", 14_000, 45_000}, {"/", 14_000, 35_000},
}

// checkBudget checks the size of a page at its first visit.
func (c *checker) checkBudget(ctx context.Context, path string, r *response, d *document) {
	for _, b := range budgets {
		if !strings.Contains(path, b.path) && b.path != "/" {
			continue
		}
		own := compressedSize(r.body)
		total := own
		for _, file := range d.files {
			total += c.fileSize(ctx, file)
		}
		if own > b.html || total > b.total {
			c.add(OverBudget, path, "The page has %d bytes of HTML, %d with styles and scripts; at most %d and %d are fast.",
				own, total, b.html, b.total)
		}
		return
	}
}

func (c *checker) fileSize(ctx context.Context, path string) int {
	size, ok := c.sizes[path]
	if !ok {
		r := c.get(ctx, path)
		if r.status != http.StatusOK {
			c.add(BrokenLink, path, "A style or script responds with %d.", r.status)
		}
		size = compressedSize(r.body)
		c.sizes[path] = size
	}
	return size
}

// checkProduct compares the data of a product with the catalogue.
func (c *checker) checkProduct(path string, d *document) {
	if !strings.Contains(path, "/products/") {
		return
	}
	if !d.text {
		c.add(MissingText, path, "The product has no description.")
	}
	id := d.properties["product:retailer_item_id"]
	v, ok := c.variants[id]
	price := d.properties["product:price:amount"]
	if !ok || price != v.price || d.properties["product:price:currency"] != v.currency {
		c.add(WrongPrice, path, "The preview of the variant %s has the price %s; the catalogue has %s.", id, price, v.price)
	}
	offers := c.checkStructured(path, d)
	handle, _ := url.PathUnescape(path[strings.Index(path, "/products/")+len("/products/"):])
	for _, id := range c.byHandle[handle] {
		if !offers[id] {
			c.add(WrongData, path, "The variant %s has no offer in the data for search engines.", id)
		}
	}
}
