package timezone_test

import (
	"testing"
	"time"

	"storefront/shop/timezone"
)

func TestStartOfDay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, day, want string }{
		{"Asia/Dhaka", "2026-03-01", "2026-03-01T00:00:00+06:00"},
		{"America/Havana", "2026-03-08", "2026-03-08T01:00:00-04:00"}, // there is no midnight
		{"America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00"},
		{"Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00"},
		{"America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"}, // clocks show 00:00 to 01:00 twice
		{"Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00"},
		{"Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"}, // this day was skipped
	} {
		zone, err := timezone.Find(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := timezone.ParseDay(test.day, zone)
		if got := at.Format(time.RFC3339); err != nil || got != test.want {
			t.Errorf("%s in %s: got %s (%v), want %s", test.day, test.zone, got, err, test.want)
		}
	}
	if _, err := timezone.ParseDay("2026-3-1", time.UTC); err == nil {
		t.Error("got a day of 2026-3-1, want an error")
	}
}

// Each day of every zone of a country begins after the one before, with a time of that day that no
// earlier time of it precedes.
func TestStartOfDay_EachDay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"America/Havana", "America/Santiago", "America/Asuncion", "Atlantic/Azores", "Africa/Cairo", "Asia/Beirut", "Asia/Dhaka", "Asia/Tehran",
		"Europe/Berlin", "Pacific/Auckland", "Australia/Lord_Howe", "America/St_Johns", "UTC",
	} {
		zone, err := timezone.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		day, err := timezone.ParseDay("2000-01-01", zone)
		if err != nil {
			t.Fatal(err)
		}
		for day.Year() < 2030 {
			next := timezone.StartOfDay(day, 1)
			date := time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			if last := next.Add(-time.Nanosecond); next.Format(time.DateOnly) != date || last.Format(time.DateOnly) >= date || !next.After(day) {
				t.Fatalf("%s: the day after %s begins at %s", name, day, next)
			}
			if again := timezone.StartOfDay(next.Add(5*time.Hour), 0); !again.Equal(next) {
				t.Fatalf("%s: the day of %s begins at %s", name, next, again)
			}
			day = next
		}
	}
}
