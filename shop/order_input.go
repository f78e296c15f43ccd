package shop

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
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
	var bad invalid
	req := orderRequest{items: in.Items, method: PayCOD, expectedTotal: in.ExpectedTotal}
	checkItems(&bad, in.Items)
	if c := in.Customer; c != nil {
		if !isBlank(c.Name) {
			req.name = checkName(&bad, "customer.name", *c.Name)
		}
		req.phone = deref(checkPhone(&bad, "customer.phoneNumber", c.PhoneNumber, country))
		req.email = checkEmail(&bad, "customer.email", c.Email)
	}
	if in.ShippingAddress != nil {
		address := checkAddress(&bad, "shippingAddress", *in.ShippingAddress, country)
		req.address = &address
	}
	req.deliveryChargeID = strings.TrimSpace(deref(in.DeliveryChargeID))
	req.couponCode = checkLine(&bad, "couponCode", deref(in.CouponCode), MaxCouponCode)
	if in.PaymentMethod != nil && *in.PaymentMethod != "" {
		req.method = *in.PaymentMethod
	}
	switch req.method {
	case PayCOD, PayGatewayA, PayGatewayB:
	default:
		bad.add("paymentMethod", CodeInvalidValue, "The payment method is %s, %s or %s.", PayCOD, PayGatewayA, PayGatewayB)
	}
	req.note = checkNote(&bad, "note", deref(in.Note))
	if in.ExpectedTotal != nil && *in.ExpectedTotal < 0 {
		bad.add("expectedTotal", CodeInvalidValue, "A total is not negative.")
	}
	return req, bad.err()
}

func checkItems(bad *invalid, items []OrderItemInput) {
	if len(items) == 0 {
		bad.add("items", CodeRequired, "Name at least one product.")
	}
	if len(items) > MaxOrderLines {
		bad.add("items", CodeInvalidValue, "An order has at most %d lines.", MaxOrderLines)
		return
	}
	for i, item := range items {
		if item.ProductID == "" {
			bad.add(itemField(i, "productId"), CodeRequired, "Name the product.")
		}
		if item.Quantity < 1 || item.Quantity > MaxQuantity {
			bad.add(itemField(i, "quantity"), CodeInvalidValue, "A quantity is 1 to %d.", MaxQuantity)
		}
	}
}

func itemField(i int, name string) string { return fmt.Sprintf("items[%d].%s", i, name) }

// checkAddress gives an address as it is kept. country stands in where none was sent.
func checkAddress(bad *invalid, field string, in Address, country string) Address {
	text := func(name string, value *string, limit int) *string {
		return nullable(checkLine(bad, field+"."+name, deref(value), limit))
	}
	address := Address{
		Line1:    checkLine(bad, field+".line1", in.Line1, MaxAddressLine),
		Line2:    text("line2", in.Line2, MaxAddressLine),
		Area:     text("area", in.Area, MaxCity),
		City:     checkLine(bad, field+".city", in.City, MaxCity),
		Postcode: text("postcode", in.Postcode, MaxPostcode),
		Country:  &country,
	}
	if address.Line1 == "" {
		bad.add(field+".line1", CodeRequired, "Give the house and street.")
	}
	if address.City == "" {
		bad.add(field+".city", CodeRequired, "Give the city.")
	}
	if !isBlank(in.Country) {
		code := strings.ToUpper(strings.TrimSpace(*in.Country))
		if !countryPattern.MatchString(code) {
			bad.add(field+".country", CodeInvalidValue, "A country is an ISO 3166 code of two letters such as BD.")
		}
		address.Country = &code
	}
	return address
}

// checkLine gives text of one line as it is kept: NFC, with single spaces.
func checkLine(bad *invalid, field, text string, limit int) string {
	line := strings.Join(strings.Fields(cleanText(text)), " ")
	checkText(bad, field, line, limit)
	return line
}

// checkNote gives text of several lines as it is kept.
func checkNote(bad *invalid, field, text string) string {
	note := strings.TrimSpace(strings.ReplaceAll(cleanText(text), "\r\n", "\n"))
	checkText(bad, field, note, MaxNote)
	return note
}

func checkText(bad *invalid, field, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		bad.add(field, CodeInvalidValue, "This is longer than %d characters.", limit)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		bad.add(field, CodeInvalidValue, "This has control characters.")
	}
}

// fill takes from the account what the input left out.
func (r *orderRequest) fill(account customerRow, defaultAddress *Address, country string) {
	if r.name == "" {
		r.name = account.name
	}
	if r.phone == "" {
		r.phone = deref(account.phone)
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
	var bad invalid
	if r.phone == "" {
		bad.add("customer.phoneNumber", CodePhoneRequired, "Give a phone number for the delivery.")
	}
	if r.name == "" {
		bad.add("customer.name", CodeRequired, "Give a name for the delivery.")
	}
	if r.address == nil {
		bad.add("shippingAddress", CodeRequired, "Give the address that the order goes to.")
	}
	if len(bad) > 0 && r.phone == "" {
		return &Error{Code: CodePhoneRequired, Message: bad[0].Message, Fields: bad}
	}
	return bad.err()
}
