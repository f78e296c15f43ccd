package couriera

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"storefront/shop/input"
	"storefront/shop/plugin"
)

// Values and limits of the order request, as documented in Pathao's merchant panel.
const (
	deliveryNormal = 48
	itemParcel     = 2
	minGrams       = 500
	maxGrams       = 10_000
	minName        = 3 // characters
	maxName        = 100
	minAddress     = 10
	maxAddress     = 220
	maxText        = 250
)

var mobile = regexp.MustCompile(`^\+880(1[3-9]\d{8})$`)

// order is the body of the courier's order request. City, zone and area are omitted unless staff
// have chosen them: the courier derives them from the address. It rejects nulls.
type order struct {
	StoreID  json.Number `json:"store_id"`
	Ref      string      `json:"merchant_order_id"`
	Name     string      `json:"recipient_name"`
	Phone    string      `json:"recipient_phone"`
	Address  string      `json:"recipient_address"`
	City     int64       `json:"recipient_city,omitempty"`
	Zone     int64       `json:"recipient_zone,omitempty"`
	Area     int64       `json:"recipient_area,omitempty"`
	Delivery int         `json:"delivery_type"`
	Item     int         `json:"item_type"`
	Quantity int         `json:"item_quantity"`
	Weight   json.Number `json:"item_weight"` // kilograms
	Cash     int64       `json:"amount_to_collect"`
	Title    string      `json:"item_description,omitempty"`
	Note     string      `json:"special_instruction,omitempty"`
}

// newOrder returns the order request for shipment. It returns [plugin.ErrCourierRefused] if the
// courier would reject the request.
func newOrder(settings plugin.Settings, shipment plugin.ShipmentRequest) (order, error) {
	if err := plugin.RefuseShipment(refusals(shipment)); err != nil {
		return order{}, err
	}
	phone := mobile.FindStringSubmatch(shipment.Phone)
	return order{
		StoreID: json.Number(settings[keyStore]), Ref: shipment.Ref, Name: input.Shorten(shipment.Name, maxName), Phone: "0" + phone[1],
		Address: shipment.Address.Shorten(maxAddress),
		City:    shipment.Place.City, Zone: shipment.Place.Zone, Area: shipment.Place.Area,
		Delivery: deliveryNormal, Item: itemParcel, Quantity: max(shipment.Items, 1),
		Weight: kilograms(shipment.WeightGrams), Cash: shipment.Cash / 100, Title: input.Shorten(shipment.Title, maxText),
		Note: input.Shorten(shipment.Note, maxText),
	}, nil
}

// refusals returns the reasons for which the courier would refuse a shipment.
func refusals(shipment plugin.ShipmentRequest) (problems []plugin.ShipmentProblem) {
	refuse := func(field, format string, args ...any) {
		problems = append(problems, plugin.ShipmentProblem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if !mobile.MatchString(shipment.Phone) {
		refuse("customer.phoneNumber", "the phone number must be a mobile number of Bangladesh")
	}
	if shipment.Currency.Code != "BDT" || shipment.Cash%100 != 0 {
		refuse("total", "the cash to collect must be in whole taka")
	}
	switch {
	case utf8.RuneCountInString(shipment.Name) < minName:
		refuse("customer.name", "the name must have at least %d characters", minName)
	case !plugin.HasLetters(shipment.Name):
		refuse("customer.name", "the name must have letters")
	}
	switch {
	case utf8.RuneCountInString(shipment.Address.String()) < minAddress:
		refuse("shippingAddress", "the address must have at least %d characters", minAddress)
	case !shipment.Address.Fits(maxAddress):
		refuse("shippingAddress", "area, city and postcode are too long for the courier's %d characters", maxAddress)
	}
	return append(problems, weightRefusals(shipment)...)
}

func weightRefusals(shipment plugin.ShipmentRequest) []plugin.ShipmentProblem {
	if shipment.WeightGrams <= maxGrams {
		return nil
	}
	message := fmt.Sprintf("the shipment must not weigh more than %d kg", maxGrams/1000)
	return []plugin.ShipmentProblem{{Field: "weightGrams", Message: message}}
}

// kilograms converts a weight from grams. Weights below the courier's minimum become the minimum.
func kilograms(grams int64) json.Number {
	return json.Number(strconv.FormatFloat(float64(max(grams, minGrams))/1000, 'f', -1, 64))
}
