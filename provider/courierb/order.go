package courierb

import (
	"fmt"
	"regexp"
	"strings"

	"storefront/shop/input"
	"storefront/shop/plugin"
)

// Limits of the courier's API. It truncates longer texts itself.
const (
	maxName    = 100 // characters
	maxAddress = 250
	maxNote    = 480
	maxTitle   = 255
	maxCash    = 1_000_000 // taka
)

var mobile = regexp.MustCompile(`^\+880(1[3-9]\d{8})$`)

// order is the body of the courier's order request.
type order struct {
	Invoice string `json:"invoice"`
	Name    string `json:"recipient_name"`
	Phone   string `json:"recipient_phone"`
	Address string `json:"recipient_address"`
	Cash    int64  `json:"cod_amount"`
	Note    string `json:"note,omitempty"`
	Title   string `json:"item_description,omitempty"`
	Items   int    `json:"total_lot,omitempty"`
}

// newOrder returns the order request for shipment. It returns [plugin.ErrCourierRefused] if the
// courier would reject the request.
func newOrder(shipment plugin.ShipmentRequest) (order, error) {
	if err := plugin.RefuseShipment(refusals(shipment)); err != nil {
		return order{}, err
	}
	phone := mobile.FindStringSubmatch(shipment.Phone)
	return order{
		Invoice: shipment.Ref, Name: input.Shorten(clean(shipment.Name), maxName), Phone: "0" + phone[1],
		Address: address(shipment).Shorten(maxAddress), Cash: shipment.Cash / 100,
		Note: input.Shorten(clean(shipment.Note), maxNote), Title: input.Shorten(clean(shipment.Title), maxTitle),
		Items: shipment.Items,
	}, nil
}

// address returns the address with the police station. The courier sorts shipments by it, but its
// requests have no field for it.
func address(shipment plugin.ShipmentRequest) plugin.ShipmentAddress {
	place := plugin.JoinText(clean(shipment.Address.Place), clean(shipment.Station))
	return plugin.ShipmentAddress{Way: clean(shipment.Address.Way), Place: place}
}

// refusals returns the reasons for which the courier would refuse a shipment.
func refusals(shipment plugin.ShipmentRequest) (problems []plugin.ShipmentProblem) {
	refuse := func(field, format string, args ...any) {
		problems = append(problems, plugin.ShipmentProblem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if !mobile.MatchString(shipment.Phone) {
		refuse("customer.phoneNumber", "the phone number must be a mobile number of Bangladesh")
	}
	if shipment.Currency.Code != "BDT" || shipment.Cash%100 != 0 || shipment.Cash/100 > maxCash {
		refuse("total", "the cash to collect must be in whole taka, at most %d", maxCash)
	}
	if !plugin.HasLetters(clean(shipment.Name)) {
		refuse("customer.name", "the name must have letters: the courier removes the signs { } ; < >")
	}
	switch to := address(shipment); {
	case to.String() == "":
		refuse("shippingAddress", "the address must have letters: the courier removes the signs { } ; < >")
	case !to.Fits(maxAddress):
		refuse("shippingAddress", "area, city, postcode and police station are too long for the courier's %d characters", maxAddress)
	}
	return problems
}

// strippedCharacters replaces the characters that the courier strips.
var strippedCharacters = strings.NewReplacer("{", " ", "}", " ", ";", " ", "<", " ", ">", " ")

// clean returns text without the characters that the courier strips.
func clean(text string) string {
	return strings.TrimSpace(strippedCharacters.Replace(text))
}
