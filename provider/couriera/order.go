package couriera

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"storefront/shop"
)

// The courier's numbers and bounds.
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

// order is the courier's form of a parcel. Its city, zone and area are left out: the courier finds
// them by the address, and takes no nulls.
type order struct {
	StoreID  json.Number `json:"store_id"`
	Ref      string      `json:"merchant_order_id"`
	Name     string      `json:"recipient_name"`
	Phone    string      `json:"recipient_phone"`
	Address  string      `json:"recipient_address"`
	Delivery int         `json:"delivery_type"`
	Item     int         `json:"item_type"`
	Quantity int         `json:"item_quantity"`
	Weight   json.Number `json:"item_weight"` // kilograms
	Cash     int64       `json:"amount_to_collect"`
	Title    string      `json:"item_description,omitempty"`
	Note     string      `json:"special_instruction,omitempty"`
}

func newOrder(settings shop.PluginSettings, parcel shop.ShipmentRequest) (order, error) {
	refuse := func(format string, args ...any) (order, error) {
		return order{}, fmt.Errorf("%w beforehand: %s", shop.ErrCourierRefused, fmt.Sprintf(format, args...))
	}
	phone := mobile.FindStringSubmatch(parcel.Phone)
	if phone == nil {
		return refuse("it delivers to mobile numbers of Bangladesh only")
	}
	if parcel.Money.Code != "BDT" || parcel.Cash%100 != 0 {
		return refuse("it collects whole taka only")
	}
	if utf8.RuneCountInString(parcel.Name) < minName {
		return refuse("it wants a name of at least %d characters", minName)
	}
	if utf8.RuneCountInString(parcel.Address) < minAddress {
		return refuse("it wants an address of at least %d characters", minAddress)
	}
	weight, err := kilograms(parcel.WeightGrams)
	if err != nil {
		return order{}, err
	}
	return order{
		StoreID: json.Number(settings[keyStore]), Ref: parcel.Ref, Name: cut(parcel.Name, maxName), Phone: "0" + phone[1],
		Address: cut(parcel.Address, maxAddress), Delivery: deliveryNormal, Item: itemParcel, Quantity: max(parcel.Items, 1),
		Weight: weight, Cash: parcel.Cash / 100, Title: cut(parcel.Title, maxText), Note: cut(parcel.Note, maxText),
	}, nil
}

// kilograms writes a weight within the courier's bounds.
func kilograms(grams int64) (json.Number, error) {
	if grams > maxGrams {
		return "", fmt.Errorf("%w beforehand: it carries up to %d kg in a parcel", shop.ErrCourierRefused, maxGrams/1000)
	}
	return json.Number(strconv.FormatFloat(float64(max(grams, minGrams))/1000, 'f', -1, 64)), nil
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return strings.TrimSpace(string(runes[:most]))
	}
	return text
}
