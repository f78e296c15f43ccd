package server_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/design"
)

// feedItem is a variant in the feed.
type feedItem struct {
	ID           string   `xml:"http://base.google.com/ns/1.0 id"`
	Title        string   `xml:"title"`
	Description  string   `xml:"description"`
	Link         string   `xml:"link"`
	Image        string   `xml:"http://base.google.com/ns/1.0 image_link"`
	Stock        string   `xml:"http://base.google.com/ns/1.0 availability"`
	Price        string   `xml:"http://base.google.com/ns/1.0 price"`
	SalePrice    string   `xml:"http://base.google.com/ns/1.0 sale_price"`
	Condition    string   `xml:"http://base.google.com/ns/1.0 condition"`
	Brand        string   `xml:"http://base.google.com/ns/1.0 brand"`
	GTIN         string   `xml:"http://base.google.com/ns/1.0 gtin"`
	Identifier   string   `xml:"http://base.google.com/ns/1.0 identifier_exists"`
	Group        string   `xml:"http://base.google.com/ns/1.0 item_group_id"`
	Color        string   `xml:"http://base.google.com/ns/1.0 color"`
	Weight       string   `xml:"http://base.google.com/ns/1.0 shipping_weight"`
	MetaStock    string   `xml:"availability"`
	MorePictures []string `xml:"http://base.google.com/ns/1.0 additional_image_link"`
	Shipping     []struct {
		Country string `xml:"http://base.google.com/ns/1.0 country"`
		Service string `xml:"http://base.google.com/ns/1.0 service"`
		Price   string `xml:"http://base.google.com/ns/1.0 price"`
	} `xml:"http://base.google.com/ns/1.0 shipping"`
}

// feed returns the items of the feed at a path, by ID.
func (b *browser) feed(t *testing.T, path string) (items map[string]feedItem, raw string) {
	t.Helper()
	got := b.get(t, shopHost+path)
	got.has(http.StatusOK)
	var rss struct {
		Channel struct {
			Title string     `xml:"title"`
			Link  string     `xml:"link"`
			Items []feedItem `xml:"item"`
		} `xml:"channel"`
	}
	if err := xml.Unmarshal([]byte(got.html), &rss); err != nil {
		t.Fatalf("%v in\n%s", err, got.html)
	}
	items = map[string]feedItem{}
	for _, item := range rss.Channel.Items {
		items[item.ID] = item
	}
	if len(items) != len(rss.Channel.Items) {
		t.Errorf("got %d items with %d IDs", len(rss.Channel.Items), len(items))
	}
	return items, got.html
}

