package courierb

import (
	"fmt"
	"regexp"
	"strings"

	"storefront/shop"
)

// The courier's bounds, in characters. Longer texts it would cut itself.
const (
	maxName    = 100
	maxAddress = 250
	maxNote    = 480
	maxTitle   = 255
	maxCash    = 1_000_000 // taka
)

var mobile = regexp.MustCompile(`^\+880(1[3-9]\d{8})$`)

// order is the courier's form of a parcel.
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

func newOrder(parcel shop.ShipmentRequest) (order, error) {
	refuse := func(format string, args ...any) (order, error) {
		return order{}, fmt.Errorf("%w beforehand: %s", shop.ErrCourierRefused, fmt.Sprintf(format, args...))
	}
	phone := mobile.FindStringSubmatch(parcel.Phone)
	if phone == nil {
		return refuse("it delivers to mobile numbers of Bangladesh only")
	}
	if parcel.Money.Code != "BDT" || parcel.Cash%100 != 0 || parcel.Cash/100 > maxCash {
		return refuse("it collects whole taka only, up to %d", maxCash)
	}
	return order{
		Invoice: parcel.Ref, Name: clean(parcel.Name, maxName), Phone: "0" + phone[1], Address: clean(parcel.Address, maxAddress),
		Cash: parcel.Cash / 100, Note: clean(parcel.Note, maxNote), Title: clean(parcel.Title, maxTitle), Items: parcel.Items,
	}, nil
}

// strippedCharacters are the characters that the courier takes out.
var strippedCharacters = strings.NewReplacer("{", " ", "}", " ", ";", " ", "<", " ", ">", " ")

func clean(text string, most int) string {
	text = strings.TrimSpace(strippedCharacters.Replace(text))
	if runes := []rune(text); len(runes) > most {
		return strings.TrimSpace(string(runes[:most]))
	}
	return text
}
