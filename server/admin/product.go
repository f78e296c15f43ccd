package admin

import (
	"bytes"
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// ProductPath names a product in a path.
type ProductPath struct {
	ID string `path:"id" doc:"The product's _id or handle" example:"mango-pickle"`
}

// ProductChange is a change of some fields of a product.
type ProductChange struct {
	Title    *string                  `json:"title,omitempty"`
	Status   *catalogue.ProductStatus `json:"status,omitempty" doc:"active also publishes a product that is not published"`
	Variants []VariantChange          `json:"variants,omitempty" nullable:"false" doc:"Only those that change"`
	Images   *[]ImageInput            `json:"images,omitempty" nullable:"false" doc:"Replaces all images"`
}

// ImageInput is an image of a product.
type ImageInput struct {
	MediaID string `json:"mediaId,omitempty" doc:"The _id of an uploaded image"`
	URL     string `json:"url,omitempty" doc:"Instead of mediaId: an http or https URL, or a path that begins with a slash"`
	Alt     string `json:"alt,omitempty" doc:"Text alternative; that of the uploaded image if left out"`
}

// VariantChange is a change of some fields of a variant. Amounts are in minor units.
type VariantChange struct {
	Variant        string          `json:"variant,omitempty" doc:"SKU or _id; may be left out if the product has one variant"`
	Price          *int64          `json:"price,omitempty"`
	CompareAtPrice Nullable[int64] `json:"compareAtPrice,omitempty" doc:"null or 0 removes it"`
	Stock          *int64          `json:"stock,omitempty" doc:"Units in stock; the variant must be tracked"`
}

func (in *ProductChange) change() catalogue.ProductChange {
	change := catalogue.ProductChange{Title: in.Title, Status: in.Status}
	if in.Images != nil {
		change.Images = []catalogue.ImageInput{} // not nil, which leaves them unchanged
		for _, image := range *in.Images {
			change.Images = append(change.Images, catalogue.ImageInput{Media: image.MediaID, URL: image.URL, Alt: image.Alt})
		}
	}
	for _, v := range in.Variants {
		change.Variants = append(change.Variants, catalogue.VariantChange{
			Variant: v.Variant, Price: v.Price, CompareAtPrice: v.CompareAtPrice.edit(), Stock: v.Stock,
		})
	}
	return change
}

// productVersion is the version of a product: a hash of what staff edit, and not of its stock.
func productVersion(p catalogue.ProductRecord) string {
	var variants []any
	for _, v := range p.Variants {
		variants = append(variants, v.ID, v.SKU, v.Barcode, v.OptionValues, v.Price, v.CompareAtPrice, v.WeightGrams, v.Image, v.Stock != nil)
	}
	return versionOf([]any{
		p.Title, p.Handle, p.Status, p.DescriptionHTML, p.Vendor, p.Type, p.Tags, p.Images, p.Options, p.SEO, p.Metadata, p.PublishedAt, variants,
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
			Description: "Drafts and archived products too.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			Status       []catalogue.ProductStatus `query:"status,explode" doc:"Only products with one of these statuses"`
			Search       string                    `query:"search" doc:"Words or their beginnings, in any spelling"`
			CollectionID string                    `query:"collectionId" doc:"Only products of this collection"`
			Stock        catalogue.StockFilter     `query:"stock" enum:"in,low,out" doc:"Only products of which a variant is so"`
			NoImage      bool                      `query:"noImage" doc:"Only products without an image"`
			SortBy       catalogue.ProductListSort `query:"sortBy" enum:"title,createdAt,updatedAt,stock,price,sold" doc:"Defaults to creation"`
			Sort         string                    `query:"sort" enum:"asc,desc" doc:"Defaults to asc"`
		}) (*page.List[catalogue.ProductRecord], error) {
			return in.shop().Catalogue.ListProducts(ctx, in.caller(), catalogue.ProductListFilter{
				Request: in.page(), Status: in.Status, Search: in.Search, CollectionID: in.CollectionID, Stock: in.Stock, NoImage: in.NoImage,
				SortBy: in.SortBy, Descending: in.Sort == "desc",
			})
		}),

		define(Operation{
			ID: "getProduct", Path: "products/{id}", Tag: tagProducts, Use: access.ToFindProductRecord, Versioned: true,
			Summary:     "One product of any status",
			Description: "By its ID or its handle.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
		}) (*catalogue.ProductRecord, error) {
			return in.product(in.shop().Catalogue.FindProductRecord(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "updateProduct", Method: http.MethodPatch, Path: "products/{id}", Tag: tagProducts, Use: access.ToUpdateProduct,
			Versioned:   true,
			Summary:     "Change some fields of a product",
			Description: "Fields that are left out are unchanged. Changed stock is recorded as a movement.",
			Codes:       changeCodes,
			Example:     map[string]any{"status": catalogue.ProductDraft},
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
			ID: "deleteProduct", Method: http.MethodDelete, Path: "products/{id}", Tag: tagProducts, Use: access.ToDeleteProduct,
			Summary:     "Delete a product with its variants",
			Description: "Orders have copies of what was bought. To hide a product instead, set its status to archived.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
			Precondition
		}) (*Done, error) {
			return done(in.shop().Catalogue.DeleteProductIf(ctx, in.caller(), in.ID, check(in.Precondition, productVersion)))
		}),

		define(Operation{
			ID: "importProducts", Method: http.MethodPost, Path: "imports/products", Tag: tagProducts, Use: access.ToImportProducts,
			CSV: true, Idempotent: true,
			Summary: "Import a product file of Shopify, Matrixify or WooCommerce",
			Description: "The body is the CSV file. It is imported completely or, if it has a problem, not at all: the details of the error are the " +
				"problems by line and column. Products are matched by handle, and those that the file does not have are unchanged. What the shop " +
				"cannot store as it is becomes the nearest value that it can, with a note. With dryRun nothing is written, and the report is that " +
				"of the import.",
			Codes: []fault.Code{fault.CodeStateConflict},
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
