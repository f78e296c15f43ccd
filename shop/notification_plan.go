package shop

import (
	"strconv"
	"strings"

	"storefront/shop/locale"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/plan"
)

// planPhrases are the texts of warnings of the plan by language.
var planPhrases = map[locale.Language]struct {
	limits                           map[plan.Limit]string
	near, full, stillSold, essential string
}{
	locale.English: {
		map[plan.Limit]string{
			plan.Orders: "the month's orders", plan.Products: "the products", plan.Staff: "the team's places",
			plan.ImageBytes: "the space for pictures", plan.Domains: "the domains", plan.SMSSegments: "the month's text messages",
		},
		"Contact the operator of your shop's server if you need more.",
		"Contact the operator of your shop's server for a larger plan.",
		"Buyers can still order. The orders beyond the plan are counted.",
		"Texts about orders and money are still sent, those about the delivery are not.",
	},
	locale.Bangla: {
		map[plan.Limit]string{
			plan.Orders: "এ মাসের অর্ডারের", plan.Products: "পণ্যের", plan.Staff: "টিমের জায়গার",
			plan.ImageBytes: "ছবির জায়গার", plan.Domains: "ডোমেইনের", plan.SMSSegments: "এ মাসের এসএমএসের",
		},
		"আরও লাগলে আপনার দোকানের সার্ভার যাঁরা চালান, তাঁদের জানান।",
		"বড় প্ল্যানের জন্য আপনার দোকানের সার্ভার যাঁরা চালান, তাঁদের জানান।",
		"ক্রেতারা এখনো অর্ডার করতে পারবেন। প্ল্যানের বাইরের অর্ডার গোনা হচ্ছে।",
		"অর্ডার আর টাকার এসএমএস যাবে, ডেলিভারির এসএমএস যাবে না।",
	},
}

// planWarning returns the text of a warning of the plan.
func planWarning(event outbox.Event, title string, language locale.Language) *notify.Text {
	phrases, limit := planPhrases[language], plan.Limit(event.Subject)
	percent, _ := strconv.Atoi(event.Data.Status) // always a number
	body := phrases.near
	if percent >= 100 {
		switch body = phrases.full; limit {
		case plan.Orders:
			body = phrases.stillSold
		case plan.SMSSegments:
			body = phrases.essential
		}
	}
	title = strings.NewReplacer("{percent}", digits(language, percent), "{limit}", phrases.limits[limit]).Replace(title)
	return &notify.Text{Title: title, Body: body, Path: "settings/plan"}
}
