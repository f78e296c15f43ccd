package order

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/cash"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// applyCourierEvent applies a courier's event to the shipment and its order. If no order has the
// shipment, the webhook is queued until one does.
func (s *Orders) applyCourierEvent(tx *db.Tx, webhook inbox.Incoming, event plugin.CourierEvent) (inbox.Outcome, error) {
	outcome := inbox.Outcome{Verdict: inbox.VerdictApplied, Event: event.Event, Reason: event.Reason}
	order, shipment, err := matchShipment(tx, webhook.Provider, event)
	if errors.Is(err, db.ErrNotFound) {
		outcome.Verdict, outcome.Reason = inbox.VerdictUnmatched, "No order has this consignment or invoice yet."
		if event.ConsignmentID == "" {
			return outcome, nil
		}
		return outcome, queuePendingWebhook(tx, webhook.Provider, event.ConsignmentID, webhook.ID)
	}
	if err != nil {
		return outcome, err
	}
	outcome.OrderID = order.id
	c := s.changeOrder(tx, order, Cause(webhook.Provider))
	applied := c.applyEvent(shipment, webhook, event)
	if err := c.save(); err != nil {
		return outcome, err
	}
	if !applied.fresh && outcome.Reason == "" {
		outcome.Reason = "The event was applied before."
	}
	outcome.Reason = strings.TrimSpace(outcome.Reason + " " + strings.Join(c.raised, " "))
	for _, id := range applied.ids {
		if err := s.applyPendingWebhooks(tx, order, webhook.Provider, id); err != nil {
			return outcome, err
		}
	}
	return outcome, nil
}

// appliedEvent are the changes by a courier's event.
type appliedEvent struct {
	fresh bool     // it was not applied before
	ids   []string // consignments that the order did not have before
}

// applyEvent applies a courier's event to the order's shipment; nil if the order has no matching
// shipment. Errors are from c.
func (c *orderChange) applyEvent(shipment *shipmentRow, webhook inbox.Incoming, event plugin.CourierEvent) (applied appliedEvent) {
	at := event.EventTime(webhook.ReceivedAt)
	shipment, wayBack, returnID := c.matchWayBack(shipment, webhook.Provider, event)
	if wayBack {
		event.OnWayBack()
	}
	assigned := !wayBack && event.ConsignmentID != "" && (shipment == nil || shipment.consignmentID == nil)
	if shipment == nil {
		shipment = &shipmentRow{provider: webhook.Provider, consignmentID: db.NullText(event.ConsignmentID), status: status.ShipmentCreated}
		c.attachShipment(shipment, at)
	} else if assigned {
		shipment.consignmentID = &event.ConsignmentID
	}
	if c.recordReturnID(shipment, returnID) {
		applied.ids = append(applied.ids, returnID)
	}
	applied.fresh = c.recordShipmentEvent(shipment, shipmentEvent{
		event: event.Event, status: event.Status, note: event.Note, at: at, receivedAt: db.Millis(webhook.ReceivedAt),
	})
	if applied.fresh {
		c.addShipmentTimeline(event, at)
		c.raiseProblem(shipment, event)
	}
	if assigned {
		c.linkOpenBooking(shipment)
		applied.ids = append(applied.ids, event.ConsignmentID)
	}
	c.recordCourierCash(shipment, event, at)
	if event.PaidOut && !shipment.status.IsDone() && c.err == nil { // its delivery was not reported: query it
		shipment.checkAt = &c.now
		c.err = updateShipment(c.tx, shipment)
	}
	return applied
}

// matchWayBack returns the shipment of an event, whether the event concerns its way back to the
// shop, and the courier's identifier of the way back.
func (c *orderChange) matchWayBack(
	shipment *shipmentRow, provider plugin.Provider, event plugin.CourierEvent,
) (of *shipmentRow, wayBack bool, returnID string) {
	if shipment != nil {
		return shipment, event.ConsignmentID != "" && event.ConsignmentID == shipment.returnID, event.ReturnID
	}
	if event.NamesReturn() {
		if of = c.o.returningShipment(provider); of != nil {
			return of, true, event.ConsignmentID
		}
	}
	return nil, false, event.ReturnID
}

// raiseProblem raises a flag for a problem in the event that staff must check.
func (c *orderChange) raiseProblem(shipment *shipmentRow, event plugin.CourierEvent) {
	if event.Problem != "" && (event.Problem != plugin.PartBack || !c.o.hasNotAccepted()) {
		c.raise(shipment.id, flag{FlagCourierProblem, event.Problem})
	}
}

// addShipmentTimeline adds the event to the order's timeline, unless it does not concern the buyer.
func (c *orderChange) addShipmentTimeline(event plugin.CourierEvent, at int64) {
	if event.Status == "" && event.Message == "" {
		return
	}
	if event.Status == "" {
		c.addTimelineDetail(at, TimelineShipmentUpdate, event.Message, event.Detail)
		return
	}
	c.addTimeline(at, shipmentTimeline+TimelineType(event.Status), shipmentMessages[event.Status])
}

// attachShipment adds a shipment that was booked outside the program. It adds no timeline entry:
// the courier's event does.
func (c *orderChange) attachShipment(shipment *shipmentRow, at int64) {
	if c.err != nil {
		return
	}
	shipment.id, shipment.orderID = c.s.ids.Next(db.FromMillis(c.now)), c.o.id
	shipment.movedAt, shipment.createdAt, shipment.updatedAt = at, c.now, c.now
	if c.err = insertShipment(c.tx, shipment); c.err == nil {
		c.o.shipments = append(c.o.shipments, shipment)
		c.wrote.shipments = true
	}
}