// The feed lists every published variant with the fields that Google and Meta require, within
// their limits.
func TestSite_Feed(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	odd := s.create(t, catalogue.ProductInput{
		Title: strings.Repeat("লম্বা ", 40), Handle: "odd", Vendor: "A & B", Type: "Cups", Options: []string{"Scent — ঘ্রাণ"},
		DescriptionHTML: "<p>1 &lt; 2 ]]&gt; &amp; <b>bold</b></p><script>alert(1)</script><p>" + strings.Repeat("text ", 1500) + "</p>",
		Images:          []catalogue.ImageInput{{URL: "https://img.example/a.jpg?x=1&y=2"}, {URL: "https://img.example/b.jpg"}},
		Variants: []catalogue.VariantInput{{
			Price: 1_250_000, CompareAtPrice: new(int64(1_300_000)), Barcode: "8901030865237", WeightGrams: 250, Tracked: true, Backorder: true,
			Options: []string{"Rose"},
		}},
	})
	s.create(t, catalogue.ProductInput{Title: "Secret", Status: catalogue.ProductDraft, Variants: []catalogue.VariantInput{{Price: 1}}})
	b := s.browser()
	items, raw := b.feed(t, "/feed.xml")
	if strings.Contains(raw, "alert") || strings.Contains(raw, "Secret") {
		t.Errorf("the feed has a script or a draft:\n%s", raw)
	}
	checkFeed(t, items)
	if len(items) != 4 {
		t.Errorf("got %d items, want 4", len(items))
	}
	red := items[s.saree.Variants[0].ID]
	if red.Title != "Cotton Saree, Red" || red.Link != shopHost+"/products/saree?variant="+red.ID || red.Color != "Red" || red.Group != s.saree.ID ||
		red.Price != "2900.00 BDT" || red.SalePrice != "2450.00 BDT" || red.Stock != "in_stock" || red.MetaStock != "in stock" || red.Brand != "Tant" {
		t.Errorf("got %+v", red)
	}
	if blue := items[s.saree.Variants[1].ID]; blue.Stock != "out_of_stock" || blue.MetaStock != "out of stock" || blue.SalePrice != "" {
		t.Errorf("got %+v", blue)
	}
	if tea := items[s.tea.Variants[0].ID]; tea.Title != "Tea <b>" || tea.Description != "Tea <b>" || tea.Brand != "Shimul Ghor" || tea.Group != "" {
		t.Errorf("got %+v", tea)
	}
	long := items[odd.Variants[0].ID]
	if long.GTIN != "8901030865237" || long.Weight != "250 g" || long.Stock != "backorder" || long.MetaStock != "available for order" ||
		long.Image != "https://img.example/a.jpg?x=1&y=2" || !slices.Equal(long.MorePictures, []string{"https://img.example/b.jpg"}) ||
		!strings.HasPrefix(long.Description, "1 < 2 ]]> & bold text text") {
		t.Errorf("got %+v", long)
	}
	if got, want := fmt.Sprint(long.Shipping), "[{BD Inside Dhaka 70.00 BDT} {BD Outside Dhaka 130.00 BDT}]"; got != want {
		t.Errorf("got the delivery %s, want %s", got, want)
	}
	bangla, _ := b.feed(t, "/bn/feed.xml")
	if got := bangla[red.ID]; got.Title != "সুতি শাড়ি, Red" || got.Link != shopHost+"/bn/products/saree?variant="+red.ID {
		t.Errorf("got %+v", got)
	}
}

// checkFeed checks the fields that Google and Meta require, and their limits.
func checkFeed(t *testing.T, items map[string]feedItem) {
	t.Helper()
	for id, item := range items {
		for _, field := range []struct {
			name, value string
			limit       int
		}{
			{"id", item.ID, 50}, {"title", item.Title, 150}, {"description", item.Description, 5000}, {"link", item.Link, 2000},
			{"price", item.Price, 30}, {"availability", item.Stock, 20}, {"Meta's availability", item.MetaStock, 20},
			{"condition", item.Condition, 20}, {"brand", item.Brand, 70}, {"identifier", item.GTIN + item.Identifier, 50},
		} {
			if size := utf8.RuneCountInString(field.value); size == 0 || size > field.limit {
				t.Errorf("%s of %s: got %d characters, want 1 to %d: %.80q", field.name, id, size, field.limit, field.value)
			}
		}
		if len(item.Shipping) == 0 {
			t.Errorf("%s: got no delivery", id)
		}
	}
}

// A client that has the feed gets 304 until the catalogue changes. The API's prices are the feed's.
func TestSite_FeedChanges(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	first := b.get(t, shopHost+"/feed.xml")
	b.header.Set("If-None-Match", first.header.Get("ETag"))
	if got := b.get(t, shopHost+"/feed.xml"); got.status != http.StatusNotModified {
		t.Errorf("got %d, want 304", got.status)
	}
	s.update(t, s.tea, func(v *catalogue.VariantChange) { v.Price = new(int64(15_000)) })
	b.get(t, shopHost+"/feed.xml").has(http.StatusOK, "<g:price>150.00 BDT</g:price>")
	if got := b.send(t, http.MethodHead, shopHost+"/feed.xml", nil); got.status != http.StatusOK || got.html != "" {
		t.Errorf("HEAD: got %d and %q", got.status, got.html)
	}
}

