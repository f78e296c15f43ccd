package catalogue

// column is a column of a product file. Exports write the columns in this order.
type column int

// The supported columns: Shopify's, and after colCollection our own.
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
	colImageWidth
	colImageHeight
	columnCount
)

// columnNames are the headers of each column: the name that exports write, then the name in
// Shopify's newer template. Matching ignores case.
var columnNames = [columnCount][]string{
	colHandle:         {"Handle", "URL handle"},
	colTitle:          {"Title"},
	colBody:           {"Body (HTML)", "Description"},
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
	colSEOTitle:       {"SEO Title"},
	colSEODescription: {"SEO Description"},
	colVariantImage:   {"Variant Image", "Variant image URL"},
	colStatus:         {"Status"},
	colCollection:     {"Collection"},
	colCollections:    {"Collections"},
	colMetadata:       {"Metadata"},
	colPublishedAt:    {"Published At"},
	colLowStock:       {"Variant Low Stock"},
	colImageWidth:     {"Image Width"},
	colImageHeight:    {"Image Height"},
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

func optionName(i int) column  { return colOption1Name + column(2*i) }
func optionValue(i int) column { return colOption1Value + column(2*i) }

// fieldColumns are the columns of the fields of ProductInput, without those of variants and images.
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
	"weightGrams": colGrams, "stock": colStock, "lowStock": colLowStock, "image": colVariantImage,
}
