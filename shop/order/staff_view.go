package order

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/campaign"
	"storefront/shop/cash"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/status"
)

// StaffOrder is an order as staff members see it, with parts that its buyer must not see.
type StaffOrder struct {
	Order
	Shipments []StaffShipment      `json:"shipments" nullable:"false"`
	Timeline  []StaffTimelineEntry `json:"timeline" nullable:"false"`
	// ShipmentHistory are the couriers' events of all shipments, oldest first by the couriers' clocks.
	ShipmentHistory []ShipmentHistoryEntry `json:"shipmentHistory" nullable:"false"`
	// reasons for which staff must check it
	Flags    []Flag          `json:"flags" nullable:"false"`
	Payments []AttemptRecord `json:"payments" nullable:"false"` // its payment attempts, oldest first; none without payments.read
	// the actions that the caller can take on it
	Actions Actions `json:"actions"`
	StaffNotes
	// CashToCollect is the amount still to be collected from the buyer: the total less the advances.
	CashToCollect money.Money `json:"cashToCollect"`
	Advances      []Advance   `json:"advances" nullable:"false"`
	// CourierRecord is null if the buyer was not looked up, and without customers.read.
	CourierRecord *CourierRecord `json:"courierRecord"`
	// HandOverBy is 48 hours after an advance of more than a tenth of the total, until a courier has
	// the goods; null if there is none.
	HandOverBy    *time.Time     `json:"handOverBy"`
	StaffDiscount *StaffDiscount `json:"staffDiscount"` // a part of discount; null if there is none
	Source        status.Source  `json:"source"`
	// Attribution is what led the buyer here; null if nothing is known.
	Attribution *campaign.Attribution `json:"attribution"`
	PlacedBy    *access.Actor         `json:"placedBy"`                   // null means the buyer
	Damaged     []ItemUnits           `json:"damaged" nullable:"false"`   // units of a returned order that were not restocked
	Restocked   []ItemUnits           `json:"restocked" nullable:"false"` // units of a delivered order that came back to the stock
	// Earned is null before the order is delivered or returned, and without costs.read.
	Earned *Earned `json:"earned"`
}

// StaffShipment is a shipment as staff members see it.
type StaffShipment struct {
	Shipment
	// AmountToCollect is the cash that the courier must collect with this shipment.
	AmountToCollect money.Money  `json:"amountToCollect"`
	Collected       *money.Money `json:"collected"` // null if not reported
	// consignment of the way back; null if there is none
	ReturnConsignmentID *string `json:"returnConsignmentId"`
	Note                *string `json:"note"` // the courier's newest text
}

// staffView returns an order with its shipments' cash, its open flags and the actions that who can
// take on it.
func staffView(tx *db.Tx, o *orderRow, shown Display, who access.Staff) (*StaffOrder, error) {
	rows, err := cash.FindRows(tx, o.id)
	if err != nil {
		return nil, err
	}
	byID := map[string]*cash.Row{}
	for _, l := range rows {
		byID[l.Shipment.ID] = l
	}
	view := &StaffOrder{Order: o.view(shown, viewStaff), Shipments: []StaffShipment{}}
	if view.Timeline, err = o.staffTimeline(); err != nil {
		return nil, err
	}
	for i, shipment := range o.shipments {
		one := StaffShipment{Shipment: view.Order.Shipments[i], ReturnConsignmentID: db.NullText(shipment.returnID)}
		one.AmountToCollect = shown.Money(0)
		if l := byID[shipment.id]; l != nil {
			one.AmountToCollect = shown.Money(l.Due)
			if l.Collected != nil {
				one.Collected = new(shown.Money(*l.Collected))
			}
		}
		note, err := findShipmentNote(tx, shipment.id)
		if err != nil {
			return nil, err
		}
		one.Note = db.NullText(note)
		view.Shipments = append(view.Shipments, one)
	}
	if view.ShipmentHistory, err = findShipmentHistory(tx, o.id); err != nil {
		return nil, err
	}
	if view.Payments, err = o.paymentRecords(tx, shown.Currency, who); err != nil {
		return nil, err
	}
	if view.Flags, err = findFlags(tx, o.id, page.Window{Page: 1, Limit: page.NoLimit}); err != nil {
		return nil, err
	}
	if view.StaffNotes, err = staffNotesOf(tx, o); err != nil {
		return nil, err
	}
	if err := view.addStaffParts(tx, o, shown.Currency, who); err != nil {
		return nil, err
	}
	if view.Earned, err = o.earned(tx, who, rows, shown); err != nil {
		return nil, err
	}
	view.Actions, err = o.actions(tx, who)
	return view, err
}

