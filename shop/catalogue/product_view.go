package catalogue

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/money"
)

// stockRank lists the stock statuses from best to worst.
var stockRank = []StockStatus{StockIn, StockLow, StockBackorder, StockOut}

func (v *variantRow) stockStatus() StockStatus {
	switch {
	case !v.tracked, v.stock > v.lowStock:
		return StockIn
	case v.stock > 0:
		return StockLow
	case v.backorder:
		return StockBackorder
	}
	return StockOut
}

// compareAt returns the price before a sale, or nil if the variant is not on sale.
func (v *variantRow) compareAt(currency money.Currency) *money.Money {
	if v.compareAtPrice == nil || *v.compareAtPrice <= v.price {
		return nil
	}
	before := currency.Money(*v.compareAtPrice)
	return &before
}

// product returns the product in the form for buyers.
func (p *productRow) product(shown display) Product {
	view := Product{
		ID: p.id, Handle: p.handle, Title: p.title, DescriptionHTML: p.descriptionHTML,
		Vendor: p.vendor, Type: p.kind, Tags: db.OrEmpty(p.tags),
		Images: make([]Image, len(p.images)), Variants: make([]Variant, len(p.variants)),
		Price: shown.Money(p.price), PriceRange: PriceRange{Min: shown.Money(p.price), Max: shown.Money(p.priceMax)},
		StockStatus: StockOut, SEO: SEO{Title: db.NullText(p.seoTitle), Description: db.NullText(p.seoDescription)},
		CollectionIDs: db.OrEmpty(p.collections), Metadata: decodeMetadata(p.metadata), PublishedAt: db.FromNullMillis(p.publishedAt),
		CreatedAt: db.FromMillis(p.createdAt), UpdatedAt: db.FromMillis(p.updatedAt),
	}
	for i, image := range p.images {
		view.Images[i] = image.image(shown.media)
	}
	view.Options = p.buyerOptions()
	view.Rating = newRating(p.ratingCount, p.ratingSum)
	view.QuantityPrices = p.quantityPrices.effective(p.priceMax).views(shown.Currency)
	hasLowest := false
	for i := range p.variants {
		v := &p.variants[i]
		view.Variants[i] = p.variant(v, shown)
		if status := v.stockStatus(); slices.Index(stockRank, status) < slices.Index(stockRank, view.StockStatus) {
			view.StockStatus = status
		}
		if v.price == p.price && !hasLowest {
			hasLowest, view.CompareAtPrice = true, v.compareAt(shown.Currency)
		}
	}
	view.Available = view.StockStatus != StockOut
	return view
}

func (p *productRow) variant(v *variantRow, shown display) Variant {
	status := v.stockStatus()
	view := Variant{
		ID: v.id, SKU: db.NullText(v.sku), Barcode: db.NullText(v.barcode), Title: p.variantTitle(v),
		OptionValues: make([]OptionValue, len(p.options)),
		Price:        shown.Money(v.price), CompareAtPrice: v.compareAt(shown.Currency),
		Available: status != StockOut, StockStatus: status, WeightGrams: int(v.weightGrams),
	}
	for i, name := range p.options {
		view.OptionValues[i] = OptionValue{Name: name, Value: v.options[i]}
	}
	if v.tracked {
		left := int(max(v.stock, 0))
		view.AvailableQuantity = &left
	}
	if v.imageID != nil {
		for _, image := range p.images {
			if image.id == *v.imageID {
				found := image.image(shown.media)
				view.Image = &found
			}
		}
	}
	return view
}

// variantTitle returns the title of a variant within its product.
func (p *productRow) variantTitle(v *variantRow) string {
	if len(p.options) == 0 {
		return p.title
	}
	return strings.Join(v.options[:len(p.options)], " / ")
}

// buyerOptions returns the options, each with its values in the order of the variants.
func (p *productRow) buyerOptions() []Option {
	options := make([]Option, len(p.options))
	for i, name := range p.options {
		options[i] = Option{Name: name, Values: []string{}}
		for _, v := range p.variants {
			if !slices.Contains(options[i].Values, v.options[i]) {
				options[i].Values = append(options[i].Values, v.options[i])
			}
		}
	}
	return options
}

func (i imageRow) image(address MediaAddress) Image {
	return Image{
		ID: i.id, URL: address.Resolve(i.url), Alt: i.alt, Width: fromNullInt(i.width), Height: fromNullInt(i.height),
		Renditions: renditions(address, i.media.id, i.media.format, i.media.sizes), Colour: i.media.colour,
	}
}

func fromNullInt(n *int64) *int {
	if n == nil {
		return nil
	}
	i := int(*n)
	return &i
}

// decodeMetadata decodes stored metadata.
func decodeMetadata(text string) map[string]any {
	if text == "{}" {
		return map[string]any{}
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil || object == nil {
		return map[string]any{}
	}
	return mapJSON(object, func(v any) any {
		number, ok := v.(json.Number)
		if !ok {
			return v
		}
		// Whole numbers retain all digits; encoders write an int64 and an equal float64 alike.
		if whole, err := number.Int64(); err == nil {
			return whole
		}
		float, _ := number.Float64() // out of range: the nearest value
		if math.IsInf(float, 0) {
			return number.String()
		}
		return float
	}).(map[string]any)
}

// mapJSON returns a copy of decoded JSON with each string, number, boolean and null replaced.
func mapJSON(v any, replace func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, value := range v {
			object[key] = mapJSON(value, replace)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = mapJSON(value, replace)
		}
		return list
	}
	return replace(v)
}
