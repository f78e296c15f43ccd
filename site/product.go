package site

import (
	"context"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"storefront/shop/catalogue"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/review"
	"storefront/shop/status"
)

// productPage is the data of the page of a product.
type productPage struct {
	*frame
	Heading, Vendor string
	Pictures        []*picture
	images          []catalogue.Image // of Pictures
	Letters         string
	Options         []productOption
	Variant         *catalogue.Variant // the selected one
	Price, Was      string
	Badge, Stock    string
	QuantityPrices  []string
	Discounts       []string // titles of automatic ones
	Sold            bool
	Delivery        []deliveryLine
	Returns         *link
	Text            template.HTML // sanitized, of the merchant
	Related         []card
	Crumb           *link
	// WhatsApp and Messenger lead to these apps with the product's address.
	WhatsApp, Messenger template.URL
	Questions           []contact     // the ways to reach the shop
	Variants            []variantData // for the script
	CartPath            string
	Handle              string
	TakesCash           bool
	Meta                []metaProperty

	Ratings *ratings // nil means none

	reviews   *review.OfProduct // of Ratings
	described map[string]bool   // IDs in Structured
}

// productOption is an option of the product, such as size.
type productOption struct {
	Name   string
	Field  string // name of the form's field
	Values []optionValue
	Chosen string
}

type optionValue struct {
	Value, Text string
	Chosen      bool
	Sold        bool // with the chosen values of the other options
}

type deliveryLine struct{ Name, Text string }

// variantData is a variant for the script that shows the chosen one.
type variantData struct {
	ID      string   `json:"id"`
	Values  []string `json:"values"`
	Price   string   `json:"price"`
	Was     string   `json:"was,omitempty"`
	Badge   string   `json:"badge,omitempty"`
	Stock   string   `json:"stock,omitempty"`
	Sold    bool     `json:"sold,omitempty"`
	Picture int      `json:"picture"` // index of its picture; -1 means none
}

// maxPictures is the maximum number of pictures on the page of a product.
const maxPictures = 20

func (s *Site) product(ctx context.Context, r *request) (*Response, error) {
	found, err := r.catalogue().FindProductByHandle(ctx, r.page.name)
	if err != nil {
		return nil, err
	}
	if found.Handle != r.page.name {
		return nil, &MovedError{Path: r.page.prefix() + "/products/" + found.Handle}
	}
	f, err := s.newFrame(ctx, r, "product")
	if err != nil {
		return nil, err
	}
	p := &productPage{frame: f, Heading: f.in(found.Title), Vendor: f.in(found.Vendor), CartPath: f.path("/cart"), Handle: found.Handle}
	p.Letters, p.Text = firstLetters(p.Heading, 2), template.HTML(found.DescriptionHTML)
	p.choose(found, r.Query.Get("variant"))
	p.addPictures(found)
	p.addOptions(found)
	for i := range found.Variants {
		p.Variants = append(p.Variants, p.variantData(&found.Variants[i]))
	}
	now := p.Variants[slices.IndexFunc(p.Variants, func(v variantData) bool { return v.ID == p.Variant.ID })]
	p.Price, p.Was, p.Badge, p.Stock, p.Sold = now.Price, now.Was, now.Badge, now.Stock, now.Sold
	for _, price := range found.QuantityPrices {
		p.QuantityPrices = append(p.QuantityPrices, p.quantityPrice(price))
	}
	discounts, err := r.Shop.Orders.ListProductDiscounts(ctx, f.Lang, found.ID)
	if err != nil {
		return nil, err
	}
	for _, title := range discounts {
		p.Discounts = append(p.Discounts, f.in(title))
	}
	p.TakesCash = slices.Contains(f.front.PaymentMethods, status.PayCOD)
	p.addDelivery()
	if err := s.addRelated(ctx, r, p, found); err != nil {
		return nil, err
	}
	if err := p.addRatings(ctx, r, found.ID); err != nil {
		return nil, err
	}
	p.describe(found)
	f.report(newBrowserEvent("ViewContent", p.Variant.Price, f.Currency, p.Variant.ID))
	return s.respond("product", p)
}

// choose selects the variant of the address, otherwise the first that can be bought.
func (p *productPage) choose(found *catalogue.Product, variant string) {
	p.Variant = &found.Variants[0]
	for i := range found.Variants {
		v := &found.Variants[i]
		switch {
		case v.ID == variant:
			p.Variant = v
			return
		case v.Available && !p.Variant.Available:
			p.Variant = v
		}
	}
}

// addPictures adds the product's pictures, the selected variant's first.
func (p *productPage) addPictures(found *catalogue.Product) {
	p.images = slices.Clone(found.Images)
	if chosen := p.Variant.Image; chosen != nil {
		others := slices.DeleteFunc(p.images, func(i catalogue.Image) bool { return i.ID == chosen.ID })
		p.images = slices.Insert(others, 0, *chosen)
	}
	p.images = p.images[:min(len(p.images), maxPictures)]
	for i := range p.images {
		p.Pictures = append(p.Pictures, p.newPicture(&p.images[i], 720, p.Heading))
	}
	if len(p.images) > 0 {
		p.setPreview(&p.images[0])
	}
}

// addOptions adds the options, with the values that are sold out together with the chosen ones.
func (p *productPage) addOptions(found *catalogue.Product) {
	for i, option := range found.Options {
		o := productOption{Name: p.in(option.Name), Field: "option" + strconv.Itoa(i+1)}
		for _, value := range option.Values {
			shown := optionValue{Value: value, Text: p.in(value), Chosen: p.Variant.OptionValues[i].Value == value, Sold: true}
			for _, v := range found.Variants {
				if v.Available && v.OptionValues[i].Value == value && sameOthers(v, p.Variant, i) {
					shown.Sold = false
				}
			}
			if shown.Chosen {
				o.Chosen = shown.Text
			}
			o.Values = append(o.Values, shown)
		}
		p.Options = append(p.Options, o)
	}
}

