package shop

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/status"
	"storefront/shop/timezone"
)

// notificationWords are the texts of notifications of one type of event: for one event, with its
// placeholders, and for many.
type notificationWords struct{ one, many string }

// notificationTitles are the titles of notifications by language.
var notificationTitles = map[locale.Language]map[outbox.Type]notificationWords{
	locale.English: {
		outbox.OrderPlaced:             {"New order {number}", "New orders"},
		outbox.OrderPaid:               {"Order {number} is paid", "Paid"},
		outbox.OrderCancelled:          {"Order {number} was cancelled", "Cancelled"},
		outbox.OrderPaymentReview:      {"Check the payment of order {number}", "Payments to check"},
		outbox.OrderRefundDue:          {"Refund due: order {number}", "Refunds due"},
		outbox.ShipmentProblem:         {"Delivery problem: order {number}", "Delivery problems"},
		outbox.ShipmentDelivered:       {"Order {number} was delivered", "Delivered"},
		outbox.ShipmentReturning:       {"Order {number} is on its way back", "On the way back"},
		outbox.ShipmentReturned:        {"Order {number} was returned", "Returned"},
		outbox.StockLow:                {"Few left: {product}", "Few left"},
		outbox.StockOut:                {"Sold out: {product}", "Sold out"},
		outbox.CashReconciled:          {"Statement entered", "Statements entered"},
		outbox.ProviderWebhookFailed:   {"A message from a provider needs attention", "Messages from providers that need attention"},
		outbox.WebhookEndpointDisabled: {"Webhooks stopped: {endpoint}", "Webhook endpoints stopped"},
		outbox.PlanWarning:             {"Your plan: {percent}% of {limit} used", "Limits of your plan"},
		notify.DailySummary:            {"{day}: {orders} orders", "Summaries"},
		notify.WeeklySummary:           {"This costs you money", "Weekly summaries"},
	},
	locale.Bangla: {
		outbox.OrderPlaced:             {"নতুন অর্ডার {number}", "নতুন অর্ডার"},
		outbox.OrderPaid:               {"অর্ডার {number}-এর টাকা এসেছে", "টাকা এসেছে"},
		outbox.OrderCancelled:          {"অর্ডার {number} বাতিল হয়েছে", "বাতিল"},
		outbox.OrderPaymentReview:      {"অর্ডার {number}-এর পেমেন্ট যাচাই করুন", "যাচাই করার পেমেন্ট"},
		outbox.OrderRefundDue:          {"টাকা ফেরত দিতে হবে: অর্ডার {number}", "ফেরত দেওয়ার টাকা"},
		outbox.ShipmentProblem:         {"ডেলিভারিতে সমস্যা: অর্ডার {number}", "ডেলিভারির সমস্যা"},
		outbox.ShipmentDelivered:       {"অর্ডার {number} ডেলিভারি হয়েছে", "ডেলিভারি হয়েছে"},
		outbox.ShipmentReturning:       {"অর্ডার {number} ফেরত আসছে", "ফেরত আসছে"},
		outbox.ShipmentReturned:        {"অর্ডার {number} ফেরত এসেছে", "ফেরত এসেছে"},
		outbox.StockLow:                {"স্টক কম: {product}", "স্টক কম"},
		outbox.StockOut:                {"স্টক শেষ: {product}", "স্টক শেষ"},
		outbox.CashReconciled:          {"স্টেটমেন্ট তোলা হয়েছে", "স্টেটমেন্ট তোলা হয়েছে"},
		outbox.ProviderWebhookFailed:   {"কুরিয়ার বা গেটওয়ের একটি বার্তা দেখতে হবে", "কুরিয়ার বা গেটওয়ের যেসব বার্তা দেখতে হবে"},
		outbox.WebhookEndpointDisabled: {"ওয়েবহুক বন্ধ হয়েছে: {endpoint}", "বন্ধ হওয়া ওয়েবহুক"},
		outbox.PlanWarning:             {"আপনার প্ল্যান: {limit} {percent}% ব্যবহার হয়েছে", "আপনার প্ল্যানের সীমা"},
		notify.DailySummary:            {"{day}: {orders}টি অর্ডার", "সারাংশ"},
		notify.WeeklySummary:           {"এতে আপনার টাকা নষ্ট হচ্ছে", "সপ্তাহের সারাংশ"},
	},
}

// notificationPhrases are further texts of notifications by language.
var notificationPhrases = map[locale.Language]struct {
	test, notPaid, happened, toConfirm, problems, disabled, testTitle, testBody, today, yesterday string
}{
	locale.English: {
		"Test: ", "not paid yet", "{count} notifications", "To confirm: {count}", "Problems: {count}",
		"It did not accept the events and was disabled.", "Test notification", "This is how you are notified.", "Today", "Yesterday",
	},
	locale.Bangla: {
		"পরীক্ষা: ", "এখনো টাকা আসেনি", "{count}টি নোটিফিকেশন", "নিশ্চিত করতে হবে: {count}টি", "সমস্যা: {count}টি",
		"এটি ইভেন্ট নেয়নি, তাই বন্ধ করা হয়েছে।", "পরীক্ষামূলক নোটিফিকেশন", "নোটিফিকেশন এভাবে আসবে।", "আজ", "গতকাল",
	},
}

// notificationTexts are the texts of notifications. It implements [notify.Texts].
type notificationTexts struct{ set *cachedSettings }

// digits returns a number in the digits of a language.
func digits(language locale.Language, n any) string { return language.Digits(fmt.Sprint(n)) }

func (t notificationTexts) amount(language locale.Language, n int64) string {
	return digits(language, t.set.money.Text(n))
}

