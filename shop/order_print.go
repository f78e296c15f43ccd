package shop

import (
	"context"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// PrintKind is a kind of document that is printed for orders.
type PrintKind string

// The kinds of documents.
const (
	PrintLabel    PrintKind = "label"    // for a shipment: recipient, cash to collect, bar code
	PrintInvoice  PrintKind = "invoice"  // for the buyer
	PrintPacking  PrintKind = "packing"  // what is in the package, without prices
	PrintPickList PrintKind = "picklist" // all items of the orders added up
	PrintHandover PrintKind = "handover" // the shipments, for the courier's rider to sign
)

var printKinds = []PrintKind{PrintLabel, PrintInvoice, PrintPacking, PrintPickList, PrintHandover}

// PrintKinds returns the kinds of documents.
func PrintKinds() []PrintKind { return slices.Clone(printKinds) }

// Print is a document of an order that a staff member has printed.
type Print struct {
	At   time.Time    `json:"at"`
	Kind PrintKind    `json:"kind"`
	By   access.Actor `json:"by"`
}

// MarkPrinted records that a document of an order was printed. Codes: validation_failed, not_found.
func (s *Shop) MarkPrinted(ctx context.Context, caller access.Caller, invoiceUID string, kind PrintKind) (*StaffOrder, error) {
	who, err := s.requireStaff(ctx, caller, access.ToMarkPrinted)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if checkPrintKind(&bad, "kind", kind); bad.Err() != nil {
		return nil, bad.Err()
	}
	return s.annotateOrder(ctx, who, invoiceUID, func(tx *db.Tx, o *orderRow) ([]access.Change, error) {
		return []access.Change{{Field: "printed", After: kind}}, insertPrint(tx, o.number, kind, who.Actor())
	})
}

func checkPrintKind(bad *fault.Invalid, field string, kind PrintKind) {
	if !slices.Contains(printKinds, kind) {
		bad.Add(field, fault.CodeInvalidValue, "Must be one of %s.", joinNames(printKinds))
	}
}
