package catalogue

// column is one column of a product file. The order is that in which exports write them.
type column int

// The columns that mean something here: Shopify's, and after colCollection our own.
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
	colCollection // one that the product is put into; read, never written
	colCollections
	colMetadata
	colPublishedAt
	colLowStock
	colImageWidth
	colImageHeight
	columnCount
)

// columnNames are the headers of each column: what exports write, and after it what Shopify's
// newer template calls it. Case does not matter.
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

// A product without options has in Shopify's files one option of this name with one value of this name.
const (
	noOptionName  = "Title"
	noOptionValue = "Default Title"
)

// What stands between several values of one cell.
const (
	tagSeparator        = ","
	collectionSeparator = ";"
)

func optionName(i int) column  { return colOption1Name + column(2*i) }
func optionValue(i int) column { return colOption1Value + column(2*i) }

// fieldColumns say which column an input of ProductInput came from; those of variants and images
// are named by what follows the index.
var fieldColumns = map[string]column{
	"handle": colHandle, "title": colTitle, "descriptionHtml": colBody, "status": colStatus, "vendor": colVendor,
	"type": colType, "tags": colTags, "options": colOption1Name, "options[0]": colOption1Name,
	"options[1]": colOption2Name, "options[2]": colOption3Name, "seoTitle": colSEOTitle,
	"seoDescription": colSEODescription, "metadata": colMetadata, "collections": colCollections,
	"variants": colPrice, "images": colImageURL,
}

var variantColumns = map[string]column{
	"options": colOption1Value, "options[0]": colOption1Value, "options[1]": colOption2Value, "options[2]": colOption3Value,
	"sku": colSKU, "barcode": colBarcode, "price": colPrice, "compareAtPrice": colComparePrice,
	"weightGrams": colGrams, "stock": colStock, "lowStock": colLowStock, "image": colVariantImage,
}
