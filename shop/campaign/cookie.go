package campaign

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
)

const (
	// maxCookie is the largest value of a cookie, in bytes. Browsers store cookies up to 4 KiB.
	maxCookie = 3500
	// visitTime is the time within which further pages belong to the same visit.
	visitTime = 30 * time.Minute
	// clockSkew is how far the clocks of servers may differ.
	clockSkew = time.Minute
)

// History is what a browser stores of a buyer's visits in a cookie. Anyone can write it. The zero
// value means nothing.
type History struct{ first, last *Touch }

// Attribution returns the history as part of an order, nil if there is none.
func (h History) Attribution() *Attribution {
	if h.first == nil && h.last == nil {
		return nil
	}
	return &Attribution{First: h.first, Last: h.last}
}

// Add adds a visit. isNew is false if it belongs to the previous one: it is the same campaign, or
// only its referrer is known, within half an hour.
func (h History) Add(t *Touch, now time.Time) (next History, isNew bool) {
	if h.last != nil && now.Sub(*h.last.At) < visitTime && (t.isReferral() || KeyOf(t) == KeyOf(h.last)) {
		return h, false
	}
	if h.first == nil {
		h.first = t
	}
	h.last = t
	return h, true
}

// fields returns a touch's values in the order in which the cookie has them.
func (t *Touch) fields() []**string {
	return []**string{&t.Source, &t.Medium, &t.Campaign, &t.Fbclid, &t.Referrer, &t.Landing, &t.Content, &t.Term}
}

// Encode returns the value of the cookie. If it would be too large, it has only the values that
// reports and Meta need.
func (h History) Encode() string {
	encode := func(values int, touches ...*Touch) string {
		var all [][]string
		for _, t := range touches {
			row := []string{millis(*t.At)}
			for _, value := range t.fields()[:values] {
				row = append(row, Text(*value))
			}
			all = append(all, row)
		}
		text, err := json.Marshal(all)
		if err != nil { // texts can always be written
			return ""
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	if h.first == nil || h.last == nil {
		return ""
	}
	touches := []*Touch{h.first, h.last}
	if h.first == h.last {
		touches = touches[:1]
	}
	for _, values := range []int{8, 6, 4} {
		if value := encode(values, touches...); len(value) <= maxCookie {
			return value
		}
	}
	return encode(4, h.last)
}

// ParseHistory returns the history of a cookie's value without its invalid and old touches.
func ParseHistory(value string, now time.Time) (h History) {
	if len(value) > maxCookie {
		return History{}
	}
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return History{}
	}
	var rows [][]string
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) > 2 {
		return History{}
	}
	for _, row := range rows {
		t := parseTouch(row, now)
		if h.first == nil {
			h.first = t
		}
		if t != nil {
			h.last = t
		}
	}
	return h
}

// parseTouch returns a touch of a cookie in its stored form, nil for an invalid or old one.
func parseTouch(row []string, now time.Time) *Touch {
	if len(row) == 0 {
		return nil
	}
	at, err := strconv.ParseInt(row[0], 10, 64)
	if err != nil || at < 0 || at > now.Add(clockSkew).UnixMilli() {
		return nil
	}
	t := &Touch{At: new(time.UnixMilli(at))}
	fields := t.fields()
	for i, value := range row[1:min(len(row), 1+len(fields))] {
		*fields[i] = newText(value)
	}
	return t.clean(now)
}

func millis(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
