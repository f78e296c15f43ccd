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
}

// VariantChange is a change of some fields of a variant. Amounts are in minor units.
type VariantChange struct {
	Variant        string `json:"variant,omitempty" doc:"SKU or _id; may be left out if the product has one variant"`
	Price          *int64 `json:"price,omitempty"`
	CompareAtPrice *int64 `json:"compareAtPrice,omitempty" doc:"0 means none"`
	Stock          *int64 `json:"stock,omitempty" doc:"Units in stock; the variant must be tracked"`
}

func (in *ProductChange) change() catalogue.ProductChange {
	change := catalogue.ProductChange{Title: in.Title, Status: in.Status}
	for _, v := range in.Variants {
		change.Variants = append(change.Variants, catalogue.VariantChange(v))
	}
	return change
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
			ID: "getProduct", Path: "products/{id}", Tag: tagProducts, Use: access.ToFindProductRecord,
			Summary:     "One product of any status",
			Description: "By its ID or its handle.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
		}) (*catalogue.ProductRecord, error) {
			return in.shop().Catalogue.FindProductRecord(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "updateProduct", Method: http.MethodPatch, Path: "products/{id}", Tag: tagProducts, Use: access.ToUpdateProduct,
			Summary:     "Change some fields of a product",
			Description: "Fields that are left out are unchanged. Changed stock is recorded as a movement.",
			Codes:       changeCodes,
			Example:     map[string]any{"status": catalogue.ProductDraft},
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
			Body ProductChange
		}) (*catalogue.ProductRecord, error) {
			return in.shop().Catalogue.UpdateProduct(ctx, in.caller(), in.ID, in.Body.change())
		}),

		define(Operation{
			ID: "deleteProduct", Method: http.MethodDelete, Path: "products/{id}", Tag: tagProducts, Use: access.ToDeleteProduct,
			Summary:     "Delete a product with its variants",
			Description: "Orders have copies of what was bought. To hide a product instead, set its status to archived.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			ProductPath
		}) (*Done, error) {
			return done(in.shop().Catalogue.DeleteProduct(ctx, in.caller(), in.ID))
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
