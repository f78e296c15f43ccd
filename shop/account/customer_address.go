package account

import (
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// Longest parts of an address, in characters.
const (
	MaxAddressLine = 200
	MaxCity        = 100
	MaxPostcode    = 20
)

// CheckAddress checks an address and returns it as stored. country is used if the input has none.
func CheckAddress(bad *fault.Invalid, field string, in Address, country string) Address {
	text := func(name string, value *string, limit int) *string {
		return db.NullText(input.CheckLine(bad, field+"."+name, db.TextOf(value), limit))
	}
	address := Address{
		Line1:    input.CheckLine(bad, field+".line1", in.Line1, MaxAddressLine),
		Line2:    text("line2", in.Line2, MaxAddressLine),
		Area:     text("area", in.Area, MaxCity),
		City:     input.CheckLine(bad, field+".city", in.City, MaxCity),
		Postcode: text("postcode", in.Postcode, MaxPostcode),
		Country:  &country,
	}
	if address.Line1 == "" {
		bad.Add(field+".line1", fault.CodeRequired, "The house and street are required.")
	}
	if address.City == "" {
		bad.Add(field+".city", fault.CodeRequired, "The city is required.")
	}
	if !input.IsBlank(in.Country) {
		code := strings.ToUpper(strings.TrimSpace(*in.Country))
		if !input.IsCountry(code) {
			bad.Add(field+".country", fault.CodeInvalidValue, "The country must be an ISO 3166 code of two letters, such as BD.")
		}
		address.Country = &code
	}
	return address
}
