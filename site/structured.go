package site

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"storefront/shop/catalogue"
	"storefront/shop/money"
)

// The data of schema.org that search engines read. See
// https://developers.google.com/search/docs/appearance/structured-data.

const schemaOrg = "https://schema.org"

// organization returns the shop.
func (f *frame) organization() map[string]any {
	data := map[string]any{"@context": schemaOrg, "@type": "OnlineStore", "name": f.Name, "legalName": f.Seller.LegalName, "url": f.Canonical}
	if f.Logo.URL != "" {
		data["logo"] = f.absolute(f.Logo.URL)
	}
	c := f.front.SupportContact
	point := map[string]any{"@type": "ContactPoint", "contactType": "customer service"}
	if c.Phone != nil {
		point["telephone"] = *c.Phone
	}
	if c.Email != nil {
		point["email"] = *c.Email
	}
	if len(point) > 2 {
		data["contactPoint"] = point
	}
	if f.Address != "" {
		data["address"] = map[string]any{"@type": "PostalAddress", "streetAddress": f.Address, "addressCountry": f.front.Country}
	}
	if len(f.Socials) > 0 {
		var pages []string
		for _, social := range f.Socials {
			pages = append(pages, social.Path)
		}
		data["sameAs"] = pages
	}
	if policy := f.returnPolicy(); policy != nil {
		data["hasMerchantReturnPolicy"] = policy
	}
	return data
}

// addStructured adds the product with its variants, and the path to it.
func (p *productPage) addStructured(found *catalogue.Product) {
	p.described = map[string]bool{}
	images := p.imageURLs(found.Images)
	var variants []any
	for i := range found.Variants {
		variants = append(variants, p.variantProduct(&found.Variants[i], images))
	}
	data := map[string]any{"@type": "ProductGroup", "name": p.Heading, "productGroupID": found.ID, "hasVariant": variants}
	if len(found.Options) == 0 { // a group has several
		data = variants[0].(map[string]any)
	}
	data["@context"], data["url"] = schemaOrg, p.Canonical
	data["description"] = cmp.Or(plainText(found.DescriptionHTML, 5000), p.Heading)
	if p.Vendor != "" {
		data["brand"] = map[string]any{"@type": "Brand", "name": p.Vendor}
	}
	p.addReviews(data)
	var variesBy []string
	for _, option := range found.Options {
		if kind := optionKind(option.Name); kind != "" {
			variesBy = append(variesBy, schemaOrg+"/"+kind)
		} else {
			variesBy = append(variesBy, p.in(option.Name))
		}
	}
	if variesBy != nil {
		data["variesBy"] = variesBy
	}
	p.Structured = append(p.Structured, data, p.breadcrumbs())
}

func (p *productPage) imageURLs(images []catalogue.Image) []string {
	urls := []string{}
	for _, image := range images {
		if to := p.absolute(image.URL); to != "" {
			urls = append(urls, to)
		}
	}
	return urls
}

// variantProduct returns a variant as a product with its offer.
func (p *productPage) variantProduct(v *catalogue.Variant, images []string) map[string]any {
	name := p.Heading
	if len(v.OptionValues) > 0 {
		name += ", " + p.variantTitle(v)
	}
	at := p.Canonical + "?variant=" + v.ID
	data := map[string]any{"@type": "Product", "name": name, "url": at}
	if v.Image != nil {
		images = p.imageURLs([]catalogue.Image{*v.Image})
	}
	if len(images) > 0 {
		data["image"] = images
	}
	if v.SKU != nil {
		data["sku"] = *v.SKU
	}
	if v.Barcode != nil && isGTIN(*v.Barcode) {
		data["gtin"] = *v.Barcode
	}
	for _, value := range v.OptionValues {
		if kind := optionKind(value.Name); kind != "" {
			data[kind] = p.in(value.Value)
		}
	}
	availability := map[catalogue.StockStatus]string{
		catalogue.StockIn: "InStock", catalogue.StockLow: "LimitedAvailability", catalogue.StockOut: "OutOfStock",
		catalogue.StockBackorder: "BackOrder",
	}[v.StockStatus]
	offer := map[string]any{
		"@type": "Offer", "url": at, "price": decimal(v.Price, p.Currency), "priceCurrency": p.Currency.Code,
		"availability": schemaOrg + "/" + availability, "itemCondition": schemaOrg + "/NewCondition",
		"seller": map[string]any{"@type": "Organization", "name": p.Name},
	}
	if refs := p.deliveryRefs(v.Price); refs != nil {
		offer["shippingDetails"] = refs
	}
	if ref := p.returnsRef(); ref != nil {
		offer["hasMerchantReturnPolicy"] = ref
	}
	data["offers"] = offer
	return data
}

// breadcrumbs returns the path from the home page to the product.
func (p *productPage) breadcrumbs() map[string]any {
	steps := []link{{Text: p.Name, Path: p.Home}}
	if p.Crumb != nil {
		steps = append(steps, *p.Crumb)
	}
	steps = append(steps, link{Text: p.Heading})
	var items []any
	for i, step := range steps {
		item := map[string]any{"@type": "ListItem", "position": i + 1, "name": step.Text}
		if step.Path != "" {
			item["item"] = p.at + step.Path
		}
		items = append(items, item)
	}
	return map[string]any{"@context": schemaOrg, "@type": "BreadcrumbList", "itemListElement": items}
}

// isGTIN reports whether a barcode is a GTIN: its length and its check digit are right.
func isGTIN(code string) bool {
	if len(code) != 8 && (len(code) < 12 || len(code) > 14) || strings.Trim(code, "0123456789") != "" {
		return false
	}
	sum := 0
	for i, digit := range []byte(code) {
		weight := 1
		if (len(code)-i)%2 == 0 {
			weight = 3
		}
		sum += weight * int(digit-'0')
	}
	return sum%10 == 0
}

// decimal returns an amount with a dot and all decimals, as feeds and structured data have it.
func decimal(m money.Money, c money.Currency) string {
	if c.Digits == 0 {
		return strconv.FormatInt(m.Amount, 10)
	}
	scale := int64(c.Scale())
	fraction := strconv.FormatInt(m.Amount%scale, 10)
	return strconv.FormatInt(m.Amount/scale, 10) + "." + strings.Repeat("0", c.Digits-len(fraction)) + fraction
}

func nextRune(text string) (rune, int) { return utf8.DecodeRuneInString(text) }
