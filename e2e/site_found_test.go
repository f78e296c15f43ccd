package e2e

import (
	"encoding/json"
	"image"
	_ "image/jpeg" // decodes previews
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// siteOf requests pages of the demo shop's site.
type siteOf struct {
	t      *testing.T
	server string // URL
	host   string
}

func newSiteOf(t *testing.T, p *process) siteOf {
	t.Helper()
	at, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	return siteOf{t, p.url, "demo.localhost:" + at.Port()}
}

// get returns the body at a path, or at a URL of the site.
func (s siteOf) get(path string) (body string, header http.Header) {
	s.t.Helper()
	path = strings.TrimPrefix(strings.TrimPrefix(path, "http://"+s.host), s.server)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.server+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Host = s.host
	req.Header.Set("x-tenant", "demo")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: got %d, %v: %.300s", path, res.StatusCode, err, all)
	}
	return string(all), res.Header
}

// listedProduct is a product of the API.
type listedProduct struct {
	ID       string `json:"_id"`
	Handle   string
	Images   []struct{ URL string }
	Options  []struct{ Name string }
	Variants []struct {
		ID    string `json:"_id"`
		Price struct{ Amount int }
	}
}

// hasPhoto reports whether the product's first image is uploaded. The others are drawings.
func (p *listedProduct) hasPhoto() bool {
	return len(p.Images) > 0 && strings.Contains(p.Images[0].URL, "/media/")
}

// structured is the data of schema.org in a page, of each kind that it has.
type structured struct {
	Type        string `json:"@type"`
	ID          string `json:"@id"`
	Name        string
	Description string
	URL         string
	GroupID     string   `json:"productGroupID"`
	VariesBy    []string `json:"variesBy"`
	Image       []string
	Offers      *struct {
		Price, PriceCurrency, Availability, ItemCondition, URL string
		ShippingDetails                                        []structured
		Returns                                                *structured `json:"hasMerchantReturnPolicy"`
	}
	HasVariant []structured
	Items      []struct {
		Position int
		Name     string
		Item     string
	} `json:"itemListElement"`
	Rate         struct{ Value, Currency string }             `json:"shippingRate"`
	Destinations []struct{ AddressCountry string }            `json:"shippingDestination"`
	Time         struct{ TransitTime struct{ MaxValue int } } `json:"deliveryTime"`
	Country      string                                       `json:"applicableCountry"`
	Days         int                                          `json:"merchantReturnDays"`
	Link         string                                       `json:"merchantReturnLink"`
	Returns      *structured                                  `json:"hasMerchantReturnPolicy"`
}

var structuredScript = regexp.MustCompile(`<script type="application/ld\+json">(.*)</script>`)

func (s siteOf) structured(html string) (all []structured) {
	s.t.Helper()
	for _, found := range structuredScript.FindAllStringSubmatch(html, -1) {
		var one structured
		if err := json.Unmarshal([]byte(found[1]), &one); err != nil {
			s.t.Fatalf("%v in %s", err, found[1])
		}
		all = append(all, one)
	}
	return all
}

// The pages of all products have the data that search engines and Meta's catalogue read, with the
// prices of the API, in both languages.
func TestSite_StructuredData(t *testing.T) {
	t.Parallel()
	s := newSiteOf(t, serve(t, "--dev", "--data", demoData(t)))
	body, _ := s.get("/api/v1/products?limit=-1")
	var list struct{ Nodes []listedProduct }
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Nodes) < 20 {
		t.Fatalf("got %d products, %v", len(list.Nodes), err)
	}
	photos := 0
	for i, p := range list.Nodes {
		if p.hasPhoto() {
			photos++
		}
		html, _ := s.get([]string{"", "/bn"}[i%2] + "/products/" + url.PathEscape(p.Handle))
		s.checkProduct(p, html)
	}
	if photos < 4 {
		t.Errorf("got %d products with photographs, want 4 at least", photos)
	}
	home, _ := s.get("/")
	shop := s.structured(home)[0]
	if shop.Type != "OnlineStore" || shop.Name != "Demo Shop" || shop.Returns == nil || shop.Returns.Days != 7 {
		t.Errorf("got %+v, want the shop with its policy of returns", shop)
	}
}

