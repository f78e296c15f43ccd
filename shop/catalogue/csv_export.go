package catalogue

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/input"
)

// exportPart is the number of products that an export holds in memory at a time.
const exportPart = 100

// ExportProducts writes all products of the shop, of any status, to w in the format that
// [Catalogue.ImportProducts] reads: Shopify's CSV with additional columns. Text that a spreadsheet
// would evaluate as a formula gets ' before it, which the import removes; a number that already has
// one gets a second. The list of products is fixed at the start, and each is read when it is
// written. A caller who may not view costs gets no column of them: an import would interpret blank
// cells as unknown costs. The export is recorded in the audit log before anything is written.
func (c *Catalogue) ExportProducts(ctx context.Context, caller access.Caller, w io.Writer) error {
	who, err := c.data.Authorize(ctx, caller, access.ToExportProducts)
	if err != nil {
		return err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return err
	}
	var ids []string
	err = c.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		ids, err = findAllProductIDs(tx, notHidden)
		return err
	})
	if err != nil {
		return err
	}
	err = c.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		return who.Audit(tx, access.Subject{Kind: access.SubjectProducts}, access.Set("products", len(ids)))
	})
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	costs := who.Permits(access.CostsRead)
	columns, header := exportColumns(costs)
	if err := out.Write(header); err != nil {
		return fmt.Errorf("export products: %w", err)
	}
	for part := range slices.Chunk(ids, exportPart) {
		var products []*productRow
		var handles map[string]string
		err := c.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
			if costs { // even if the caller's permissions are reduced in the meantime
				if err := who.Require(tx, access.CostsRead); err != nil {
					return err
				}
			}
			if handles, err = findCollectionHandles(tx); err == nil {
				products, err = findProductRows(tx, part)
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range products {
			if err := p.write(out, columns, shown, handles); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// exportColumns returns the columns of an export and their names.
func exportColumns(costs bool) (columns []column, header []string) {
	for c := range exportedColumns {
		if c != colCollection && (c != colCost || costs) {
			columns, header = append(columns, c), append(header, columnNames[c][0])
		}
	}
	return columns, header
}

// write writes the rows of the product with these columns. handles are the handles of the
// collections by ID.
func (p *productRow) write(out *csv.Writer, columns []column, shown display, handles map[string]string) error {
	for _, cells := range p.export(shown, handles) {
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = guardNumber(input.GuardFormulas(cells[c]))
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("export product %s: %w", p.handle, err)
		}
	}
	return nil
}

// cells is one row of a product file.
type cells [exportedColumns]string

// export returns the rows of one product. Each has a variant, an image or both.
func (p *productRow) export(shown display, handles map[string]string) []cells {
	rows := make([]cells, max(len(p.variants), len(p.images)))
	urls := map[string]string{}
	for i, image := range p.images {
		urls[image.id] = shown.media.Resolve(image.url)
		row := &rows[i]
		row[colImageURL], row[colImagePosition], row[colImageAlt] = urls[image.id], strconv.Itoa(i+1), image.alt
		row[colImageWidth], row[colImageHeight] = formatOptional(image.width), formatOptional(image.height)
	}
	for i, v := range p.variants {
		v.export(&rows[i], shown)
		if v.imageID != nil {
			rows[i][colVariantImage] = urls[*v.imageID]
		}
	}
	p.exportFields(&rows[0], handles)
	for i := range rows {
		rows[i][colHandle] = p.handle
	}
	return rows
}

func (p *productRow) exportFields(row *cells, handles map[string]string) {
	row[colTitle], row[colBody], row[colVendor], row[colType] = p.title, p.descriptionHTML, p.vendor, p.kind
	row[colTags] = strings.Join(p.tags, tagSeparator+" ")
	row[colPublished], row[colStatus] = "FALSE", string(p.status)
	if p.publishedAt != nil {
		row[colPublished] = "TRUE"
		row[colPublishedAt] = db.FromMillis(*p.publishedAt).Format(time.RFC3339Nano)
	}
	row[colSEOTitle], row[colSEODescription] = p.seoTitle, p.seoDescription
	names := make([]string, len(p.collections))
	for i, id := range p.collections {
		names[i] = handles[id]
	}
	row[colCollections] = strings.Join(names, collectionSeparator)
	if p.metadata != "{}" {
		row[colMetadata] = p.metadata
	}
	for i, name := range p.options {
		row[optionName(i)] = name
	}
	if len(p.options) == 0 {
		row[colOption1Name], row[colOption1Value] = noOptionName, noOptionValue
	}
}

func (v *variantRow) export(row *cells, shown display) {
	for i, value := range v.options {
		row[optionValue(i)] = value
	}
	row[colSKU], row[colBarcode], row[colPrice] = v.sku, v.barcode, shown.Decimal(v.price)
	if v.compareAtPrice != nil {
		row[colComparePrice] = shown.Decimal(*v.compareAtPrice)
	}
	if v.cost != nil {
		row[colCost] = shown.Decimal(*v.cost)
	}
	row[colGrams], row[colLowStock] = strconv.FormatInt(v.weightGrams, 10), strconv.FormatInt(v.lowStock, 10)
	row[colPolicy] = "deny"
	if v.backorder {
		row[colPolicy] = "continue"
	}
	if v.tracked {
		row[colTracker], row[colStock] = "shopify", strconv.FormatInt(v.stock, 10)
	}
}

func formatOptional(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// findCollectionHandles returns the handles of all collections by ID.
func findCollectionHandles(tx *db.Tx) (map[string]string, error) {
	index, err := findCollectionIndex(tx)
	if err != nil {
		return nil, err
	}
	handles := make(map[string]string, len(index.byHandle))
	for handle, id := range index.byHandle {
		handles[id] = handle
	}
	return handles, nil
}
