package admin

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"time"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// ProductPath has a product in the path.
type ProductPath struct {
	ID string `path:"id" doc:"The product's _id or handle" example:"mango-pickle"`
}

// ProductInput is the content of a new product.
type ProductInput struct {
	Title           string                   `json:"title"`
	Handle          string                   `json:"handle,omitempty" doc:"URL slug; derived from the title if left out"`
	DescriptionHTML string                   `json:"descriptionHtml,omitempty" doc:"Sanitized when saved"`
	Status          catalogue.ProductStatus  `json:"status,omitempty" doc:"Defaults to active"`
	PublishedAt     *time.Time               `json:"publishedAt,omitempty" doc:"Time from which buyers see it, if it is active. Defaults to now"`
	Vendor          string                   `json:"vendor,omitempty"`
	Type            string                   `json:"type,omitempty"`
	Tags            []string                 `json:"tags,omitempty" nullable:"false"`
	Collections     []string                 `json:"collections,omitempty" nullable:"false" doc:"The _id or handle of each"`
	Options         []string                 `json:"options,omitempty" nullable:"false" doc:"Names of at most 3 options, such as Size"`
	Variants        []VariantInput           `json:"variants" nullable:"false" doc:"Exactly one if there are no options"`
	QuantityPrices  catalogue.QuantityPrices `json:"quantityPrices,omitempty" nullable:"false" doc:"Prices of several units together, at most 10"`
	Images          []ImageInput             `json:"images,omitempty" nullable:"false" doc:"In the order in which they are shown"`
	SEO             SEOInput                 `json:"seo,omitzero"`
	Metadata        map[string]any           `json:"metadata,omitempty" doc:"Data of clients, visible to buyers"`
}

// VariantInput is one variant of a new product. Amounts are in minor units.
type VariantInput struct {
	Options        []string    `json:"options,omitempty" nullable:"false" doc:"The value of each option"`
	SKU            string      `json:"sku,omitempty"`
	Barcode        string      `json:"barcode,omitempty"`
	Price          int64       `json:"price"`
	CompareAtPrice *int64      `json:"compareAtPrice,omitempty" doc:"Price before a sale"`
	Cost           *int64      `json:"cost,omitempty" doc:"Cost of a unit, hidden from buyers. Requires costs.read"`
	WeightGrams    int         `json:"weightGrams,omitempty"`
	Image          *ImageInput `json:"image,omitempty" doc:"Added to the product's images if missing"`
	Tracked        *bool       `json:"tracked,omitempty" doc:"Whether stock is counted. Defaults to whether stock is sent"`
	Backorder      bool        `json:"backorder,omitempty" doc:"Whether it may be sold below zero"`
	Stock          *int        `json:"stock,omitempty" doc:"Units in stock. Requires stock.write"`
	LowStock       *int        `json:"lowStock,omitempty" doc:"Units at or below which stock is low. Defaults to 5"`
}

// SEOInput is the text for search engines on a product's page.
type SEOInput struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// ProductChange is a change of some fields of a product.
type ProductChange struct {
	Title           *string                   `json:"title,omitempty"`
	Handle          *string                   `json:"handle,omitempty" doc:"Buyers still find the product at its earlier handles"`
	DescriptionHTML Nullable[string]          `json:"descriptionHtml,omitzero" doc:"Sanitized when saved"`
	Status          *catalogue.ProductStatus  `json:"status,omitempty" doc:"active also publishes a product that is not published"`
	PublishedAt     Nullable[time.Time]       `json:"publishedAt,omitzero" doc:"Time from which buyers see it, if it is active; null means never"`
	Vendor          Nullable[string]          `json:"vendor,omitzero"`
	Type            Nullable[string]          `json:"type,omitzero"`
	Tags            *[]string                 `json:"tags,omitempty" nullable:"false" doc:"Replaces all tags"`
	Collections     *[]string                 `json:"collections,omitempty" nullable:"false" doc:"The _id or handle of each; replaces all collections"`
	Options         *[]string                 `json:"options,omitempty" nullable:"false" doc:"Names; replaces all options"`
	Variants        *[]VariantChange          `json:"variants,omitempty" nullable:"false" doc:"Replaces all variants: others are removed"`
	QuantityPrices  *catalogue.QuantityPrices `json:"quantityPrices,omitempty" nullable:"false" doc:"Replaces all quantity prices"`
	Images          *[]ImageChange            `json:"images,omitempty" nullable:"false" doc:"Replaces all images"`
	SEO             SEOChange                 `json:"seo,omitzero"`
	Metadata        Nullable[map[string]any]  `json:"metadata,omitzero" doc:"Replaces all of it; null removes it"`
}

