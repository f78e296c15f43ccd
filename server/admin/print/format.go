package print

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"storefront/shop/locale"
	"storefront/shop/money"
)

// format writes numbers, amounts, dates and phone numbers in a form for people, in a language.
type format struct {
	language locale.Language
	zone     *time.Location
	currency money.Currency
}

func (f format) isBangla() bool { return f.language == locale.Bangla }

// digits writes the digits of a text in the language's own.
func (f format) digits(text string) string { return f.language.Digits(text) }

func (f format) number(n int) string { return f.digits(strconv.Itoa(n)) }

// money writes an amount in minor units, with decimals only if there are any: ৳1,12,400.
func (f format) money(amount int64) string { return f.digits(f.currency.Text(amount)) }

var banglaMonths = []string{"জানু", "ফেব", "মার্চ", "এপ্রিল", "মে", "জুন", "জুলাই", "আগস্ট", "সেপ্টে", "অক্টো", "নভে", "ডিসে"}

// date writes the day of a time in the shop's zone: 22 Nov 2026.
func (f format) date(t time.Time) string {
	t = t.In(f.zone)
	month := t.Format("Jan")
	if f.isBangla() {
		month = banglaMonths[t.Month()-1]
	}
	return f.digits(fmt.Sprintf("%d %s %d", t.Day(), month, t.Year()))
}

var bangladeshiMobile = regexp.MustCompile(`^\+880(1\d{3})(\d{3})(\d{3})$`)

// phone writes a phone number in a form for people: 01819-336 204.
func (f format) phone(e164 string) string {
	if local := bangladeshiMobile.FindStringSubmatch(e164); local != nil {
		e164 = "0" + local[1] + "-" + local[2] + " " + local[3]
	}
	return f.digits(e164)
}

// name returns a name in the language. Names can be in both: "Jute Basket — পাটের ঝুড়ি".
func (f format) name(text string) string {
	one, other, both := strings.Cut(text, " — ")
	switch {
	case !both || strings.Contains(other, " — "):
		return text
	case isBangla(one) == f.isBangla():
		return one
	case isBangla(other) == f.isBangla():
		return other
	}
	return text
}

func isBangla(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return '\u0980' <= r && r <= '\u09ff' })
}

// langOf returns the lang attribute of a text written by people.
func langOf(text string) locale.Language {
	if isBangla(text) {
		return locale.Bangla
	}
	return locale.English
}
