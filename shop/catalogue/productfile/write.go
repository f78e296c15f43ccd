package productfile

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"storefront/shop/input"
	"storefront/shop/money"
)

// Writer writes products as a file that [Open] reads: Shopify's CSV with additional columns. Text
// that a spreadsheet would evaluate as a formula gets ' before it; a number that already has one
// gets a second.
type Writer struct {
	csv      *csv.Writer
	currency money.Currency
	columns  []Column
	language string // of translations; "" means that there are none
}

// NewWriter returns a writer that has written the header. Without costs the file has no column of
// them, and without a language none of translations.
func NewWriter(w io.Writer, currency money.Currency, costs bool, language string) (*Writer, error) {
	out := &Writer{csv: csv.NewWriter(w), currency: currency, language: language}
	var header []string
	for c := range exportedColumns {
		if c != ColCollection && (c != ColCost || costs) {
			out.columns, header = append(out.columns, c), append(header, columnNames[c][0])
		}
	}
	if language != "" {
		for _, c := range translatedColumns {
			header = append(header, translatedName(c, language))
		}
	}
	if err := out.csv.Write(header); err != nil {
		return nil, fmt.Errorf("export products: %w", err)
	}
	return out, nil
}

// Write writes the rows of a product.
func (w *Writer) Write(p *Product) error {
	rows := p.rows(w.currency)
	translated := make([][]string, len(rows))
	if w.language != "" {
		translated = p.translatedCells(len(rows))
	}
	for at, cells := range rows {
		row := make([]string, 0, len(w.columns)+len(translated[at]))
		for _, c := range w.columns {
			row = append(row, cells[c])
		}
		row = append(row, translated[at]...)
		for i, cell := range row {
			row[i] = guardNumber(input.GuardFormulas(cell))
		}
		if err := w.csv.Write(row); err != nil {
			return fmt.Errorf("export product %s: %w", p.Handle, err)
		}
	}
	return nil
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}

// cells is one row of a product file.
type cells [exportedColumns]string

// rows returns the rows of a product. Each has a variant, an image or both.
func (p *Product) rows(currency money.Currency) []cells {
	rows := make([]cells, max(len(p.Variants), len(p.Images)))
	for i, image := range p.Images {
		row := &rows[i]
		row[ColImageURL], row[ColImagePosition], row[ColImageAlt] = image.URL, strconv.Itoa(
			i+1,
		), image.Alt
		row[ColImageWidth], row[ColImageHeight] = formatOptional(image.Width), formatOptional(
			image.Height,
		)
	}
	for i, v := range p.Variants {
		v.write(&rows[i], currency)
	}
	p.write(&rows[0], currency)
	for i := range rows {
		rows[i][ColHandle] = p.Handle
	}
	return rows
}

func (p *Product) write(row *cells, currency money.Currency) {
	row[ColTitle], row[ColBody] = p.Title, p.DescriptionHTML
	row[ColVendor], row[ColType] = p.Vendor, p.Type
	row[ColTags] = strings.Join(p.Tags, tagSeparator+" ")
	row[ColPublished], row[ColStatus] = "TRUE", p.Status
	if p.Hidden {
		row[ColPublished] = "FALSE"
	}
	if p.PublishedAt != nil {
		row[ColPublishedAt] = p.PublishedAt.Format(time.RFC3339Nano)
	}
	row[ColSEOTitle], row[ColSEODescription] = p.SEOTitle, p.SEODescription
	row[ColCollections] = strings.Join(p.Collections, collectionSeparator)
	row[ColMetadata] = p.Metadata
	prices := make([]string, len(p.QuantityPrices))
	for i, q := range p.QuantityPrices {
		prices[i] = fmt.Sprintf("%d for %s", q.Quantity, currency.Decimal(q.Price))
	}
	row[ColQuantityPrices] = strings.Join(prices, quantityPriceSeparator+" ")
	for i, name := range p.Options {
		row[OptionName(i)] = name
	}
	if len(p.Options) == 0 {
		row[ColOption1Name], row[ColOption1Value] = noOptionName, noOptionValue
	}
}

func (v *Variant) write(row *cells, currency money.Currency) {
	for i, value := range v.Options {
		row[OptionValue(i)] = value
	}
	row[ColSKU], row[ColBarcode], row[ColPrice] = v.SKU, v.Barcode, currency.Decimal(v.Price)
	if v.CompareAtPrice != nil {
		row[ColComparePrice] = currency.Decimal(*v.CompareAtPrice)
	}
	if v.Cost != nil {
		row[ColCost] = currency.Decimal(*v.Cost)
	}
	row[ColGrams], row[ColLowStock] = strconv.Itoa(v.WeightGrams), formatOptional(v.LowStock)
	row[ColPolicy] = "deny"
	if v.Backorder {
		row[ColPolicy] = "continue"
	}
	if v.Tracked {
		row[ColTracker], row[ColStock] = "shopify", formatOptional(v.Stock)
	}
	row[ColVariantImage] = v.ImageURL
}

func formatOptional(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