// recordShipmentEvent stores an event and derives the shipment's status from all of its events. A
// status that staff set manually is stored as an event first. fresh is false if the event was
// stored before.
func (c *orderChange) recordShipmentEvent(shipment *shipmentRow, e shipmentEvent) (fresh bool) {
	if c.err != nil {
		return false
	}
	events, err := findShipmentEvents(c.tx, shipment.id)
	if err != nil {
		c.err = err
		return false
	}
	if status, _ := statusFromEvents(events); status != shipment.status {
		byHand := shipmentEvent{event: staffEvent, status: shipment.status, at: shipment.movedAt, receivedAt: c.now}
		if _, c.err = insertShipmentEvent(c.tx, c.s.ids.Next(db.FromMillis(c.now)), shipment.id, byHand); c.err != nil {
			return false
		}
		events = append(events, byHand)
	}
	if fresh, c.err = insertShipmentEvent(c.tx, c.s.ids.Next(db.FromMillis(c.now)), shipment.id, e); c.err != nil {
		return false
	}
	if fresh {
		events = append(events, e)
	}
	status, at := statusFromEvents(events)
	shipment.status, shipment.updatedAt = status, c.now
	shipment.checks, shipment.checkAt = 0, nil
	if at != 0 {
		shipment.movedAt = at
	}
	c.err = updateShipment(c.tx, shipment)
	c.wrote.shipments = true
	return fresh
}

// matchShipment returns the order and the shipment of an event, by consignment ID or otherwise by
// our reference. shipment is nil if none of the order's shipments matches. The error is
// db.ErrNotFound if there is no such order.
func matchShipment(tx *db.Tx, provider plugin.Provider, event plugin.CourierEvent) (order *orderRow, shipment *shipmentRow, err error) {
	var orderID string
	if event.ConsignmentID != "" {
		if orderID, err = findConsignmentOrder(tx, provider, event.ConsignmentID); err != nil {
			return nil, nil, err
		}
	}
	if orderID == "" {
		if orderID, _ = parseShipmentRef(event.Ref); orderID == "" {
			return nil, nil, db.ErrNotFound
		}
	}
	if order, err = findOrderRow(tx, orderID); err != nil {
		return nil, nil, err
	}
	return order, order.shipmentFor(provider, event.ConsignmentID), nil
}

// shipmentFor returns the courier's shipment with this consignment ID, otherwise its newest without
// one; nil if there is neither. If consignmentID is "", it returns the courier's newest shipment.
func (o *orderRow) shipmentFor(provider plugin.Provider, consignmentID string) *shipmentRow {
	var unnamed *shipmentRow
	for _, shipment := range o.shipments {
		switch {
		case shipment.provider != provider:
		case consignmentID != "" && (db.TextOf(shipment.consignmentID) == consignmentID || shipment.returnID == consignmentID):
			return shipment
		case shipment.consignmentID == nil || consignmentID == "":
			unnamed = shipment
		}
	}
	return unnamed
}

// shipmentRef returns our reference of an order's n-th booking with a courier; n starts at 1.
func shipmentRef(orderID string, n int) string {
	if n == 1 {
		return orderID
	}
	return fmt.Sprintf("%s-%d", orderID, n)
}

// parseShipmentRef returns the order of a shipment reference. ok is false if ref is not one of
// ours.
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

// linkOpenBooking completes the order's booking without a response with a shipment of its courier.
func (c *orderChange) linkOpenBooking(shipment *shipmentRow) {
	if c.err != nil {
		return
	}
	booking, err := findOpenBooking(c.tx, c.o.id, shipment.provider)
	if err == nil {
		err = c.s.linkBooking(c.tx, booking, shipment)
		c.moveOldAddress(shipment.id, time.Time{})
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		c.err = err
	}
}

// applyPendingWebhooks applies the webhooks that were queued for a consignment ID of a saved order.
// Afterwards, o is its current state.
func (s *Orders) applyPendingWebhooks(tx *db.Tx, o *orderRow, provider plugin.Provider, consignmentID string) error {
	adapter := plugin.Find(s.cfg.Plugins, provider)
	if adapter == nil || adapter.CourierWebhooks == nil {
		return nil
	}
	webhooks, err := popPendingWebhooks(tx, provider, consignmentID)
	if err != nil {
		return err
	}
	if len(webhooks) == 0 {
		return nil
	}
	currency, err := s.cfg.CurrencyIn(tx)
	if err != nil {
		return err
	}
	for _, webhook := range webhooks {
		outcome, err := s.applyShipmentWebhook(tx, webhook, adapter.CourierWebhooks, currency)
		if err != nil {
			return err
		}
		if err := s.cfg.Inbox.SaveVerdict(tx, &webhook, outcome); err != nil {
			return err
		}
	}
	now, err := findOrderRow(tx, o.id)
	if err != nil {
		return fmt.Errorf("reload order: %w", err)
	}
	*o = *now
	return nil
}

// linkBooking completes a booking with its shipment, and records the cash due with it.
func (s *Orders) linkBooking(tx *db.Tx, b *bookingRow, shipment *shipmentRow) error {
	if err := completeBooking(tx, b.id, shipment.id); err != nil {
		return err
	}
	entry := cash.Entry{ShipmentID: shipment.id, Kind: cash.EntryDue, Amount: &b.cash, Source: cash.FromOrder, At: shipment.createdAt}
	if err := s.cfg.Cash.AddEntry(tx, entry); err != nil {
		return err
	}
	return s.cfg.Cash.Sync(tx, b.orderID)
}