// SEOChange is a change of the text for search engines.
type SEOChange struct {
	Title       Nullable[string] `json:"title,omitzero"`
	Description Nullable[string] `json:"description,omitzero"`
}

// ImageInput is an image of a new product.
type ImageInput struct {
	MediaID string `json:"mediaId,omitempty" doc:"The _id of an uploaded image"`
	URL     string `json:"url,omitempty" doc:"Instead of mediaId: an http or https URL, or a path that begins with a slash"`
	Alt     string `json:"alt,omitempty" doc:"Text alternative. Defaults to the uploaded image's"`
}

// ImageChange is an image of a product that changes.
type ImageChange struct {
	ID      string  `json:"_id,omitempty" doc:"An image of the product, instead of mediaId and url"`
	MediaID string  `json:"mediaId,omitempty" doc:"The _id of an uploaded image"`
	URL     string  `json:"url,omitempty" doc:"Instead of mediaId: an http or https URL, or a path that begins with a slash"`
	Alt     *string `json:"alt,omitempty" doc:"Text alternative. Defaults to the current one, or the uploaded image's"`
}

// VariantChange is a variant of a product that changes. Amounts are in minor units.
type VariantChange struct {
	ID             string                `json:"_id,omitempty" doc:"Without one, the variant is matched by SKU or options, or it is new"`
	Options        *[]string             `json:"options,omitempty" nullable:"false" doc:"The value of each option"`
	SKU            Nullable[string]      `json:"sku,omitzero"`
	Barcode        Nullable[string]      `json:"barcode,omitzero"`
	Price          *int64                `json:"price,omitempty"`
	CompareAtPrice Nullable[int64]       `json:"compareAtPrice,omitzero" doc:"null or 0 removes it"`
	Cost           Nullable[int64]       `json:"cost,omitzero" doc:"null means unknown. Without costs.read only null is accepted, and changes nothing"`
	WeightGrams    *int                  `json:"weightGrams,omitempty"`
	Image          Nullable[ImageChange] `json:"image,omitzero" doc:"Added to the product's images if missing; null for none"`
	Tracked        *bool                 `json:"tracked,omitempty" doc:"Whether stock is counted"`
	Backorder      *bool                 `json:"backorder,omitempty" doc:"Whether it may be sold below zero"`
	Stock          *int64                `json:"stock,omitempty" doc:"Units in stock. Requires stock.write and a tracked variant"`
	LowStock       *int                  `json:"lowStock,omitempty" doc:"Units at or below which stock is low"`
}

func (in *ProductInput) input() catalogue.ProductInput {
	product := catalogue.ProductInput{
		Title: in.Title, Handle: in.Handle, DescriptionHTML: in.DescriptionHTML, Status: in.Status, PublishedAt: in.PublishedAt,
		Vendor: in.Vendor, Type: in.Type, Tags: in.Tags, Collections: in.Collections, Options: in.Options,
		SEOTitle: in.SEO.Title, SEODescription: in.SEO.Description, Metadata: in.Metadata, QuantityPrices: in.QuantityPrices,
	}
	for _, image := range in.Images {
		product.Images = append(product.Images, *image.input())
	}
	for _, v := range in.Variants {
		product.Variants = append(product.Variants, catalogue.VariantInput{
			Options: v.Options, SKU: v.SKU, Barcode: v.Barcode, Price: v.Price, CompareAtPrice: v.CompareAtPrice, Cost: v.Cost,
			WeightGrams: v.WeightGrams, Image: v.Image.input(), Tracked: v.Tracked == nil && v.Stock != nil || v.Tracked != nil && *v.Tracked,
			Backorder: v.Backorder, Stock: v.Stock, LowStock: v.LowStock,
		})
	}
	return product
}

func (in *ImageInput) input() *catalogue.ImageInput {
	if in == nil {
		return nil
	}
	return &catalogue.ImageInput{Media: in.MediaID, URL: in.URL, Alt: in.Alt}
}

