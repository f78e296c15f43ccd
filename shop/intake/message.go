// Package intake reads an order out of a message in which a buyer orders by chat, which staff paste
// into a form: digits of any script, a phone number of the shop's country, quantities, a name and
// an address, in English and Bangla. It is pure: it must not know a shop, products or an order.
package intake

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/shop/district"
	"storefront/shop/input"
	"storefront/shop/phone"
)

// Parser parses messages of the buyers of one shop. Every field is required.
type Parser struct {
	Country       string // ISO 3166, of the shop
	MaxQuantities int    // of one message
	MaxQuantity   int    // of one product
	MaxText       int    // characters of an address, or of the words around a quantity
}

// Order is what a message says about an order. A text that the message does not have is "".
type Order struct {
	Name       string
	Phone      string // E.164
	Address    string
	City       string
	Postcode   string
	Quantities []Quantity
}

// Quantity is a quantity in a message, with the words around it.
type Quantity struct {
	Quantity int    `json:"quantity"`
	Text     string `json:"text"     doc:"The rest of its line, such as a product's title"`
}

// Parse parses a message in NFC. The address is the rest beside phone number, quantities and name.
func (p Parser) Parse(text string) Order {
	text = foldDigits(text)
	if line, ok := theOnlyLine(text); ok {
		if label, _ := splitLabel(line); label != "" {
			text = inlineLabelPattern.ReplaceAllString(line, "\n$1:")
		} else if order, ok := p.parseLine(line); ok {
			return order
		}
	}
	r := reader{Parser: p}
	for line := range strings.Lines(text) {
		r.readLine(tidyLine(line))
	}
	r.setAddress()
	return r.Order
}

// reader reads the lines of one message.
type reader struct {
	Parser
	Order
	rest []string // that is the address
}

// readLine reads one line, which may have a label.
func (r *reader) readLine(line string) {
	label, value := splitLabel(line)
	if r.Phone == "" {
		if number, without, ok := findPhone(value, r.Country); ok {
			r.Phone, value = number, tidyLine(without)
		}
	}
	switch {
	case value == "" || label == "phone" || label == "" && withoutGreeting(value) == "":
	case label == "name":
		r.Name = input.Cut(value, input.MaxName)
	case label == "address":
		r.rest = append(r.rest, value)
	case r.readQuantities(value, label == "quantity"):
	case r.Name == "" && len(r.rest) == 0 && looksLikeName(withoutGreeting(value)):
		r.Name = input.Cut(withoutGreeting(value), input.MaxName)
	default:
		r.rest = append(r.rest, value)
	}
}

// readQuantities adds the quantities of a line, and reports whether it has any. With bare, a number
// alone counts.
func (r *reader) readQuantities(line string, bare bool) bool {
	goods := r.findGoods(line)
	if len(goods) > 0 && len(r.Quantities)+len(goods) <= r.MaxQuantities {
		r.Quantities = append(r.Quantities, goods...)
		return true
	}
	quantity, other, ok := r.findQuantity(line, bare)
	if !ok || len(r.Quantities) >= r.MaxQuantities {
		return false
	}
	r.addQuantity(quantity, requestPattern.ReplaceAllString(withoutGreeting(other), ""))
	return true
}

// addQuantity adds a quantity with the words around it.
func (r *reader) addQuantity(quantity int, text string) {
	r.Quantities = append(r.Quantities, Quantity{quantity, input.Cut(text, r.MaxText)})
}

// setAddress sets the address. A name at the beginning of a single line is split off.
func (r *reader) setAddress() {
	text := strings.Join(r.rest, ", ")
	if r.Name == "" {
		if first, others, ok := strings.Cut(text, ","); ok && looksLikeName(first) {
			r.Name, text = input.Cut(tidyLine(first), input.MaxName), tidyLine(others)
		}
	}
	r.Address = input.Cut(text, r.MaxText)
	if r.Country != "BD" {
		return
	}
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == '।' || c == '-' }) {
		if name, ok := district.Find(strings.TrimSpace(strings.TrimRight(part, " 0123456789"))); ok {
			r.City = name // the last one: an address ends with its district
		}
	}
	if r.City == "" {
		r.City, _ = findDistrict(text) // without commas
	}
	if line, postcode := cutDistrict(r.Address, r.City); line != "" {
		r.Address, r.Postcode = line, postcode
	}
}

// foldDigits replaces digits of all scripts by ASCII digits.
func foldDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if d, ok := phone.DigitValue(r); ok && r > unicode.MaxASCII {
			return rune('0' + d)
		}
		return r
	}, text)
}

// tidyLine returns a line with single spaces and without separators at its ends.
func tidyLine(line string) string {
	return strings.Trim(strings.Join(strings.Fields(line), " "), " ,;:।-–*•")
}

// looksLikeName reports whether a line can be a person's name: one to five words without digits.
func looksLikeName(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || strings.ContainsAny(line, ",/#0123456789") ||
		utf8.RuneCountInString(line) > input.MaxName {
		return false
	}
	if _, ok := district.Find(line); ok {
		return false
	}
	return len(strings.Fields(line)) <= 5
}