func (s siteOf) checkProduct(p listedProduct, html string) {
	s.t.Helper()
	bad := func(format string, args ...any) {
		s.t.Helper()
		s.t.Errorf(p.Handle+": "+format, args...)
	}
	byType := map[string][]structured{}
	byID := map[string]structured{}
	for _, one := range s.structured(html) {
		byType[one.Type] = append(byType[one.Type], one)
		byID[one.ID] = one
	}
	variants := byType["Product"]
	if len(p.Options) > 0 {
		if len(byType["ProductGroup"]) != 1 {
			bad("got %v, want one group", byType)
			return
		}
		group := byType["ProductGroup"][0]
		variants = group.HasVariant
		if group.Name == "" || group.Description == "" || group.GroupID != p.ID || len(group.VariesBy) != len(p.Options) {
			bad("got the group %+v", group)
		}
	}
	if len(variants) != len(p.Variants) {
		bad("got %d variants, want %d", len(variants), len(p.Variants))
		return
	}
	for i, v := range variants {
		want := p.Variants[i]
		o := v.Offers
		price := strconv.Itoa(want.Price.Amount/100) + "." + strconv.Itoa(want.Price.Amount%100/10) + strconv.Itoa(want.Price.Amount%10)
		if o == nil || v.Name == "" || len(v.Image) == 0 || o.Price != price || want.Price.Amount <= 0 || o.PriceCurrency != "BDT" ||
			!strings.HasPrefix(o.Availability, "https://schema.org/") || o.ItemCondition != "https://schema.org/NewCondition" ||
			!strings.HasSuffix(o.URL, "?variant="+want.ID) {
			bad("got %+v with the offer %+v, want the price %s", v, o, price)
			continue
		}
		s.checkDelivery(byID, o.ShippingDetails, bad)
		if returns := byID[o.Returns.ID]; returns.Type != "MerchantReturnPolicy" || returns.Country != "BD" || returns.Days != 7 || returns.Link == "" {
			bad("got the returns %+v", returns)
		}
	}
	crumbs := byType["BreadcrumbList"]
	if len(crumbs) != 1 || len(crumbs[0].Items) < 2 || crumbs[0].Items[0].Position != 1 || crumbs[0].Items[0].Item == "" {
		bad("got the path %+v", crumbs)
	}
	for _, property := range []string{
		"og:title", "og:description", "og:url", "product:retailer_item_id", "product:price:amount", "product:price:currency",
		"product:availability", "product:condition", "product:brand",
	} {
		if !strings.Contains(html, `<meta property="`+property+`" content="`) {
			bad("the page has no %s", property)
		}
	}
	if got := strings.Contains(html, `property="product:item_group_id"`); got != (len(p.Options) > 0) {
		bad("got a group of items %v", got)
	}
	if p.hasPhoto() {
		s.checkPreview(html, bad)
	}
}

func (s siteOf) checkDelivery(byID map[string]structured, refs []structured, bad func(string, ...any)) {
	s.t.Helper()
	if len(refs) != 2 {
		bad("got %d delivery options, want 2", len(refs))
	}
	for _, ref := range refs {
		d := byID[ref.ID]
		if d.Type != "OfferShippingDetails" || d.Rate.Value == "" || d.Rate.Currency != "BDT" || d.Destinations[0].AddressCountry != "BD" ||
			d.Time.TransitTime.MaxValue < 2 {
			bad("got the delivery %+v", d)
		}
	}
}

// checkPreview checks the picture for links of a page.
func (s siteOf) checkPreview(html string, bad func(string, ...any)) {
	s.t.Helper()
	found := regexp.MustCompile(`<meta property="og:image" content="([^"]*)">`).FindStringSubmatch(html)
	size := `<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">`
	if found == nil || !strings.Contains(html, size) || !strings.Contains(found[1], "/preview-") {
		bad("got no preview of an uploaded image: %v", found)
		return
	}
	at, err := url.Parse(found[1])
	if err != nil {
		s.t.Fatal(err)
	}
	data, header := s.get(at.Path)
	config, format, err := image.DecodeConfig(strings.NewReader(data))
	if err != nil || format != "jpeg" || config.Width != 1200 || config.Height != 630 || len(data) > 300_000 ||
		header.Get("Content-Type") != "image/jpeg" || !strings.HasPrefix(header.Get("Cache-Control"), "public,") {
		bad("got the preview %+v in %d bytes of %s, %v", config, len(data), header, err)
	}
}

// Browsers find the shop's icon and its manifest.
func TestSite_Manifest(t *testing.T) {
	t.Parallel()
	s := newSiteOf(t, serve(t, "--dev", "--data", demoData(t)))
	home, _ := s.get("/bn")
	path := regexp.MustCompile(`<link rel="manifest" href="([^"]*)">`).FindStringSubmatch(home)
	if path == nil {
		t.Fatal("the page has no manifest")
	}
	body, header := s.get(path[1])
	var manifest struct {
		Name, Lang, Display string
		Start               string `json:"start_url"`
		Icons               []struct{ Src, Type string }
	}
	if err := json.Unmarshal([]byte(body), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Name != "ডেমো শপ" || manifest.Lang != "bn" || manifest.Start != "/bn" || len(manifest.Icons) == 0 ||
		header.Get("Content-Type") != "application/manifest+json" {
		t.Errorf("got %s as %s", body, header.Get("Content-Type"))
	}
	for _, icon := range manifest.Icons {
		at, err := url.Parse(icon.Src)
		if err != nil {
			t.Fatal(err)
		}
		if _, header := s.get(at.Path); header.Get("Content-Type") != icon.Type {
			t.Errorf("%s: got %s, want %s", icon.Src, header.Get("Content-Type"), icon.Type)
		}
	}
}
