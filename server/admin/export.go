package admin

import (
	"context"
	"io"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
)

// BOM is the choice of a byte order mark. It is exported because huma finds parameters only in
// exported embedded types.
type BOM struct {
	BOM page.Optional[bool] `query:"bom" doc:"Begin the file with a byte order mark, so that Excel reads Bangla. Defaults to true"`
}

// write writes the byte order mark, unless the client wants none.
func (b *BOM) write(w io.Writer) error {
	if !b.BOM.Or(true) {
		return nil
	}
	_, err := io.WriteString(w, "\ufeff")
	return err
}

// ExportOrdersRequest is the input of exportOrders.
type ExportOrdersRequest struct {
	request
	order.ListFilter
	BOM
}

// ExportCashRequest is the input of exportCash.
type ExportCashRequest struct {
	request
	BOM
}

// ExportProductsRequest is the input of exportProducts.
type ExportProductsRequest struct {
	request
	BOM
}

// ExportRangeRequest is the input of the exports of records.
type ExportRangeRequest struct {
	request
	page.Range
}

// aboutRanges describes how an export of records is resumed.
const aboutRanges = "If the connection ends early, continue after the last whole line. The response is complete if it ended without an error " +
	"of the connection. Each export is in the audit log."

func exportOperations() []Operation {
	return []Operation{
		defineStream(Operation{
			ID: "exportOrders", Path: "exports/orders", Tag: tagOrders, Use: access.ToExportOrders,
			Summary: "Export orders as CSV, one line per item",
			Description: "Accepts the filters of listOrders. Amounts are decimals in the shop's " +
				"currency, times are in its time zone. Order totals are on the first line of each " +
				"order only, so that a column can be summed. Each export is in the audit log.",
		}, "orders.csv", func(ctx context.Context, in *ExportOrdersRequest, w io.Writer) error {
			if err := in.write(w); err != nil {
				return err
			}
			return in.shop().Orders.ExportOrders(ctx, in.caller(), in.ListFilter, w)
		}),

		defineStream(Operation{
			ID: "exportOrderRecords", Path: "exports/orders.ndjson", Tag: tagOrders, Use: access.ToExportOrderRecords,
			Summary:     "Export orders as lines of JSON",
			Description: "Each line is an order as getOrder returns it, in the order of their numbers. " + aboutRanges,
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, "orders.ndjson", func(ctx context.Context, in *ExportRangeRequest, w io.Writer) error {
			return in.shop().Orders.ExportOrderRecords(ctx, in.caller(), in.Range, w)
		}),

		defineStream(Operation{
			ID: "exportCustomers", Path: "exports/customers.ndjson", Tag: tagCustomers, Use: access.ToExportCustomers,
			Summary: "Export buyers as lines of JSON",
			Description: "Each line is a buyer as listCustomers returns it: accounts in the order of creation, then guests by phone number. " +
				"after is the _id of an account, or the phoneNumber of a guest. " + aboutRanges,
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, "customers.ndjson", func(ctx context.Context, in *ExportRangeRequest, w io.Writer) error {
			return in.shop().ExportCustomers(ctx, in.caller(), in.Range, w)
		}),

		defineStream(Operation{
			ID: "exportProductRecords", Path: "exports/products.ndjson", Tag: tagProducts, Use: access.ToExportProductRecords,
			Summary:     "Export products as lines of JSON",
			Description: "Each line is a product as getProduct returns it, of any status, in the order of creation. " + aboutRanges,
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, "products.ndjson", func(ctx context.Context, in *ExportRangeRequest, w io.Writer) error {
			return in.shop().Catalogue.ExportProductRecords(ctx, in.caller(), in.Range, w)
		}),

		defineStream(Operation{
			ID: "exportCash", Path: "exports/cash", Tag: tagCash, Use: access.ToExportCash,
			Summary: "Export the COD ledger as CSV, one line per shipment",
			Description: "Lines are sorted by order. Amounts are decimals in the shop's currency; " +
				"outstanding is what the courier owes. Each export is in the audit log.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, "cash.csv", func(ctx context.Context, in *ExportCashRequest, w io.Writer) error {
			if err := in.write(w); err != nil {
				return err
			}
			return in.shop().Cash.ExportCash(ctx, in.caller(), w)
		}),

		defineStream(Operation{
			ID: "exportProducts", Path: "exports/products", Tag: tagProducts, Use: access.ToExportProducts,
			Summary: "Export products as CSV",
			Description: "The file has the columns of Shopify. Importing the file again changes " +
				"nothing. Each export is in the audit log.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, "products.csv", func(ctx context.Context, in *ExportProductsRequest, w io.Writer) error {
			if err := in.write(w); err != nil {
				return err
			}
			return in.shop().Catalogue.ExportProducts(ctx, in.caller(), w)
		}),
	}
}