func (in *ImageChange) input() catalogue.ImageInput {
	return catalogue.ImageInput{ID: in.ID, Media: in.MediaID, URL: in.URL, Alt: textOf(in.Alt), SameAlt: in.ID != "" && in.Alt == nil}
}

// listOf returns the list in a change: nil if there is none, empty to remove all.
func listOf[T any](sent *[]T) []T {
	if sent == nil {
		return nil
	}
	return append([]T{}, *sent...)
}

func (in *ProductChange) change() catalogue.ProductChange {
	change := catalogue.ProductChange{
		Title: in.Title, Handle: in.Handle, DescriptionHTML: in.DescriptionHTML.edit(), Status: in.Status, PublishedAt: in.PublishedAt.edit(),
		Vendor: in.Vendor.edit(), Type: in.Type.edit(), Tags: listOf(in.Tags), Collections: listOf(in.Collections), Options: listOf(in.Options),
		SEOTitle: in.SEO.Title.edit(), SEODescription: in.SEO.Description.edit(), ReplaceVariants: in.Variants != nil,
	}
	if metadata := in.Metadata.edit(); metadata != nil {
		change.Metadata = map[string]any{}
		maps.Copy(change.Metadata, *metadata)
	}
	if in.QuantityPrices != nil {
		change.QuantityPrices = append(catalogue.QuantityPrices{}, *in.QuantityPrices...)
	}
	if in.Images != nil {
		change.Images = []catalogue.ImageInput{} // not nil, which leaves them unchanged
		for _, image := range *in.Images {
			change.Images = append(change.Images, image.input())
		}
	}
	for _, v := range listOf(in.Variants) {
		change.Variants = append(change.Variants, v.change())
	}
	return change
}

func (in *VariantChange) change() catalogue.VariantChange {
	change := catalogue.VariantChange{
		Variant: in.ID, Options: listOf(in.Options), SKU: in.SKU.edit(), Barcode: in.Barcode.edit(), Price: in.Price,
		CompareAtPrice: in.CompareAtPrice.edit(), Cost: in.Cost.edit(), NoCost: in.Cost.isNull, WeightGrams: in.WeightGrams, Tracked: in.Tracked,
		Backorder: in.Backorder, Stock: in.Stock, LowStock: in.LowStock,
	}
	if change.NoCost {
		change.Cost = nil
	}
	if image := in.Image.edit(); image != nil {
		change.Image = new(image.input())
	}
	return change
}

// productVersion is the version of a product: a hash of its editable fields without its stock.
func productVersion(p catalogue.ProductRecord) string {
	var variants []any
	for _, v := range p.Variants {
		variants = append(variants, v.ID, v.SKU, v.Barcode, v.OptionValues, v.Price, v.CompareAtPrice, v.WeightGrams, v.Image, v.Stock != nil,
			v.Backorder, v.LowStock, v.Cost)
	}
	return versionOf([]any{
		p.Title, p.Handle, p.Status, p.DescriptionHTML, p.Vendor, p.Type, p.Tags, p.Images, p.Options, p.SEO, p.Metadata, p.PublishedAt,
		p.CollectionIDs, p.QuantityPrices, variants,
	})
}

// product returns a product with its version.
func (r *request) product(p *catalogue.ProductRecord, err error) (*catalogue.ProductRecord, error) {
	if err == nil {
		r.setVersion(productVersion(*p))
	}
	return p, err
}

func productOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listProducts", Path: "products", Tag: tagProducts, Use: access.ToListProducts, List: true,
			Summary:     "List products of any status, in the order of creation",
			Description: "Includes drafts and archived products.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			catalogue.ProductListFilter
		}) (*page.List[catalogue.ProductRecord], error) {
			in.Request = in.page()
			return in.shop().Catalogue.ListProducts(ctx, in.caller(), in.ProductListFilter)
		}),

		define(Operation{
			ID: "getProduct", Path: "products/{id}",
			Tag: tagProducts, Use: access.ToFindProductRecord, Versioned: true,
			Summary:     "One product of any status",
			Description: "Found by its ID or its handle.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
		}) (*catalogue.ProductRecord, error) {
			return in.product(in.shop().Catalogue.FindProductRecord(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "createProduct", Method: http.MethodPost, Path: "products",
			Tag: tagProducts, Use: access.ToCreateProduct, Created: true, Idempotent: true, Versioned: true,
			Summary: "Create a product",
			Description: "Accepts its variants, images and collections too. An earlier handle of " +
				"another product leads buyers to the new product from now on.",
			Codes: []fault.Code{fault.CodeStateConflict, fault.CodePlanLimit},
			Example: map[string]any{"title": "Cotton panjabi", "options": []string{"Size"}, "variants": []map[string]any{
				{"options": []string{"M"}, "price": 125000, "stock": 10},
				{"options": []string{"L"}, "price": 125000, "stock": 10},
			}},
		}, func(ctx context.Context, in *struct {
			request
			Body ProductInput
		}) (*catalogue.ProductRecord, error) {
			return in.product(in.shop().Catalogue.CreateProduct(ctx, in.caller(), in.Body.input()))
		}),

		define(Operation{
			ID: "duplicateProduct", Method: http.MethodPost, Path: "products/{id}/duplicate",
			Tag: tagProducts, Use: access.ToDuplicateProduct,
			Created: true, Idempotent: true, Versioned: true, BodyOptional: true,
			Summary: "Create a draft with the content of a product",
			Description: "The copy has no stock, SKUs or barcodes, since a SKU or barcode " +
				"identifies one variant.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeStateConflict, fault.CodePlanLimit},
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
			NoBody
		}) (*catalogue.ProductRecord, error) {
			return in.product(in.shop().Catalogue.DuplicateProduct(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "updateProduct", Method: http.MethodPatch, Path: "products/{id}",
			Tag: tagProducts, Use: access.ToUpdateProduct, Versioned: true,
			Summary: "Change some fields of a product",
			Description: "Fields that are left out are unchanged, in existing variants and images " +
				"too; a list replaces the whole list. Changed stock is recorded as a movement.",
			Codes:   changeCodes,
			Example: map[string]any{"status": catalogue.ProductDraft},
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
			Precondition
			Body ProductChange
		}) (*catalogue.ProductRecord, error) {
			change := in.Body.change()
			change.Check = check(in.Precondition, productVersion)
			return in.product(in.shop().Catalogue.UpdateProduct(ctx, in.caller(), in.ID, change))
		}),

		define(Operation{
			ID: "deleteProduct", Method: http.MethodDelete, Path: "products/{id}",
			Tag: tagProducts, Use: access.ToDeleteProduct,
			Summary: "Delete a draft or an archived product with its variants",
			Description: "Orders have copies of their items. An active product fails with 409 " +
				"`state_conflict`: set its status to archived first.",
			Codes: changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
			Precondition
		}) (*Done, error) {
			return done(in.shop().Catalogue.DeleteProductIf(ctx, in.caller(), in.ID, check(in.Precondition, productVersion)))
		}),

		define(Operation{
			ID: "importProducts", Method: http.MethodPost, Path: "imports/products",
			Tag: tagProducts, Use: access.ToImportProducts, CSV: true, Idempotent: true,
			Summary: "Import a product file of Shopify, Matrixify or WooCommerce",
			Description: "The body is the CSV file. It is imported completely or, if it has a " +
				"problem, not at all: the details of the error list the problems by line and " +
				"column. Products are matched by handle; products that are not in the file are " +
				"unchanged. A value that the shop cannot store becomes the nearest possible one, " +
				"with a note. With dryRun nothing is written, and the report is the same.",
			Codes: []fault.Code{fault.CodeStateConflict, fault.CodePlanLimit},
		}, func(ctx context.Context, in *struct {
			request
			DryRun    bool   `query:"dryRun" doc:"Return the report and write nothing"`
			Strict    bool   `query:"strict" doc:"Treat notes as problems"`
			KeepStock bool   `query:"keepStock" doc:"Leave the stock of existing variants unchanged"`
			RawBody   []byte `contentType:"text/csv"`
		}) (*catalogue.ImportReport, error) {
			return in.shop().Catalogue.ImportProducts(ctx, in.caller(), bytes.NewReader(in.RawBody), catalogue.ImportOptions{
				DryRun: in.DryRun, Strict: in.Strict, KeepStock: in.KeepStock,
			})
		}),
	}
}
