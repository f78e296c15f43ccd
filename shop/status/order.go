package status

// Order is the status of an order as a whole. Payment and Fulfillment are the
// statuses of its payment and of its delivery.
type Order string

// The statuses of an order.
const (
	OrderPending        Order = "pending"         // placed; a cash order awaits its confirmation
	OrderPendingPayment Order = "pending_payment" // awaits its online payment
	OrderConfirmed      Order = "confirmed"
	OrderProcessing     Order = "processing" // a shipment is booked
	OrderCompleted      Order = "completed"  // delivered
	OrderCancelled      Order = "cancelled"
	OrderExpired        Order = "expired" // not paid or confirmed in time
	OrderReturned       Order = "returned"
)

// Payment is the status of an order's payment.
type Payment string

// The statuses of an order's payment.
const (
	PaymentUnpaid      Payment = "unpaid"
	PaymentPending     Payment = "pending" // an attempt is open
	PaymentPaid        Payment = "paid"
	PaymentNeedsReview Payment = "needs_review" // a staff member must resolve an attempt
	PaymentRefundDue   Payment = "refund_due"
	PaymentRefunded    Payment = "refunded"
	// PaymentPartiallyRefunded is a paid order of whose payment a part was refunded.
	PaymentPartiallyRefunded Payment = "partially_refunded"
)

// Fulfillment is the status of an order's delivery.
type Fulfillment string

// The statuses of an order's delivery.
const (
	Unfulfilled        Fulfillment = "unfulfilled"
	InProgress         Fulfillment = "in_progress"
	PartiallyDelivered Fulfillment = "partially_delivered"
	Delivered          Fulfillment = "delivered"
	Returning          Fulfillment = "returning"
	Returned           Fulfillment = "returned"
)

// PaymentMethod is how an order is paid.
type PaymentMethod string

// The payment methods.
const (
	PayCOD      PaymentMethod = "cod" // cash on delivery
	PayGatewayA PaymentMethod = "gateway_a"
	PayGatewayB PaymentMethod = "gateway_b"
)

// WasPaid reports whether the order was paid, even if the payment was refunded afterwards.
func (s Payment) WasPaid() bool {
	return s == PaymentPaid || s == PaymentPartiallyRefunded || s == PaymentRefunded
}

// IsClosed reports whether the order was cancelled, expired or returned. Only a courier's delivery
// changes a cancelled order again.
func (s Order) IsClosed() bool {
	return s == OrderCancelled || s == OrderExpired || s == OrderReturned
}
