package shop

import (
	"errors"
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/money"
)

// applyCourierEvent applies what a courier tells of a parcel to its order. A notice about a parcel that no
// order has waits for it.
func (s *Shop) applyCourierEvent(tx *db.Tx, call incomingWebhook, notice CourierEvent) (webhookOutcome, error) {
	outcome := webhookOutcome{verdict: VerdictApplied, event: notice.Event, reason: notice.Reason}
	order, parcel, err := matchShipment(tx, call.provider, notice)
	if errors.Is(err, db.ErrNotFound) {
		outcome.verdict, outcome.reason = VerdictUnmatched, "No order has this consignment or this invoice, so far."
		if notice.ConsignmentID == "" {
			return outcome, nil
		}
		return outcome, queuePendingWebhook(tx, call.provider, notice.ConsignmentID, call.id)
	}
	if err != nil {
		return outcome, err
	}
	outcome.orderID = order.id
	at := notice.eventTime(call.receivedAt)
	c := s.changeOrder(tx, order, Cause(call.provider))
	named := notice.ConsignmentID != "" && (parcel == nil || parcel.consignmentID == nil)
	if parcel == nil {
		parcel = &shipmentRow{provider: call.provider, consignmentID: db.NullText(notice.ConsignmentID), status: ShipmentCreated}
		c.attachShipment(parcel, at)
	} else if named {
		parcel.consignmentID = &notice.ConsignmentID
	}
	fresh := c.recordShipmentEvent(parcel, shipmentEvent{
		event: notice.Event, status: notice.Status, note: notice.Note, at: at, receivedAt: db.Millis(call.receivedAt),
	})
	if fresh {
		c.addShipmentTimeline(notice, at)
	} else if outcome.reason == "" {
		outcome.reason = "The same event came before."
	}
	if err := c.save(); err != nil {
		return outcome, err
	}
	if err := s.recordCourierCash(tx, parcel, notice, at); err != nil || !named {
		return outcome, err
	}
	return outcome, s.onConsignmentAssigned(tx, order, parcel)
}

// addShipmentTimeline tells the buyer.
func (c *orderChange) addShipmentTimeline(notice CourierEvent, at int64) {
	if notice.Status == "" {
		c.addTimeline(at, "shipment_update", notice.Message)
		return
	}
	c.addTimeline(at, "shipment_"+string(notice.Status), shipmentMessages[notice.Status])
}

// attachShipment adds a parcel that only its courier knew of, whose own news is for the timeline.
func (c *orderChange) attachShipment(p *shipmentRow, at int64) {
	if c.err != nil {
		return
	}
	p.id, p.orderID, p.movedAt, p.createdAt, p.updatedAt = c.s.ids.Next(db.FromMillis(c.now)), c.o.id, at, c.now, c.now
	if c.err = insertShipment(c.tx, p); c.err == nil {
		c.o.shipments = append(c.o.shipments, p)
		c.shipmentsMoved = true
	}
}

// recordShipmentEvent keeps an event and brings the parcel to what its events now come to. A state that
// was set by hand becomes an event among them. fresh is false where the event was known.
func (c *orderChange) recordShipmentEvent(p *shipmentRow, e shipmentEvent) (fresh bool) {
	if c.err != nil {
		return false
	}
	events, err := findShipmentEvents(c.tx, p.id)
	if err != nil {
		c.err = err
		return false
	}
	if status, _ := statusFromEvents(events); status != p.status {
		byHand := shipmentEvent{event: staffEvent, status: p.status, at: p.movedAt, receivedAt: c.now}
		if _, c.err = insertShipmentEvent(c.tx, c.s.ids.Next(db.FromMillis(c.now)), p.id, byHand); c.err != nil {
			return false
		}
		events = append(events, byHand)
	}
	if fresh, c.err = insertShipmentEvent(c.tx, c.s.ids.Next(db.FromMillis(c.now)), p.id, e); c.err != nil {
		return false
	}
	if fresh {
		events = append(events, e)
	}
	status, at := statusFromEvents(events)
	p.status, p.updatedAt = status, c.now
	if at != 0 {
		p.movedAt = at
	}
	c.err = updateShipment(c.tx, p)
	c.shipmentsMoved = true
	return fresh
}

