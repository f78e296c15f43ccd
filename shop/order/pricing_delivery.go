package order

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/district"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/money"
)

// DeliveryOption is one delivery option, as the merchant sets it. Amounts are in minor units.
type DeliveryOption struct {
	ID       string   `json:"_id"` // derived from the name if omitted; orders refer to it
	Name     string   `json:"name"`
	Charge   int64    `json:"charge"`
	FreeOver *int64   `json:"freeOver"` // free from this subtotal; null means never
	Areas    []string `json:"areas"`    // cities or areas, compared ignoring case and spelling; empty means anywhere
	// Countries are ISO 3166 codes; empty means the shop's country.
	Countries []string `json:"countries,omitempty"`
	Estimate  *string  `json:"estimate"`
}

// DeliveryCharge is one delivery option that a buyer can choose.
type DeliveryCharge struct {
	ID        string       `json:"_id" doc:"Sent as deliveryChargeId"`
	Name      string       `json:"name"`
	Charge    money.Money  `json:"charge"`
	FreeOver  *money.Money `json:"freeOver" doc:"Subtotal after discount from which delivery is free"`
	Areas     []string     `json:"areas" nullable:"false" doc:"Cities or areas where it is available; empty means anywhere"`
	Countries []string     `json:"countries" nullable:"false" doc:"Countries where it is available, as ISO 3166 codes; empty means the shop's country"`
	Estimate  *string      `json:"estimate" doc:"Delivery time, as text for buyers"`
}

// addDelivery adds the delivery charge. Delivery is free in a shop without delivery charges.
// Codes: validation_failed (no delivery to this country), delivery_charge_required.
func (f *figures) addDelivery(set *Settings, c cart) error {
	matches := set.matchCharges(c.address)
	f.deliveryOptions = set.deliveryFor(c.address, matches)
	if c.deliveryCharge != nil {
		f.deliveryCharge = *c.deliveryCharge
	} else {
		if err := set.checkCountry(c.address); err != nil {
			return err
		}
		if len(set.DeliveryCharges) == 0 && c.deliveryChargeID == "" && c.delivery == nil {
			return nil
		}
		if f.delivery = c.delivery; f.delivery == nil {
			f.delivery = set.chooseDelivery(c.deliveryChargeID, c.address, matches)
		}
		if f.delivery == nil {
			return set.errDelivery(c.deliveryChargeID, c.language)
		}
		f.deliveryCharge = f.delivery.Charge
		if over := f.delivery.FreeOver; over != nil && f.total >= *over || f.waiveDelivery(c, set.Currency) {
			f.deliveryCharge = 0
		}
	}
	total, ok := money.Add(f.total, f.deliveryCharge)
	if !ok || total > money.MaxAmount {
		return errTotalTooLarge()
	}
	f.total = total
	return nil
}

// covers reports whether the option is for addresses in a country. Without countries it is for the
// shop's own, home.
func (d *DeliveryOption) covers(country, home string) bool {
	if slices.Contains(d.Areas, country) {
		return true
	}
	if len(d.Countries) == 0 {
		return country == home
	}
	return slices.Contains(d.Countries, country)
}

// checkCountry checks that the shop delivers to the country of an address: its own, or one that a
// delivery charge names. Codes: validation_failed.
func (set *Settings) checkCountry(to *account.Address) error {
	country := set.countryOf(to)
	covers := func(d DeliveryOption) bool { return d.covers(country, set.Country) }
	if to == nil || slices.ContainsFunc(set.DeliveryCharges, covers) || country == set.Country {
		return nil
	}
	var bad fault.Invalid
	bad.Add("shippingAddress.country", fault.CodeInvalidValue, "The shop does not deliver to this country: %s.", country)
	return bad.Err()
}

func (set *Settings) countryOf(to *account.Address) string {
	if to == nil || to.Country == nil {
		return set.Country
	}
	return *to.Country
}

// deliveryMatch is the relation of a delivery option's areas to an address, the best first.
type deliveryMatch int

const (
	matchLocal     deliveryMatch = iota // one of its areas is the city or the area
	matchAnywhere                       // it has no areas
	matchUndecided                      // it has areas, and the address may be in one of them
	matchNone                           // its areas exclude the address, or it is for other countries
)

// matchCharges compares each delivery option with an address; nil if the address is nil. Cities and
// areas are compared as [district.Key] writes them, and the districts of Bangladesh by all their
// names.
func (set *Settings) matchCharges(to *account.Address) []deliveryMatch {
	if to == nil {
		return nil
	}
	country := set.countryOf(to)
	places := sync.OnceValue(func() places { return placesOf(to, country) }) // often no option has areas
	all := make([]deliveryMatch, len(set.DeliveryCharges))
	for i, option := range set.DeliveryCharges {
		switch {
		case !option.covers(country, set.Country):
			all[i] = matchNone
		case len(option.Areas) == 0:
			all[i] = matchAnywhere
		case slices.Contains(option.Areas, country):
			all[i] = matchLocal
		default:
			all[i] = set.areas[i].match(places())
		}
	}
	return all
}

// places are the keys of an address's city and area, and of their parts.
type places struct {
	keys  []string
	known bool // the city is a district of the table
}

// placesOf returns the places of an address. An area with the name of another district does not
// count: Sherpur is also a place in Bogura.
func placesOf(to *account.Address, country string) (p places) {
	var city string
	if country == "BD" {
		city, p.known = district.Find(to.City)
	}
	add := func(text string) {
		key := district.Key(text)
		if country == "BD" {
			if name, ok := district.Find(text); ok {
				if p.known && name != city {
					return
				}
				key = district.Key(name)
			}
		}
		if key != "" {
			p.keys = append(p.keys, key)
		}
	}
	for _, text := range []string{to.City, db.TextOf(to.Area)} {
		add(text)
		for _, part := range district.Parts(text) {
			add(part)
		}
	}
	return p
}

