package account_test

import (
	"strings"
	"testing"

	"storefront/shop/account"
)

func TestSMSSegments(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text     string
		gsm7     bool
		segments int
	}{
		"empty":                             {"", true, 1},
		"a code":                            {"Your code is 4821.", true, 1},
		"160 letters":                       {strings.Repeat("a", 160), true, 1},
		"161 letters":                       {strings.Repeat("a", 161), true, 2},
		"two full parts":                    {strings.Repeat("a", 306), true, 2},
		"one more":                          {strings.Repeat("a", 307), true, 3},
		"extended characters count twice":   {strings.Repeat("€", 80), true, 1},
		"one extended character too many":   {strings.Repeat("€", 81), true, 2},
		"an extended one is not cut":        {strings.Repeat("a", 152) + "€" + strings.Repeat("a", 152), true, 3},
		"accents and Greek of the table":    {"è Ç Ω Ñ ß", true, 1},
		"a backtick is not of the table":    {"`", false, 1},
		"Bangla":                            {"আপনার কোড ৪৮২১", false, 1},
		"70 Bangla letters":                 {strings.Repeat("ক", 70), false, 1},
		"71 Bangla letters":                 {strings.Repeat("ক", 71), false, 2},
		"two full Bangla parts":             {strings.Repeat("ক", 134), false, 2},
		"one more Bangla letter":            {strings.Repeat("ক", 135), false, 3},
		"an emoji takes two":                {strings.Repeat("😀", 35), false, 1},
		"one emoji too many":                {strings.Repeat("😀", 36), false, 2},
		"an emoji is not cut":               {strings.Repeat("😀", 67), false, 3},
		"one foreign letter among 71":       {strings.Repeat("a", 70) + "ক", false, 2},
		"what is not UTF-8 is one replaced": {strings.Repeat("\xff", 70), false, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := account.SMSFitsGSM7(test.text); got != test.gsm7 {
				t.Errorf("SMSFitsGSM7: got %v, want %v", got, test.gsm7)
			}
			if got := account.SMSSegments(test.text); got != test.segments {
				t.Errorf("SMSSegments: got %d, want %d", got, test.segments)
			}
		})
	}
}

func TestSMSText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Acme: your order 1042, ৳1,250.00, is confirmed.": "Acme: your order 1042, Tk 1,250.00, is confirmed.",
		"Rahima’s — “best” tea…":                          `Rahima's - "best" tea...`,
		"Acme: মোট ৳১,২৫০.০০।":                            "Acme: মোট ৳১,২৫০.০০।",
		"ডেমো — Demo":                                     "ডেমো — Demo",
	} {
		if got := account.SMSText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
