package catalogue

import (
	"context"
	"io"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/locale"
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
		return who.Audit(tx, access.Subject{Kind: access.SubjectProducts},
			access.Set("products", len(ids)))
	})
	if err != nil {
		return err
	}
	language, err := c.secondLanguage(ctx)
	if err != nil {
		return err
	}
	costs := who.Permits(access.CostsRead)
	out, err := productfile.NewWriter(w, shown.Currency, costs, string(language))
	if err != nil {
		return err
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
				products, err = findForFile(tx, part, language)
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range products {
			if err := out.Write(p.file(shown.media, handles, language)); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// findForFile returns products with their translations if the shop has a second language.
func findForFile(tx *db.Tx, ids []string, language locale.Language) ([]*productRow, error) {
	products, err := findProductRows(tx, ids)
	if err == nil && language != "" {
		err = loadTranslations(tx, products)
	}
	return products, err
}

// file returns the product as a product file states it. handles are the handles of the collections
// by ID, and language has the translations.
func (p *productRow) file(media MediaAddress, handles map[string]string, language locale.Language) *productfile.Product {
	file := &productfile.Product{
		Handle: p.handle, Title: p.title, DescriptionHTML: p.descriptionHTML, Status: string(p.status),
		Hidden: p.publishedAt == nil, Vendor: p.vendor, Type: p.kind, Tags: p.tags, Options: p.options,
		SEOTitle: p.seoTitle, SEODescription: p.seoDescription,
	}
	if p.publishedAt != nil {
		file.PublishedAt = new(db.FromMillis(*p.publishedAt))
	}
	if p.metadata != "{}" {
		file.Metadata = p.metadata
	}
	for _, q := range p.quantityPrices {
		file.QuantityPrices = append(file.QuantityPrices, productfile.QuantityPrice(q))
	}
	for _, id := range p.collections {
		file.Collections = append(file.Collections, handles[id])
	}
	urls, texts := map[string]string{}, p.translations
	for _, image := range p.images {
		urls[image.id] = media.Resolve(image.url)
		file.Images = append(file.Images, productfile.Image{
			URL: urls[image.id], Alt: image.alt,
			Width: fromNullInt(image.width), Height: fromNullInt(image.height),
		})
		texts = texts.Rename(image.altText(), productfile.AltField+urls[image.id])
	}
	file.Translations = texts[language]
	for _, v := range p.variants {
		variant := v.file()
		if v.imageID != nil {
			variant.ImageURL = urls[*v.imageID]
		}
		file.Variants = append(file.Variants, variant)
	}
	return file
}

// file returns the variant without its image.
func (v *variantRow) file() productfile.Variant {
	return productfile.Variant{
		Options: v.options[:], SKU: v.sku, Barcode: v.barcode,
		Price: v.price, CompareAtPrice: v.compareAtPrice, Cost: v.cost, WeightGrams: int(v.weightGrams),
		Tracked: v.tracked, Backorder: v.backorder, Stock: new(int(v.stock)),
		LowStock: new(int(v.lowStock)),
	}
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
