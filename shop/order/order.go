package order

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"storefront/shop/access"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/status"
)

// Order is a placed order, complete for its owner and masked for others (see [Orders.FindOrder]).
type Order struct {
	ID                string             `json:"_id" doc:"The invoice UID"`
	InvoiceUID        string             `json:"invoiceUid" doc:"16 random characters"`
	OrderNumber       int64              `json:"orderNumber" doc:"Consecutive in each shop, for display"`
	Status            status.Order       `json:"status"`
	PaymentStatus     status.Payment     `json:"paymentStatus"`
	FulfillmentStatus status.Fulfillment `json:"fulfillmentStatus"`
	Items             []Item             `json:"items" nullable:"false"`
	Subtotal          money.Money        `json:"subtotal" doc:"Sum of the lines before discount"`
	Discount          money.Money        `json:"discount" doc:"By quantity prices, by automatic discounts, by the coupon and by the shop"`
	QuantityDiscount  money.Money        `json:"quantityDiscount" doc:"The part of discount by quantity prices"`
	Discounts         []AppliedDiscount  `json:"discounts" nullable:"false" doc:"The automatic discounts, as they were when the order was placed"`
	DeliveryCharge    money.Money        `json:"deliveryCharge"`
	Rounding          money.Money        `json:"rounding" doc:"Dropped from a cash total, in the buyer's favour"`
	Total             money.Money        `json:"total" doc:"subtotal - discount + deliveryCharge - rounding, as ordered"`
	Credits           []Credit           `json:"credits" nullable:"false" doc:"Reductions since the sale, oldest first. Their sum is returnedAmount"`
	ReturnedAmount    money.Money        `json:"returnedAmount" doc:"Sum of the reductions; the total of a closed order"`
	Paid              money.Money        `json:"paid" doc:"Cash, advances and payments received, before refunds"`
	Refunded          money.Money        `json:"refunded" doc:"Amount that the shop has sent back"`
	Due               money.Money        `json:"due" doc:"total - returnedAmount - paid + refunded; negative if the shop owes the buyer"`
	Coupon            *UsedCoupon        `json:"coupon"`
	Delivery          *Delivery          `json:"delivery" doc:"The chosen delivery charge; null if the shop had none"`
	Customer          Customer           `json:"customer"`
	ShippingAddress   Address            `json:"shippingAddress"`
	Note              *string            `json:"note"`
	Payment           Payment            `json:"payment"`
	Advance           *OrderAdvance      `json:"advance" doc:"The advance that the shop requires; null if it requires none"`
	Shipments         []Shipment         `json:"shipments" nullable:"false"`
	Timeline          []TimelineEntry    `json:"timeline" nullable:"false"`
	Cancellable       bool               `json:"cancellable" doc:"Whether the caller can cancel it now"`
	CancelBlocked     *string            `json:"cancelBlockedReason" doc:"Reason why the caller cannot cancel it"`
	Test              bool               `json:"test" doc:"Placed while the shop was in sandbox mode"`
	PlacedAt          time.Time          `json:"placedAt"`
	// Language is the language in which the buyer ordered; "" if unknown.
	Language locale.Language `json:"-"`
}

// Item is one line of an order, with the product data at the time it was placed.
type Item struct {
	ProductID        string      `json:"productId"`
	VariantID        string      `json:"variantId"`
	Title            string      `json:"title"`
	VariantTitle     *string     `json:"variantTitle"`
	SKU              *string     `json:"sku"`
	ImageURL         *string     `json:"imageUrl"`
	Quantity         int         `json:"quantity"`
	UnitPrice        money.Money `json:"unitPrice"`
	Discount         money.Money `json:"discount" doc:"This line's share of the order's discount"`
	QuantityDiscount money.Money `json:"quantityDiscount" doc:"The part of discount by quantity prices"`
	Total            money.Money `json:"total" doc:"unitPrice x quantity - discount"`
}

// UsedCoupon is the coupon that an order used.
type UsedCoupon struct {
	Code     string      `json:"code"`
	Discount money.Money `json:"discount"`
}

// Delivery is the delivery charge of an order.
type Delivery struct {
	ID   string `json:"_id"`
	Name string `json:"name" doc:"Name at the time of the order"`
}

