package orderpage

import (
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"storefront/shop"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
	"storefront/shop/timezone"
)

// View is an order in the words of a language, for templates.
type View struct {
	Lang, OtherLang    locale.Language
	OtherName          string
	Words              *words
	Shop, Logo         string
	Title, Placed      string
	Test               string // that the order is a test; "" if it is not
	Notice, NoticeKind string
	Status, Payment    string
	Next               string // what happens next; "" once nothing does
	Steps              []viewStep
	Shipments          []string
	Lines              []viewLine
	Total              string
	Recipient          []string
	Contacts           []viewContact
	Pay                []payChoice // the ways to pay online now
	PayPath            string
	Token              string
	Cancellable        bool
	Reviewable         bool // by this buyer
	Advance            *viewAdvance
}

type (
	viewStep struct {
		Name string
		Done bool
	}
	viewLine  struct{ Name, Amount string }
	payChoice struct {
		Method status.PaymentMethod
		Label  string
	}
	viewContact struct {
		Text string
		URL  template.URL
	}
)

// Row is an order in a list.
type Row struct{ Title, Placed, Status, Total string }

// NewRow returns an order in a list, in the words of a language and the time zone of the shop.
func NewRow(o *order.Order, language locale.Language, timeZone string) Row {
	words, digits := wordsOf[language], language.Digits
	row := Row{
		Title: words.Order + " " + digits(strconv.FormatInt(o.OrderNumber, 10)), Status: words.Status[o.Status],
		Placed: Day(language, o.PlacedAt, timeZone), Total: digits(o.Total.Text()),
	}
	if text := words.Fulfillment[o.FulfillmentStatus]; text != "" && o.Status != status.OrderCancelled {
		row.Status = text
	}
	return row
}

func newView(page *shop.OrderPage, language locale.Language, token string) *View {
	words, o := wordsOf[language], page.Order
	other := locale.Bangla
	digits := language.Digits
	if language == locale.Bangla {
		other = locale.English
	}
	amount := func(m money.Money) string { return digits(m.Text()) }
	returned := creditedAmount(o)
	row := NewRow(o, language, page.Shop.TimeZone)
	v := &View{
		Lang: language, OtherLang: other, OtherName: wordsOf[other].Other, Words: words,
		Shop:  locale.NameIn(language, page.Shop.Name),
		Title: row.Title, Placed: row.Placed, Status: row.Status,
		Payment: words.Payment[o.PaymentStatus], Total: amount(page.Money(o.Total.Amount - returned)),
	}
	if o.Test {
		v.Test = words.Test
	}
	if page.Shop.LogoURL != nil {
		v.Logo = *page.Shop.LogoURL
	}
	v.addSteps(o)
	switch o.FulfillmentStatus {
	case status.Unfulfilled:
		v.Next = words.Next[o.Status]
	case status.InProgress:
		v.Next = words.OnItsWay
	}
	switch {
	case len(page.PayMethods) > 0 && o.Advance == nil: // an attempt may be open that the buyer has left
		v.Payment = words.Payment[status.PaymentUnpaid]
	case page.CashDue != nil:
		v.Payment = words.CashDue + " " + amount(page.Money(page.CashDue.Amount-advanceDue(o)))
	}
	v.addLines(page)
	v.addShipments(o)
	if page.Proven {
		v.Recipient = recipientLines(o)
	}
	for _, method := range page.PayMethods {
		label := words.Pay + " " + amount(page.PayAmount)
		if len(page.PayMethods) > 1 {
			label += " · " + plugin.ProviderName(plugin.Provider(method), language)
		}
		v.Pay = append(v.Pay, payChoice{method, label})
	}
	v.PayPath = order.PagePath + page.Shop.UID + "/" + o.InvoiceUID + "/pay?lang=" + string(language)
	v.addAdvance(page)
	v.addContacts(page.Shop.SupportContact)
	v.Token, v.Cancellable = token, page.Proven && o.Cancellable
	v.Reviewable = page.Proven && o.FulfillmentStatus == status.Delivered && !o.Status.IsClosed()
	return v
}

