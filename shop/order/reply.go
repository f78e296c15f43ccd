package order

import (
	"fmt"
	"strings"

	"storefront/shop/locale"
	"storefront/shop/money"
)

// replyWords are the words of a reply in a language.
type replyWords struct {
	thanks, number, delivery, discount, rounding, total, advance, due, link string
}

var replyTexts = map[locale.Language]replyWords{
	locale.English: {
		"Thank you, %s.", "Your order %s:", "Delivery", "Discount", "Rounding", "Total",
		"Paid in advance", "To pay on delivery", "Follow your order:",
	},
	locale.Bangla: {
		"ধন্যবাদ, %s।", "আপনার অর্ডার %s:", "ডেলিভারি", "ছাড়", "রাউন্ডিং", "মোট",
		"অগ্রিম দেওয়া হয়েছে", "ডেলিভারির সময় দিতে হবে", "অর্ডারের অবস্থা:",
	},
}

// reply returns a text for the buyer of an order that staff have placed, in the language of
// messages to buyers: the goods, the sums and the page of the order.
func (set *Settings) reply(o *StaffOrder) string {
	words := replyTexts[set.Language]
	digits := set.Language.Digits
	var b strings.Builder
	line := func(text string, amount money.Money) {
		fmt.Fprintf(&b, "%s: %s\n", text, digits(amount.Text()))
	}
	fmt.Fprintf(&b, words.thanks+"\n"+words.number+"\n", o.Customer.Name, digits(fmt.Sprint(o.OrderNumber)))
	for _, item := range o.Items {
		title := locale.NameIn(set.Language, item.Title)
		if item.VariantTitle != nil {
			title += " (" + digits(*item.VariantTitle) + ")"
		}
		line(digits(fmt.Sprint(item.Quantity))+" × "+title, set.Money(item.UnitPrice.Amount*int64(item.Quantity)))
	}
	discounts, rest := o.GoodsDiscounts()
	for _, d := range discounts {
		line(locale.NameIn(set.Language, d.Title), set.Money(-d.Amount.Amount))
	}
	if rest.Amount > 0 {
		line(words.discount, set.Money(-rest.Amount))
	}
	delivery := words.delivery
	if title := o.FreeDelivery(); title != "" {
		delivery += " (" + locale.NameIn(set.Language, title) + ")"
	}
	line(delivery, o.DeliveryCharge)
	if o.Rounding.Amount != 0 {
		line(words.rounding, set.Money(-o.Rounding.Amount))
	}
	line(words.total, o.Total)
	if o.Paid.Amount > 0 {
		line(words.advance, o.Paid)
		if o.CashToCollect.Amount > 0 {
			line(words.due, o.CashToCollect)
		}
	}
	fmt.Fprintf(&b, "%s %s", words.link, set.OrderLink(o.InvoiceUID))
	return b.String()
}
