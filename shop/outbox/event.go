package outbox

import (
	"strings"
	"time"
)

// Type is what happened.
//
//api:enum EventType
type Type string

// Noun returns the noun of the type, such as "order".
func (t Type) Noun() string {
	noun, _, _ := strings.Cut(string(t), ".")
	return noun
}

// The types of events about orders. Their subject is the invoice UID.
const (
	OrderPlaced    Type = "order.placed"    // an order was placed
	OrderConfirmed Type = "order.confirmed" // an order was confirmed
	// The contents of an order, its payment or its flags changed.
	OrderEdited        Type = "order.edited"
	OrderCancelled     Type = "order.cancelled"      // an order was cancelled
	OrderExpired       Type = "order.expired"        // an order was not paid or confirmed in time
	OrderCompleted     Type = "order.completed"      // an order was delivered and paid
	OrderReturned      Type = "order.returned"       // an order came back
	OrderPaid          Type = "order.paid"           // an order was paid
	OrderPaymentReview Type = "order.payment_review" // staff must check a payment
	OrderRefundDue     Type = "order.refund_due"     // a payment must be sent back
	OrderRefunded      Type = "order.refunded"       // a payment was sent back, whole or in part
)

// The types of events about shipments. Their subject is the order's invoice UID.
const (
	ShipmentBooked    Type = "shipment.booked"    // a shipment was booked or recorded
	ShipmentMoved     Type = "shipment.moved"     // a shipment is on its way
	ShipmentDelivered Type = "shipment.delivered" // a shipment was delivered, whole or in part
	// A shipment is on hold, its delivery failed, or staff must check it.
	ShipmentProblem   Type = "shipment.problem"
	ShipmentReturning Type = "shipment.returning" // a shipment is coming back
	ShipmentReturned  Type = "shipment.returned"  // a shipment came back
)

// The types of events about products. Their subject is the product's ID.
const (
	ProductCreated Type = "product.created" // a product was created
	ProductUpdated Type = "product.updated" // a product was changed
	ProductDeleted Type = "product.deleted" // a product was deleted
)

// The types of events about stock that falls. Their subject is the variant's ID.
const (
	StockLow Type = "stock.low" // the stock of a variant is low
	StockOut Type = "stock.out" // a variant is out of stock
)

// The types of events about coupons. Their subject is the coupon's ID.
const (
	CouponCreated Type = "coupon.created" // a coupon was created
	CouponUpdated Type = "coupon.updated" // a coupon was changed
	CouponDeleted Type = "coupon.deleted" // a coupon was deleted
)

// The other types, with their subjects.
const (
	CustomerCreated Type = "customer.created" // a customer has registered
	CashReconciled  Type = "cash.reconciled"  // a courier's statement was recorded
	// A webhook of a provider could not be applied.
	ProviderWebhookFailed Type = "provider.webhook_failed"
	JobFinished           Type = "job.finished" // a job has ended
	// Settings, or a provider's, were changed.
	SettingsChanged Type = "settings.changed"
	StaffSignedIn   Type = "staff.signed_in" // a staff member has signed in

	// A backup has replaced the shop: read again what was read since the backup.
	ShopRestored Type = "shop.restored"

	WebhookEndpointDisabled Type = "webhook_endpoint.disabled" // a webhook endpoint was disabled

	// The shop uses 80 or 100 per cent of a limit of its plan.
	PlanWarning Type = "plan.warning"
)

// Types returns every type, in the order of the reference.
func Types() []Type {
	return []Type{
		OrderPlaced, OrderConfirmed, OrderEdited, OrderCancelled, OrderExpired, OrderCompleted, OrderReturned, OrderPaid, OrderPaymentReview,
		OrderRefundDue, OrderRefunded, ShipmentBooked, ShipmentMoved, ShipmentDelivered, ShipmentProblem, ShipmentReturning, ShipmentReturned,
		ProductCreated, ProductUpdated, ProductDeleted, StockLow, StockOut, CouponCreated, CouponUpdated, CouponDeleted, CustomerCreated,
		CashReconciled, ProviderWebhookFailed, JobFinished, SettingsChanged, StaffSignedIn,
		ShopRestored, WebhookEndpointDisabled, PlanWarning,
	}
}

// Event is a change in a shop.
type Event struct {
	Seq     int64 // ascends in the order of the commits
	At      time.Time
	Type    Type
	Subject string // the ID of the affected record
	Data    Data
	// Withdrawn marks an event of a change that was undone before it left the shop.
	Withdrawn bool
}

// Data is the data of an event besides its subject, without personal data.
type Data struct {
	OrderNumber int64  `json:"orderNumber,omitempty"`
	Status      string `json:"status,omitempty"` // of the order, the shipment, the stock or the webhook
	Total       int64  `json:"total,omitempty"`  // of the order, in minor units
	Costs       bool   `json:"costs,omitempty"`  // of a product: a cost of its variants changed, or is gone
	Actor       *Actor `json:"actor,omitempty"`  // nil for a buyer; [Append] sets the transaction's
}

// Actor is the author of an event who is not a buyer.
type Actor struct {
	Kind string `json:"kind"`          // "staff", "key", "operator", "cli" or "shop"
	ID   string `json:"_id,omitempty"` // "" at the command line and of the shop
}

// Shop returns the actor of the shop's own actions: after a time limit, or after a report by a
// courier or a payment gateway.
func Shop() *Actor { return &Actor{Kind: "shop"} }
