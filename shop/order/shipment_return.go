package order

import (
	"fmt"

	"storefront/db"
	"storefront/shop/cash"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// returningShipment returns the courier's shipment for an event with an unknown consignment ID,
// which may be the way back: the returning shipment, otherwise the only one. It is nil if there is
// no such shipment, or several.
func (o *orderRow) returningShipment(provider plugin.Provider) *shipmentRow {
	var returning, all []*shipmentRow
	for _, shipment := range o.shipments {
		if shipment.provider != provider || shipment.consignmentID == nil || shipment.returnID != "" || shipment.status == status.ShipmentCancelled {
			continue
		}
		all = append(all, shipment)
		if shipment.status == status.ShipmentReturning {
			returning = append(returning, shipment)
		}
	}
	switch {
	case len(returning) == 1:
		return returning[0]
	case len(all) == 1:
		return all[0]
	}
	return nil
}

// recordReturnID records the consignment ID of a shipment's way back. A shipment from an earlier
// event with this ID is merged into it. recorded is false if the ID is known, or no other ID.
func (c *orderChange) recordReturnID(shipment *shipmentRow, returnID string) (recorded bool) {
	if c.err != nil || returnID == "" || returnID == shipment.returnID || returnID == db.TextOf(shipment.consignmentID) {
		return false
	}
	shipment.returnID = returnID
	if c.err = updateShipment(c.tx, shipment); c.err != nil {
		return false
	}
	for i, other := range c.o.shipments {
		if other != shipment && other.provider == shipment.provider && db.TextOf(other.consignmentID) == returnID {
			c.o.shipments = append(c.o.shipments[:i:i], c.o.shipments[i+1:]...)
			c.mergeReturn(shipment, other)
			break
		}
	}
	return c.err == nil
}

// mergeReturn moves the events of a shipment created for a return consignment to the returning
// shipment, and deletes the former with its cash.
func (c *orderChange) mergeReturn(shipment, way *shipmentRow) {
	events, err := findShipmentEvents(c.tx, way.id)
	if err != nil {
		c.err = err
		return
	}
	for _, e := range events {
		converted := plugin.CourierEvent{Status: e.status}
		converted.OnWayBack()
		if e.event == staffEvent {
			continue
		}
		e.status = converted.Status
		c.recordShipmentEvent(shipment, e)
	}
	if c.err == nil {
		c.err = cash.Drop(c.tx, way.id)
	}
	for _, statement := range []string{
		`UPDATE parcel_bookings SET shipment_id = ? WHERE shipment_id = ?`,
		`DELETE FROM parcel_events WHERE shipment_id <> ? AND shipment_id = ?`,
		`DELETE FROM cash_entries WHERE shipment_id <> ? AND shipment_id = ?`,
		`DELETE FROM cash_statement_lines WHERE shipment_id <> ? AND shipment_id = ?`,
		`DELETE FROM cash_lines WHERE shipment_id <> ? AND shipment_id = ?`,
		`DELETE FROM order_flags WHERE shipment_id <> ? AND shipment_id = ?`,
		`DELETE FROM shipments WHERE id <> ? AND id = ?`,
	} {
		if c.err != nil {
			return
		}
		if _, err := c.tx.Exec(statement, shipment.id, way.id); err != nil {
			c.err = fmt.Errorf("merge return: %w", err)
		}
	}
}
