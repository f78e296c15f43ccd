package storefront

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// productInfo is the part of the API's product that describes its address.
type productInfo struct {
	Handle, Title, DescriptionHTML, Vendor string
	Images                                 []image
	Variants                               []variantInfo
	CollectionIDs                          []string
	SEO                                    struct{ Title, Description *string }
}

type variantInfo struct {
	ID          string `json:"_id"`
	Available   bool
	Image       *image
	SKU         *string
	Title       string
	Price       price
	StockStatus string
}

type price struct {
	Amount              int64
	Currency, Formatted string
}

// productData is a product in the vocabulary of schema.org, for search engines.
type productData struct {
	Context     string      `json:"@context"`
	Type        string      `json:"@type"`
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Image       []string    `json:"image,omitempty"`
	URL         string      `json:"url"`
	Brand       *brandData  `json:"brand,omitempty"`
	Offers      []offerData `json:"offers"`
}

type brandData struct {
	Type string `json:"@type"`
	Name string `json:"name"`
}

type offerData struct {
	Type         string `json:"@type"`
	Name         string `json:"name,omitempty"`
	SKU          string `json:"sku,omitempty"`
	Price        string `json:"price"`
	Currency     string `json:"priceCurrency"`
	Availability string `json:"availability"`
	URL          string `json:"url"`
}

// availability maps stock statuses to schema.org's.
var availability = map[string]string{
	"IN_STOCK": "InStock", "LOW_STOCK": "LimitedAvailability", "OUT_OF_STOCK": "OutOfStock", "BACKORDER": "BackOrder",
}

// describeProduct describes the address of a product and requests related products.
func (h *handler) describeProduct(d *document, c *apiClient, handle, variant string) {
	var p productInfo
	switch c.get("/products/handle/"+url.PathEscape(handle), &p) {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusBadRequest, http.StatusUnprocessableEntity:
		d.status = http.StatusNotFound
		return
	default: // the page's scripts try again
		return
	}
	d.Title, d.URL = nameIn(d.Lang, p.Title), h.address("product", p.Handle)
	d.Description = plainText(p.DescriptionHTML)
	if p.SEO.Description != nil && *p.SEO.Description != "" {
		d.Description = *p.SEO.Description
	}
	d.Product = &productData{
		Context: "https://schema.org", Type: "Product", Name: d.Title, Description: d.Description, URL: d.URL,
	}
	for _, one := range p.Images {
		if address := h.absolute(one.URL); address != "" {
			d.Product.Image = append(d.Product.Image, address)
		}
	}
	d.Picture = p.picture(variant)
	d.setPreview(d.Product.Image...)
	if p.Vendor != "" {
		d.Product.Brand = &brandData{"Brand", p.Vendor}
	}
	for _, v := range p.Variants {
		offer := offerData{
			Type: "Offer", Name: v.Title, Price: v.Price.decimal(), Currency: v.Price.Currency,
			Availability: "https://schema.org/" + availability[v.StockStatus],
			URL:          h.absolute("/?" + url.Values{"product": {p.Handle}, "variant": {v.ID}}.Encode()),
		}
		if v.SKU != nil {
			offer.SKU = *v.SKU
		}
		d.Product.Offers = append(d.Product.Offers, offer)
	}
	if n := len(p.CollectionIDs); n > 0 {
		c.get("/products?collectionIds%5B%5D="+url.QueryEscape(p.CollectionIDs[n-1])+"&inStock=true&limit=5", nil)
	}
}

// picture returns the URL of the page's first picture: the wanted variant's, or the first available
// one's.
func (p *productInfo) picture(variant string) string {
	shown := slices.IndexFunc(p.Variants, func(v variantInfo) bool { return v.ID == variant })
	if shown < 0 {
		shown = slices.IndexFunc(p.Variants, func(v variantInfo) bool { return v.Available })
	}
	if shown = max(shown, 0); shown < len(p.Variants) && p.Variants[shown].Image != nil {
		return p.Variants[shown].Image.URL
	}
	if len(p.Images) > 0 {
		return p.Images[0].URL
	}
	return ""
}

// decimal returns an amount in major units, such as 1450.00, with the decimals of the formatted
// amount.
func (p price) decimal() string {
	digits := strconv.FormatInt(p.Amount, 10)
	_, fraction, _ := strings.Cut(p.Formatted, ".")
	decimals := len(fraction)
	if decimals == 0 || strings.Trim(fraction, "0123456789") != "" {
		return digits
	}
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	return digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}
