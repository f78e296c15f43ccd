package admin

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"sync"

	"storefront/server/admin/print"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/order"
)

// PrintRequest is the input of printOrders.
type PrintRequest struct {
	request
	Kind order.PrintKind `path:"kind" enum:"label,invoice,packing,picklist,handover" doc:"The document to print" example:"label"`
	IDs  []string        `query:"ids,explode" doc:"Invoice UID of an order to print; repeat it for up to 200, in print order"`
	// ByConsignment sorts labels and handover sheets.
	ByConsignment bool            `query:"byConsignment" doc:"Labels and handover sheets by courier and consignment ID"`
	Sample        bool            `query:"sample" doc:"Print an example instead of orders, to check the print settings"`
	Size          print.Size      `query:"size" doc:"The paper"`
	Language      locale.Language `query:"lang" enum:"en,bn" doc:"Defaults to the setting print.language, then to the shop's"`
}

// sheet returns the content of the requested document.
func (in *PrintRequest) sheet(ctx context.Context) (*print.Sheet, error) {
	head, err := in.shop().FindLetterhead(ctx, in.caller())
	if err != nil {
		return nil, err
	}
	if in.Sample {
		sheet, err := print.Sample(in.Kind, head)
		if err == nil {
			sheet.NoAmounts = !in.seesAmounts()
		}
		return sheet, err
	}
	what := order.PrintInput{Kind: in.Kind, IDs: in.IDs}
	orders, err := in.shop().Orders.PrintOrders(ctx, in.caller(), what)
	if err != nil {
		return nil, err
	}
	sheet := &print.Sheet{Kind: in.Kind, Orders: orders, NoAmounts: !in.seesAmounts(), Letterhead: head}
	for i := range orders {
		language := cmp.Or(in.Language, sheet.LanguageOf(&orders[i]))
		if err := in.shop().Orders.Translate(ctx, language, &orders[i].Order); err != nil {
			return nil, err
		}
	}
	return sheet, nil
}

// printOperations are the operations on documents that are printed for orders.
func printOperations() []Operation {
	renderer := sync.OnceValues(print.NewRenderer)
	return []Operation{
		definePage(Operation{
			ID: "printOrders", Path: "print/{kind}", Tag: tagOrders, Use: access.ToPrintOrders,
			Summary: "A document of orders as a page for printing",
			Description: "label (for each shipment under way: recipient, cash to collect, the consignment ID as bar code and QR code), invoice, packing " +
				"(a packing slip without prices), picklist (all items added up) or handover (the shipments of each courier, with lines to sign). The " +
				"page has no scripts, and begins a new sheet for each order. Sizes, the default first: label a6 or the setting print.labelSize, " +
				"100x150, 80mm, 58mm, a4x4 (four to a sheet); invoice a4, a5, 80mm, 58mm, receipt (the roll of print.receiptSize); " +
				"packing a5, a4, 80mm, 58mm; picklist and handover " +
				"a4. Several orders are in the audit log.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *PrintRequest) ([]byte, error) {
			if err := print.CheckSize(in.Kind, in.Size); err != nil {
				return nil, err
			}
			sheet, err := in.sheet(ctx)
			if err != nil {
				return nil, err
			}
			r, err := renderer()
			if err != nil {
				return nil, err
			}
			var html bytes.Buffer
			err = r.Render(&html, sheet, print.Options{
				Size: in.Size, Language: in.Language, ByConsignment: in.ByConsignment,
			})
			return html.Bytes(), err
		}),

		define(Operation{
			ID: "markPrinted", Method: http.MethodPost, Path: "orders/{orderId}/prints",
			Tag: tagOrders, Use: access.ToMarkPrinted, Idempotent: true,
			Summary:     "Record that a document of an order was printed",
			Description: "For staff: printed lists it. changeOrders does the same for many orders.",
			Codes:       []fault.Code{fault.CodeNotFound},
			Example:     map[string]any{"kind": order.PrintLabel},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Body struct {
				Kind order.PrintKind `json:"kind"`
			}
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.MarkPrinted(ctx, in.caller(), in.OrderID, in.Body.Kind)
		}),
	}
}
