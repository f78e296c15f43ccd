package plugin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/shop/input"
)

// ShipmentAddress is the address of a shipment in two lines. Couriers sort shipments by the place,
// and limit the length of the whole.
type ShipmentAddress struct {
	Way   string // house, road and directions
	Place string // area, city and postcode
}

// String returns the address in one line.
func (a ShipmentAddress) String() string {
	return JoinText(a.Way, a.Place)
}

// minWay is the least number of characters of the way in a shortened address.
const minWay = 10

// Fits reports whether the address can be shortened to limit characters.
func (a ShipmentAddress) Fits(limit int) bool {
	whole := utf8.RuneCountInString(a.String())
	return whole <= limit || utf8.RuneCountInString(JoinText(a.Place, strings.Repeat("x", minWay))) <= limit
}

// Shorten returns the address in one line of at most limit characters, if it [ShipmentAddress.Fits]
// them. It cuts the way and never the place.
func (a ShipmentAddress) Shorten(limit int) string {
	if whole := a.String(); utf8.RuneCountInString(whole) <= limit {
		return whole
	}
	return JoinText(input.Shorten(a.Way, limit-utf8.RuneCountInString(JoinText("x", a.Place))+1), a.Place)
}

// JoinText joins the parts that are not empty with commas.
func JoinText(parts ...string) string {
	var filled []string
	for _, part := range parts {
		if part != "" {
			filled = append(filled, part)
		}
	}
	return strings.Join(filled, ", ")
}

// HasLetters reports whether a text has a letter or a digit in any script.
func HasLetters(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