// Customer is the buyer of an order. In a masked order the name has only its first letter and
// the phone number its last two digits.
type Customer struct {
	Name        string  `json:"name"`
	PhoneNumber string  `json:"phoneNumber"`
	Email       *string `json:"email"`
}

// Address is the shipping address of an order. A masked order has only the city.
type Address struct {
	Line1    *string `json:"line1"`
	Line2    *string `json:"line2"`
	Area     *string `json:"area"`
	City     string  `json:"city"`
	Postcode *string `json:"postcode"`
	Country  *string `json:"country"`
}

// Payment is the payment of an order.
type Payment struct {
	Method      status.PaymentMethod `json:"method"`
	Status      status.Payment       `json:"status"`
	RedirectURL *string              `json:"redirectUrl" doc:"The gateway's page for paying; null for cash on delivery or if no payment was started"`
	ErrorCode   *PaymentErrorCode    `json:"errorCode" doc:"Reason why the newest payment attempt could not be started at the gateway"`
	Attempts    []PaymentAttempt     `json:"attempts" nullable:"false"`
	// RefundedAmount is how much was sent back to the buyer.
	RefundedAmount money.Money `json:"refundedAmount" doc:"Amount that was sent back to the buyer"`
}

// TimelineEntry is one event in the history of an order.
type TimelineEntry struct {
	At      time.Time    `json:"at"`
	Type    TimelineType `json:"type"`
	Message string       `json:"message"`
	Cause   Cause        `json:"cause" doc:"Who or what caused the event"`
}

// StaffTimelineEntry is an event in the history of an order as staff members see it.
type StaffTimelineEntry struct {
	TimelineEntry
	// By is null if the cause is not staff, and for events of earlier versions.
	By *access.Actor `json:"by" doc:"Who of staff caused the event, by the name at that time; null for another cause"`
}

// Quote is the present price of an order that is not placed.
type Quote struct {
	Items            []Item            `json:"items" nullable:"false"`
	Subtotal         money.Money       `json:"subtotal"`
	Discount         money.Money       `json:"discount" doc:"By quantity prices, by automatic discounts, by the coupon and by the shop"`
	QuantityDiscount money.Money       `json:"quantityDiscount" doc:"The part of discount by quantity prices"`
	Discounts        []AppliedDiscount `json:"discounts" nullable:"false" doc:"The automatic discounts"`
	DeliveryCharge   money.Money       `json:"deliveryCharge"`
	Rounding         money.Money       `json:"rounding"`
	Total            money.Money       `json:"total"`
	Advance          *AdvanceTerms     `json:"advance" doc:"Advance of a cash order; null if there is none"`
	Coupon           *UsedCoupon       `json:"coupon"`
	Delivery         *DeliveryCharge   `json:"delivery" doc:"The chosen delivery charge"`
	DeliveryOptions  []DeliveryCharge  `json:"deliveryOptions" nullable:"false" doc:"The delivery charges available for this address"`
}

// mask removes all data that a caller who only knows the invoice UID must not see. Statuses,
// timeline, titles and totals stay, with enough of the buyer's data to recognise one's own order.
func (o *Order) mask() {
	name, phone := o.Customer.Name, o.Customer.PhoneNumber
	o.Customer = Customer{Name: firstLetter(name) + "***", PhoneNumber: "***" + phone[max(0, len(phone)-2):]}
	o.ShippingAddress = Address{City: o.ShippingAddress.City}
	o.Note = nil
	o.Coupon = nil // codes can be personal
	o.Payment.RedirectURL, o.Payment.ErrorCode, o.Payment.Attempts = nil, nil, []PaymentAttempt{}
	if o.Advance != nil {
		o.Advance.Wallets, o.Advance.Payments = []Wallet{}, []WalletPayment{}
	}
	o.Timeline = slices.DeleteFunc(o.Timeline, func(e TimelineEntry) bool {
		return strings.HasPrefix(string(e.Type), string(attemptTimeline)) || e.Type == TimelineOther
	})
	for i := range o.Shipments {
		o.Shipments[i].ConsignmentID, o.Shipments[i].TrackingCode = nil, nil
	}
}

func firstLetter(name string) string {
	_, size := utf8.DecodeRuneInString(name)
	return name[:size]
}