// Event implements [notify.Texts].
func (t notificationTexts) Event(
	tx *db.Tx, event outbox.Event, in string, permits func(access.Permission) bool,
) (*notify.Text, error) {
	language := locale.Of(in)
	title := notificationTitles[language][event.Type].one
	if title == "" {
		return nil, nil
	}
	switch event.Type.Noun() {
	case "order", "shipment":
		return t.order(tx, event, title, language, permits(access.PricesRead))
	case "stock":
		of, err := findNotifiedVariant(tx, event.Subject)
		if err != nil {
			return nil, err
		}
		if of == nil {
			return nil, nil
		}
		picture, err := t.picture(tx, of.image)
		return &notify.Text{Title: strings.ReplaceAll(title, "{product}", of.product), Body: of.options, Path: "stock", Picture: picture}, err
	case "cash":
		return &notify.Text{Title: title, Body: plugin.ProviderName(plugin.Provider(event.Data.Status), language), Path: "cash"}, nil
	case "plan":
		return planWarning(event, title, language), nil
	case "webhook_endpoint":
		label, err := findEndpointLabel(tx, event.Subject)
		if err != nil {
			return nil, err
		}
		if label == "" {
			return nil, nil
		}
		return &notify.Text{Title: strings.ReplaceAll(title, "{endpoint}", label), Body: notificationPhrases[language].disabled,
			Path: "developers/webhooks/" + event.Subject}, nil
	}
	return &notify.Text{Title: title, Path: "developers/received"}, nil
}

// order returns the text of an event of an order: its number, the city, and its amount
// for who may see amounts.
func (t notificationTexts) order(
	tx *db.Tx, event outbox.Event, title string, language locale.Language, amounts bool,
) (*notify.Text, error) {
	o, err := findNotifiedOrder(tx, event.Subject)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, nil
	}
	phrases := notificationPhrases[language]
	title = strings.ReplaceAll(title, "{number}", digits(language, o.number))
	if o.test {
		title = phrases.test + title
	}
	var parts []string
	if amounts {
		parts = append(parts, t.amount(language, o.total))
	}
	if o.city != "" {
		parts = append(parts, o.city)
	}
	if event.Type == outbox.OrderPlaced && event.Data.Status == string(status.OrderPendingPayment) {
		parts = append(parts, phrases.notPaid)
	}
	picture, err := t.picture(tx, o.image)
	return &notify.Text{Title: title, Body: strings.Join(parts, " · "), Path: "order/" + event.Subject, Picture: picture}, err
}

// picture returns the small file of an uploaded image; nil for an image of another host, or if the
// server's address is not configured.
func (t notificationTexts) picture(tx *db.Tx, stored string) (*notify.Picture, error) {
	if stored == "" {
		return nil, nil
	}
	found, err := catalogue.FindPictures(tx, t.set.orders.Display.Media, []string{stored})
	file, ok := found[stored]
	if !ok || !message.IsAbsolute(file.URL) {
		return nil, err
	}
	return &notify.Picture{URL: file.URL, Width: file.Width, Height: file.Height}, err
}

// Digest implements [notify.Texts].
func (t notificationTexts) Digest(counts map[outbox.Type]int, in string) *notify.Text {
	language := locale.Of(in)
	var parts []string
	sum, path := 0, "home"
	for _, kind := range notify.Types() {
		if n := counts[kind]; n > 0 {
			sum += n
			parts = append(parts, notificationTitles[language][kind].many+": "+digits(language, n))
			if kind == outbox.OrderPlaced {
				path = "orders"
			}
		}
	}
	title := strings.ReplaceAll(notificationPhrases[language].happened, "{count}", digits(language, sum))
	return &notify.Text{Title: title, Body: strings.Join(parts, " · "), Path: path}
}

// Summary implements [notify.Texts].
func (t notificationTexts) Summary(tx *db.Tx, day, in string, permits func(access.Permission) bool) (*notify.Text, error) {
	language := locale.Of(in)
	phrases := notificationPhrases[language]
	midnight, err := timezone.ParseDay(day, t.set.zone)
	if err != nil {
		return nil, fmt.Errorf("read day of a summary: %w", err)
	}
	end := timezone.StartOfDay(midnight, 1)
	sold, err := sales.SumSold(tx, midnight, end)
	if err != nil {
		return nil, err
	}
	var parts []string
	if permits(access.AnalyticsRead) {
		parts = append(parts, t.amount(language, sold.Sales))
	}
	var todo Todo
	if err := todo.findOrders(tx); err != nil {
		return nil, err
	}
	add := func(phrase string, count *int) {
		if count != nil && *count > 0 {
			parts = append(parts, strings.ReplaceAll(phrase, "{count}", digits(language, *count)))
		}
	}
	add(phrases.toConfirm, todo.ToConfirm)
	add(phrases.problems, todo.Problems)
	title := notificationTitles[language][notify.DailySummary].one
	if language == locale.English && sold.Orders == 1 {
		title = "{day}: {orders} order"
	}
	name := phrases.today
	if !tx.Now().Before(end) { // quiet hours have delayed it
		name = phrases.yesterday
	}
	title = strings.NewReplacer("{day}", name, "{orders}", digits(language, sold.Orders)).Replace(title)
	return &notify.Text{Title: title, Body: strings.Join(parts, " · "), Path: "home"}, nil
}

// Test implements [notify.Texts].
func (t notificationTexts) Test(in string) *notify.Text {
	phrases := notificationPhrases[locale.Of(in)]
	return &notify.Text{Title: phrases.testTitle, Body: phrases.testBody, Path: "notifications"}
}