// paymentRecords returns the payment attempts, oldest first; none for a caller who may not view
// them.
func (o *orderRow) paymentRecords(
	tx *db.Tx, currency money.Currency, who access.Staff,
) ([]AttemptRecord, error) {
	records := []AttemptRecord{}
	if who != nil && !who.Permits(access.PaymentsRead) {
		return records, nil
	}
	for _, a := range o.attempts {
		p, err := findPayment(tx, a.id)
		if err != nil {
			return nil, fmt.Errorf("find payment: %w", err)
		}
		records = append(records, p.record(currency))
	}
	return records, nil
}

// addStaffParts adds staff's records about the order.
func (view *StaffOrder) addStaffParts(tx *db.Tx, o *orderRow, currency money.Currency, who access.Staff) (err error) {
	view.CashToCollect, view.Source = currency.Money(o.cashToCollect()), o.source
	if view.Advances, err = advanceViews(tx, o, currency); err != nil {
		return err
	}
	view.HandOverBy = o.handOverBy(view.Advances)
	if view.Attribution, err = campaign.Find(tx, o.number); err != nil {
		return err
	}
	view.Damaged, view.Restocked = o.damagedItems(), o.restockedItems()
	if o.staffDiscount > 0 {
		view.StaffDiscount = &StaffDiscount{Amount: o.staffDiscount, Reason: o.discountReason}
	}
	if o.placedBy != nil {
		view.PlacedBy = &access.Actor{}
		if err := json.Unmarshal([]byte(*o.placedBy), view.PlacedBy); err != nil {
			return fmt.Errorf("read who placed the order: %w", err)
		}
	}
	if o.phone == "" || who != nil && !who.Permits(access.CustomersRead) {
		return nil
	}
	record, err := findCourierRecord(tx, o.phone, o.test)
	view.CourierRecord = record.view()
	return err
}

// changeStaffOrder is changeAsStaff that returns the order as the caller may see it.
func (s *Orders) changeStaffOrder(
	ctx context.Context, caller access.Caller, use access.UseCase, invoiceUID string, check func() error, change staffChange,
) (*StaffOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return changeAsStaff(ctx, s, caller, use, invoiceUID, check, change,
		func(tx *db.Tx, who access.Staff, o *orderRow) (*StaffOrder, error) {
			return staffView(tx, o, set.Display, who)
		})
}

// StaffNotes are staff's records about an order and its buyer, and the remarks about it in lists.
type StaffNotes struct {
	UpdatedAt    time.Time `json:"updatedAt"`
	CancelReason *string   `json:"cancelReason"` // as staff or the buyer stated it
	Notes        []Note    `json:"notes" nullable:"false" doc:"Notes and calls, oldest first"`
	Tags         []string  `json:"tags" nullable:"false"`
	Calls        Calls     `json:"calls"`
	Printed      []Print   `json:"printed" nullable:"false" doc:"Documents that staff have printed, newest first, at most 50"`
	// the staff member who works on it; null means nobody
	ClaimedBy    *access.Actor `json:"claimedBy"`
	ClaimedUntil *time.Time    `json:"claimedUntil"`
	Record       Record        `json:"record" doc:"The orders with the same phone number"`
	RowFlags     []RowFlag     `json:"rowFlags" nullable:"false" doc:"The flags that lists of orders show"`
	Duplicates   []Duplicate   `json:"duplicates" nullable:"false" doc:"Orders that may be the same purchase, see the row flag duplicate"`
}

// staffNotesOf returns staff's records about an order.
func staffNotesOf(tx *db.Tx, o *orderRow) (n StaffNotes, err error) {
	n = StaffNotes{UpdatedAt: db.FromMillis(o.updatedAt), CancelReason: db.NullText(o.cancelReason), Calls: o.calls.view()}
	if n.Notes, err = findNotes(tx, o.number); err != nil {
		return n, err
	}
	if n.Tags, err = findTags(tx, o.number); err != nil {
		return n, err
	}
	if n.Printed, err = findPrints(tx, o.number); err != nil {
		return n, err
	}
	about, err := findRowFacts(tx, []*orderRow{o})
	if err != nil {
		return n, err
	}
	n.Record, n.Duplicates = about.records[o.phone], about.duplicates(o)
	n.RowFlags = o.rowFlags(len(n.Duplicates) > 0)
	if n.ClaimedBy, err = o.claim.holder(tx.Now()); n.ClaimedBy != nil {
		n.ClaimedUntil = timeOfMillis(o.claim.until)
	}
	return n, err
}
