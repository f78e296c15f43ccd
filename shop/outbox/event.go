package outbox

import (
	"strings"
	"time"
)

// Type is the type of an event.
type Type string

// Noun returns the noun of the type, such as "order".
func (t Type) Noun() string {
	noun, _, _ := strings.Cut(string(t), ".")
	return noun
}

// The types of events about orders. Their subject is the invoice UID.
const (
	OrderPlaced        Type = "order.placed"
	OrderConfirmed     Type = "order.confirmed"
	OrderEdited        Type = "order.edited" // its contents, its payment, or its flags
	OrderCancelled     Type = "order.cancelled"
	OrderExpired       Type = "order.expired"
	OrderCompleted     Type = "order.completed"
	OrderReturned      Type = "order.returned"
	OrderPaid          Type = "order.paid"
	OrderPaymentReview Type = "order.payment_review" // staff must check a payment
	OrderRefundDue     Type = "order.refund_due"
	OrderRefunded      Type = "order.refunded" // whole or in part
)

// The types of events about shipments. Their subject is the order's invoice UID.
const (
	ShipmentBooked    Type = "shipment.booked"
	ShipmentMoved     Type = "shipment.moved"
	ShipmentDelivered Type = "shipment.delivered" // whole or in part
	ShipmentProblem   Type = "shipment.problem"   // on hold, a failed delivery, or another problem for staff
	ShipmentReturning Type = "shipment.returning"
	ShipmentReturned  Type = "shipment.returned"
)

// The types of events about products. Their subject is the product's ID.
const (
	ProductCreated Type = "product.created"
	ProductUpdated Type = "product.updated"
	ProductDeleted Type = "product.deleted"
)

// The types of events about stock that falls. Their subject is the variant's ID.
const (
	StockLow Type = "stock.low"
	StockOut Type = "stock.out"
)

// The types of events about coupons. Their subject is the coupon's ID.
const (
	CouponCreated Type = "coupon.created"
	CouponUpdated Type = "coupon.updated"
	CouponDeleted Type = "coupon.deleted"
)

// The other types, with their subjects.
const (
	CustomerCreated       Type = "customer.created"        // the customer's ID
	CashReconciled        Type = "cash.reconciled"         // a courier's statement
	ProviderWebhookFailed Type = "provider.webhook_failed" // an incoming webhook that could not be applied
	JobFinished           Type = "job.finished"            // a job
	SettingsChanged       Type = "settings.changed"        // "settings", a provider, "sms" or "mail"
	StaffSignedIn         Type = "staff.signed_in"         // the staff member of a new session

	// The shop, by its UID: a backup has replaced it. Events since the backup are lost.
	ShopRestored Type = "shop.restored"

	// A webhook endpoint that the program has disabled.
	WebhookEndpointDisabled Type = "webhook_endpoint.disabled"
)

// Types returns every type, in the order of the reference.
func Types() []Type {
	return []Type{
		OrderPlaced, OrderConfirmed, OrderEdited, OrderCancelled, OrderExpired, OrderCompleted, OrderReturned, OrderPaid, OrderPaymentReview,
		OrderRefundDue, OrderRefunded, ShipmentBooked, ShipmentMoved, ShipmentDelivered, ShipmentProblem, ShipmentReturning, ShipmentReturned,
		ProductCreated, ProductUpdated, ProductDeleted, StockLow, StockOut, CouponCreated, CouponUpdated, CouponDeleted, CustomerCreated,
		CashReconciled, ProviderWebhookFailed, JobFinished, SettingsChanged, StaffSignedIn,
		ShopRestored, WebhookEndpointDisabled,
	}
}

// Event is a change in a shop.
type Event struct {
	Seq     int64 // ascends in the order of the commits
	At      time.Time
	Type    Type
	Subject string // the ID of the affected record
	Data    Data
}

// Data is the data of an event besides its subject, without personal data.
type Data struct {
	OrderNumber int64  `json:"orderNumber,omitempty"`
	Status      string `json:"status,omitempty"` // of the order, the shipment, the stock or the webhook
	Total       int64  `json:"total,omitempty"`  // of the order, in minor units
	Costs       bool   `json:"costs,omitempty"`  // of a product: a cost of its variants changed, or is gone
	Actor       *Actor `json:"actor,omitempty"`  // nil for a buyer; [Append] sets the transaction's
}

// Actor is the author of an event on the merchant's side.
type Actor struct {
	Kind string `json:"kind"`          // "staff", "key", "operator", "cli" or "shop"
	ID   string `json:"_id,omitempty"` // "" at the command line and of the shop
}

// Shop returns the actor of the shop's own actions: after a time limit, or after a report by a
// courier or a payment gateway.
func Shop() *Actor { return &Actor{Kind: "shop"} }
