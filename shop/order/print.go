package order

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/job"
)

// PrintKind is a document that is printed for orders.
//
//api:enum PrintKind
type PrintKind string

// The kinds of documents.
const (
	PrintLabel    PrintKind = "label"    // for a shipment: recipient, cash to collect, bar code
	PrintInvoice  PrintKind = "invoice"  // for the buyer
	PrintPacking  PrintKind = "packing"  // contents of the package, without prices
	PrintPickList PrintKind = "picklist" // all items of the orders added up
	PrintHandover PrintKind = "handover" // the shipments, for the courier's rider to sign
)

var printKinds = []PrintKind{PrintLabel, PrintInvoice, PrintPacking, PrintPickList, PrintHandover}

// PrintKinds returns the kinds of documents.
func PrintKinds() []PrintKind { return slices.Clone(printKinds) }

// Print is a record of a document of an order that a staff member has printed.
type Print struct {
	At   time.Time    `json:"at"`
	Kind PrintKind    `json:"kind"`
	By   access.Actor `json:"by"`
}

// MarkPrinted records that a document of an order was printed. Codes: validation_failed, not_found.
func (s *Orders) MarkPrinted(ctx context.Context, caller access.Caller, invoiceUID string, kind PrintKind) (*StaffOrder, error) {
	check := func() error {
		var bad fault.Invalid
		checkPrintKind(&bad, "kind", kind)
		return bad.Err()
	}
	return s.annotateOrder(ctx, caller, access.ToMarkPrinted, invoiceUID, check,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			return []access.Change{{Field: "printed", After: kind}}, insertPrint(tx, o.number, kind, who.Actor())
		})
}

func checkPrintKind(bad *fault.Invalid, field string, kind PrintKind) {
	if !slices.Contains(printKinds, kind) {
		bad.Add(field, fault.CodeInvalidValue, "Must be one of %s.", input.JoinValues(printKinds))
	}
}

// PrintInput selects the orders and documents to print.
type PrintInput struct {
	Kind PrintKind
	IDs  []string // invoice UIDs, 1 to job.MaxIDs; duplicates count once
}

// PrintOrders returns the orders of a document, in the order of the IDs. A document of several
// orders is recorded in the audit log. Codes: validation_failed, not_found, forbidden (an invoice).
func (s *Orders) PrintOrders(
	ctx context.Context, caller access.Caller, in PrintInput,
) ([]StaffOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	orders, err := access.ReadMany(ctx, s.data, caller, access.ToPrintOrders,
		func(tx *db.Tx, who access.Staff) ([]StaffOrder, error) {
			if in.Kind == PrintInvoice {
				if err := who.Require(tx, access.PricesRead); err != nil {
					return nil, err
				}
			}
			ids, err := in.ids()
			if err != nil {
				return nil, err
			}
			rows, err := findOrderRows(tx, ids)
			if err != nil {
				return nil, err
			}
			if len(rows) != len(ids) {
				return nil, errNoOrder()
			}
			orders := make([]StaffOrder, len(rows))
			for i, o := range rows {
				view, err := staffView(tx, o, set.Display, who)
				if err != nil {
					return nil, err
				}
				orders[i] = *view
			}
			return orders, nil
		})
	if err != nil {
		return nil, err
	}
	if len(orders) == 1 {
		return orders, nil
	}
	subject := access.Subject{
		Kind: access.SubjectOrders, Label: string(in.Kind) + " × " + strconv.Itoa(len(orders)),
	}
	err = access.Do(ctx, s.data, caller, access.ToPrintOrders,
		func(tx *db.Tx, who access.Staff) error {
			return who.Audit(tx, subject)
		})
	return orders, err
}

// ids checks the input and returns its invoice UIDs without duplicates.
func (in PrintInput) ids() ([]string, error) {
	var bad fault.Invalid
	checkPrintKind(&bad, "kind", in.Kind)
	if len(in.IDs) == 0 {
		bad.Add("ids", fault.CodeRequired, "At least one order is required.")
		return nil, bad.Err()
	}
	ids := job.UniqueIDs(&bad, in.IDs, false, strings.ToUpper)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	for i := range ids {
		id, err := requireInvoiceUID(ids[i])
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}
