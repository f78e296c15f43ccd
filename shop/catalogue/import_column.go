package catalogue

import (
	"encoding/json"
	"slices"
	"strings"
)

// column is a column of a product file. Exports write the columns in this order.
type column int

// The supported columns: Shopify's, after colCollection our own, and after exportedColumns others'.
const (
	colHandle column = iota
	colTitle
	colBody
	colVendor
	colType
	colTags
	colPublished
	colOption1Name
	colOption1Value
	colOption2Name
	colOption2Value
	colOption3Name
	colOption3Value
	colSKU
	colGrams
	colTracker
	colStock
	colPolicy
	colPrice
	colComparePrice
	colBarcode
	colImageURL
	colImagePosition
	colImageAlt
	colSEOTitle
	colSEODescription
	colVariantImage
	colStatus
	colCollection // a collection to add the product to; imported, never exported
	colCollections
	colMetadata
	colPublishedAt
	colLowStock
	colCost
	colImageWidth
	colImageHeight
	exportedColumns // exports write the columns before this one

	colWeight = iota - 1 // with its unit, in Matrixify's files
	colWeightUnit
	colCustomCollections
	colCommand
	colVariantCommand
	colGiftCard
	columnCount
)

// columnNames are the headers of each column: the name that exports write, then those in Shopify's
// newer template and in Matrixify's files. Matching ignores case, and a type in brackets such as
// [string], which Matrixify appends.
var columnNames = [columnCount][]string{
	colHandle:         {"Handle", "URL handle"},
	colTitle:          {"Title"},
	colBody:           {"Body (HTML)", "Description", "Body HTML"},
	colVendor:         {"Vendor"},
	colType:           {"Type"},
	colTags:           {"Tags"},
	colPublished:      {"Published", "Published on online store"},
	colOption1Name:    {"Option1 Name"},
	colOption1Value:   {"Option1 Value"},
	colOption2Name:    {"Option2 Name"},
	colOption2Value:   {"Option2 Value"},
	colOption3Name:    {"Option3 Name"},
	colOption3Value:   {"Option3 Value"},
	colSKU:            {"Variant SKU", "SKU"},
	colGrams:          {"Variant Grams", "Weight value (grams)"},
	colTracker:        {"Variant Inventory Tracker", "Inventory tracker"},
	colStock:          {"Variant Inventory Qty", "Inventory quantity"},
	colPolicy:         {"Variant Inventory Policy", "Continue selling when out of stock"},
	colPrice:          {"Variant Price", "Price"},
	colComparePrice:   {"Variant Compare At Price", "Compare-at price"},
	colBarcode:        {"Variant Barcode", "Barcode"},
	colImageURL:       {"Image Src", "Product image URL"},
	colImagePosition:  {"Image Position"},
	colImageAlt:       {"Image Alt Text"},
	colSEOTitle:       {"SEO Title", "Metafield: title_tag"},
	colSEODescription: {"SEO Description", "Metafield: description_tag"},
	colVariantImage:   {"Variant Image", "Variant image URL"},
	colStatus:         {"Status"},
	colCollection:     {"Collection"},
	colCollections:    {"Collections"},
	colMetadata:       {"Metadata"},
	colPublishedAt:    {"Published At"},
	colLowStock:       {"Variant Low Stock"},
	colCost:           {"Cost per item", "Variant Cost"},
	colImageWidth:     {"Image Width"},
	colImageHeight:    {"Image Height"},

	colWeight:            {"Variant Weight"},
	colWeightUnit:        {"Variant Weight Unit"},
	colCustomCollections: {"Custom Collections"},
	colCommand:           {"Command"},
	colVariantCommand:    {"Variant Command"},
	colGiftCard:          {"Gift Card"},
}

// In Shopify's files a product without options has one option with this name and value.
const (
	noOptionName  = "Title"
	noOptionValue = "Default Title"
)

// The separators of several values in one cell.
const (
	tagSeparator        = ","
	collectionSeparator = ";"
)

// SimilarColumn returns the name of the column that differs from a name by one typing error, if
// there is one.
func SimilarColumn(name string) (similar string, ok bool) {
	mistyped := []rune(strings.ToLower(name))
	for _, names := range columnNames {
		for _, name := range names {
			if isOneEditApart(mistyped, []rune(strings.ToLower(name))) {
				return name, true
			}
		}
	}
	return "", false
}

func optionName(i int) column  { return colOption1Name + column(2*i) }
func optionValue(i int) column { return colOption1Value + column(2*i) }

// fieldColumns are the columns of the fields of ProductInput, except fields of variants and images.
var fieldColumns = map[string]column{
	"handle": colHandle, "title": colTitle, "descriptionHtml": colBody, "status": colStatus, "vendor": colVendor,
	"type": colType, "tags": colTags, "options": colOption1Name, "options[0]": colOption1Name,
	"options[1]": colOption2Name, "options[2]": colOption3Name, "seoTitle": colSEOTitle,
	"seoDescription": colSEODescription, "metadata": colMetadata, "collections": colCollections,
	"variants": colPrice, "images": colImageURL,
}

// variantColumns are the columns of the fields of VariantInput.
var variantColumns = map[string]column{
	"options": colOption1Value, "options[0]": colOption1Value, "options[1]": colOption2Value, "options[2]": colOption3Value,
	"sku": colSKU, "barcode": colBarcode, "price": colPrice, "compareAtPrice": colComparePrice,
	"cost": colCost, "weightGrams": colGrams, "stock": colStock, "lowStock": colLowStock, "image": colVariantImage,
}

// formatColumns returns a JSON array of the names of columns.
func formatColumns(has *[columnCount]bool) string {
	names := []string{}
	for c, in := range has {
		if in {
			names = append(names, columnNames[c][0])
		}
	}
	text, _ := json.Marshal(names) // strings never fail
	return string(text)
}

// parseColumns is the reverse of formatColumns.
func parseColumns(text string) (has [columnCount]bool, err error) {
	var names []string
	err = json.Unmarshal([]byte(text), &names)
	for c := range has {
		has[c] = slices.Contains(names, columnNames[c][0])
	}
	return has, err
}
