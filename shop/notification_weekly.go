package shop

import (
	"context"
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/locale"
	"storefront/shop/notify"
	"storefront/shop/plugin"
	"storefront/shop/sales"
)

const (
	// lateCashDays is the age at which cash at a courier is in the weekly summary.
	lateCashDays = 7
	// maxWeekly limits the areas and the products that it names.
	maxWeekly = 3
)

// weeklyPhrases are the lines of the weekly summary by language.
var weeklyPhrases = map[locale.Language]struct{ cash, area, buyer, buyers, stock, more string }{
	locale.English: {
		"{courier} holds {amount}, the oldest for {days} days.", "{place}: {returned} of {all} orders came back in four weeks.",
		"1 buyer returned two or more orders.", "{count} buyers returned two or more orders.",
		"{product}: {stock} left, enough for about {days} days.", "{count} more products end within a week.",
	},
	locale.Bangla: {
		"{courier}-এর কাছে {amount}, সবচেয়ে পুরোনোটি {days} দিনের।", "{place}: চার সপ্তাহে {all}টির মধ্যে {returned}টি অর্ডার ফেরত এসেছে।",
		"১ জন ক্রেতা দুই বা বেশি অর্ডার ফেরত দিয়েছেন।", "{count} জন ক্রেতা দুই বা বেশি অর্ডার ফেরত দিয়েছেন।",
		"{product}: {stock}টি আছে, প্রায় {days} দিন চলবে।", "আরও {count}টি পণ্য এক সপ্তাহের মধ্যে শেষ হবে।",
	},
}

// weekly collects the lines of a weekly summary.
type weekly struct {
	language locale.Language
	lines    []string
	path     string // of the first line
}

// line adds a line. values are pairs of a placeholder and its value, which may be a number.
func (w *weekly) line(path, phrase string, values ...any) {
	pairs := make([]string, len(values))
	for i, value := range values {
		pairs[i] = fmt.Sprint(value)
		if _, isNumber := value.(int); isNumber {
			pairs[i] = digits(w.language, value)
		}
	}
	if w.path == "" {
		w.path = path
	}
	w.lines = append(w.lines, strings.NewReplacer(pairs...).Replace(phrase))
}

// Weekly implements [notify.Texts].
func (t notificationTexts) Weekly(
	ctx context.Context, tx *db.Tx, in string, permits func(access.Permission) bool,
) (*notify.Text, error) {
	w := &weekly{language: locale.Of(in)}
	of := sales.Settings{Currency: t.set.money, Zone: t.set.zone, Country: t.set.Country}
	if permits(access.CashRead) {
		if err := t.addLateCash(tx, w); err != nil {
			return nil, err
		}
	}
	if permits(access.AnalyticsRead) {
		if err := addReturning(ctx, tx, of, w); err != nil {
			return nil, err
		}
	}
	if permits(access.AnalyticsRead) && permits(access.ProductsRead) {
		if err := addEnding(ctx, tx, of, w); err != nil {
			return nil, err
		}
	}
	if len(w.lines) == 0 {
		return nil, nil
	}
	title := notificationTitles[w.language][notify.WeeklySummary].one
	return &notify.Text{Title: title, Body: strings.Join(w.lines, "\n"), Path: w.path}, nil
}

// addLateCash adds the cash that couriers have held for long.
func (t notificationTexts) addLateCash(tx *db.Tx, w *weekly) error {
	late, err := cash.FindLate(tx, lateCashDays)
	if err != nil {
		return err
	}
	for _, c := range late {
		w.line("cash", weeklyPhrases[w.language].cash, "{courier}", plugin.ProviderName(c.Courier, w.language),
			"{amount}", t.amount(w.language, c.Held), "{days}", c.Days)
	}
	return nil
}

// addReturning adds the areas and the number of buyers from whom orders come back. It names no
// buyer: a lock screen is public.
func addReturning(ctx context.Context, tx *db.Tx, of sales.Settings, w *weekly) error {
	phrases := weeklyPhrases[w.language]
	areas, err := sales.FindReturningAreas(ctx, tx, of, maxWeekly)
	if err != nil {
		return err
	}
	for _, a := range areas {
		place := a.City
		if a.Area != "" {
			place = a.Area + ", " + a.City
		}
		w.line("analytics", phrases.area, "{place}", place, "{returned}", a.Returned, "{all}", a.Delivered+a.Returned)
	}
	buyers, err := sales.CountReturningBuyers(tx)
	switch {
	case err != nil:
		return err
	case buyers == 1:
		w.line("customers", phrases.buyer)
	case buyers > 1:
		w.line("customers", phrases.buyers, "{count}", buyers)
	}
	return nil
}

// addEnding adds the products that will be sold out.
func addEnding(ctx context.Context, tx *db.Tx, of sales.Settings, w *weekly) error {
	phrases := weeklyPhrases[w.language]
	ending, err := sales.FindEndingProducts(ctx, tx, of)
	if err != nil {
		return err
	}
	for i, p := range ending {
		if i == maxWeekly {
			w.line("stock", phrases.more, "{count}", len(ending)-maxWeekly)
			break
		}
		w.line("stock", phrases.stock, "{product}", p.Title, "{stock}", int(p.Stock), "{days}", p.Days)
	}
	return nil
}