// addLines adds the items, and what changes their sum.
func (v *View) addLines(page *shop.OrderPage) {
	o := page.Order
	amount := func(m money.Money) string { return v.Lang.Digits(m.Text()) }
	for _, item := range o.Items {
		name := locale.NameIn(v.Lang, item.Title)
		if item.VariantTitle != nil && *item.VariantTitle != "" {
			name += " · " + locale.NameIn(v.Lang, *item.VariantTitle)
		}
		whole := item.Total.Amount + item.Discount.Amount // the discount is a line of its own
		v.Lines = append(v.Lines, viewLine{v.Lang.Digits(strconv.Itoa(item.Quantity)) + " × " + name, amount(page.Money(whole))})
	}
	discounts, rest := o.GoodsDiscounts()
	for _, d := range discounts {
		v.Lines = append(v.Lines, viewLine{locale.NameIn(v.Lang, d.Title), "−" + amount(d.Amount)})
	}
	for _, line := range []struct {
		name  string
		money money.Money
		sign  string
	}{
		{v.Words.Discount, rest, "−"}, {v.Words.Delivery, o.DeliveryCharge, ""},
		{v.Words.Rounding, o.Rounding, "−"}, {v.Words.Returned, page.Money(creditedAmount(o)), "−"},
	} {
		if line.money.Amount != 0 {
			v.Lines = append(v.Lines, viewLine{line.name, line.sign + amount(line.money)})
		}
	}
	if title := o.FreeDelivery(); title != "" {
		v.Lines = append(v.Lines, viewLine{v.Words.Delivery + " (" + locale.NameIn(v.Lang, title) + ")", amount(o.DeliveryCharge)})
	}
}

// addShipments adds the state of each shipment.
func (v *View) addShipments(o *order.Order) {
	for _, shipment := range o.Shipments {
		text := plugin.ProviderName(
			shipment.Provider,
			v.Lang,
		) + ": " + v.Words.Shipment[shipment.Status]
		if shipment.TrackingCode != nil {
			text += " · " + *shipment.TrackingCode
		}
		v.Shipments = append(v.Shipments, text)
	}
}

// creditedAmount returns the sum that the page subtracts from the order's total. A closed order is
// shown whole.
func creditedAmount(o *order.Order) int64 {
	if o.Status.IsClosed() {
		return 0
	}
	return o.ReturnedAmount.Amount
}

// inZone returns a time in the shop's time zone.
func inZone(t time.Time, name string) time.Time {
	if zone, err := timezone.Find(name); err == nil {
		return t.In(zone)
	}
	return t
}

// addSteps adds the progress of the order, unless it has ended early.
func (v *View) addSteps(o *order.Order) {
	done := 1
	switch o.Status {
	case status.OrderCancelled, status.OrderExpired, status.OrderReturned:
		return
	case status.OrderConfirmed, status.OrderProcessing:
		done = 2
	case status.OrderCompleted:
		done = 4
	}
	switch o.FulfillmentStatus {
	case status.Returning, status.Returned:
		return
	case status.InProgress:
		done = max(done, 3)
	case status.Delivered, status.PartiallyDelivered:
		done = 4
	}
	for i, name := range v.Words.Steps {
		v.Steps = append(v.Steps, viewStep{name, i < done})
	}
}

// addResult adds the result at the gateway. Anyone can write the address, so the order decides
// whether it is paid.
func (v *View) addResult(page *shop.OrderPage, claimed order.ReturnResult) {
	isPaid := page.Order.PaymentStatus == status.PaymentPaid
	switch {
	case v.Words.Result[claimed] == "":
	case isPaid:
		v.Notice, v.NoticeKind = v.Words.Result[order.ReturnSuccess], "good"
	case page.Order.Status != status.OrderPendingPayment:
	case claimed == order.ReturnSuccess, claimed == order.ReturnPending:
		v.Notice = v.Words.Result[order.ReturnPending]
	default:
		v.Notice, v.NoticeKind = v.Words.Result[claimed], "bad"
	}
}

// recipientLines returns the buyer's name and address.
func recipientLines(o *order.Order) (lines []string) {
	address := o.ShippingAddress
	for _, line := range []*string{
		&o.Customer.Name, &o.Customer.PhoneNumber, address.Line1, address.Line2, address.Area,
		&address.City, address.Postcode,
	} {
		if line != nil && *line != "" {
			lines = append(lines, *line)
		}
	}
	return lines
}

// addContacts adds the contacts of the shop.
func (v *View) addContacts(contact shop.SupportContact) {
	add := func(text *string, scheme string) {
		if text != nil && *text != "" {
			c := viewContact{Text: *text}
			if scheme != "" {
				name := url.PathEscape(strings.Join(strings.Fields(*text), ""))
				c.URL = template.URL((&url.URL{Scheme: scheme, Opaque: name}).String())
			}
			v.Contacts = append(v.Contacts, c)
		}
	}
	add(contact.Phone, "tel")
	if name := contact.Messenger; name != nil && *name != "" {
		v.Contacts = append(v.Contacts, viewContact{Text: "Messenger", URL: template.URL("https://m.me/" + url.PathEscape(*name))})
	}
	add(contact.Email, "mailto")
	add(contact.Address, "")
}
