package shop

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"storefront/shop/locale"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// defaultTemplates are the program's own texts. They contain no name, address or phone number,
// because the owner of a mistyped number gets them.
func defaultTemplates() map[locale.Language]map[MessageEvent]string {
	return map[locale.Language]map[MessageEvent]string{
		locale.English: {
			MessagePlaced:    "{shop}: we received your order {number}, {total}. {link}",
			MessageConfirmed: "{shop}: your order {number}, {total}, is confirmed. {link}",
			MessageBooked:    "{shop}: {courier} will deliver your order {number}. {tracking} {link}",
			MessageShipped:   "{shop}: your order {number} is on its way. Cash to pay: {cash}. {tracking} {link}",
			MessageOut:       "{shop}: your order {number} is out for delivery. Cash to pay: {cash}. {link}",
			MessageDelivered: "{shop}: your order {number} was delivered. Thank you.",
			MessageCancelled: "{shop}: your order {number} was cancelled. {link}",
			MessageRefunded:  "{shop}: {refunded} of your order {number} was refunded. {link}",

			MessagePaymentLink: "{shop}: pay {total} for your order {number} here: {link}",
		},
		locale.Bangla: {
			MessagePlaced:    "{shop}: আপনার অর্ডার {number} পেয়েছি, মোট {total}। {link}",
			MessageConfirmed: "{shop}: আপনার অর্ডার {number} নিশ্চিত হয়েছে, মোট {total}। {link}",
			MessageBooked:    "{shop}: আপনার অর্ডার {number} {courier} পৌঁছে দেবে। {tracking} {link}",
			MessageShipped:   "{shop}: অর্ডার {number} রওনা হয়েছে। দিতে হবে {cash}। {tracking} {link}",
			MessageOut:       "{shop}: অর্ডার {number} ডেলিভারিতে বেরিয়েছে। দিতে হবে {cash}। {link}",
			MessageDelivered: "{shop}: আপনার অর্ডার {number} পৌঁছে গেছে। ধন্যবাদ।",
			MessageCancelled: "{shop}: আপনার অর্ডার {number} বাতিল হয়েছে। {link}",
			MessageRefunded:  "{shop}: আপনার অর্ডার {number}-এর {refunded} ফেরত দেওয়া হয়েছে। {link}",

			MessagePaymentLink: "{shop}: অর্ডার {number}-এর {total} এখানে পরিশোধ করুন: {link}",
		},
	}
}

// messageLanguage returns the language of messages about orders.
func (set *Settings) messageLanguage() locale.Language {
	if set.BuyerMessages.Language != "" {
		return set.BuyerMessages.Language
	}
	return set.language()
}

// template returns the text of an event with its placeholders.
func (set *Settings) template(event MessageEvent, language locale.Language) string {
	if text := set.BuyerMessages.Templates[event][language]; text != "" {
		return text
	}
	return defaultTemplates()[language][event]
}

// MessageValues are what replaces the placeholders of a template.
type MessageValues struct {
	Shop     string `json:"shop"`
	Number   string `json:"number"`
	Total    string `json:"total"`
	Cash     string `json:"cash"`     // to pay on delivery
	Courier  string `json:"courier"`  // "": no shipment
	Tracking string `json:"tracking"` // "": none
	Link     string `json:"link"`     // of the order's page
	Refunded string `json:"refunded"`
}

// fill returns a template with its placeholders replaced.
func (v *MessageValues) fill(template string) string {
	text := strings.NewReplacer("{shop}", v.Shop, "{number}", v.Number, "{total}", v.Total, "{cash}", v.Cash, "{courier}", v.Courier,
		"{tracking}", v.Tracking, "{link}", v.Link, "{refunded}", v.Refunded).Replace(template)
	return strings.Join(strings.Fields(text), " ")
}

// messageValues returns the values of a message about an event of an order. refunded is the amount
// that was sent back, and token the order token in the link for paying.
func (set *cachedSettings) messageValues(event MessageEvent, o *orderRow, refunded int64, token string) *MessageValues {
	language := set.messageLanguage()
	cash := int64(0)
	if o.method == status.PayCOD && o.payment == status.PaymentUnpaid {
		cash = o.total - o.advance
	}
	digits := language.Digits
	amount := func(n int64) string { return digits(set.money.Money(n).Formatted) }
	v := &MessageValues{
		Shop: locale.NameIn(language, set.Name), Number: digits(fmt.Sprint(o.number)), Total: amount(o.total), Cash: amount(cash),
		Link: set.orderLink(o.id), Refunded: amount(refunded),
	}
	for _, shipment := range o.shipments {
		if shipment.status != status.ShipmentCancelled {
			v.Courier, v.Tracking = plugin.CourierName(shipment.provider, language), shipment.trackingCode
		}
	}
	if event == MessagePaymentLink {
		v.Link = set.orderPage + o.id + "?k=" + token
	}
	return v
}

// orderLink returns the address of the order's page, by default in the shop's storefront, otherwise
// at the server, without its token: the page is masked.
func (set *cachedSettings) orderLink(invoiceUID string) string {
	page := cmp.Or(set.TrackingURL, set.StorefrontURL)
	address, err := url.Parse(page)
	if page == "" || err != nil {
		return set.orderPage + invoiceUID
	}
	query := address.Query()
	query.Set("order", invoiceUID)
	address.RawQuery = query.Encode()
	return address.String()
}

// messageSubject returns the subject of an e-mail about an event.
func (set *Settings) messageSubject(o *orderRow) string {
	if set.messageLanguage() == locale.Bangla {
		return set.Name + ": অর্ডার " + locale.Bangla.Digits(fmt.Sprint(o.number))
	}
	return fmt.Sprintf("%s: order %d", set.Name, o.number)
}

// MessageTemplate is a text with its length as the gateway bills it.
type MessageTemplate struct {
	Event    MessageEvent     `json:"event"`
	Language locale.Language  `json:"language"`
	Own      bool             `json:"own"` // the shop's own
	Text     string           `json:"text"`
	Segments int              `json:"segments"` // of the example
	Channels []MessageChannel `json:"channels"` // that are on
	// Example has the values of the order in examples.
	Example MessageValues `json:"example" doc:"What replaces the placeholders in the example, whose segments are counted"`
}

// exampleOrder is the order in examples of messages.
func exampleOrder() *orderRow {
	return &orderRow{
		id: "7ZK3QW8N5T2M4R6V", number: 1042, method: status.PayCOD, payment: status.PaymentUnpaid, subtotal: 125_000, total: 125_000,
		items:     []orderItemRow{{title: "Blue panjabi — নীল পাঞ্জাবি", variantTitle: "M", quantity: 1, unitPrice: 125_000}},
		shipments: []*shipmentRow{{provider: plugin.CourierA, trackingCode: "DT080126XK3P", status: status.ShipmentPicked}},
	}
}

// exampleToken has the length of an order token.
const exampleToken = "q3sYx0Vb1nM7cK9zR2tD5wF8hJ4gL6pA0eU1iO3yT7k"

// example returns the values of a message about an event of the example order.
func (set *cachedSettings) example(event MessageEvent, language locale.Language) *MessageValues {
	copied := *set
	copied.BuyerMessages.Language = language
	return copied.messageValues(event, exampleOrder(), 25_000, exampleToken)
}
