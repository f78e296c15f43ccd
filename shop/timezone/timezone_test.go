package timezone_test

import (
	"testing"
	"time"

	"storefront/shop/timezone"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for country, want := range map[string]string{
		"BD": "Asia/Dhaka", "NP": "Asia/Kathmandu", "FR": "Europe/Paris", "US": "UTC", "ID": "UTC", "ZZ": "UTC", "": "UTC", "is": "UTC", "# ": "UTC",
	} {
		got := timezone.Of(country)
		if got != want {
			t.Errorf("%q: got %s, want %s", country, got, want)
		}
		if _, err := timezone.Find(got); err != nil {
			t.Errorf("%q: %v", country, err)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	zone, err := timezone.Find("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	if got := time.Date(2026, 3, 1, 0, 0, 0, 0, zone).Format(time.RFC3339); got != "2026-03-01T00:00:00+05:45" {
		t.Errorf("got %s, want the offset +05:45", got)
	}
	for _, name := range []string{"", "Local", "Dhaka", "+06:00", "../../etc/passwd", "Asia/Dhaka\x00"} {
		if _, err := timezone.Find(name); err == nil {
			t.Errorf("%q: got a time zone, want an error", name)
		}
	}
}
