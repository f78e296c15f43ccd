package graphql

import (
	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

type orderResolver struct {
	ID                  ID
	InvoiceUID          string
	OrderNumber         Long
	Status              status.Order
	PaymentStatus       status.Payment
	FulfillmentStatus   status.Fulfillment
	Items               []orderItem
	Subtotal            moneyValue
	Discount            moneyValue
	QuantityDiscount    moneyValue
	Discounts           []appliedDiscount
	DeliveryCharge      moneyValue
	Rounding            moneyValue
	Total               moneyValue
	Credits             []orderCredit
	ReturnedAmount      moneyValue
	Paid                moneyValue
	Refunded            moneyValue
	Due                 moneyValue
	Coupon              *orderCoupon
	Delivery            *orderDelivery
	Customer            order.Customer
	ShippingAddress     order.Address
	Note                *string
	Payment             orderPayment
	Advance             *orderAdvance
	Shipments           []shipment
	Timeline            []timelineEntry
	Cancellable         bool
	CancelBlockedReason *string
	Test                bool
	PlacedAt            graphqlgo.Time
	OrderToken          *string
}

func newOrder(o *order.Order) orderResolver {
	return orderResolver{
		ID: ID(o.ID), InvoiceUID: o.InvoiceUID, OrderNumber: Long(o.OrderNumber),
		Status: o.Status, PaymentStatus: o.PaymentStatus, FulfillmentStatus: o.FulfillmentStatus,
		Items: convert(o.Items, newOrderItem), Subtotal: newMoney(&o.Subtotal), Discount: newMoney(&o.Discount),
		QuantityDiscount: newMoney(&o.QuantityDiscount), Discounts: convert(o.Discounts, newAppliedDiscount),
		DeliveryCharge: newMoney(&o.DeliveryCharge), Rounding: newMoney(&o.Rounding), Total: newMoney(&o.Total),
		Credits: convert(o.Credits, newOrderCredit), ReturnedAmount: newMoney(&o.ReturnedAmount),
		Paid: newMoney(&o.Paid), Refunded: newMoney(&o.Refunded), Due: newMoney(&o.Due),
		Coupon: convertNull(o.Coupon, newOrderCoupon), Delivery: convertNull(o.Delivery, newOrderDelivery),
		Customer: o.Customer, ShippingAddress: o.ShippingAddress, Note: o.Note,
		Payment: newOrderPayment(&o.Payment), Advance: convertNull(o.Advance, newOrderAdvance),
		Shipments: convert(o.Shipments, newShipment), Timeline: convert(o.Timeline, newTimelineEntry),
		Cancellable: o.Cancellable, CancelBlockedReason: o.CancelBlocked, Test: o.Test, PlacedAt: newTime(o.PlacedAt),
	}
}

type advanceTerms struct {
	Amount moneyValue
	Reason order.AdvanceReason
}

func newAdvanceTerms(a *order.AdvanceTerms) advanceTerms {
	return advanceTerms{Amount: newMoney(&a.Amount), Reason: a.Reason}
}

type orderAdvance struct {
	Amount   moneyValue
	Reason   order.AdvanceReason
	Received moneyValue
	Due      moneyValue
	Wallets  []wallet
	Payments []walletPayment
}

func newOrderAdvance(a *order.OrderAdvance) orderAdvance {
	return orderAdvance{
		Amount: newMoney(&a.Amount), Reason: a.Reason, Received: newMoney(&a.Received), Due: newMoney(&a.Due),
		Wallets: convert(a.Wallets, newWallet), Payments: convert(a.Payments, newWalletPayment),
	}
}

type wallet struct {
	ID     ID
	Method order.AdvanceMethod
	Kind   order.WalletKind
	Number string
	Note   string
}

func newWallet(w *order.Wallet) wallet {
	return wallet{ID: ID(w.ID), Method: w.Method, Kind: w.Kind, Number: w.Number, Note: w.Note}
}

type walletPayment struct {
	ID            ID
	Method        order.AdvanceMethod
	Number        string
	Sender        string
	TransactionID ID
	Amount        moneyValue
	Status        order.WalletStatus
	Refusal       *string
	CreatedAt     graphqlgo.Time
}

func newWalletPayment(p *order.WalletPayment) walletPayment {
	return walletPayment{
		ID: ID(p.ID), Method: p.Method, Number: p.Number, Sender: p.Sender, TransactionID: ID(p.TransactionID), Amount: newMoney(&p.Amount),
		Status: p.Status, Refusal: p.Refusal, CreatedAt: newTime(p.CreatedAt),
	}
}

type orderItem struct {
	ProductID        ID
	VariantID        ID
	Title            string
	VariantTitle     *string
	SKU              *string
	ImageURL         *string
	Quantity         int32
	UnitPrice        moneyValue
	Discount         moneyValue
	QuantityDiscount moneyValue
	Total            moneyValue
}

func newOrderItem(i *order.Item) orderItem {
	return orderItem{
		ProductID: ID(i.ProductID), VariantID: ID(i.VariantID), Title: i.Title, VariantTitle: i.VariantTitle, SKU: i.SKU,
		ImageURL: i.ImageURL, Quantity: toInt(i.Quantity),
		UnitPrice: newMoney(&i.UnitPrice), Discount: newMoney(&i.Discount),
		QuantityDiscount: newMoney(&i.QuantityDiscount), Total: newMoney(&i.Total),
	}
}

type orderCredit struct {
	ID        *ID
	VariantID *ID
	Title     *string
	Quantity  int32
	Restocked int32
	Amount    moneyValue
	Reason    order.CreditReason
	At        graphqlgo.Time
}

func newOrderCredit(c *order.Credit) orderCredit {
	view := orderCredit{
		Title: c.Title, Quantity: toInt(c.Quantity), Restocked: toInt(c.Restocked), Amount: newMoney(&c.Amount), Reason: c.Reason,
		At: newTime(c.At),
	}
	if c.ID != nil {
		view.ID = new(ID(*c.ID))
	}
	if c.VariantID != nil {
		view.VariantID = new(ID(*c.VariantID))
	}
	return view
}

type orderCoupon struct {
	Code     string
	Discount moneyValue
}

func newOrderCoupon(c *order.UsedCoupon) orderCoupon {
	return orderCoupon{Code: c.Code, Discount: newMoney(&c.Discount)}
}

type orderDelivery struct {
	ID   ID
	Name string
}

func newOrderDelivery(d *order.Delivery) orderDelivery {
	return orderDelivery{ID: ID(d.ID), Name: d.Name}
}

type orderPayment struct {
	Method      status.PaymentMethod
	Status      status.Payment
	RedirectURL *string
	ErrorCode   *order.PaymentErrorCode
	Attempts    []paymentAttempt

	RefundedAmount moneyValue
}

func newOrderPayment(p *order.Payment) orderPayment {
	return orderPayment{
		Method: p.Method, Status: p.Status, RedirectURL: p.RedirectURL, ErrorCode: p.ErrorCode,
		Attempts: convert(p.Attempts, newPaymentAttempt), RefundedAmount: newMoney(&p.RefundedAmount),
	}
}

type paymentAttempt struct {
	ID          ID
	Method      status.PaymentMethod
	Status      status.Attempt
	Amount      moneyValue
	RedirectURL *string
	ErrorCode   *order.PaymentErrorCode
	CreatedAt   graphqlgo.Time

	RefundedAmount moneyValue
}

func newPaymentAttempt(a *order.PaymentAttempt) paymentAttempt {
	return paymentAttempt{
		ID: ID(a.ID), Method: a.Method, Status: a.Status, Amount: newMoney(&a.Amount),
		RedirectURL: a.RedirectURL, ErrorCode: a.ErrorCode, CreatedAt: newTime(a.CreatedAt), RefundedAmount: newMoney(&a.RefundedAmount),
	}
}

type shipment struct {
	Provider      plugin.Provider
	ConsignmentID *string
	TrackingCode  *string
	Status        status.Shipment
	UpdatedAt     graphqlgo.Time
}

func newShipment(s *order.Shipment) shipment {
	return shipment{
		Provider: s.Provider, ConsignmentID: s.ConsignmentID, TrackingCode: s.TrackingCode,
		Status: s.Status, UpdatedAt: newTime(s.UpdatedAt),
	}
}

type timelineEntry struct {
	At      graphqlgo.Time
	Type    order.TimelineType
	Message string
	Cause   order.Cause
}

func newTimelineEntry(e *order.TimelineEntry) timelineEntry {
	return timelineEntry{At: newTime(e.At), Type: e.Type, Message: e.Message, Cause: e.Cause}
}
