package site

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/order"
)

// The feed of products for the catalogues of Google and Meta: RSS with Google's elements, which
// Meta reads too, and Meta's own where its values differ. See
// https://support.google.com/merchants/answer/7052112 and
// https://developers.facebook.com/docs/marketing-api/catalog/reference.
const (
	maxFeedTitle       = 150
	maxFeedDescription = 5000
	maxFeedBrand       = 70
	maxFeedType        = 750
	maxFeedOption      = 100
	maxFeedPictures    = 10 // besides the first
)

// feed lists all published variants.
func (s *Site) feed(ctx context.Context, r *request) (*Document, error) {
	f, err := s.newFrame(ctx, r, "text")
	if err != nil {
		return nil, err
	}
	ids, err := r.productIDs(ctx)
	if err != nil {
		return nil, err
	}
	typeOf, err := r.catalogue().FindTypeLabels(ctx)
	if err != nil {
		return nil, err
	}
	text := &xmlText{}
	text.WriteString(`<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>`)
	text.element("title", f.Name)
	text.element("link", f.at+f.Home)
	text.element("description", f.Name)
	text.element("language", string(f.Lang))
	return &Document{
		Media: "application/rss+xml; charset=utf-8", Products: ids, begin: text.String(), end: "</channel></rss>\n",
		product: func(text *xmlText, p *catalogue.Product) {
			for i := range p.Variants {
				f.feedItem(text, p, &p.Variants[i], typeOf(p.Type))
			}
		},
	}, nil
}

// feedItem adds a variant of a product of a type.
func (f *frame) feedItem(text *xmlText, p *catalogue.Product, v *catalogue.Variant, kind string) {
	title := f.in(p.Title)
	name := title
	if len(v.OptionValues) > 0 {
		name += ", " + f.variantTitle(v)
	}
	text.WriteString("<item>")
	text.element("g:id", v.ID)
	text.element("title", cut(name, maxFeedTitle))
	text.element("description", cmp.Or(plainText(p.DescriptionHTML, maxFeedDescription), name))
	text.element("link", f.at+f.path("/products/"+p.Handle)+"?variant="+v.ID)
	f.feedPictures(text, p, v)
	stock := feedStock[v.StockStatus]
	text.element("g:availability", stock.google)
	text.element("availability", stock.meta)
	text.element("g:condition", "new")
	if v.CompareAtPrice != nil {
		text.element("g:price", f.feedPrice(*v.CompareAtPrice))
		text.element("g:sale_price", f.feedPrice(v.Price))
	} else {
		text.element("g:price", f.feedPrice(v.Price))
	}
	text.element("g:brand", cut(cmp.Or(f.in(p.Vendor), f.Name), maxFeedBrand))
	if v.Barcode != nil && isGTIN(*v.Barcode) {
		text.element("g:gtin", *v.Barcode)
	} else {
		text.element("g:identifier_exists", "no")
	}
	if len(p.Options) > 0 {
		text.element("g:item_group_id", p.ID)
	}
	for _, value := range v.OptionValues {
		if kind := optionKind(value.Name); kind != "" {
			text.element("g:"+kind, cut(f.in(value.Value), maxFeedOption))
		}
	}
	text.element("g:product_type", cut(f.in(kind), maxFeedType))
	if v.WeightGrams > 0 {
		text.element("g:shipping_weight", strconv.Itoa(v.WeightGrams)+" g")
	}
	f.feedShipping(text, v.Price)
	text.WriteString("</item>\n")
}

// feedStock are the values of a stock status.
var feedStock = map[catalogue.StockStatus]struct{ google, meta string }{
	catalogue.StockIn:        {"in_stock", "in stock"},
	catalogue.StockLow:       {"in_stock", "in stock"},
	catalogue.StockOut:       {"out_of_stock", "out of stock"},
	catalogue.StockBackorder: {"backorder", "available for order"},
}

// metaProperty is a property of the page's head.
type metaProperty struct{ Name, Value string }

