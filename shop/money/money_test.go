package money_test

import (
	"math"
	"testing"

	"storefront/shop/money"
)

// Taka and rupees are grouped by lakh and crore, as people there write them; other currencies by
// thousands. A plain decimal has no groups, and a text only decimals that are not zero.
func TestCurrency_Format(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		currency                 string
		amount                   int64
		formatted, decimal, text string
	}{
		{"BDT", 0, "৳0.00", "0.00", "৳0"},
		{"BDT", 5, "৳0.05", "0.05", "৳0.05"},
		{"BDT", 999_99, "৳999.99", "999.99", "৳999.99"},
		{"BDT", 1_250_00, "৳1,250.00", "1250.00", "৳1,250"},
		{"BDT", 99_999_00, "৳99,999.00", "99999.00", "৳99,999"},
		{"BDT", 2_23_425_00, "৳2,23,425.00", "223425.00", "৳2,23,425"},
		{"BDT", 1_23_45_678_90, "৳1,23,45,678.90", "12345678.90", "৳1,23,45,678.90"},
		{"BDT", -1_23_456_05, "-৳1,23,456.05", "-123456.05", "−৳1,23,456.05"},
		{"BDT", -5, "-৳0.05", "-0.05", "−৳0.05"},
		{"INR", 10_00_000_00, "₹10,00,000.00", "1000000.00", "₹10,00,000"},
		{"USD", 1_234_567_89, "$1,234,567.89", "1234567.89", "$1,234,567.89"},
		{"JPY", -1_234_567, "-¥1,234,567", "-1234567", "−¥1,234,567"},
		{"KWD", 123_456_789, "KWD 123,456.789", "123456.789", "KWD 123,456.789"},
		{"JPY", math.MinInt64, "-¥9,223,372,036,854,775,808", "-9223372036854775808", "−¥9,223,372,036,854,775,808"},
	} {
		c, ok := money.ParseCurrency(tc.currency)
		if !ok {
			t.Fatalf("%s: no such currency", tc.currency)
		}
		if got := c.Format(tc.amount); got != tc.formatted {
			t.Errorf("%s %d: got %s, want %s", tc.currency, tc.amount, got, tc.formatted)
		}
		if got := c.Text(tc.amount); got != tc.text {
			t.Errorf("%s %d: got text %s, want %s", tc.currency, tc.amount, got, tc.text)
		}
		if got := c.Decimal(tc.amount); got != tc.decimal {
			t.Errorf("%s %d: got decimal %s, want %s", tc.currency, tc.amount, got, tc.decimal)
		}
		if back, ok := c.Parse(tc.decimal); ok == (tc.amount < 0) || ok && back != tc.amount {
			t.Errorf("%s: got %d (%t) from the decimal, want %d", tc.decimal, back, ok, tc.amount)
		}
	}
}
