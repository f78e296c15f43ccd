package cash

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Status is the status of a shipment's cash.
//
//api:enum CashStatus
type Status string

// The statuses of cash. A shipment without cash has none of the first three.
const (
	UnderWay  Status = "underWay"  // still to be collected
	Held      Status = "held"      // collected by the courier, and not paid out
	PaidOut   Status = "paid"      // paid out to the shop
	Different Status = "different" // in one of the others, with amounts that do not match
)

// Statuses returns all statuses of cash.
func Statuses() []Status {
	return []Status{UnderWay, Held, PaidOut, Different}
}

// LedgerFilter selects shipments of the COD ledger. The zero value is the first page of all.
// A zero field means any value.
type LedgerFilter struct {
	page.Request
	Courier []plugin.Provider `query:"courier,explode" doc:"Only shipments with one of these couriers"`
	Status  Status            `query:"status" doc:"Where the cash is; different means that its amounts do not match"`
	From    time.Time         `query:"from" doc:"Booked at or after this time"`
	Before  time.Time         `query:"before" doc:"Booked before this time"`
	Search  string            `query:"search" doc:"Words that find orders, such as a consignment ID or a phone number"`
}

// LedgerLine is the ledger's line of one shipment.
type LedgerLine struct {
	Provider      plugin.Provider `json:"provider"`
	ConsignmentID *string         `json:"consignmentId"`
	OrderID       string          `json:"orderId"`
	OrderNumber   int64           `json:"orderNumber"`
	Status        status.Shipment `json:"status"`
	Due           money.Money     `json:"due"`
	Collected     *money.Money    `json:"collected"` // null if not reported
	Fee           *money.Money    `json:"fee"`       // null if not reported
	CashShare     money.Money     `json:"cashShare"` // the courier's share of the collected cash, unless the fee contains it
	PaidOut       *money.Money    `json:"paidOut"`   // null if not paid out
	Source        EntrySource     `json:"source"`    // of the newest entry
	At            time.Time       `json:"at"`        // time of the newest entry
}

// query checks the filter and returns the query of it, without its search.
func (f *LedgerFilter) query(bad *fault.Invalid) ledgerQuery {
	input.CheckValues(bad, "courier", f.Courier, []plugin.Provider{plugin.CourierA, plugin.CourierB})
	if f.Status != "" {
		input.CheckValues(bad, "status", []Status{f.Status}, Statuses())
	}
	return ledgerQuery{couriers: f.Courier, status: f.Status, from: f.From, before: f.Before}
}

// ListLedger returns one page of the ledger's lines, newest shipments first. Codes:
// validation_failed.
func (c *Ledger) ListLedger(
	ctx context.Context, caller access.Caller, filter LedgerFilter,
) (*page.List[LedgerLine], error) {
	who, err := c.cfg.Data.Authorize(ctx, caller, access.ToListLedger)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	query := filter.query(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	set, err := c.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	query.currency = set.Currency
	var indexing *page.Indexing
	if query.search, indexing, err = c.cfg.Search(ctx, filter.Search); err != nil {
		return nil, err
	}
	list := &page.List[LedgerLine]{}
	err = c.view(ctx, who, func(tx *db.Tx, rates Rates, _ courierSums) error {
		query.rates = rates
		rows, count, err := query.find(tx, w)
		if err != nil {
			return err
		}
		list.Meta = w.ListMetaFor(count, len(rows))
		list.Meta.Indexing = indexing
		list.Nodes = make([]LedgerLine, len(rows))
		for i, l := range rows {
			list.Nodes[i] = l.view(set.Currency)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// view returns the ledger's line in the form for staff.
func (l *Row) view(currency money.Currency) LedgerLine {
	show := func(amount *int64) *money.Money {
		if amount == nil {
			return nil
		}
		m := currency.Money(*amount)
		return &m
	}
	line := LedgerLine{
		Provider: l.Shipment.provider, ConsignmentID: l.Shipment.consignmentID, OrderID: l.Shipment.orderID,
		OrderNumber: l.Shipment.orderNumber, Status: l.Shipment.Status,
		Due: currency.Money(l.Due), Collected: show(l.Collected), Fee: show(l.fee), CashShare: currency.Money(l.cashShare()),
		Source: l.source, At: db.FromMillis(l.at),
	}
	if l.PaidOut {
		line.PaidOut = show(new(l.amountPaid()))
	}
	return line
}
