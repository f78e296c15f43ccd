package locale_test

import (
	"testing"

	"storefront/shop/locale"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]locale.Language{
		"": locale.English, "en-BD": locale.English, "fr": locale.English,
		"bn": locale.Bangla, "bn-BD": locale.Bangla, "BN-bd": locale.Bangla, "bnx": locale.English,
	} {
		if got := locale.Of(tag); got != want {
			t.Errorf("%q: got %s, want %s", tag, got, want)
		}
	}
}

func TestNameIn(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"Demo Shop — ডেমো শপ": {"Demo Shop", "ডেমো শপ"},
		"ডেমো শপ — Demo Shop": {"Demo Shop", "ডেমো শপ"},
		"Demo Shop — Dhaka":   {"Demo Shop — Dhaka", "Demo Shop — Dhaka"},
		"ডেমো শপ":             {"ডেমো শপ", "ডেমো শপ"},
		"Free over ৳৫০০ — ৳৫০০-এর উপরে ফ্রি": {"Free over ৳৫০০", "৳৫০০-এর উপরে ফ্রি"},
		"Demo — ডেমো — Tangail":              {"Demo — ডেমো — Tangail", "Demo — ডেমো — Tangail"},
	} {
		got := [2]string{locale.NameIn(locale.English, name), locale.NameIn(locale.Bangla, name)}
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestLanguage_Digits(t *testing.T) {
	t.Parallel()
	const text = "Order 1042, ৳1,250"
	if got := locale.English.Digits(text); got != text {
		t.Errorf("English: got %q, want %q", got, text)
	}
	if got, want := locale.Bangla.Digits(text), "Order ১০৪২, ৳১,২৫০"; got != want {
		t.Errorf("Bangla: got %q, want %q", got, want)
	}
}
