package sender_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"storefront/shop/sender"
)

// The dashboard counts the same cases in a browser, in a test of package e2e.
func TestSegments(t *testing.T) {
	t.Parallel()
	var tests []struct {
		Name     string
		Text     [][2]any // parts, each with how often it is repeated
		Segments int
	}
	file, err := os.ReadFile("testdata/segments.json")
	if err == nil {
		err = json.Unmarshal(file, &tests)
	}
	if err != nil || len(tests) < 30 {
		t.Fatalf("got %d cases, %v", len(tests), err)
	}
	for _, test := range tests {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			for _, part := range test.Text {
				text.WriteString(strings.Repeat(part[0].(string), int(part[1].(float64))))
			}
			if got := sender.Segments(text.String()); got != test.Segments {
				t.Errorf("got %d, want %d", got, test.Segments)
			}
		})
	}
	if got := sender.Segments(strings.Repeat("\xff", 70)); got != 1 {
		t.Errorf("70 characters that are not UTF-8: got %d, want 1", got)
	}
}

func TestFitsGSM7(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": true, "è Ç Ω Ñ ß € [~]\f": true, "`": false, "ç": false, "কোড": false, "\xff": false} {
		if got := sender.FitsGSM7(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Acme: your order 1042, ৳1,250.00, is confirmed.": "Acme: your order 1042, Tk 1,250.00, is confirmed.",
		"Rahima’s — “best” tea…":                          `Rahima's - "best" tea...`,
		"Acme: মোট ৳১,২৫০.০০।":                            "Acme: মোট ৳১,২৫০.০০।",
		"ডেমো — Demo":                                     "ডেমো — Demo",
	} {
		if got := sender.Plain(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
