package shop

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// addDelivery adds the delivery charge. Delivery is free in a shop without delivery charges.
func (f *figures) addDelivery(set *cachedSettings, c cart) error {
	f.deliveryOptions = deliveryFor(set.DeliveryCharges, c.address)
	if len(set.DeliveryCharges) == 0 && c.deliveryChargeID == "" {
		return nil
	}
	f.delivery = chooseDelivery(f.deliveryOptions, c.deliveryChargeID, c.address != nil)
	if f.delivery == nil {
		return set.errDelivery(f.deliveryOptions)
	}
	f.deliveryCharge = f.delivery.Charge
	if over := f.delivery.FreeOver; f.freeDelivery || over != nil && f.total >= *over {
		f.deliveryCharge = 0
	}
	total, ok := money.Add(f.total, f.deliveryCharge)
	if !ok || total > money.MaxAmount {
		return errTotalTooLarge()
	}
	f.total = total
	return nil
}

// deliveryFor returns the options that deliver to an address, those for its area first. A nil address
// means that it is unknown: all options are returned.
func deliveryFor(options []DeliveryOption, to *account.Address) []DeliveryOption {
	if to == nil {
		return options
	}
	var local, anywhere []DeliveryOption
	city, area := input.FoldKey(to.City), input.FoldKey(db.TextOf(to.Area))
	for _, option := range options {
		switch {
		case len(option.Areas) == 0:
			anywhere = append(anywhere, option)
		case slices.ContainsFunc(option.Areas, func(name string) bool {
			key := input.FoldKey(name)
			return key != "" && (key == city || key == area)
		}):
			local = append(local, option)
		}
	}
	return append(local, anywhere...)
}

// chooseDelivery returns the option with this id, or without an id the one for the area of a known
// address or else the only one. It returns nil if there is no such option, or several.
func chooseDelivery(options []DeliveryOption, id string, addressKnown bool) *DeliveryOption {
	if id != "" {
		i := slices.IndexFunc(options, func(o DeliveryOption) bool { return o.ID == id })
		if i < 0 {
			return nil
		}
		return &options[i]
	}
	if len(options) == 0 {
		return nil
	}
	isLocal := func(o DeliveryOption) bool { return len(o.Areas) > 0 }
	// Local options come first: exactly one of them is the choice.
	if len(options) == 1 || addressKnown && isLocal(options[0]) && !isLocal(options[1]) {
		return &options[0]
	}
	return nil
}

func (set *cachedSettings) errDelivery(options []DeliveryOption) error {
	charges := make([]DeliveryCharge, len(options))
	names := make([]string, len(options))
	for i, option := range options {
		charges[i] = set.deliveryCharge(option)
		names[i] = fmt.Sprintf("%s (%s)", option.Name, charges[i].Charge.Formatted)
	}
	message := "Choose a delivery charge: " + strings.Join(names, ", ") + "."
	if len(options) == 0 {
		message = "The shop does not deliver to this address with this delivery charge: choose another."
	}
	return &fault.Error{
		Code: fault.CodeDeliveryRequired, Message: message,
		Fields:  []fault.FieldError{{Field: "deliveryChargeId", Code: fault.CodeDeliveryRequired, Message: message}},
		Details: map[string]any{"deliveryCharges": charges},
	}
}
