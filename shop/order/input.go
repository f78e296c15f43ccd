package order

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/campaign"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/status"
)

// Limits of order inputs. Texts are limited in characters.
const (
	MaxLines      = 100
	MaxQuantity   = 100_000 // of one order line
	MaxNote       = 1000
	MaxCouponCode = 64
)

// Input is the input for quoting or placing an order.
type Input struct {
	Items            []ItemInput           `json:"items" minItems:"1" maxItems:"100" nullable:"false"`
	Customer         *CustomerInput        `json:"customer,omitempty" doc:"Optional when signed in; overrides the account for this order"`
	ShippingAddress  *account.Address      `json:"shippingAddress,omitempty" doc:"Optional if the account has a default address"`
	DeliveryChargeID *string               `json:"deliveryChargeId,omitempty" doc:"Defaults to the only delivery charge for the address"`
	CouponCode       *string               `json:"couponCode,omitempty"`
	PaymentMethod    *status.PaymentMethod `json:"paymentMethod,omitempty" enum:"cod,gateway_a,gateway_b" default:"cod"`
	Note             *string               `json:"note,omitempty"`
	ExpectedTotal    *int64                `json:"expectedTotal,omitempty" doc:"Minor units; another total is refused with price_changed"`
	ExpectedAdvance  *int64                `json:"expectedAdvance,omitempty" doc:"Minor units; a larger advance is refused with price_changed"`
	ReplacesOrderID  *string               `json:"replacesOrderId,omitempty" doc:"Invoice UID of an unpaid order of the caller, which is then cancelled"`
	// Attribution may differ between two requests with the same idempotency key.
	Attribution *campaign.AttributionInput `json:"attribution,omitempty" doc:"The advertisements that led the buyer here, for the report by campaign"`
}

// ItemInput is one requested order line. Lines of the same variant are merged.
type ItemInput struct {
	ProductID string  `json:"productId"`
	VariantID *string `json:"variantId,omitempty" doc:"Optional if the product has only one variant"`
	Quantity  int     `json:"quantity" minimum:"1"`
}

// CustomerInput is the buyer of an order.
type CustomerInput struct {
	Name        *string `json:"name,omitempty"`
	PhoneNumber *string `json:"phoneNumber,omitempty" doc:"In any common notation; the shop's country is assumed"`
	Email       *string `json:"email,omitempty"`
}

// orderRequest is an Input that passed all checks without a database. Omitted parts that the
// account may fill in are empty.
type orderRequest struct {
	items            []ItemInput
	name, phone      string
	email            *string
	address          *account.Address
	deliveryChargeID string
	couponCode       string
	method           status.PaymentMethod
	note             string
	expectedTotal    *int64
	expectedAdvance  *int64
	attribution      *campaign.AttributionInput // as it was sent
}

// check validates and cleans the input. country is the shop's ISO 3166 code.
func (in Input) check(country string) (orderRequest, error) {
	var bad fault.Invalid
	checkItems(&bad, in.Items)
	req := in.checkParts(&bad, country)
	return req, bad.Err()
}

// checkParts validates and cleans all but the items.
func (in Input) checkParts(bad *fault.Invalid, country string) orderRequest {
	req := orderRequest{
		items: in.Items, method: status.PayCOD, expectedTotal: in.ExpectedTotal, expectedAdvance: in.ExpectedAdvance, attribution: in.Attribution,
	}
	if c := in.Customer; c != nil {
		if !input.IsBlank(c.Name) {
			req.name = input.CheckName(bad, "customer.name", *c.Name)
		}
		req.phone = db.TextOf(input.CheckPhone(bad, "customer.phoneNumber", c.PhoneNumber, country))
		req.email = input.CheckEmail(bad, "customer.email", c.Email)
	}
	if in.ShippingAddress != nil {
		address := account.CheckAddress(bad, "shippingAddress", *in.ShippingAddress, country)
		req.address = &address
	}
	req.deliveryChargeID = strings.TrimSpace(db.TextOf(in.DeliveryChargeID))
	req.couponCode = input.CheckLine(bad, "couponCode", db.TextOf(in.CouponCode), MaxCouponCode)
	if in.PaymentMethod != nil && *in.PaymentMethod != "" {
		req.method = *in.PaymentMethod
	}
	switch req.method {
	case status.PayCOD, status.PayGatewayA, status.PayGatewayB:
	default:
		bad.Add("paymentMethod", fault.CodeInvalidValue, "The payment method must be %s, %s or %s.", status.PayCOD, status.PayGatewayA, status.PayGatewayB)
	}
	req.note = input.CheckNote(bad, "note", db.TextOf(in.Note), MaxNote)
	if in.ExpectedTotal != nil && *in.ExpectedTotal < 0 {
		bad.Add("expectedTotal", fault.CodeInvalidValue, "The expected total must not be negative.")
	}
	if in.ExpectedAdvance != nil && *in.ExpectedAdvance < 0 {
		bad.Add("expectedAdvance", fault.CodeInvalidValue, "The expected advance must not be negative.")
	}
	return req
}

func checkItems(bad *fault.Invalid, items []ItemInput) {
	if len(items) == 0 {
		bad.Add("items", fault.CodeRequired, "At least one item is required.")
	}
	if len(items) > MaxLines {
		bad.Add("items", fault.CodeInvalidValue, "An order must have at most %d items.", MaxLines)
		return
	}
	for i, item := range items {
		if item.ProductID == "" {
			bad.Add(itemField(i, "productId"), fault.CodeRequired, "A product ID is required.")
		}
		if item.Quantity < 1 || item.Quantity > MaxQuantity {
			bad.Add(itemField(i, "quantity"), fault.CodeInvalidValue, "The quantity must be 1 to %d.", MaxQuantity)
		}
	}
}

func itemField(i int, name string) string { return fmt.Sprintf("items[%d].%s", i, name) }

// fill sets the omitted parts from the account.
func (r *orderRequest) fill(customer account.Account, defaultAddress *account.Address, country string) {
	if r.name == "" {
		r.name = customer.Name()
	}
	if r.phone == "" {
		r.phone = db.TextOf(customer.Phone())
	}
	if r.email == nil {
		r.email = customer.Email()
	}
	if r.address == nil && defaultAddress != nil {
		address := *defaultAddress
		if address.Country == nil {
			address.Country = &country
		}
		r.address = &address
	}
}

// complete checks the parts that are required to place an order, but not to quote it.
func (r *orderRequest) complete() error {
	var bad fault.Invalid
	if r.phone == "" {
		bad.Add("customer.phoneNumber", fault.CodePhoneRequired, "A phone number is required for the delivery.")
	}
	if r.name == "" {
		bad.Add("customer.name", fault.CodeRequired, "A name is required for the delivery.")
	}
	if r.address == nil {
		bad.Add("shippingAddress", fault.CodeRequired, "A shipping address is required.")
	}
	if len(bad) > 0 && r.phone == "" {
		return &fault.Error{Code: fault.CodePhoneRequired, Message: bad[0].Message, Fields: bad}
	}
	return bad.Err()
}