// urlSet is a sitemap, or an index of sitemaps.
type urlSet struct {
	XMLName xml.Name
	URLs    []struct {
		Location   string   `xml:"loc"`
		Modified   string   `xml:"lastmod"`
		Pictures   []string `xml:"http://www.google.com/schemas/sitemap-image/1.1 image>loc"`
		Alternates []struct {
			Lang string `xml:"hreflang,attr"`
			URL  string `xml:"href,attr"`
		} `xml:"http://www.w3.org/1999/xhtml link"`
	} `xml:"url"`
	Files []struct {
		Location string `xml:"loc"`
		Modified string `xml:"lastmod"`
	} `xml:"sitemap"`
}

func (b *browser) sitemap(t *testing.T, address string) (set urlSet) {
	t.Helper()
	got := b.get(t, address)
	got.has(http.StatusOK)
	if err := xml.Unmarshal([]byte(got.html), &set); err != nil {
		t.Fatalf("%v in\n%.500s", err, got.html)
	}
	return set
}

// The sitemap lists every page in each language, with its last change and its pictures.
func TestSite_Sitemap(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	var lists []string
	for i := range 100 {
		lists = append(lists, fmt.Sprint("list-", i))
		_, err := s.shop.Catalogue.SaveCollection(t.Context(), access.Operator(), catalogue.CollectionInput{Title: lists[i], Handle: lists[i]}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	cup := s.create(t, catalogue.ProductInput{
		Title: "Cup", Handle: "নীল-কাপ", Collections: lists, Variants: []catalogue.VariantInput{{Price: 1}},
		Images: []catalogue.ImageInput{{URL: "https://img.example/cup.jpg"}},
	})
	s.saveLanding(t, nil)
	s.saveLanding(t, func(p *design.LandingPage) { p.Slug, p.Visible = "hidden", false })
	b := s.browser()
	set := b.sitemap(t, shopHost+"/sitemap.xml")
	if got, want := len(set.URLs), 2*(2+101+1+1+3); got != want {
		t.Errorf("got %d addresses, want %d", got, want)
	}
	for _, u := range set.URLs {
		b.get(t, u.Location).has(http.StatusOK)
		if len(u.Alternates) != 3 {
			t.Errorf("%s: got %v, want both languages and the default", u.Location, u.Alternates)
		}
		if strings.HasSuffix(u.Location, "/products/%E0%A6%A8%E0%A7%80%E0%A6%B2-%E0%A6%95%E0%A6%BE%E0%A6%AA") {
			if u.Modified != cup.UpdatedAt.UTC().Format("2006-01-02T15:04:05Z") || !slices.Equal(u.Pictures, []string{"https://img.example/cup.jpg"}) {
				t.Errorf("got %+v", u)
			}
		}
	}
	b.get(t, shopHost+"/bn/sitemap.xml").has(http.StatusNotFound)
	for _, path := range []string{"/sitemap-0.xml", "/sitemap-2.xml", "/sitemap-01.xml", "/sitemap-x.xml"} {
		b.get(t, shopHost+path).has(http.StatusNotFound)
	}
}

// Above 20,000 addresses the sitemap is an index: its files together list each product once, the
// last changed first.
func TestSite_SitemapIndex(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	importMany(t, s.shop, 10_001, "M")
	b := s.browser()
	index := b.sitemap(t, shopHost+"/sitemap.xml")
	if len(index.Files) != 3 {
		t.Fatalf("got %d files, want 3", len(index.Files))
	}
	seen := map[string]bool{}
	for _, file := range index.Files {
		set := b.sitemap(t, file.Location)
		latest := ""
		for _, u := range set.URLs {
			if seen[u.Location] {
				t.Errorf("%s is listed twice", u.Location)
			}
			seen[u.Location] = true
			latest = max(latest, u.Modified)
		}
		if file.Modified == "" || file.Modified < latest && file.Location != index.Files[0].Location {
			t.Errorf("%s: got the last change %q, want %q", file.Location, file.Modified, latest)
		}
	}
	if got, want := len(seen), 2*(2+1+1+10_003); got != want {
		t.Errorf("got %d addresses, want %d", got, want)
	}
}