// matchShipment finds the order and the parcel that a notice is about: by the consignment, else by
// our own reference. parcel is nil where the order has none that it could be. The error is
// db.ErrNotFound where there is no such order.
func matchShipment(tx *db.Tx, provider Provider, notice CourierEvent) (order *orderRow, parcel *shipmentRow, err error) {
	var orderID string
	if notice.ConsignmentID != "" {
		if orderID, err = findConsignmentOrder(tx, provider, notice.ConsignmentID); err != nil {
			return nil, nil, err
		}
	}
	if orderID == "" {
		if orderID, _ = parseShipmentRef(notice.Ref); orderID == "" {
			return nil, nil, db.ErrNotFound
		}
	}
	if order, err = findOrderRow(tx, orderID); err != nil {
		return nil, nil, err
	}
	return order, order.shipmentFor(provider, notice.ConsignmentID), nil
}

// shipmentFor gives the parcel with this consignment, else one that its courier has not named yet; nil
// where there is neither. With no consignment it is the courier's newest parcel.
func (o *orderRow) shipmentFor(provider Provider, consignmentID string) *shipmentRow {
	var unnamed *shipmentRow
	for _, p := range o.shipments {
		switch {
		case p.provider != provider:
		case consignmentID != "" && db.TextOf(p.consignmentID) == consignmentID:
			return p
		case p.consignmentID == nil || consignmentID == "":
			unnamed = p
		}
	}
	return unnamed
}

// shipmentRef names the n-th parcel of an order at its courier, from 1.
func shipmentRef(orderID string, n int) string {
	if n == 1 {
		return orderID
	}
	return fmt.Sprintf("%s-%d", orderID, n)
}

// parseShipmentRef gives the order that a parcel's name is of. ok is false where it is no name of ours.
func parseShipmentRef(ref string) (orderID string, ok bool) {
	if orderID, ok = parseInvoiceUID(ref); ok {
		return orderID, true
	}
	if i := strings.LastIndexByte(ref, '-'); i > 0 && len(ref)-i <= 3 && strings.Trim(ref[i+1:], "0123456789") == "" {
		if orderID, ok = parseInvoiceUID(ref[:i]); ok {
			return orderID, true
		}
	}
	return "", false
}

// onConsignmentAssigned is called when a parcel's consignment has become known, its order being saved: a
// booking whose answer was lost is settled by it, and what its courier told before is applied. o is
// then the order as it stands.
func (s *Shop) onConsignmentAssigned(tx *db.Tx, o *orderRow, p *shipmentRow) error {
	booking, err := findOpenBooking(tx, o.id, p.provider)
	if err == nil {
		err = s.linkBooking(tx, booking, p)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	plugin := s.plugin(p.provider)
	if plugin == nil || plugin.CourierWebhooks == nil {
		return nil
	}
	calls, err := popPendingWebhooks(tx, p.provider, *p.consignmentID)
	if err != nil || len(calls) == 0 {
		return err
	}
	settings, err := findSettings(tx)
	if err != nil {
		return err
	}
	money, _ := money.ParseCurrency(settings.Currency)
	for _, call := range calls {
		outcome, err := s.applyShipmentWebhook(tx, call, plugin.CourierWebhooks, money)
		if err != nil {
			return err
		}
		if err := s.saveVerdict(tx, &call, outcome); err != nil {
			return err
		}
	}
	now, err := findOrderRow(tx, o.id)
	if err != nil {
		return fmt.Errorf("read the order again: %w", err)
	}
	*o = *now
	return nil
}

// linkBooking notes which parcel a booking became, and what cash it is to bring.
func (s *Shop) linkBooking(tx *db.Tx, b *bookingRow, p *shipmentRow) error {
	if err := completeBooking(tx, b.id, p.id); err != nil {
		return err
	}
	return s.addLedgerEntry(tx, ledgerEntry{shipmentID: p.id, kind: cashDue, amount: &b.cash, source: cashFromOrder, at: p.createdAt})
}
