package productfile

import (
	"encoding/json"
	"slices"
	"strings"

	"storefront/shop/input"
)

// Column is a column of a product file. Exports write the columns in this order.
type Column int

// The supported columns: Shopify's, after ColCollection our own, and after exportedColumns others'.
const (
	ColHandle Column = iota
	ColTitle
	ColBody
	ColVendor
	ColType
	ColTags
	ColPublished
	ColOption1Name
	ColOption1Value
	ColOption2Name
	ColOption2Value
	ColOption3Name
	ColOption3Value
	ColSKU
	ColGrams
	ColTracker
	ColStock
	ColPolicy
	ColPrice
	ColComparePrice
	ColBarcode
	ColImageURL
	ColImagePosition
	ColImageAlt
	ColSEOTitle
	ColSEODescription
	ColVariantImage
	ColStatus
	ColCollection // a collection to add the product to; imported, never exported
	ColCollections
	ColMetadata
	ColPublishedAt
	ColLowStock
	ColCost
	ColImageWidth
	ColImageHeight
	ColQuantityPrices
	exportedColumns // exports write the columns before this one

	ColWeight = iota - 1 // with its unit, in Matrixify's files
	ColWeightUnit
	ColCustomCollections
	ColCommand
	ColVariantCommand
	ColGiftCard
	columnCount
)

// columnNames are the headers of each column: the name that exports write, then those in Shopify's
// newer template and in Matrixify's files. Matching ignores case, and a type in brackets such as
// [string], which Matrixify appends.
var columnNames = [columnCount][]string{
	ColHandle:         {"Handle", "URL handle"},
	ColTitle:          {"Title"},
	ColBody:           {"Body (HTML)", "Description", "Body HTML"},
	ColVendor:         {"Vendor"},
	ColType:           {"Type"},
	ColTags:           {"Tags"},
	ColPublished:      {"Published", "Published on online store"},
	ColOption1Name:    {"Option1 Name"},
	ColOption1Value:   {"Option1 Value"},
	ColOption2Name:    {"Option2 Name"},
	ColOption2Value:   {"Option2 Value"},
	ColOption3Name:    {"Option3 Name"},
	ColOption3Value:   {"Option3 Value"},
	ColSKU:            {"Variant SKU", "SKU"},
	ColGrams:          {"Variant Grams", "Weight value (grams)"},
	ColTracker:        {"Variant Inventory Tracker", "Inventory tracker"},
	ColStock:          {"Variant Inventory Qty", "Inventory quantity"},
	ColPolicy:         {"Variant Inventory Policy", "Continue selling when out of stock"},
	ColPrice:          {"Variant Price", "Price"},
	ColComparePrice:   {"Variant Compare At Price", "Compare-at price"},
	ColBarcode:        {"Variant Barcode", "Barcode"},
	ColImageURL:       {"Image Src", "Product image URL"},
	ColImagePosition:  {"Image Position"},
	ColImageAlt:       {"Image Alt Text"},
	ColSEOTitle:       {"SEO Title", "Metafield: title_tag"},
	ColSEODescription: {"SEO Description", "Metafield: description_tag"},
	ColVariantImage:   {"Variant Image", "Variant image URL"},
	ColStatus:         {"Status"},
	ColCollection:     {"Collection"},
	ColCollections:    {"Collections"},
	ColMetadata:       {"Metadata"},
	ColPublishedAt:    {"Published At"},
	ColLowStock:       {"Variant Low Stock"},
	ColCost:           {"Cost per item", "Variant Cost"},
	ColImageWidth:     {"Image Width"},
	ColImageHeight:    {"Image Height"},
	ColQuantityPrices: {"Quantity Prices"},

	ColWeight:            {"Variant Weight"},
	ColWeightUnit:        {"Variant Weight Unit"},
	ColCustomCollections: {"Custom Collections"},
	ColCommand:           {"Command"},
	ColVariantCommand:    {"Variant Command"},
	ColGiftCard:          {"Gift Card"},
}

// In Shopify's files a product without options has one option with this name and value.
const (
	noOptionName  = "Title"
	noOptionValue = "Default Title"
)

// The separators of several values in one cell.
const (
	tagSeparator           = ","
	collectionSeparator    = ";"
	quantityPriceSeparator = ";"
)

// SimilarColumn returns the name of the column that differs from a name by one typing error, if
// there is one.
func SimilarColumn(name string) (similar string, ok bool) {
	mistyped := []rune(strings.ToLower(name))
	for _, names := range columnNames {
		for _, name := range names {
			if input.IsOneEditApart(mistyped, []rune(strings.ToLower(name))) {
				return name, true
			}
		}
	}
	return "", false
}

// OptionName returns the column of the name of an option, from 0.
func OptionName(i int) Column { return ColOption1Name + Column(2*i) }

// OptionValue returns the column of the value of an option, from 0.
func OptionValue(i int) Column { return ColOption1Value + Column(2*i) }

// fieldColumns are the columns of the fields of a product, except fields of variants and images.
var fieldColumns = map[string]Column{
	"handle": ColHandle, "title": ColTitle, "descriptionHtml": ColBody, "status": ColStatus,
	"vendor": ColVendor,
	"type":   ColType, "tags": ColTags, "options": ColOption1Name, "options[0]": ColOption1Name,
	"options[1]": ColOption2Name, "options[2]": ColOption3Name, "seoTitle": ColSEOTitle,
	"seoDescription": ColSEODescription, "metadata": ColMetadata, "collections": ColCollections,
	"variants": ColPrice, "images": ColImageURL, "quantityPrices": ColQuantityPrices,
}

// variantColumns are the columns of the fields of a variant.
var variantColumns = map[string]Column{
	"options": ColOption1Value, "options[0]": ColOption1Value, "options[1]": ColOption2Value,
	"options[2]": ColOption3Value,
	"sku":        ColSKU, "barcode": ColBarcode, "price": ColPrice, "compareAtPrice": ColComparePrice,
	"cost": ColCost, "weightGrams": ColGrams, "stock": ColStock, "lowStock": ColLowStock,
	"image": ColVariantImage,
}

// Columns are the fields that a file has, by their column.
type Columns [columnCount]bool

// Encode returns a JSON array of the names of the columns.
func (has *Columns) Encode() string {
	names := []string{}
	for c, in := range has {
		if in {
			names = append(names, columnNames[c][0])
		}
	}
	text, _ := json.Marshal(names) // strings never fail
	return string(text)
}

// DecodeColumns is the reverse of [Columns.Encode].
func DecodeColumns(text string) (has Columns, err error) {
	var names []string
	err = json.Unmarshal([]byte(text), &names)
	for c := range has {
		has[c] = slices.Contains(names, columnNames[c][0])
	}
	return has, err
}
