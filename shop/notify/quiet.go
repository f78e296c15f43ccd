package notify

import (
	"fmt"
	"time"

	"storefront/shop/fault"
)

// Quiet are the hours in which a member is not notified, in the shop's time zone. Events in them
// are sent at their end, as one notification if there are many.
type Quiet struct {
	From  string `json:"from" doc:"Such as 22:00"`
	Until string `json:"until" doc:"Such as 07:00. The same time as from is refused"`
}

// minutes returns the times as minutes after midnight.
func (q Quiet) minutes(bad *fault.Invalid) (from, until int) {
	parse := func(field, text string) int {
		at, err := time.Parse("15:04", text)
		if err != nil || len(text) != len("15:04") {
			bad.Add(field, fault.CodeInvalidValue, "Must be a time such as 22:00.")
			return 0
		}
		return at.Hour()*60 + at.Minute()
	}
	from, until = parse("quiet.from", q.From), parse("quiet.until", q.Until)
	if q.From == q.Until {
		bad.Add("quiet.until", fault.CodeInvalidValue, "Must differ from the start.")
	}
	return from, until
}

func clockText(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// quietHours are quiet hours as stored. Both are nil if there are none.
type quietHours struct{ from, until *int }

func (q quietHours) view() *Quiet {
	if q.from == nil || q.until == nil {
		return nil
	}
	return &Quiet{clockText(*q.from), clockText(*q.until)}
}

// after returns the time at which a notification may be sent: now, or the end of the quiet hours.
func (q quietHours) after(now time.Time, zone *time.Location) time.Time {
	if q.from == nil || q.until == nil {
		return now
	}
	local := now.In(zone)
	minute := local.Hour()*60 + local.Minute()
	isQuiet := minute >= *q.from && minute < *q.until
	if *q.from > *q.until { // over midnight
		isQuiet = minute >= *q.from || minute < *q.until
	}
	if !isQuiet {
		return now
	}
	day := local.Day()
	if minute >= *q.until {
		day++
	}
	return time.Date(local.Year(), local.Month(), day, *q.until/60, *q.until%60, 0, 0, zone)
}
