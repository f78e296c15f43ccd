package sales

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/status"
)

// soldShipment is a shipment of a [soldOrder] that is not cancelled.
type soldShipment struct {
	id, courier string
	status      status.Shipment
	fee         int64
	days        int64 // from booking to the status
}

func (p *soldShipment) isDelivered() bool {
	return p.status == status.ShipmentDelivered || p.status == status.ShipmentPartiallyDelivered || p.status == status.ShipmentExchanged
}

func (p *soldShipment) isReturned() bool {
	return p.status == status.ShipmentReturning || p.status == status.ShipmentReturned
}

// addTo adds the shipment, its fee and its duration to a row.
func (p *soldShipment) addTo(r *salesRow) {
	r.sums[sumShipments]++
	r.sums[sumFees] += p.fee
	if p.isDelivered() {
		r.addTime(p.days)
	}
}

// addToCouriers adds the order to the rows of its couriers. Its sales belong to the newest one.
// Each shipment, with its fee, its time and its result, belongs to its courier. The newest shipment
// has the result of the order, which staff can have recorded.
func (o *soldOrder) addToCouriers(rows salesRows, own salesRow) {
	if o.orders == 0 || len(o.shipments) == 0 {
		rows.row(o.courier).add(&own)
		return
	}
	slices.SortFunc(o.shipments, func(a, b soldShipment) int { return cmp.Compare(a.id, b.id) })
	newest := len(o.shipments) - 1
	own.sums[sumShipments], own.sums[sumFees] = 0, 0
	clear(own.sums[sumTimes:])
	if o.shipments[newest].courier != o.courier { // the order's newest shipment is cancelled
		own.sums[sumDelivered], own.sums[sumReturned] = 0, 0
		newest = -1
	}
	rows.row(o.courier).add(&own)
	for i := range o.shipments {
		p := &o.shipments[i]
		r := rows.row(p.courier)
		p.addTo(r)
		if i != newest {
			r.sums[sumDelivered] += db.BoolInt(p.isDelivered())
			r.sums[sumReturned] += db.BoolInt(p.isReturned())
		}
	}
}

// addShipments adds its shipments to each order, with their fees and durations.
func addShipments(tx *db.Tx, from, before time.Time, orders map[int64]*soldOrder) error {
	const day = int64(24 * time.Hour / time.Millisecond)
	err := tx.Each(soldShipmentsQuery, []any{db.Millis(from), db.Millis(before)}, func(r db.Row) error {
		var number, created, moved int64
		var p soldShipment
		if err := r.Scan(&number, &p.id, &p.courier, &p.status, &created, &moved, &p.fee); err != nil {
			return err
		}
		p.days = (moved - created) / day
		o := orders[number]
		o.shipments = append(o.shipments, p)
		return nil
	})
	if err != nil {
		return fmt.Errorf("count shipments: %w", err)
	}
	return nil
}
