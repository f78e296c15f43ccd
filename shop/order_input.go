package shop

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// Longest and largest inputs of an order, in characters where they are texts.
const (
	MaxOrderLines  = 100
	MaxQuantity    = 100_000 // of one line
	MaxAddressLine = 200
	MaxCity        = 100
	MaxPostcode    = 20
	MaxNote        = 1000
	MaxCouponCode  = 64
)

// OrderInput is what a buyer sends to quote or to place an order.
type OrderInput struct {
	Items            []OrderItemInput    `json:"items" minItems:"1" maxItems:"100" nullable:"false"`
	Customer         *OrderCustomerInput `json:"customer,omitempty" doc:"May be left out when signed in; overrides the account for this order"`
	ShippingAddress  *Address            `json:"shippingAddress,omitempty" doc:"May be left out when the account has a default address"`
	DeliveryChargeID *string             `json:"deliveryChargeId,omitempty" doc:"Chosen by the address when left out"`
	CouponCode       *string             `json:"couponCode,omitempty"`
	PaymentMethod    *PaymentMethod      `json:"paymentMethod,omitempty" enum:"cod,gateway_a,gateway_b" default:"cod"`
	Note             *string             `json:"note,omitempty"`
	ExpectedTotal    *int64              `json:"expectedTotal,omitempty" doc:"Minor units; another total is refused with price_changed"`
}

// OrderItemInput is one line that a buyer wants. Lines of the same variant become one.
type OrderItemInput struct {
	ProductID string  `json:"productId"`
	VariantID *string `json:"variantId,omitempty" doc:"May be left out where the product has one variant"`
	Quantity  int     `json:"quantity" minimum:"1"`
}

// OrderCustomerInput is who orders.
type OrderCustomerInput struct {
	Name        *string `json:"name,omitempty"`
	PhoneNumber *string `json:"phoneNumber,omitempty" doc:"As people type it; the shop's country is assumed"`
	Email       *string `json:"email,omitempty"`
}

// orderRequest is an OrderInput whose every part obeys the rules that need no row of the file.
// Parts that the account may fill in are empty where the input left them out.
type orderRequest struct {
	items            []OrderItemInput
	name, phone      string
	email            *string
	address          *Address
	deliveryChargeID string
	couponCode       string
	method           PaymentMethod
	note             string
	expectedTotal    *int64
}

// check gives the input as the domain reads it. country is the shop's.
func (in OrderInput) check(country string) (orderRequest, error) {
	var bad fault.Invalid
	req := orderRequest{items: in.Items, method: PayCOD, expectedTotal: in.ExpectedTotal}
	checkItems(&bad, in.Items)
	if c := in.Customer; c != nil {
		if !input.IsBlank(c.Name) {
			req.name = input.CheckName(&bad, "customer.name", *c.Name)
		}
		req.phone = db.TextOf(input.CheckPhone(&bad, "customer.phoneNumber", c.PhoneNumber, country))
		req.email = input.CheckEmail(&bad, "customer.email", c.Email)
	}
	if in.ShippingAddress != nil {
		address := checkAddress(&bad, "shippingAddress", *in.ShippingAddress, country)
		req.address = &address
	}
	req.deliveryChargeID = strings.TrimSpace(db.TextOf(in.DeliveryChargeID))
	req.couponCode = input.CheckLine(&bad, "couponCode", db.TextOf(in.CouponCode), MaxCouponCode)
	if in.PaymentMethod != nil && *in.PaymentMethod != "" {
		req.method = *in.PaymentMethod
	}
	switch req.method {
	case PayCOD, PayGatewayA, PayGatewayB:
	default:
		bad.Add("paymentMethod", fault.CodeInvalidValue, "The payment method is %s, %s or %s.", PayCOD, PayGatewayA, PayGatewayB)
	}
	req.note = input.CheckNote(&bad, "note", db.TextOf(in.Note), MaxNote)
	if in.ExpectedTotal != nil && *in.ExpectedTotal < 0 {
		bad.Add("expectedTotal", fault.CodeInvalidValue, "A total is not negative.")
	}
	return req, bad.Err()
}

func checkItems(bad *fault.Invalid, items []OrderItemInput) {
	if len(items) == 0 {
		bad.Add("items", fault.CodeRequired, "Name at least one product.")
	}
	if len(items) > MaxOrderLines {
		bad.Add("items", fault.CodeInvalidValue, "An order has at most %d lines.", MaxOrderLines)
		return
	}
	for i, item := range items {
		if item.ProductID == "" {
			bad.Add(itemField(i, "productId"), fault.CodeRequired, "Name the product.")
		}
		if item.Quantity < 1 || item.Quantity > MaxQuantity {
			bad.Add(itemField(i, "quantity"), fault.CodeInvalidValue, "A quantity is 1 to %d.", MaxQuantity)
		}
	}
}

func itemField(i int, name string) string { return fmt.Sprintf("items[%d].%s", i, name) }

// fill takes from the account what the input left out.
func (r *orderRequest) fill(account customerRow, defaultAddress *Address, country string) {
	if r.name == "" {
		r.name = account.name
	}
	if r.phone == "" {
		r.phone = db.TextOf(account.phone)
	}
	if r.email == nil {
		r.email = account.email
	}
	if r.address == nil && defaultAddress != nil {
		address := *defaultAddress
		if address.Country == nil {
			address.Country = &country
		}
		r.address = &address
	}
}

// complete reports what an order can not be placed without. A quote needs none of it.
func (r *orderRequest) complete() error {
	var bad fault.Invalid
	if r.phone == "" {
		bad.Add("customer.phoneNumber", fault.CodePhoneRequired, "Give a phone number for the delivery.")
	}
	if r.name == "" {
		bad.Add("customer.name", fault.CodeRequired, "Give a name for the delivery.")
	}
	if r.address == nil {
		bad.Add("shippingAddress", fault.CodeRequired, "Give the address that the order goes to.")
	}
	if len(bad) > 0 && r.phone == "" {
		return &fault.Error{Code: fault.CodePhoneRequired, Message: bad[0].Message, Fields: bad}
	}
	return bad.Err()
}
