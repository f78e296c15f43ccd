package site

import (
	"context"
	"strconv"
	"time"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// Sitemaps, by https://www.sitemaps.org/protocol.html: at most 50,000 addresses and 50 MB a file.
const (
	sitemapMedia = "application/xml; charset=utf-8"
	sitemapSpace = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
	// maxSitemap is the number of addresses above which the sitemap is an index of files.
	maxSitemap = 20_000
	// sitemapPart is the number of addresses in each of the files.
	sitemapPart = 10_000
	// maxSitemapPictures limits the pictures of an address, so that long URLs do not exceed 50 MB.
	maxSitemapPictures = 3
)

// sitemap lists the addresses of a shop for search engines, or the files that list them.
func (s *Site) sitemap(ctx context.Context, r *request) (*Document, error) {
	ids, err := r.productIDs(ctx)
	if err != nil {
		return nil, err
	}
	languages := len(r.page.languages)
	if len(ids)*languages <= maxSitemap {
		return r.openSitemap(ctx, ids, true)
	}
	text := &xmlText{}
	text.WriteString("<sitemapindex " + sitemapSpace + ">")
	for number := 1; ; number++ {
		files, err := part(ids, sitemapPart/languages, number)
		if fault.HasCode(err, fault.CodeNotFound) {
			break
		}
		latest, err := r.catalogue().FindPublished(ctx, files[:1])
		if err != nil {
			return nil, err
		}
		text.WriteString("<sitemap>")
		text.element("loc", r.Origin+"/sitemap-"+strconv.Itoa(number)+".xml")
		if len(latest) > 0 {
			text.element("lastmod", sitemapTime(latest[0].UpdatedAt))
		}
		text.WriteString("</sitemap>")
	}
	text.WriteString("</sitemapindex>\n")
	return &Document{Media: sitemapMedia, begin: text.String()}, nil
}

// sitemapFile is one of the files of a sitemap that is an index.
func (s *Site) sitemapFile(ctx context.Context, r *request) (*Document, error) {
	number, err := strconv.Atoi(r.page.name)
	if err != nil || strconv.Itoa(number) != r.page.name {
		return nil, &fault.Error{Code: fault.CodeNotFound}
	}
	ids, err := r.productIDs(ctx)
	if err != nil {
		return nil, err
	}
	if ids, err = part(ids, sitemapPart/len(r.page.languages), number); err != nil {
		return nil, err
	}
	return r.openSitemap(ctx, ids, number == 1)
}

// openSitemap returns a file with products, and with the other pages of the shop if all is set.
func (r *request) openSitemap(ctx context.Context, ids []string, all bool) (*Document, error) {
	f := &frame{page: r.page, at: r.Origin}
	text := &xmlText{}
	text.WriteString("<urlset " + sitemapSpace + ` xmlns:xhtml="http://www.w3.org/1999/xhtml"` +
		` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`)
	if all {
		f.sitemapURL(text, "/", time.Time{}, nil)
		f.sitemapURL(text, "/collections/all", time.Time{}, nil)
		err := r.eachCollection(ctx, func(c *catalogue.Collection) {
			var pictures []catalogue.Image
			if c.Image != nil {
				pictures = append(pictures, *c.Image)
			}
			f.sitemapURL(text, "/collections/"+c.Handle, c.UpdatedAt, pictures)
		})
		if err != nil {
			return nil, err
		}
		front, err := r.Shop.StoreFront(ctx, "")
		if err != nil {
			return nil, err
		}
		landing, err := r.Shop.Designs.VisibleLandingPages(ctx)
		if err != nil {
			return nil, err
		}
		for _, slug := range landing {
			f.sitemapURL(text, "/l/"+slug, time.Time{}, nil)
		}
		for _, p := range front.Pages {
			f.sitemapURL(text, "/pages/"+p.Slug, time.Time{}, nil)
		}
		for _, p := range front.LegalPolicies {
			f.sitemapURL(text, "/policies/"+p.Slug, time.Time{}, nil)
		}
	}
	return &Document{
		Media: sitemapMedia, Products: ids, begin: text.String(), end: "</urlset>\n",
		product: func(text *xmlText, p *catalogue.Product) {
			f.sitemapURL(text, "/products/"+p.Handle, p.UpdatedAt, p.Images)
		},
	}, nil
}

// sitemapURL adds a page in each of the site's languages.
func (f *frame) sitemapURL(text *xmlText, path string, modified time.Time, pictures []catalogue.Image) {
	for _, language := range f.page.languages {
		text.WriteString("<url>")
		text.element("loc", f.at+f.pathIn(language, path))
		text.element("lastmod", sitemapTime(modified))
		for _, other := range f.alternatesOf(path) {
			text.WriteString(`<xhtml:link rel="alternate"`)
			text.attribute("hreflang", string(other.Lang))
			text.attribute("href", other.URL)
			text.WriteString("/>")
		}
		for i := range pictures[:min(len(pictures), maxSitemapPictures)] {
			if to := f.absolute(pictures[i].URL); to != "" {
				text.WriteString("<image:image>")
				text.element("image:loc", to)
				text.WriteString("</image:image>")
			}
		}
		text.WriteString("</url>")
	}
}

// sitemapTime returns a time as sitemaps have it, "" if it is unknown.
func sitemapTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