// areaKeys are the areas of a delivery option in the form for comparison.
type areaKeys struct {
	keys []string
	// districts reports whether one of them is a district of the table, so that the others are
	// excluded.
	districts bool
}

// match compares the areas with the places of an address.
func (a areaKeys) match(p places) deliveryMatch {
	switch {
	case slices.ContainsFunc(p.keys, func(place string) bool { return slices.Contains(a.keys, place) }):
		return matchLocal
	case p.known && a.districts:
		return matchNone
	}
	return matchUndecided
}

// newAreaKeys returns the areas of each delivery option. They are computed once for many orders: a
// shop may list every district.
func newAreaKeys(set *Settings) []areaKeys {
	all := make([]areaKeys, len(set.DeliveryCharges))
	for i, option := range set.DeliveryCharges {
		for _, area := range option.Areas {
			key := district.Key(area)
			if name, ok := district.Find(area); ok && option.covers("BD", set.Country) {
				key, all[i].districts = district.Key(name), true
			}
			if key != "" {
				all[i].keys = append(all[i].keys, key)
			}
		}
	}
	return all
}

// deliveryFor returns the options that a buyer at an address may choose, beginning with the options
// for its area. matches are from [Settings.matchCharges]. A nil address means that it is
// unknown: all options are returned. The only option of a shop is always returned.
func (set *Settings) deliveryFor(to *account.Address, matches []deliveryMatch) []DeliveryOption {
	if to == nil {
		return set.DeliveryCharges
	}
	if only := set.chooseDelivery("", to, matches); only != nil && len(set.DeliveryCharges) == 1 {
		return set.DeliveryCharges
	}
	var by [matchNone + 1][]DeliveryOption
	for i, option := range set.DeliveryCharges {
		by[matches[i]] = append(by[matches[i]], option)
	}
	return slices.Concat(by[matchLocal], by[matchAnywhere], by[matchUndecided])
}

// chooseDelivery returns the option with this id if the address may have it. Without an id it
// returns the only option of the shop, otherwise the only one for the area of a known address,
// otherwise the only one for anywhere. It returns nil if there is no such option, or several.
// matches are from [Settings.matchCharges].
func (set *Settings) chooseDelivery(id string, to *account.Address, matches []deliveryMatch) *DeliveryOption {
	var local, anywhere []*DeliveryOption
	for i := range set.DeliveryCharges {
		option := &set.DeliveryCharges[i]
		only := len(set.DeliveryCharges) == 1 && (id == "" || id == option.ID) && option.covers(set.countryOf(to), set.Country)
		if only || to == nil && id == option.ID {
			return option
		}
		if to == nil {
			continue
		}
		switch m := matches[i]; {
		case id != "":
			if id == option.ID && m != matchNone {
				return option
			}
		case m == matchLocal:
			local = append(local, option)
		case m == matchAnywhere:
			anywhere = append(anywhere, option)
		}
	}
	for _, options := range [][]*DeliveryOption{local, anywhere} {
		switch len(options) {
		case 0:
		case 1:
			return options[0]
		default:
			return nil
		}
	}
	return nil
}

// errDelivery returns the error that no delivery charge follows from the address, with all delivery
// charges in a language. id is the unavailable one that was named, "" if there is none.
func (set *Settings) errDelivery(id string, language locale.Language) error {
	charges := set.ShownCharges(language)
	names := make([]string, len(charges))
	for i, charge := range charges {
		names[i] = fmt.Sprintf("%s (%s)", charge.Name, charge.Charge.Text())
	}
	message := "Choose a delivery charge: " + strings.Join(names, ", ") + "."
	switch {
	case len(charges) == 0:
		message = "Delivery is free in this shop: omit the delivery charge."
	case id != "":
		message = "This delivery charge is not for this address. Choose another: " + strings.Join(names, ", ") + "."
	}
	return &fault.Error{
		Code: fault.CodeDeliveryRequired, Message: message,
		Fields:  []fault.FieldError{{Field: "deliveryChargeId", Code: fault.CodeDeliveryRequired, Message: message}},
		Details: map[string]any{"deliveryCharges": charges},
	}
}

// ShownCharges returns the delivery options as responses show them in a language.
func (set *Settings) ShownCharges(language locale.Language) []DeliveryCharge {
	charges := make([]DeliveryCharge, len(set.DeliveryCharges))
	for i, d := range set.DeliveryCharges {
		charges[i] = set.deliveryCharge(d, language)
	}
	return charges
}

func (set *Settings) deliveryCharge(d DeliveryOption, language locale.Language) DeliveryCharge {
	charge := DeliveryCharge{ID: d.ID, Name: d.Name, Charge: set.Money(d.Charge), Areas: db.OrEmpty(d.Areas),
		Countries: db.OrEmpty(d.Countries), Estimate: d.Estimate}
	if d.FreeOver != nil {
		over := set.Money(*d.FreeOver)
		charge.FreeOver = &over
	}
	name, estimate := set.TranslateCharge(language, d.ID)
	charge.Name = cmp.Or(name, charge.Name)
	if estimate != "" {
		charge.Estimate = &estimate
	}
	return charge
}

// chargeNameIn returns the name of an order's delivery charge in a language. A charge that has
// another name by now is not what was ordered, and stays as it is.
func (set *Settings) chargeNameIn(language locale.Language, id, name string) string {
	isSame := func(d DeliveryOption) bool { return d.ID == id && d.Name == name }
	if !slices.ContainsFunc(set.DeliveryCharges, isSame) {
		return name
	}
	translated, _ := set.TranslateCharge(language, id)
	return cmp.Or(translated, name)
}
