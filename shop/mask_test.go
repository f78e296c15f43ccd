package shop_test

import (
	"testing"

	"storefront/shop"
)

// A mask without values masks what has the form of personal data, and leaves what an error needs.
func TestMask_Form(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"connection refused after 3 attempts":                    "connection refused after 3 attempts",
		"2026-12-01 03:00:12 failed":                             "2026-12-01 03:00:12 failed",
		"2026-12-01 01711000000":                                 "2026-12-01***",
		"number +880 1711-223344 is wrong":                       "number *** is wrong",
		"number ০১৭১১২২৩৩৪৪ is wrong":                            "number *** is wrong",
		"mail to rahima@example.com failed":                      "mail to *** failed",
		`Post "https://u:p@a.example/x/y?z=1": EOF`:              `Post "https://a.example/***": EOF`,
		"name=Rahima%20Khatun&x=1":                               "name=***&x=1",
		`{"name":"\u09b0\u09b9\u09bf\u09ae"}`:                    `{"name":"***"}`,
		"key sfa_abc123 and UmFoaW1hIEtoYXR1bg==":                "key *** and ***",
		"order 0123456789ABCDEF of 01KAMZ3V7T9S0E8GQ2W4B6N1XY":   "order ***ABCDEF of 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		"0123456789abcdef0123456789abcdef is not valid anywhere": "*** is not valid anywhere",
	} {
		if got := new(shop.Mask).Text(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
