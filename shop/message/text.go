package message

import (
	"fmt"
	"slices"
	"strings"

	"storefront/shop/locale"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// defaultTemplates are the program's own texts. They contain no name, address or phone number,
// because the owner of a mistyped number gets them.
func defaultTemplates() map[locale.Language]map[Event]string {
	return map[locale.Language]map[Event]string{
		locale.English: {
			Placed:         "{shop}: we received your order {number}, {total}. {link}",
			Confirmed:      "{shop}: your order {number}, {total}, is confirmed. {link}",
			Booked:         "{shop}: {courier} will deliver your order {number}. {tracking} {link}",
			Shipped:        "{shop}: your order {number} is on its way. Cash to pay: {cash}. {tracking} {link}",
			OutForDelivery: "{shop}: your order {number} is out for delivery. Cash to pay: {cash}. {link}",
			Delivered:      "{shop}: your order {number} was delivered. Thank you.",
			Cancelled:      "{shop}: your order {number} was cancelled. {link}",
			Refunded:       "{shop}: {refunded} of your order {number} was refunded. {link}",

			AdvanceAsked:    "{shop}: pay {advance} in advance, and we send your order {number}: {link}",
			AdvanceReceived: "{shop}: we received {advance} for your order {number}. Cash to pay: {cash}. {link}",
			AdvanceRefused:  "{shop}: we did not find your payment for order {number}. See why: {link}",

			PaymentLink: "{shop}: pay {total} for your order {number} here: {link}",
			Review:      "{shop}: how is your order {number}? Write a review here: {link}",
		},
		locale.Bangla: {
			Placed:         "{shop}: আপনার অর্ডার {number} পেয়েছি, মোট {total}। {link}",
			Confirmed:      "{shop}: আপনার অর্ডার {number} নিশ্চিত হয়েছে, মোট {total}। {link}",
			Booked:         "{shop}: আপনার অর্ডার {number} {courier} পৌঁছে দেবে। {tracking} {link}",
			Shipped:        "{shop}: অর্ডার {number} রওনা হয়েছে। দিতে হবে {cash}। {tracking} {link}",
			OutForDelivery: "{shop}: অর্ডার {number} ডেলিভারিতে বেরিয়েছে। দিতে হবে {cash}। {link}",
			Delivered:      "{shop}: আপনার অর্ডার {number} পৌঁছে গেছে। ধন্যবাদ।",
			Cancelled:      "{shop}: আপনার অর্ডার {number} বাতিল হয়েছে। {link}",
			Refunded:       "{shop}: আপনার অর্ডার {number}-এর {refunded} ফেরত দেওয়া হয়েছে। {link}",

			AdvanceAsked:    "{shop}: অর্ডার {number} পাঠাতে {advance} অগ্রিম দিন: {link}",
			AdvanceReceived: "{shop}: অর্ডার {number}-এর {advance} পেয়েছি। {link}",
			AdvanceRefused:  "{shop}: অর্ডার {number}-এর টাকা পাওয়া যায়নি। কারণ দেখুন: {link}",

			PaymentLink: "{shop}: অর্ডার {number}-এর {total} এখানে পরিশোধ করুন: {link}",
			Review:      "{shop}: অর্ডার {number} কেমন লাগল? এখানে রিভিউ লিখুন: {link}",
		},
	}
}

// template returns the text of an event with its placeholders.
func (s *Shop) template(event Event, language locale.Language) string {
	if text := s.Settings.Templates[event][language]; text != "" {
		return text
	}
	return defaultTemplates()[language][event]
}

// Values are the values of a template's placeholders.
type Values struct {
	Shop     string `json:"shop"`
	Number   string `json:"number"`
	Total    string `json:"total"`
	Cash     string `json:"cash"`     // to pay on delivery
	Courier  string `json:"courier"`  // "" if there is no shipment
	Tracking string `json:"tracking"` // "" if there is none
	Link     string `json:"link"`     // of the order's page
	Refunded string `json:"refunded"`
	Advance  string `json:"advance"` // that the shop requires, or has received
}

// fill returns a template with its placeholders replaced.
func (v *Values) fill(template string) string {
	text := strings.NewReplacer("{shop}", v.Shop, "{number}", v.Number, "{total}", v.Total, "{cash}", v.Cash, "{courier}", v.Courier,
		"{tracking}", v.Tracking, "{link}", v.Link, "{refunded}", v.Refunded, "{advance}", v.Advance).
		Replace(template)
	return strings.Join(strings.Fields(text), " ")
}

// values returns the values of a message about an event of an order. amount is what was sent back,
// or the advance.
func (s *Shop) values(event Event, o *Order, amount int64) *Values {
	v := &Values{
		Shop: locale.NameIn(s.Language, s.Name), Number: s.Language.Digits(fmt.Sprint(o.Number)),
		Total: s.amount(
			o.Total,
		), Cash: s.amount(o.Cash), Refunded: s.amount(amount), Advance: s.amount(amount), Link: s.OrderLink(o.ID),
	}
	for _, shipment := range o.Shipments {
		if shipment.Status != status.ShipmentCancelled {
			v.Courier = plugin.ProviderName(shipment.Courier, s.Language)
			v.Tracking = shipment.TrackingCode
		}
	}
	if slices.Contains([]Event{PaymentLink, Review, AdvanceAsked, AdvanceReceived, AdvanceRefused}, event) {
		v.Link = s.OwnLink(o.ID, o.Token)
	}
	return v
}

// in returns the shop with messages in a language.
func (s *Shop) in(language locale.Language) *Shop {
	copied := *s
	copied.Language = language
	return &copied
}

// example returns the values of a message about an event of the example order.
func (s *Shop) example(event Event, language locale.Language) *Values {
	return s.in(language).values(event, exampleOrder(), 25_000)
}

// amount returns an amount as buyers read it.
func (s *Shop) amount(n int64) string { return s.Language.Digits(s.Currency.Text(n)) }

// subject returns the subject of an e-mail about an order.
func (s *Shop) subject(o *Order) string {
	number, name := s.Language.Digits(fmt.Sprint(o.Number)), locale.NameIn(s.Language, s.Name)
	if s.Language == locale.Bangla {
		return name + ": অর্ডার " + number
	}
	return name + ": order " + number
}
