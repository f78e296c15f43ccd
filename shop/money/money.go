package money

import (
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/currency"
)

// Money is an amount of one currency in API responses.
type Money struct {
	Amount    int64  `json:"amount" doc:"Minor units: 125000 is ৳1,250.00"`
	Currency  string `json:"currency" doc:"ISO 4217" example:"BDT"`
	Formatted string `json:"formatted" doc:"For display" example:"৳1,250.00"`
}

// Currency is an ISO 4217 code with its number of decimals.
type Currency struct {
	Code   string
	Digits int // decimals: 2 for BDT, 0 for JPY, 3 for KWD
}

// symbols are the currency signs that buyers expect; other currencies are written with their code.
var symbols = map[string]string{
	"BDT": "৳", "USD": "$", "EUR": "€", "GBP": "£", "INR": "₹", "PKR": "Rs ", "LKR": "Rs ", "NPR": "Rs ",
	"JPY": "¥", "CNY": "CN¥", "KRW": "₩", "THB": "฿", "VND": "₫", "PHP": "₱", "NGN": "₦", "TRY": "₺",
}

// ParseCurrency returns the currency with this ISO 4217 code. ok is false for any other text.
func ParseCurrency(code string) (c Currency, ok bool) {
	unit, err := currency.ParseISO(code)
	if err != nil || unit.String() != code {
		return Currency{}, false
	}
	digits, _ := currency.Standard.Rounding(unit)
	return Currency{Code: code, Digits: digits}, true
}

// Money returns amount, in minor units, in the form of API responses.
func (c Currency) Money(amount int64) Money {
	return Money{Amount: amount, Currency: c.Code, Formatted: c.Format(amount)}
}

// Text returns the amount as people read it, with decimals only if there are minor units: ৳1,250.
func (m Money) Text() string {
	shown := m.Formatted
	if whole, fraction, ok := strings.Cut(shown, "."); ok && strings.Trim(fraction, "0") == "" {
		shown = whole
	}
	if rest, ok := strings.CutPrefix(shown, "-"); ok {
		return "−" + rest
	}
	return shown
}

// Text returns amount, in minor units, as [Money.Text] does.
func (c Currency) Text(amount int64) string { return c.Money(amount).Text() }

// Format returns amount, in minor units, with all decimals, as API responses have it: ৳1,250.00,
// ৳1,12,400.00. People read [Currency.Text].
func (c Currency) Format(amount int64) string {
	sign, magnitude := split(amount)
	whole := strconv.FormatUint(magnitude/c.Scale(), 10)
	var b strings.Builder
	b.WriteString(sign)
	if s, ok := symbols[c.Code]; ok {
		b.WriteString(s)
	} else {
		b.WriteString(c.Code + " ")
	}
	for i, r := range whole {
		if i > 0 && c.endsGroup(len(whole)-i) {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	b.WriteString(c.fraction(magnitude))
	return b.String()
}

// endsGroup reports whether a separator precedes the last n digits of a whole number: taka and
// rupees are grouped by lakh and crore.
func (c Currency) endsGroup(n int) bool {
	if c.isSouthAsian() && n > 3 {
		return n%2 == 1
	}
	return n%3 == 0
}

// isSouthAsian reports whether the currency is the taka or one of the rupees.
func (c Currency) isSouthAsian() bool {
	switch c.Code {
	case "BDT", "INR", "PKR", "LKR", "NPR":
		return true
	}
	return false
}

// amountPattern allows commas between groups of thousands, or of lakh and crore. A comma before the
// last one or two digits is not valid, because it is a decimal comma: 12,50 read as 1250 would be
// wrong by a factor of 100.
var amountPattern = regexp.MustCompile(`^(?:\d+|\d{1,3}(?:,\d{2,3})*,\d{3})(?:\.(\d*))?$`)

// Parse returns the minor units of a decimal amount as merchants write it ("1250", "1,250.50").
// ok is false if text is not a plain non-negative decimal, has more decimals than the currency
// (other than zeros), or overflows, and if its separator is a decimal point to some and separates
// thousands to others: 12.500 in a currency with fewer than three decimals, 12,500 in one with
// three.
func (c Currency) Parse(text string) (amount int64, ok bool) {
	text = strings.TrimSpace(text)
	match := amountPattern.FindStringSubmatch(text)
	if match == nil {
		return 0, false
	}
	whole, fraction := strings.TrimSuffix(strings.TrimSuffix(text, match[1]), "."), match[1]
	if len(fraction) == 3 && c.Digits < 3 {
		return 0, false
	}
	if c.Digits == 3 && whole == text && strings.Count(text, ",") == 1 {
		return 0, false
	}
	if len(fraction) > c.Digits {
		if strings.Trim(fraction[c.Digits:], "0") != "" {
			return 0, false
		}
		fraction = fraction[:c.Digits]
	}
	digits := strings.ReplaceAll(whole, ",", "") + fraction + strings.Repeat("0", c.Digits-len(fraction))
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// Decimal returns amount, in minor units, as a plain decimal, which [Currency.Parse] accepts unless
// it is negative: 1250.00.
func (c Currency) Decimal(amount int64) string {
	sign, magnitude := split(amount)
	return sign + strconv.FormatUint(magnitude/c.Scale(), 10) + c.fraction(magnitude)
}

// split returns the sign of an amount, "" or "-", and its magnitude.
func split(amount int64) (sign string, magnitude uint64) {
	if amount < 0 {
		return "-", uint64(-(amount + 1)) + 1 // the smallest int64 has no positive counterpart
	}
	return "", uint64(amount)
}

// fraction returns the decimals of an amount, after their point; "" if the currency has none.
func (c Currency) fraction(magnitude uint64) string {
	if c.Digits == 0 {
		return ""
	}
	digits := strconv.FormatUint(magnitude%c.Scale(), 10)
	return "." + strings.Repeat("0", c.Digits-len(digits)) + digits
}

// Scale returns the number of minor units in one major unit.
func (c Currency) Scale() uint64 {
	scale := uint64(1)
	for range c.Digits {
		scale *= 10
	}
	return scale
}

// CashUnit returns the smallest amount in which cash is paid by default, in minor units: whole taka
// and rupees, because their coins are not in use, and the minor unit of every other currency.
func (c Currency) CashUnit() int64 {
	if c.isSouthAsian() {
		return 100
	}
	return 1
}

// Add returns a + b. ok is false if the sum overflows.
func Add(a, b int64) (sum int64, ok bool) {
	if b > 0 && a > math.MaxInt64-b || b < 0 && a < math.MinInt64-b {
		return 0, false
	}
	return a + b, true
}

// Multiply returns unit × quantity. ok is false if either is negative or the product overflows.
func Multiply(unit int64, quantity int) (product int64, ok bool) {
	if unit < 0 || quantity < 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(unit), uint64(quantity))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

// Share returns amount × part ÷ whole, rounded down; the product may exceed 64 bits. part must not
// exceed whole, and whole must be positive.
func Share(amount, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(amount), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

// IsAmount reports whether n is a valid price: 0 to [MaxAmount].
func IsAmount(n int64) bool { return 0 <= n && n <= MaxAmount }

// MaxAmount is the largest amount that every JSON parser represents exactly.
const MaxAmount = 1<<53 - 1
