package timezone

import "time"

// StartOfDay returns the beginning of the day that is a number of days after at's day, in at's time
// zone: its first moment, which is not midnight if clocks are put forward then. A day that a time
// zone skips begins with the next one.
func StartOfDay(at time.Time, days int) time.Time {
	year, month, day := at.Date()
	return startOf(year, month, day+days, at.Location())
}

// Days returns the beginnings of the days from the first to the last, and the end of the last.
func Days(first, last time.Time) []time.Time {
	days := []time.Time{first}
	for day := first; !day.After(last); {
		day = StartOfDay(day, 1)
		days = append(days, day)
	}
	return days
}

// ParseDay returns the beginning of a day such as 2026-03-01.
func ParseDay(text string, zone *time.Location) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, err
	}
	year, month, date := day.Date()
	return startOf(year, month, date, zone), nil
}

func startOf(year int, month time.Month, day int, zone *time.Location) time.Time {
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	at := time.Date(year, month, day, 0, 0, 0, 0, zone)
	changed, changes := at.ZoneBounds()
	if dateOf(at).Before(date) { // there is no such midnight
		return changes
	}
	if changed.IsZero() {
		return at
	}
	// Clocks that are put back after midnight show it twice: the day begins with the first.
	before := changed.Add(-time.Nanosecond)
	if !dateOf(before).Before(date) {
		_, offset := before.Zone()
		return date.Add(-time.Duration(offset) * time.Second).In(zone)
	}
	return at
}

// dateOf returns the date of a time, as midnight UTC.
func dateOf(at time.Time) time.Time {
	year, month, day := at.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
