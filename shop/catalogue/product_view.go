package catalogue

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/money"
)

// stockRank orders the stock states from best to worst.
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

// saleFrom gives the price before a sale, nil where there is no sale.
func (v *variantRow) saleFrom(money money.Currency) *money.Money {
	if v.compareAtPrice == nil || *v.compareAtPrice <= v.price {
		return nil
	}
	before := money.Money(*v.compareAtPrice)
	return &before
}

// product gives the row as answers show it.
func (p *productRow) product(money money.Currency) Product {
	answer := Product{
		ID: p.id, Handle: p.handle, Title: p.title, DescriptionHTML: p.descriptionHTML,
		Vendor: p.vendor, Type: p.kind, Tags: db.OrEmpty(p.tags),
		Images: make([]Image, len(p.images)), Variants: make([]Variant, len(p.variants)),
		Price: money.Money(p.price), PriceRange: PriceRange{Min: money.Money(p.price), Max: money.Money(p.priceMax)},
		StockStatus: StockOut, SEO: SEO{Title: db.NullText(p.seoTitle), Description: db.NullText(p.seoDescription)},
		CollectionIDs: db.OrEmpty(p.collections), Metadata: decodeMetadata(p.metadata), PublishedAt: db.FromNullMillis(p.publishedAt),
		CreatedAt: db.FromMillis(p.createdAt), UpdatedAt: db.FromMillis(p.updatedAt),
	}
	for i, image := range p.images {
		answer.Images[i] = image.image()
	}
	answer.Options = p.optionAnswers()
	priced := false
	for i := range p.variants {
		v := &p.variants[i]
		answer.Variants[i] = p.variant(v, money)
		if status := v.stockStatus(); slices.Index(stockRank, status) < slices.Index(stockRank, answer.StockStatus) {
			answer.StockStatus = status
		}
		if v.price == p.price && !priced {
			priced, answer.CompareAtPrice = true, v.saleFrom(money)
		}
	}
	answer.Available = answer.StockStatus != StockOut
	return answer
}

func (p *productRow) variant(v *variantRow, money money.Currency) Variant {
	status := v.stockStatus()
	answer := Variant{
		ID: v.id, SKU: db.NullText(v.sku), Barcode: db.NullText(v.barcode), Title: p.variantTitle(v),
		OptionValues: make([]OptionValue, len(p.options)),
		Price:        money.Money(v.price), CompareAtPrice: v.saleFrom(money),
		Available: status != StockOut, StockStatus: status, WeightGrams: int(v.weightGrams),
	}
	for i, name := range p.options {
		answer.OptionValues[i] = OptionValue{Name: name, Value: v.options[i]}
	}
	if v.tracked {
		left := int(max(v.stock, 0))
		answer.AvailableQuantity = &left
	}
	if v.imageID != nil {
		for _, image := range p.images {
			if image.id == *v.imageID {
				shown := image.image()
				answer.Image = &shown
			}
		}
	}
	return answer
}

// variantTitle names a variant among those of its product.
func (p *productRow) variantTitle(v *variantRow) string {
	if len(p.options) == 0 {
		return p.title
	}
	return strings.Join(v.options[:len(p.options)], " / ")
}

// optionAnswers gives each option with its values in the order in which variants have them.
func (p *productRow) optionAnswers() []Option {
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

func (i imageRow) image() Image {
	return Image{ID: i.id, URL: i.url, Alt: i.alt, Width: fromNullInt(i.width), Height: fromNullInt(i.height)}
}

func fromNullInt(n *int64) *int {
	if n == nil {
		return nil
	}
	i := int(*n)
	return &i
}

// decodeMetadata reads an object that this program wrote.
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
		// Whole numbers keep their digits; every encoder writes an int64 and a float64 alike.
		if whole, err := number.Int64(); err == nil {
			return whole
		}
		float, _ := number.Float64() // beyond its range: the nearest there is
		if math.IsInf(float, 0) {
			return number.String()
		}
		return float
	}).(map[string]any)
}

// mapJSON gives a copy of decoded JSON with each text, number, truth and null replaced.
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
