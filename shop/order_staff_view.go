package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/money"
)

// StaffOrder is an order as staff members see it, with what its buyer must not see.
type StaffOrder struct {
	Order
	Shipments []StaffShipment `json:"shipments"`
	Flags     []OrderFlag     `json:"flags"`    // what staff must check
	Payments  []AttemptRecord `json:"payments"` // its payment attempts with the gateways' own words, oldest first
}

// StaffShipment is a shipment as staff members see it.
type StaffShipment struct {
	Shipment
	// AmountToCollect is the cash that the courier must collect with this shipment.
	AmountToCollect     money.Money  `json:"amountToCollect"`
	Collected           *money.Money `json:"collected"`           // null: not reported
	ReturnConsignmentID *string      `json:"returnConsignmentId"` // of the way back; null: none
	Note                *string      `json:"note"`                // the courier's newest text
}

// staffView returns an order with its shipments' cash and its open flags.
func staffView(tx *db.Tx, o *orderRow, currency money.Currency) (*StaffOrder, error) {
	rows, err := findLedgerRows(tx, o.id)
	if err != nil {
		return nil, err
	}
	byID := map[string]*ledgerRow{}
	for _, l := range rows {
		byID[l.shipment.id] = l
	}
	view := &StaffOrder{Order: o.view(currency, viewStaff), Shipments: []StaffShipment{}}
	for i, shipment := range o.shipments {
		shown := StaffShipment{Shipment: view.Order.Shipments[i], ReturnConsignmentID: db.NullText(shipment.returnID)}
		shown.AmountToCollect = currency.Money(0)
		if l := byID[shipment.id]; l != nil {
			shown.AmountToCollect = currency.Money(l.due)
			if l.collected != nil {
				shown.Collected = new(currency.Money(*l.collected))
			}
		}
		note, err := findShipmentNote(tx, shipment.id)
		if err != nil {
			return nil, err
		}
		shown.Note = db.NullText(note)
		view.Shipments = append(view.Shipments, shown)
	}
	view.Payments = make([]AttemptRecord, len(o.attempts))
	for i, a := range o.attempts {
		p, err := findPayment(tx, a.id)
		if err != nil {
			return nil, fmt.Errorf("find payment: %w", err)
		}
		view.Payments[i] = p.record(currency)
	}
	view.Flags, err = findFlags(tx, o.id)
	return view, err
}

// changeStaffOrder runs change on an order in a transaction and returns the order for staff.
func (s *Shop) changeStaffOrder(ctx context.Context, invoiceUID string, change func(tx *db.Tx, o *orderRow) error) (view *StaffOrder, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if err := change(tx, o); err != nil {
			return err
		}
		view, err = staffView(tx, o, set.money)
		return err
	})
	if err != nil {
		return nil, err
	}
	return view, nil
}
