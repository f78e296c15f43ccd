package shop

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// addDelivery charges the chosen delivery. A shop without delivery charges delivers for nothing.
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
		return errTooMuch()
	}
	f.total = total
	return nil
}

// deliveryFor gives the options that deliver to an address; all of them while it is not known.
// Those made for its area come first.
func deliveryFor(options []DeliveryOption, to *Address) []DeliveryOption {
	if to == nil {
		return options
	}
	var near, anywhere []DeliveryOption
	city, area := input.FoldKey(to.City), input.FoldKey(db.TextOf(to.Area))
	for _, option := range options {
		switch {
		case len(option.Areas) == 0:
			anywhere = append(anywhere, option)
		case slices.ContainsFunc(option.Areas, func(name string) bool {
			key := input.FoldKey(name)
			return key != "" && (key == city || key == area)
		}):
			near = append(near, option)
		}
	}
	return append(near, anywhere...)
}

// chooseDelivery gives the option with this id; without an id the one made for the area of a known
// address, or the only one. It is nil where that leaves none or a choice.
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
	isFor := func(o DeliveryOption) bool { return len(o.Areas) > 0 }
	made := addressKnown && isFor(options[0]) // they come first
	if len(options) == 1 || made && !isFor(options[1]) {
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
	message := "Choose how it is delivered: " + strings.Join(names, ", ") + "."
	if len(options) == 0 {
		message = "The shop does not deliver to this address that way."
	}
	return &fault.Error{
		Code: fault.CodeDeliveryRequired, Message: message,
		Fields:  []fault.FieldError{{Field: "deliveryChargeId", Code: fault.CodeDeliveryRequired, Message: message}},
		Details: map[string]any{"deliveryCharges": charges},
	}
}
