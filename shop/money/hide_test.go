package money_test

import (
	"testing"

	"storefront/shop/money"
)

// Amounts in texts are hidden as people and the shop write them, and nothing else is.
func TestHide(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"At most ৳2,000.00 of it: ৳410.00 is on its way.": "At most ••• of it: ••• is on its way.",
		"৳৯,৮৬০ আদায় করুন":                               "••• আদায় করুন",
		"−৳720 and -৳720.50":                              "••• and •••",
		"Tk 500, tk. 20 and BDT 1,250.50.":                "•••, ••• and •••.",
		"৫০০ টাকা বা 500 taka, 20Tk":                      "••• বা •••, •••",
		"KWD 12.500": "•••",
		"Call 01711-000000 about SMS 5, House 12": "Call 01711-000000 about SMS 5, House 12",
		"#1042, 3 pieces, 2026-03-01":             "#1042, 3 pieces, 2026-03-01",
	} {
		if got := money.Hide(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