// sameOthers reports whether two variants have equal values of all options except one.
func sameOthers(v catalogue.Variant, chosen *catalogue.Variant, except int) bool {
	for i, value := range v.OptionValues {
		if i != except && value.Value != chosen.OptionValues[i].Value {
			return false
		}
	}
	return true
}

// maxUnits is the maximum number of units of a line of the cart.
const maxUnits = catalogue.MaxCartUnits

func (p *productPage) variantData(v *catalogue.Variant) variantData {
	data := variantData{ID: v.ID, Price: p.Money(v.Price), Sold: !v.Available, Picture: -1}
	for _, value := range v.OptionValues {
		data.Values = append(data.Values, value.Value)
	}
	if v.CompareAtPrice != nil {
		data.Was = p.Money(*v.CompareAtPrice)
		data.Badge = p.percentOff(*v.CompareAtPrice, v.Price)
	}
	switch v.StockStatus {
	case catalogue.StockOut:
		data.Stock = p.W.SoldOut
	case catalogue.StockBackorder:
		data.Stock = p.W.Backorder
	case catalogue.StockLow:
		data.Stock = p.W.FewLeft // pages do not change with quantities
	}
	if v.Image != nil {
		data.Picture = slices.IndexFunc(p.images, func(i catalogue.Image) bool { return i.ID == v.Image.ID })
	}
	return data
}

// percentOff returns by how much a price is lower than before, "" if by less than one per cent.
func (f *frame) percentOff(before, now money.Money) string {
	percent := 100 * (before.Amount - now.Amount) / before.Amount
	if percent < 1 {
		return ""
	}
	return f.Digits("−" + strconv.FormatInt(percent, 10) + "%")
}

// count returns a number with its word, as the language joins them.
func (f *frame) count(number int, word string) string {
	if f.Lang == "bn" {
		return f.Digits(strconv.Itoa(number)) + word
	}
	return strconv.Itoa(number) + " " + word
}

// addDelivery adds the delivery charges and the policy of returns.
func (p *productPage) addDelivery() {
	for _, charge := range p.front.DeliveryCharges {
		parts := []string{p.Money(charge.Charge)}
		if charge.Charge.Amount == 0 {
			parts[0] = p.W.DeliveryFree
		}
		if charge.Estimate != nil {
			parts = append(parts, p.in(*charge.Estimate))
		}
		if charge.FreeOver != nil {
			parts = append(parts, p.W.FreeOver+" "+p.Money(*charge.FreeOver))
		}
		p.Delivery = append(p.Delivery, deliveryLine{p.in(charge.Name), strings.Join(parts, " · ")})
	}
	if at := p.returnPolicyAt(); at >= 0 {
		p.Returns = &link{Text: p.firstSentence(p.front.LegalPolicies[at].BodyHTML, p.Policies[at].Text), Path: p.Policies[at].Path}
	}
}

// firstSentence returns the first sentence of a text, or otherwise if it is long.
func (p *productPage) firstSentence(content, otherwise string) string {
	const limit = 140
	all := p.in(plainText(content, 1000))
	end := strings.IndexAny(all, ".।")
	if end < 0 || end > limit {
		return otherwise
	}
	_, size := nextRune(all[end:])
	return all[:end+size]
}

// maxRelated is the maximum number of related products.
const maxRelated = 4

// addRelated adds related products, and the collection that leads to the product: the first of its
// collections that the frame lists.
func (s *Site) addRelated(ctx context.Context, r *request, p *productPage, found *catalogue.Product) error {
	at := slices.IndexFunc(p.lists, func(c catalogue.Collection) bool { return slices.Contains(found.CollectionIDs, c.ID) })
	if at >= 0 {
		p.Crumb = &link{Text: p.in(p.lists[at].Title), Path: p.path("/collections/" + p.lists[at].Handle)}
	}
	limit := maxRelated
	related, err := r.catalogue().FindRelated(ctx, found.ID, page.Request{Limit: &limit})
	if err != nil {
		return err
	}
	for i := range related.Nodes {
		p.Related = append(p.Related, p.card(&related.Nodes[i], i+maxEager))
	}
	return nil
}

// describe sets the texts for search engines and previews.
func (p *productPage) describe(found *catalogue.Product) {
	p.Kind, p.Title = "product", p.Heading
	if title := text(found.SEO.Title); title != "" {
		p.Title = p.in(title)
	}
	p.Description = plainText(p.in(text(found.SEO.Description)), 160)
	if p.Description == "" {
		p.Description = plainText(found.DescriptionHTML, 160)
	}
	if p.Description == "" {
		p.Description = p.Heading + " · " + p.Price
	}
	p.listed(nil)
	p.Meta = p.metaProperties(found)
	p.addStructured(found)
	message := p.Heading + " " + p.Canonical
	for _, way := range p.Contacts {
		switch way.Kind {
		case "email":
			continue
		case "whatsapp":
			way.Text, way.URL = "WhatsApp", way.URL+template.URL("?"+url.Values{"text": {message}}.Encode())
		case "messenger":
			way.Text = "Messenger"
		}
		p.Questions = append(p.Questions, way)
	}
	p.WhatsApp = template.URL("https://wa.me/?" + url.Values{"text": {message}}.Encode())
	p.Messenger = template.URL("fb-messenger://share/?" + url.Values{"link": {p.Canonical}}.Encode())
}
