package order

import (
	"storefront/db"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// orderRow is a stored order with its lines, timeline, attempts and shipments.
type orderRow struct {
	id          string // the invoice UID
	number      int64
	status      status.Order
	payment     status.Payment
	fulfillment status.Fulfillment
	method      status.PaymentMethod
	test        int64
	customerID  *string
	// the customer was signed in when placing it: the account does not follow the contact
	signedIn         bool
	name, phone      string
	email            *string
	line1, line2     string
	area, city       string
	postcode         string
	country          string
	note             string
	deliveryChargeID string
	deliveryName     string
	couponID         *string
	couponCode       *string
	subtotal         int64
	discount         int64
	deliveryCharge   int64
	rounding         int64
	total            int64
	cancelReason     string
	placedAt         int64
	expiresAt        *int64
	updatedAt        int64
	saved            bool   // a change was saved in this transaction
	client           []byte // of an unproven buyer's unconfirmed cash order; see [unprovenBuyer]
	// provider of the current shipment, "" if there is none. This and the next three are work columns:
	// see [orderRow.setWork]
	courier        plugin.Provider
	shipmentStatus status.Shipment // status of the current shipment, noShipment if there is none
	attention      Attention
	work           bool // whether it is in one of the views of open work
	source         status.Source
	placedBy       *string // who placed it, as JSON; nil means the buyer
	staffDiscount  int64   // the part of discount that staff granted
	discountReason string  // of staffDiscount
	// the parts of discount by quantity prices and by automatic discounts; the rest is by the coupon
	// and by staff
	quantityDiscount, automaticDiscount int64
	discounts                           *string         // the automatic discounts, see [grant]; nil means none
	advance                             int64           // advances that staff have recorded or confirmed
	prepaid                             int64           // advances of a cash order at gateways, less refunds
	asked                               advanceAsked    // before shipping; the zero amount means that it is waived
	credited                            int64           // the sum of credits
	uncollected                         int64           // the part of credited that the buyer was not to pay
	cashPaid                            int64           // of a cash order, beside advances: as couriers report, or else as staff state
	cashRefunded                        int64           // of a cash order: sent back outside of a gateway
	paid                                int64           // cash, advances and payments received, before refunds
	refunded                            int64           // of it sent back
	language                            locale.Language // in which the buyer ordered; "" means unknown

	calls callState
	claim claimState

	tags      []string // only if loaded
	items     []orderItemRow
	credits   []creditRow         // oldest first
	reports   []*walletPaymentRow // oldest first; none unless an advance was required
	events    []orderEventRow
	attempts  []*attemptRow  // oldest first
	shipments []*shipmentRow // oldest first
}

type orderItemRow struct {
	productID, variantID string
	title, variantTitle  string
	sku, imageURL        string
	quantity             int
	unitPrice            int64
	quantityPrices       string // as of the order; see [catalogue.ParseQuantityPrices]
	quantityDiscount     int64  // the part of discount by quantity prices
	discount             int64
	stockReserved        bool
	damaged              int // units of a returned order that were not restocked
	restocked            int // units of a delivered order that came back to the stock
}

// amount returns what the line costs after its discount.
func (i *orderItemRow) amount() int64 { return i.unitPrice*int64(i.quantity) - i.discount }

// isSame reports whether two lines are of the same units at the same price. How many of them are
// reserved, damaged or restocked does not count.
func (i orderItemRow) isSame(other orderItemRow) bool {
	i.stockReserved, i.damaged, i.restocked = other.stockReserved, other.damaged, other.restocked
	return i == other
}

// orderContents are the values of an order's row that an edit changes, beside its lines.
type orderContents struct {
	customerID, name, phone, email                    string
	signedIn                                          bool
	line1, line2, area, city, postcode, country, note string
	deliveryChargeID, deliveryName, couponID, coupon  string
	subtotal, discount, deliveryCharge, staffDiscount int64
	discountReason                                    string
	quantityDiscount, advance                         int64
	discounts                                         string
}

func (o *orderRow) contents() orderContents {
	return orderContents{
		customerID: db.TextOf(o.customerID), name: o.name, phone: o.phone, email: db.TextOf(o.email), signedIn: o.signedIn,
		line1: o.line1, line2: o.line2, area: o.area, city: o.city, postcode: o.postcode, country: o.country, note: o.note,
		deliveryChargeID: o.deliveryChargeID, deliveryName: o.deliveryName, couponID: db.TextOf(o.couponID), coupon: db.TextOf(o.couponCode),
		subtotal: o.subtotal, discount: o.discount, deliveryCharge: o.deliveryCharge, staffDiscount: o.staffDiscount,
		discountReason: o.discountReason, quantityDiscount: o.quantityDiscount, advance: o.advance,
		discounts: db.TextOf(o.discounts),
	}
}

// couponDiscount returns the part of the order's discount by its coupon.
func (o *orderRow) couponDiscount() int64 {
	return o.discount - o.staffDiscount - o.automaticDiscount - o.quantityDiscount
}

// orderEventRow is a timeline entry. Everyone who knows the invoice UID can read its message, so it
// must not contain personal data.
type orderEventRow struct {
	id      string
	kind    TimelineType
	message string
	detail  string // replaces the message for readers of the whole order; "" means none
	cause   Cause
	by      string // the staff member or program, as stored; "" unless the cause is ByStaff
	at      int64
}

// orderView is the access of a reader to an order.
type orderView int

const (
	viewMasked orderView = iota // knows the invoice UID only
	viewWhole                   // has the order token
	viewOwner                   // is the account that placed the order
	viewStaff                   // is a staff member
)

// view returns the order as this reader may see it.
func (o *orderRow) view(shown Display, as orderView) Order {
	sums := o.amounts()
	order := Order{
		ID: o.id, InvoiceUID: o.id, OrderNumber: o.number,
		Status: o.status, PaymentStatus: o.payment, FulfillmentStatus: o.fulfillment,
		Items:    itemViews(o.items, shown),
		Subtotal: shown.Money(o.subtotal), Discount: shown.Money(o.discount), DeliveryCharge: shown.Money(o.deliveryCharge),
		QuantityDiscount: shown.Money(o.quantityDiscount), Discounts: o.appliedViews(shown.Currency),
		Rounding: shown.Money(o.rounding), Total: shown.Money(o.total),
		Credits: o.creditViews(shown.Currency), ReturnedAmount: shown.Money(sums.returned),
		Paid: shown.Money(sums.paid), Refunded: shown.Money(sums.refunded), Due: shown.Money(sums.due),
		Customer: Customer{Name: o.name, PhoneNumber: o.phone, Email: o.email},
		ShippingAddress: Address{
			Line1: db.NullText(o.line1), Line2: db.NullText(o.line2), Area: db.NullText(o.area), City: o.city,
			Postcode: db.NullText(o.postcode), Country: db.NullText(o.country),
		},
		Note:      db.NullText(o.note),
		Payment:   o.paymentView(shown.Currency),
		Advance:   o.advanceView(shown),
		Shipments: make([]Shipment, len(o.shipments)),
		Timeline:  o.timeline(as),
		Test:      o.test != 0,
		Language:  o.language,
		PlacedAt:  db.FromMillis(o.placedAt),
	}
	if o.couponCode != nil {
		order.Coupon = &UsedCoupon{Code: *o.couponCode, Discount: shown.Money(o.couponDiscount())}
	}
	if o.deliveryChargeID != "" {
		order.Delivery = &Delivery{ID: o.deliveryChargeID, Name: o.deliveryName}
	}
	for i, shipment := range o.shipments {
		order.Shipments[i] = shipment.view()
	}
	order.CancelBlocked = db.NullText(o.cancelBlocked(as))
	order.Cancellable = order.CancelBlocked == nil
	if as == viewMasked {
		order.mask()
	}
	return order
}

// paymentView returns the payment with the redirect URL and the error of its newest attempt. An
// order that cannot be paid online shows no redirect URL, because its attempts may still be open at
// their gateways.
func (o *orderRow) paymentView(currency money.Currency) Payment {
	payment := Payment{
		Method: o.method, Status: o.payment, Attempts: make([]PaymentAttempt, len(o.attempts)), RefundedAmount: currency.Money(o.refunded),
	}
	for i, a := range o.attempts {
		payment.Attempts[i] = a.view(currency)
		if o.paymentBlocked() != "" {
			payment.Attempts[i].RedirectURL = nil
		}
		if o.method != status.PayCOD || a.advance {
			payment.RedirectURL, payment.ErrorCode = payment.Attempts[i].RedirectURL, payment.Attempts[i].ErrorCode
		}
	}
	return payment
}

func itemViews(items []orderItemRow, shown Display) []Item {
	views := make([]Item, len(items))
	for i, item := range items {
		views[i] = Item{
			ProductID: item.productID, VariantID: item.variantID, Title: item.title,
			VariantTitle: db.NullText(item.variantTitle), SKU: db.NullText(item.sku), ImageURL: db.NullText(shown.Media.ResolveThumbnail(item.imageURL)),
			Quantity: item.quantity, UnitPrice: shown.Money(item.unitPrice), Discount: shown.Money(item.discount),
			QuantityDiscount: shown.Money(item.quantityDiscount), Total: shown.Money(item.amount()),
		}
	}
	return views
}

// appendTimeline adds a timeline entry to the row without saving it. Its ID sorts by the time of
// recording. This orders the events of one second, because couriers' clocks have no finer
// resolution.
func (s *Orders) appendTimeline(o *orderRow, e orderEventRow) orderEventRow {
	e.id = s.ids.Next(s.now())
	if e.cause != ByStaff {
		e.by = ""
	}
	o.events = append(o.events, e)
	return e
}
