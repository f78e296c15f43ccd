package message

import (
	"slices"

	"storefront/shop/locale"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Order is what messages say about an order.
type Order struct {
	ID          string // the invoice UID
	Number      int64
	Language    locale.Language // of messages about it
	Token       string          // the order token, for the link to pay
	Status      status.Order
	Payment     status.Payment
	Fulfillment status.Fulfillment
	Contact     Contact
	IsBlocked   bool // the buyer is
	IsPayable   bool // online
	IsReviewed  bool // one of its products is

	Total, Discount, DeliveryCharge, Rounding int64 // the total is less what was credited
	Credited                                  int64 // what came back, or was granted
	Cash                                      int64 // to pay on delivery

	Discounts []Discount // automatic ones, parts of Discount
	Lines     []Line
	Shipments []Shipment
}

// Contact is where a buyer is reached. The zero value reaches nobody.
type Contact struct {
	Phone string // E.164
	Email string
}

// at returns where a channel reaches the buyer; "" means that it does not.
func (c Contact) at(channel Channel) string {
	if channel == SMS {
		return c.Phone
	}
	return c.Email
}

// Line is one line of an order.
type Line struct {
	Title, Variant string // Variant is "" for the only one of a product
	ImageURL       string // as it is stored in the order; "": none
	Quantity       int
	Amount         int64
}

// Discount is an automatic discount on the items of an order.
type Discount struct {
	Title  string // in the language of the messages about the order
	Amount int64
}

// Shipment is a shipment of an order.
type Shipment struct {
	Courier      plugin.Provider
	TrackingCode string // "": none
	Status       status.Shipment
}

// isCurrent reports whether a delayed message about the event still matches the order. Messages
// that are not delayed follow each other as the events do.
func (e Event) isCurrent(o *Order) bool {
	isOpen := !o.Status.IsClosed()
	switch e {
	case Placed, Confirmed:
		return isOpen
	case Booked:
		return isOpen && o.hasShipment(func(s status.Shipment) bool {
			return !slices.Contains(status.EndStatuses, s)
		})
	case Shipped:
		return isOpen && o.hasShipment(func(s status.Shipment) bool {
			return s.IsUnderway() || s == status.ShipmentOnHold ||
				s == status.ShipmentDeliveryFailed
		})
	case OutForDelivery:
		return isOpen && o.hasShipment(func(s status.Shipment) bool {
			return s == status.ShipmentOutForDelivery
		})
	case Delivered:
		return o.Fulfillment == status.Delivered
	case Review:
		return isOpen && o.Fulfillment == status.Delivered
	case Cancelled:
		return o.Status == status.OrderCancelled
	case AdvanceAsked, AdvanceRefused:
		return isOpen
	}
	return true // a refund remains one, and a link to pay has a check of its own
}

// hasShipment reports whether the order has a shipment of such a status.
func (o *Order) hasShipment(is func(s status.Shipment) bool) bool {
	return slices.ContainsFunc(o.Shipments, func(s Shipment) bool { return is(s.Status) })
}

// exampleOrder is the order in examples of messages.
func exampleOrder() *Order {
	return &Order{
		ID: "7ZK3QW8N5T2M4R6V", Number: 1042, Payment: status.PaymentUnpaid, Total: 125_000, Cash: 125_000,
		Token: "q3sYx0Vb1nM7cK9zR2tD5wF8hJ4gL6pA0eU1iO3yT7k", // has the length of an order token
		Lines: []Line{
			{Title: "Blue panjabi — নীল পাঞ্জাবি", Variant: "M", Quantity: 1, Amount: 125_000},
		},
		Shipments: []Shipment{
			{Courier: plugin.CourierA, TrackingCode: "DT080126XK3P", Status: status.ShipmentPicked},
		},
	}
}
