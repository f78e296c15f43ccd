package shop

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// PrintInput selects what is printed.
type PrintInput struct {
	Kind PrintKind
	IDs  []string // invoice UIDs, 1 to MaxBulkIDs; duplicates count once
}

// PrintSheet has what a document of orders shows.
type PrintSheet struct {
	Kind     PrintKind
	Orders   []PrintOrder // in the order of the IDs
	Shop     PrintSender
	Options  PrintOptions // the shop's
	Currency money.Currency
	Language account.Language // as the shop prints
	Zone     *time.Location
	At       time.Time
}

// PrintOrder is an order of a printed document.
type PrintOrder struct {
	StaffOrder
	Link string // its page in the storefront, where a buyer can follow it; "" if the shop has none
}

// PrintSender is the shop as documents name it.
type PrintSender struct {
	Name    string
	LogoURL string // "" means none
	Contact SupportContact
	Invoice Invoice
}

// printSheet returns a document without orders.
func (c *cachedSettings) printSheet(kind PrintKind, now time.Time) *PrintSheet {
	return &PrintSheet{
		Kind: kind, Currency: c.money, Language: cmp.Or(c.Print.Language, c.language()), Zone: c.zone, At: now, Options: c.Print,
		Shop: PrintSender{Name: c.Name, LogoURL: c.logoURL, Contact: c.SupportContact, Invoice: c.Invoice},
	}
}

// PrintOrders returns what a document of orders shows. One of several orders is recorded in the
// audit log. Codes: validation_failed, not_found.
func (s *Shop) PrintOrders(ctx context.Context, caller access.Caller, in PrintInput) (*PrintSheet, error) {
	who, err := s.requireStaff(ctx, caller, access.ToPrintOrders)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	checkPrintKind(&bad, "kind", in.Kind)
	if len(in.IDs) == 0 {
		bad.Add("ids", fault.CodeRequired, "At least one order is required.")
		return nil, bad.Err()
	}
	ids := checkBulkIDs(&bad, in.IDs, false, strings.ToUpper)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	for i := range ids {
		if ids[i], err = requireInvoiceUID(ids[i]); err != nil {
			return nil, err
		}
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	sheet := set.printSheet(in.Kind, s.now())
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		rows, err := findOrderRows(tx, ids)
		if err != nil {
			return err
		}
		if len(rows) != len(ids) {
			return errNoOrder()
		}
		sheet.Orders = make([]PrintOrder, len(rows))
		for i, o := range rows {
			view, err := staffView(tx, o, set.display, who)
			if err != nil {
				return err
			}
			sheet.Orders[i] = PrintOrder{*view, set.orderLink(o.id)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(ids) > 1 {
		subject := access.Subject{Kind: access.SubjectOrders, Label: string(in.Kind) + " × " + strconv.Itoa(len(ids))}
		err := s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error { return who.Audit(tx, subject) })
		if err != nil {
			return nil, err
		}
	}
	return sheet, nil
}
