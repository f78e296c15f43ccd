package simulator

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// restoredPages limits the pages of payments and of orders that are read.
const restoredPages = 50

// Restore adds the captured payments and the shipments of a shop that the providers lack after a
// restart. Payments can then be refunded, and shipments looked up and moved.
func (s *Simulator) Restore(ctx context.Context, from *shop.Shop) error {
	if err := s.restorePayments(ctx, from); err != nil {
		return fmt.Errorf("restore payments: %w", err)
	}
	if err := s.restoreShipments(ctx, from); err != nil {
		return fmt.Errorf("restore shipments: %w", err)
	}
	return nil
}

// eachPage calls visit with each page until one has no next, at most restoredPages.
func eachPage[T any](list func(page.Request) (*page.List[T], error), visit func([]T)) error {
	limit := page.MaxLimit
	for number := range restoredPages {
		number++
		found, err := list(page.Request{Page: &number, Limit: &limit})
		if err != nil {
			return err
		}
		visit(found.Nodes)
		if !found.Meta.HasNextPage {
			break
		}
	}
	return nil
}

func (s *Simulator) restorePayments(ctx context.Context, from *shop.Shop) error {
	return eachPage(func(r page.Request) (*page.List[order.AttemptRecord], error) {
		return from.Orders.ListPaymentAttempts(ctx, access.Operator(), order.AttemptFilter{Request: r})
	}, func(attempts []order.AttemptRecord) {
		for _, a := range attempts {
			if a.TransactionID == nil || a.ExternalID == nil {
				continue
			}
			s.restorePayment(a)
		}
	})
}

func (s *Simulator) restorePayment(a order.AttemptRecord) {
	amount := taka.Decimal(a.Amount.Amount)
	p := &payment{
		gateway: string(a.Method), ref: a.ID, id: *a.ExternalID, invoice: a.OrderID, amount: amount, currency: a.Amount.Currency,
		status: "VALID", transactionID: *a.TransactionID, captures: 1, capturedAmount: amount, capturedCurrency: a.Amount.Currency,
		validated: true, approved: true, returnURLs: map[Result]string{},
	}
	if a.Method == status.PayGatewayB {
		p.status = "Completed"
	}
	for _, r := range a.Refunds {
		if r.RefundID != nil && !r.ByHand {
			p.refunds = append(p.refunds, refund{ref: r.ID, id: *r.RefundID, amount: r.Amount.Amount})
		}
	}
	if _, exists := s.find(p.ref); !exists {
		s.add(p)
	}
}

func (s *Simulator) restoreShipments(ctx context.Context, from *shop.Shop) error {
	return eachPage(func(r page.Request) (*page.List[order.Row], error) {
		return from.Orders.ListOrderRows(ctx, access.Operator(), order.ListFilter{Request: r})
	}, func(orders []order.Row) {
		for _, o := range orders {
			if o.Shipment == nil || o.Shipment.ConsignmentID == nil {
				continue
			}
			switch o.Shipment.Provider {
			case plugin.CourierA:
				status := statusCourierA(lastEventA[o.Shipment.Status])
				s.depotA.restore(shipment{ref: o.ID, consignmentID: *o.Shipment.ConsignmentID, status: status, updatedAt: o.UpdatedAt})
			case plugin.CourierB:
				status, returnStatus := statusCourierB(lastEventB[o.Shipment.Status])
				s.depotB.restore(shipment{
					ref: o.ID, consignmentID: *o.Shipment.ConsignmentID, status: status, returnStatus: returnStatus, updatedAt: o.UpdatedAt,
				})
			}
		}
	})
}

// restore adds a shipment unless there is one with its consignment ID, and lets later bookings have
// higher ones.
func (d *depot) restore(restored shipment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.shipments {
		if s.consignmentID == restored.consignmentID {
			return
		}
	}
	if n, err := strconv.Atoi(restored.consignmentID); err == nil {
		d.highest = max(d.highest, n)
	}
	restored.updatedAt = restored.updatedAt.Truncate(time.Second)
	d.shipments = append(d.shipments, &restored)
}

// lastEventA and lastEventB are events after which a shipment has a status.
var (
	lastEventA = map[status.Shipment]string{
		status.ShipmentCreated: "order.created", status.ShipmentPickupRequested: "order.pickup-requested", status.ShipmentPicked: "order.picked",
		status.ShipmentAtHub: "order.at-the-sorting-hub", status.ShipmentInTransit: "order.in-transit",
		status.ShipmentOutForDelivery: "order.assigned-for-delivery", status.ShipmentDelivered: "order.delivered",
		status.ShipmentPartiallyDelivered: "order.partial-delivery", status.ShipmentOnHold: "order.on-hold",
		status.ShipmentDeliveryFailed: "order.delivery-failed", status.ShipmentReturning: "order.returned",
		status.ShipmentReturned:  "order.returned-to-merchant",
		status.ShipmentCancelled: "order.pickup-cancelled", status.ShipmentExchanged: "order.exchanged",
	}
	lastEventB = map[status.Shipment]string{
		status.ShipmentCreated: "in_review", status.ShipmentPickupRequested: "in_review", status.ShipmentPicked: "pending",
		status.ShipmentAtHub: "pending", status.ShipmentInTransit: "pending", status.ShipmentOutForDelivery: "pending",
		status.ShipmentDelivered: "delivered", status.ShipmentPartiallyDelivered: "partial_delivered", status.ShipmentOnHold: "hold",
		status.ShipmentDeliveryFailed: "pending", status.ShipmentReturning: "cancelled", status.ShipmentReturned: "cancelled_return_received",
		status.ShipmentCancelled: "cancelled", status.ShipmentExchanged: "delivered",
	}
)
