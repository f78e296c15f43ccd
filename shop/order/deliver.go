package order

import (
	"cmp"
	"slices"
	"strings"

	"storefront/shop/cash"
	"storefront/shop/status"
)

// deliverShipments marks the open shipments as delivered, except those being returned. The buyer
// pays once: a shipment that would bring more cash than the order collects was entered again for
// the same goods. It becomes cancelled, and staff check it.
func (c *orderChange) deliverShipments() {
	rows, err := c.ledger()
	if err != nil {
		c.err = err
		return
	}
	var collected int64
	open := map[string]*cash.Row{}
	for _, l := range rows {
		switch st := l.Shipment.Status; {
		case len(status.ShipmentTransitions[st]) == 0:
			collected += l.MayHold()
		case st != status.ShipmentReturning:
			open[l.Shipment.ID] = l
		}
	}
	shipments := slices.DeleteFunc(c.o.openShipments(), func(p *shipmentRow) bool { return open[p.id] == nil })
	slices.SortFunc(shipments, func(a, b *shipmentRow) int { return likelierDelivered(a, b, open) })
	for _, shipment := range shipments {
		amount := open[shipment.id].MayHold()
		if amount == 0 || collected == 0 || collected+amount <= open[shipment.id].Total {
			collected += amount
			c.setShipmentStatus(shipment, status.ShipmentDelivered, c.now)
			continue
		}
		if status.ShipmentTransitions.Allow(shipment.status, status.ShipmentCancelled) {
			c.setShipmentStatus(shipment, status.ShipmentCancelled, c.now)
		}
		c.raise(shipment.id, flag{FlagCourierProblem,
			"The order was delivered and paid with another shipment: check this one in the courier's panel."})
	}
}

// likelierDelivered orders open shipments by how likely the buyer has received them: those with
// reported cash first, then those that came further, then newer ones.
func likelierDelivered(a, b *shipmentRow, rows map[string]*cash.Row) int {
	silent := func(p *shipmentRow) int {
		if rows[p.id].Collected == nil {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(silent(a), silent(b)),
		cmp.Compare(shipmentRanks[b.status], shipmentRanks[a.status]), strings.Compare(b.id, a.id))
}