// metaProperties are the properties of the selected variant that Meta's catalogue reads.
func (p *productPage) metaProperties(found *catalogue.Product) []metaProperty {
	v := p.Variant
	all := []metaProperty{
		{"product:retailer_item_id", v.ID},
		{"product:price:amount", decimal(v.Price, p.Currency)},
		{"product:price:currency", p.Currency.Code},
		{"product:availability", feedStock[v.StockStatus].meta},
		{"product:condition", "new"},
		{"product:brand", cut(cmp.Or(p.Vendor, p.Name), maxFeedBrand)},
	}
	if v.CompareAtPrice != nil {
		all = append(all, metaProperty{"product:original_price:amount", decimal(*v.CompareAtPrice, p.Currency)},
			metaProperty{"product:original_price:currency", p.Currency.Code})
	}
	if len(found.Options) > 0 {
		all = append(all, metaProperty{"product:item_group_id", found.ID})
	}
	for _, value := range v.OptionValues {
		if kind := optionKind(value.Name); kind != "" {
			all = append(all, metaProperty{"product:" + kind, p.in(value.Value)})
		}
	}
	return all
}

// optionKind returns the property of an option at schema.org, "" if it has none.
func optionKind(name string) string {
	for _, language := range []locale.Language{locale.English, locale.Bangla} {
		switch strings.ToLower(strings.TrimSpace(locale.NameIn(language, name))) {
		case "colour", "color", "রঙ", "রং", "কালার":
			return "color"
		case "size", "সাইজ", "মাপ", "আকার":
			return "size"
		case "material", "fabric", "কাপড়", "উপাদান":
			return "material"
		case "pattern", "নকশা":
			return "pattern"
		}
	}
	return ""
}

// feedPictures adds the picture of a variant and the others of its product.
func (f *frame) feedPictures(text *xmlText, p *catalogue.Product, v *catalogue.Variant) {
	var all []string
	add := func(address string) {
		if to := f.absolute(address); to != "" {
			all = append(all, to)
		}
	}
	if v.Image != nil {
		add(v.Image.URL)
	}
	for i := range p.Images {
		if v.Image == nil || p.Images[i].ID != v.Image.ID {
			add(p.Images[i].URL)
		}
	}
	for i, address := range all[:min(len(all), 1+maxFeedPictures)] {
		text.element(map[bool]string{true: "g:image_link", false: "g:additional_image_link"}[i == 0], address)
	}
}

// feedShipping adds the charge of each delivery option for one unit.
func (f *frame) feedShipping(text *xmlText, price money.Money) {
	for i := range f.front.DeliveryCharges {
		c := &f.front.DeliveryCharges[i]
		for _, country := range f.countries(c) {
			text.WriteString("<g:shipping>")
			text.element("g:country", country)
			text.element("g:service", cut(f.in(c.Name), maxFeedOption))
			text.element("g:price", f.feedPrice(chargeFor(c, price)))
			text.WriteString("</g:shipping>")
		}
	}
}

// countries returns the countries of a delivery option.
func (f *frame) countries(c *order.DeliveryCharge) []string {
	if len(c.Countries) > 0 {
		return c.Countries
	}
	return []string{f.front.Country}
}

// chargeFor returns the delivery charge of goods of this price.
func chargeFor(c *order.DeliveryCharge, price money.Money) money.Money {
	charge := c.Charge
	if c.FreeOver != nil && price.Amount >= c.FreeOver.Amount {
		charge.Amount = 0
	}
	return charge
}

func (f *frame) feedPrice(m money.Money) string {
	return decimal(m, f.Currency) + " " + f.Currency.Code
}

// variantTitle returns the values of a variant's options in the page's language.
func (f *frame) variantTitle(v *catalogue.Variant) string {
	values := make([]string, len(v.OptionValues))
	for i, value := range v.OptionValues {
		values[i] = f.in(value.Value)
	}
	return strings.Join(values, " / ")
}

// cut returns a text of at most limit characters.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
