package check

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/page"
)

// Options are the subject of a check.
type Options struct {
	// Handler serves the pages. It must not limit the rate of requests.
	Handler http.Handler
	Shop    *shop.Shop
	// Origin is the origin of the shop's canonical host, such as https://shop.example.
	Origin string
	// OtherHosts are hosts of the shop that must lead to the canonical one.
	OtherHosts []string
	// MaxPages limits the requested pages; 0 means all.
	MaxPages int
	// Progress is called after each page of the sitemap; nil does nothing.
	Progress func(n, of int)
}

// variant is a published variant of the catalogue.
type variant struct {
	price, currency string
}

// checker is a check that is running.
type checker struct {
	Options
	report    *Report
	languages []locale.Language
	variants  map[string]variant  // by ID
	byHandle  map[string][]string // IDs of variants
	addresses map[string]bool     // the paths in the sitemap
	visited   map[string]int      // status by path, of every request
	sizes     map[string]int      // of styles and scripts, compressed
	later     []link              // links to pages that are not in the sitemap
	all       bool                // every page may be requested
}

// link is a link of a page to a path of the site.
type link struct {
	from, to string
	picture  bool
}

// Run checks the pages of a shop. Its errors are ctx's and the catalogue's: all else is a problem.
func Run(ctx context.Context, o Options) (*Report, error) {
	c := &checker{
		Options: o, report: &Report{Origin: o.Origin, Complete: true, Problems: []Problem{}}, variants: map[string]variant{},
		byHandle: map[string][]string{}, addresses: map[string]bool{}, visited: map[string]int{}, sizes: map[string]int{}, all: true,
	}
	own, err := o.Shop.Site(ctx)
	if err != nil {
		return nil, err
	}
	c.languages = own.Languages
	first, err := c.readCatalogue(ctx)
	if err != nil {
		return nil, err
	}
	listed := c.readSitemap(ctx)
	for i, path := range listed {
		if o.MaxPages > 0 && i >= o.MaxPages {
			c.report.Complete = false
			break
		}
		c.checkPage(ctx, path)
		if o.Progress != nil {
			o.Progress(i+1, len(listed))
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	c.checkLinks(ctx)
	c.checkFeed(ctx)
	c.checkCheckout(ctx, first)
	c.checkHosts(ctx)
	c.report.sort()
	return c.report, ctx.Err()
}

// add adds a problem.
func (c *checker) add(code Code, path, format string, args ...any) {
	state := Failing
	if code.isContent() {
		state = Warning
	}
	c.report.Problems = append(c.report.Problems, Problem{code, state, path, fmt.Sprintf(format, args...)})
}

// readCatalogue reads the prices of all published variants. It returns the handle of a product that
// can be bought, "" if there is none.
func (c *checker) readCatalogue(ctx context.Context) (first string, err error) {
	front, err := c.Shop.StoreFront(ctx, "")
	if err != nil {
		return "", err
	}
	currency, ok := money.ParseCurrency(front.Currency)
	if !ok {
		return "", errors.New("the shop's currency is unknown")
	}
	limit := page.NoLimit
	ids, err := c.Shop.Catalogue.FindProductIDs(ctx, catalogue.ProductFilter{Request: page.Request{Limit: &limit}})
	if err != nil {
		return "", err
	}
	for some := range slices.Chunk(ids, pageSize) {
		products, err := c.Shop.Catalogue.FindPublished(ctx, some)
		if err != nil {
			return "", err
		}
		for _, p := range products {
			c.report.Products++
			if p.Available && first == "" {
				first = p.Handle
			}
			for _, v := range p.Variants {
				c.byHandle[p.Handle] = append(c.byHandle[p.Handle], v.ID)
				c.variants[v.ID] = variant{decimal(v.Price.Amount, currency.Digits), currency.Code}
			}
		}
	}
	return first, nil
}

// decimal returns an amount in minor units with a dot and all decimals.
func decimal(amount int64, digits int) string {
	text := fmt.Sprintf("%0*d", digits+1, amount)
	if digits == 0 {
		return text
	}
	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}

// readSitemap returns the paths in the sitemap, after robots.txt named it.
func (c *checker) readSitemap(ctx context.Context) (paths []string) {
	robots := c.get(ctx, "/robots.txt")
	if sitemap := c.Origin + "/sitemap.xml"; !strings.Contains(robots.body, "Sitemap: "+sitemap+"\n") {
		c.add(Unlisted, "/robots.txt", "Must name the sitemap %s.", sitemap)
	}
	files := []string{"/sitemap.xml"}
	for i := 0; i < len(files); i++ {
		var set struct {
			URLs  []string `xml:"url>loc"`
			Files []string `xml:"sitemap>loc"`
		}
		if err := xml.Unmarshal([]byte(c.get(ctx, files[i]).body), &set); err != nil {
			c.add(BrokenPage, files[i], "The sitemap cannot be read: %v.", err)
			continue
		}
		for _, address := range set.Files {
			files = append(files, strings.TrimPrefix(address, c.Origin))
		}
		for _, address := range set.URLs {
			path, ok := strings.CutPrefix(address, c.Origin)
			if !ok {
				c.add(SecondHost, files[i], "Lists %s at another host.", address)
				continue
			}
			c.addresses[path] = true
			paths = append(paths, path)
		}
	}
	for handle := range c.byHandle {
		if path := (&url.URL{Path: "/products/" + handle}).EscapedPath(); !c.addresses[path] {
			c.add(Unlisted, path, "The product is not in the sitemap.")
		}
	}
	return paths
}

// checkLinks requests what pages link to and the sitemap does not have.
func (c *checker) checkLinks(ctx context.Context) {
	for i := 0; i < len(c.later) && ctx.Err() == nil; i++ {
		l := c.later[i]
		status, ok := c.visited[l.to]
		switch {
		case ok:
		case c.addresses[l.to]: // not requested, because of the limit
			continue
		case c.MaxPages > 0 && len(c.visited) >= 4*c.MaxPages:
			c.report.Complete = false
			continue
		default:
			status = c.follow(ctx, l)
		}
		switch {
		case status < http.StatusBadRequest:
		case l.picture:
			c.add(BrokenPicture, l.from, "The picture %s responds with %d.", l.to, status)
		default:
			c.add(BrokenLink, l.from, "Links to %s, which responds with %d.", l.to, status)
		}
	}
}

// follow requests a link that is not in the sitemap, and returns the status at its end.
func (c *checker) follow(ctx context.Context, l link) (status int) {
	to := l.to
	for range 5 {
		r := c.get(ctx, to)
		if r.status < 300 || r.status >= 400 {
			if !l.picture && r.isPage() && to == l.to {
				c.collect(to, r)
			}
			c.visited[l.to] = r.status
			return r.status
		}
		at, err := url.Parse(r.location)
		if err != nil || at.Host != "" && at.Scheme+"://"+at.Host != c.Origin {
			break
		}
		to = at.RequestURI()
	}
	return c.visited[l.to]
}

// checkFeed compares the feeds with the catalogue.
func (c *checker) checkFeed(ctx context.Context) {
	for _, prefix := range c.prefixes() {
		path := prefix + "/feed.xml"
		var feed struct {
			Items []struct {
				ID    string `xml:"http://base.google.com/ns/1.0 id"`
				Price string `xml:"http://base.google.com/ns/1.0 price"`
				Sale  string `xml:"http://base.google.com/ns/1.0 sale_price"`
			} `xml:"channel>item"`
		}
		if err := xml.Unmarshal([]byte(c.get(ctx, path).body), &feed); err != nil {
			c.add(BrokenPage, path, "The feed cannot be read: %v.", err)
			continue
		}
		for _, item := range feed.Items {
			v, ok := c.variants[item.ID]
			price := item.Price
			if item.Sale != "" {
				price = item.Sale
			}
			if want := v.price + " " + v.currency; ok && price != want {
				c.add(WrongPrice, path, "%s costs %s; the catalogue has %s.", item.ID, price, want)
			}
		}
		if len(feed.Items) != len(c.variants) {
			c.add(Unlisted, path, "Has %d variants; the catalogue has %d.", len(feed.Items), len(c.variants))
		}
	}
}

// prefixes returns the beginnings of the paths of each language.
func (c *checker) prefixes() []string {
	prefixes := []string{""}
	for _, language := range c.languages[1:] {
		prefixes = append(prefixes, "/"+string(language))
	}
	return prefixes
}

// checkCheckout checks the size of the checkout of a cart with a product.
func (c *checker) checkCheckout(ctx context.Context, handle string) {
	if handle == "" {
		return
	}
	form := url.Values{"product": {handle}, "then": {"checkout"}}
	added := c.send(ctx, http.MethodPost, "/cart", form, nil)
	if added.status != http.StatusSeeOther {
		c.add(BrokenPage, "/cart", "A product cannot be added to the cart: the status is %d.", added.status)
		return
	}
	checkout := c.send(ctx, http.MethodGet, "/checkout", nil, added.cookies)
	if checkout.status != http.StatusOK {
		c.add(BrokenPage, "/checkout", "Responds with %d.", checkout.status)
		return
	}
	c.checkBudget(ctx, "/checkout", checkout, parse(checkout.body))
}

// checkHosts checks that other hosts of the shop lead to the canonical one.
func (c *checker) checkHosts(ctx context.Context) {
	scheme, _, _ := strings.Cut(c.Origin, "://")
	for _, host := range c.OtherHosts {
		const path = "/collections/all"
		r := c.sendTo(ctx, http.MethodGet, scheme+"://"+host, path, nil, nil)
		if r.status != http.StatusMovedPermanently || r.location != c.Origin+path {
			c.add(SecondHost, "/", "%s must redirect to %s; it responds with %d.", host, c.Origin, r.status)
		}
	}
}
