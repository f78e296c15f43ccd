package site

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/conversion"
	"storefront/shop/design"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// frame is the part of a page that all pages share: head, menu and footer.
type frame struct {
	Lang         locale.Language
	W            *words
	Home         string // path of the home page in this language
	Name         string // of the shop
	Logo         catalogue.Logo
	Title        string // of the page; "" on the home page
	Description  string
	Canonical    string // URL; "" means that search engines must not list the page
	Alternates   []alternate
	Preview      preview
	Icon         string // URL
	Manifest     string // path
	Kind         string // og:type
	Structured   []any  // JSON-LD
	Style        string
	Tokens       string // path of the design's stylesheet
	Scripts      []string
	Design       *design.Published
	Below        []template.HTML // sections of the design below the page
	Other        *alternate      // the other language; nil means none
	Menu         []link          // the first collections
	Nav          []menuItem
	Footer       []menuItem // empty means the collections and pages
	Second       []menuItem
	Pages        []link // the shop's own
	Policies     []link
	Contacts     []contact
	Socials      []link
	Payments     []string
	Address      string
	Seller       shop.Seller
	Registration string // of the seller
	Announced    string // line above the head; "" means none
	Bare         bool   // without menus
	OwnMenu      bool   // the main menu is the merchant's own
	Currency     money.Currency
	Consent      *consentBar // nil means that the shop does not advertise

	advertising *conversion.Settings
	front       *shop.StoreFront
	lists       []catalogue.Collection
	page        Page
	at          string // origin
	media       string // of the URLs of uploaded images at this server
}

// alternate is the page in another language.
type alternate struct {
	Lang locale.Language
	Name string // of the language
	URL  string
}

// link is a link with its text.
type link struct {
	Text, Path string
	Current    bool
}

// contact is a way to reach the shop.
type contact struct {
	Kind string // phone, whatsapp, messenger or email
	Text string
	URL  template.URL
}

// maxMenu is the maximum number of collections in the menu.
const maxMenu = 8

// newFrame returns the frame of a page of a kind.
func (s *Site) newFrame(ctx context.Context, r *request, kind string) (*frame, error) {
	front, err := r.Shop.StoreFront(ctx, string(r.page.language))
	if err != nil {
		return nil, err
	}
	limit := page.MaxLimit
	found, err := r.catalogue().ListCollections(ctx, catalogue.CollectionFilter{Request: page.Request{Limit: &limit}})
	if err != nil {
		return nil, err
	}
	language := r.page.language
	f := &frame{
		Lang: language, W: wordsOf[language], Home: cmp.Or(r.page.prefix(), "/"), Name: locale.NameIn(language, front.Name),
		Kind: "website", Bare: kind == "landing", front: front, page: r.page, at: r.Origin, Address: oneLine(text(front.SupportContact.Address)),
		Seller: front.Seller, Announced: locale.NameIn(language, text(front.Announcement)),
	}
	f.Seller.LegalName = f.in(f.Seller.LegalName)
	f.Registration = f.in(text(f.Seller.Registration))
	f.Currency, _ = money.ParseCurrency(front.Currency) // checked when the settings were read
	own, err := r.Shop.Site(ctx)
	if err != nil {
		return nil, err
	}
	f.media, f.Logo = own.Media, own.Logo
	f.advertising = &own.Advertising
	if f.Logo.URL = f.own(f.Logo.URL); f.Logo.Width == 0 { // most likely a square
		f.Logo.Width, f.Logo.Height = 36, 36
	}
	f.Icon, f.Manifest = f.icon(), f.path("/manifest.webmanifest")
	if err := s.addDesign(ctx, r, f, kinds[kind].style); err != nil {
		return nil, err
	}
	f.Consent = s.newConsent(f)
	for _, name := range append([]string{"frame.js"}, kinds[kind].scripts...) {
		script, err := s.files.path(name)
		if err != nil {
			return nil, err
		}
		f.Scripts = append(f.Scripts, script)
	}
	for _, c := range found.Nodes {
		if c.ProductCount > 0 {
			f.lists = append(f.lists, c)
		}
	}
	if err := f.addMenus(ctx, r); err != nil {
		return nil, err
	}
	for _, p := range front.Pages {
		f.Pages = append(f.Pages, link{Text: locale.NameIn(language, p.Title), Path: f.path("/pages/" + p.Slug)})
	}
	for _, p := range front.LegalPolicies {
		f.Policies = append(f.Policies, link{Text: locale.NameIn(language, p.Title), Path: f.path("/policies/" + p.Slug)})
	}
	if other, ok := r.page.other(); ok && kind != "message" {
		f.Other = &alternate{other, wordsOf[other].LanguageName, f.pathIn(other, r.page.rest) + queryText(r.Query)}
	}
	f.addContacts()
	f.Below, _, err = s.buildSections(ctx, r, f, f.Design.Templates.Below(kind), true)
	return f, err
}

// listed makes search engines list the page at its address with this query.
func (f *frame) listed(query url.Values) {
	if f.page.preview != "" {
		return
	}
	f.Canonical = f.at + f.pathIn(f.Lang, f.page.rest) + queryText(query)
	f.Alternates = f.alternatesOf(f.page.rest)
	for i := range f.Alternates {
		f.Alternates[i].URL += queryText(query)
	}
}

