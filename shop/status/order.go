package status

// Order is the status of an order as a whole.
//
// Payment and Fulfillment are the statuses of its payment and of its delivery.
//
//api:enum OrderStatus
type Order string

// The statuses of an order.
const (
	OrderPending        Order = "pending"         // not confirmed by the merchant yet
	OrderPendingPayment Order = "pending_payment" // awaiting online payment
	OrderConfirmed      Order = "confirmed"       // confirmed by the merchant
	OrderProcessing     Order = "processing"      // being packed or in transit
	OrderCompleted      Order = "completed"       // delivered and paid
	OrderCancelled      Order = "cancelled"       // cancelled
	OrderExpired        Order = "expired"         // not paid in time
	OrderReturned       Order = "returned"        // returned to the merchant
)

// Payment is the status of an order's payment.
//
//api:enum PaymentStatus
type Payment string

// The statuses of an order's payment.
const (
	PaymentUnpaid  Payment = "unpaid"  // nothing was paid
	PaymentPending Payment = "pending" // a payment attempt is open
	PaymentPaid    Payment = "paid"    // paid in full
	// The payment must be reviewed by the merchant.
	PaymentNeedsReview Payment = "needs_review"
	PaymentRefundDue   Payment = "refund_due" // money must be refunded to the buyer
	PaymentRefunded    Payment = "refunded"   // money was refunded to the buyer
	// Paid, and a part was refunded to the buyer.
	PaymentPartiallyRefunded Payment = "partially_refunded"
)

// Fulfillment is the status of an order's delivery.
//
//api:enum FulfillmentStatus
type Fulfillment string

// The statuses of an order's delivery.
const (
	Unfulfilled        Fulfillment = "unfulfilled"         // nothing was shipped
	InProgress         Fulfillment = "in_progress"         // in transit to the buyer
	PartiallyDelivered Fulfillment = "partially_delivered" // partially delivered
	Delivered          Fulfillment = "delivered"           // delivered in full
	Returning          Fulfillment = "returning"           // in transit back to the merchant
	Returned           Fulfillment = "returned"            // returned to the merchant
)

// PaymentMethod is a payment method.
//
//api:enum PaymentMethod
type PaymentMethod string

// The payment methods.
const (
	PayCOD      PaymentMethod = "cod"       // cash on delivery
	PayGatewayA PaymentMethod = "gateway_a" // online at the shop's first payment gateway
	PayGatewayB PaymentMethod = "gateway_b" // online at the shop's second payment gateway
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
