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
	who, err := s.data.Authorize(ctx, caller, access.ToMarkPrinted)
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
		bad.Add(field, fault.CodeInvalidValue, "Must be one of %s.", input.JoinValues(printKinds))
	}
}

// PrintInput selects the orders and documents to print.
type PrintInput struct {
	Kind PrintKind
	IDs  []string // invoice UIDs, 1 to job.MaxIDs; duplicates count once
}

// PrintOrders returns the orders of a document, in the order of the IDs. A document of several
// orders is recorded in the audit log. Codes: validation_failed, not_found.
func (s *Orders) PrintOrders(
	ctx context.Context, caller access.Caller, in PrintInput,
) (orders []StaffOrder, err error) {
	who, err := s.data.Authorize(ctx, caller, access.ToPrintOrders)
	if err != nil {
		return nil, err
	}
	ids, err := in.ids()
	if err != nil {
		return nil, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		rows, err := findOrderRows(tx, ids)
		if err != nil {
			return err
		}
		if len(rows) != len(ids) {
			return errNoOrder()
		}
		orders = make([]StaffOrder, len(rows))
		for i, o := range rows {
			view, err := staffView(tx, o, set.Display, who)
			if err != nil {
				return err
			}
			orders[i] = *view
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(ids) == 1 {
		return orders, nil
	}
	subject := access.Subject{
		Kind: access.SubjectOrders, Label: string(in.Kind) + " × " + strconv.Itoa(len(ids)),
	}
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
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