// alternatesOf returns a page in each language of a site that has several.
func (f *frame) alternatesOf(path string) []alternate {
	if len(f.page.languages) < 2 {
		return nil
	}
	var all []alternate
	for _, language := range f.page.languages {
		all = append(all, alternate{Lang: language, URL: f.at + f.pathIn(language, path)})
	}
	return append(all, alternate{Lang: "x-default", URL: all[0].URL})
}

func queryText(query url.Values) string {
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// path returns a path of the site in the page's language.
func (f *frame) path(to string) string { return f.page.prefix() + escapePath(to) }

func (f *frame) pathIn(language locale.Language, to string) string {
	prefix := f.page.prefixOf(language)
	if prefix != "" && to == "/" {
		return prefix
	}
	return prefix + escapePath(to)
}

func escapePath(to string) string { return (&url.URL{Path: to}).EscapedPath() }

// oneLine returns an address of several lines with commas between them.
func oneLine(address string) string {
	var lines []string
	for line := range strings.Lines(address) {
		if line = strings.Trim(line, " ,\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ", ")
}

// own returns the path of an uploaded image that this server serves at the page's own host, and
// other addresses as they are: the server's public URL may lead to it by a further connection, or
// not at all.
func (f *frame) own(address string) string {
	if path, ok := strings.CutPrefix(address, f.media); ok && strings.HasPrefix(path, "/media/") {
		return path
	}
	return address
}

// absolute returns an address of a picture or page as a URL at the page's own host.
func (f *frame) absolute(address string) string {
	base, err := url.Parse(f.at)
	if err != nil {
		return ""
	}
	to, err := base.Parse(f.own(address))
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return ""
	}
	return to.String()
}

// Money returns an amount as the language writes it.
func (f *frame) Money(m money.Money) string { return f.Lang.Digits(m.Text()) }

// Amount returns an amount in minor units of the shop's currency as the language writes it.
func (f *frame) Amount(amount int64) string { return f.Money(f.Currency.Money(amount)) }

// Digits returns a text with the language's digits.
func (f *frame) Digits(text string) string { return f.Lang.Digits(text) }

// Path returns a path of the site in the page's language.
func (f *frame) Path(to string) string { return f.path(to) }

// in returns the part of a text of the merchant that is in the page's language.
func (f *frame) in(text string) string { return locale.NameIn(f.Lang, text) }

// FullTitle returns the title of the document.
func (f *frame) FullTitle() string {
	if f.Title == "" {
		return f.Name
	}
	return f.Title + " · " + f.Name
}

// Initial returns the first letter of the shop's name, in place of a logo.
func (f *frame) Initial() string { return firstLetters(f.Name, 1) }

// addContacts adds the ways to reach the shop and to pay.
func (f *frame) addContacts() {
	c := f.front.SupportContact
	add := func(kind string, value *string, to func(string) string) {
		if value != nil && *value != "" {
			text := *value
			if kind == "phone" || kind == "whatsapp" {
				text = f.Digits(localNumber(text))
			}
			f.Contacts = append(f.Contacts, contact{kind, text, template.URL(to(*value))})
		}
	}
	dial := func(number string) string { return strings.Join(strings.Fields(number), "") }
	add("phone", c.Phone, func(v string) string { return "tel:" + url.PathEscape(dial(v)) })
	add("whatsapp", c.WhatsApp, func(v string) string {
		return "https://wa.me/" + url.PathEscape(strings.TrimPrefix(dial(v), "+"))
	})
	add("messenger", c.Messenger, func(v string) string { return "https://m.me/" + url.PathEscape(v) })
	add("email", c.Email, func(v string) string { return "mailto:" + url.PathEscape(v) })
	for _, social := range f.front.SocialLinks {
		f.Socials = append(f.Socials, link{Text: capitalize(social.Platform), Path: social.URL})
	}
	for _, method := range f.front.PaymentMethods {
		f.Payments = append(f.Payments, f.methodName(method))
	}
}

// capitalize returns the name of a network as people write it.
func capitalize(name string) string {
	first := firstLetters(name, 1)
	return strings.ToUpper(first) + name[len(first):]
}

// methodName returns the name of a payment method for buyers.
func (f *frame) methodName(method status.PaymentMethod) string {
	if method == status.PayCOD {
		return f.W.CashOnDelivery
	}
	return plugin.ProviderName(plugin.Provider(method), f.Lang)
}

// respond renders a page of a kind.
func (s *Site) respond(kind string, data any) (*Response, error) {
	body, err := s.execute(kind, "page", data)
	if err != nil {
		return nil, err
	}
	return &Response{Status: http.StatusOK, Media: htmlMedia, Body: body}, nil
}

const htmlMedia = "text/html; charset=utf-8"

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// firstLetters returns the beginning of a text, at most count characters.
func firstLetters(text string, count int) string {
	letters := []rune(strings.TrimSpace(text))
	return string(letters[:min(len(letters), count)])
}
