package order

import (
	"cmp"
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/message"
	"storefront/shop/review"
	"storefront/shop/status"
)

// messageEvents returns the events that the change triggers, each with its subject.
func (c *orderChange) messageEvents() map[message.Event]string {
	events := map[message.Event]string{}
	if c.was.status != c.o.status {
		switch c.o.status {
		case status.OrderConfirmed:
			events[message.Confirmed] = ""
		case status.OrderCancelled:
			if !c.isMerged {
				events[message.Cancelled] = ""
			}
		}
	}
	for _, shipment := range c.o.shipments {
		was, stored := c.shipmentsWere[shipment.id]
		if !stored && shipment.status != status.ShipmentCancelled {
			events[message.Booked] = ""
		}
		if shipment.status.IsUnderway() && !was.IsUnderway() {
			events[message.Shipped] = ""
		}
		if shipment.status == status.ShipmentOutForDelivery &&
			was != status.ShipmentOutForDelivery {
			events[message.OutForDelivery] = ""
		}
	}
	if c.was.fulfillment != c.o.fulfillment && c.o.fulfillment == status.Delivered {
		events[message.Delivered] = ""
		events[message.Review] = ""
	}
	c.addMoneyEvents(events)
	return events
}

// addMoneyEvents adds the events of an advance or a refund.
func (c *orderChange) addMoneyEvents(events map[message.Event]string) {
	if received := c.o.received() - c.was.received(); received > 0 && c.o.asked.reason != "" {
		events[message.AdvanceReceived] = fmt.Sprint(received)
	}
	if refunded := c.newRefund(); refunded > 0 {
		events[message.Refunded] = fmt.Sprint(refunded)
	}
}

// newRefund returns the sum of the order's refunds; 0 if the change adds none.
func (c *orderChange) newRefund() int64 {
	if c.o.refunded <= c.was.refunded || c.o.payment != status.PaymentPartiallyRefunded && c.o.payment != status.PaymentRefunded {
		return 0
	}
	return c.o.refunded
}

// recipient returns where messages about the order are sent. Test orders have none.
func (o *orderRow) recipient() message.Contact {
	if o.test != 0 {
		return message.Contact{}
	}
	return message.Contact{Phone: o.phone, Email: db.TextOf(o.email)}
}

// queuePaymentLink queues the link to pay an order that staff have placed, by SMS if requested. It
// reports whether any is queued: none is if the order cannot be paid online, or has no contact.
func queuePaymentLink(tx *db.Tx, set message.Settings, o *orderRow, requested bool) (bool, error) {
	if o.paymentBlocked() != "" {
		return false, nil
	}
	return message.QueuePaymentLink(tx, set, o.number, o.recipient(), requested)
}

// MessageOrders returns the function that finds orders for messages to their buyers.
func (s *Orders) MessageOrders(ctx context.Context) (message.FindOrder, error) {
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return nil, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return func(tx *db.Tx, number int64) (*message.Order, error) {
		o, err := findOrderByNumber(tx, number)
		if err != nil {
			return nil, err
		}
		issued, err := findOrderToken(tx, o.id)
		if err != nil {
			return nil, err
		}
		contact, err := findContactRow(tx, o.phone)
		if err != nil {
			return nil, err
		}
		about := newMessageOrder(o)
		about.Language = cmp.Or(o.language, set.Language)
		about.Token = tokens.create(o.id, issued.revision)
		about.IsBlocked = contact.blocked != BlockNone
		if o.fulfillment == status.Delivered {
			if about.IsReviewed, err = review.HasReview(tx, number); err != nil {
				return nil, err
			}
		}
		return about, s.translateMessage(ctx, tx, o, about)
	}, nil
}

func newMessageOrder(o *orderRow) *message.Order {
	about := &message.Order{
		ID: o.id, Number: o.number, Status: o.status, Payment: o.payment, Fulfillment: o.fulfillment,
		Contact: o.recipient(), IsPayable: o.paymentBlocked() == "",
		Total: o.total - o.credited, Credited: o.credited, Discount: o.discount, DeliveryCharge: o.deliveryCharge, Rounding: o.rounding,
	}
	about.Cash = o.cashToCollect()
	for _, g := range o.grants() {
		if amount := g.goods(); amount > 0 {
			about.Discounts = append(about.Discounts, message.Discount{Title: g.Title, Amount: amount})
		}
	}
	for _, item := range o.items {
		about.Lines = append(about.Lines, message.Line{
			Title: item.title, Variant: item.variantTitle, ImageURL: item.imageURL,
			Quantity: item.quantity, Amount: item.unitPrice * int64(item.quantity),
		})
	}
	for _, shipment := range o.shipments {
		about.Shipments = append(about.Shipments, message.Shipment{
			Courier: shipment.provider, TrackingCode: shipment.trackingCode, Status: shipment.status,
		})
	}
	return about
}

// findOrderByNumber returns a complete order.
func findOrderByNumber(tx *db.Tx, number int64) (*orderRow, error) {
	var id string
	err := tx.QueryRow(`
		SELECT id
		FROM orders
		WHERE number = ?`, number).Scan(&id)
	if err != nil {
		return nil, fmt.Errorf("find order: %w", err)
	}
	return findOrderRow(tx, id)
}
