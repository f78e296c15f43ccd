package provider

import (
	"net/http"
	"strconv"
	"time"
)

// Written by hand: net/http does not parse this header.

// RetryAfter returns the delay of the header Retry-After (RFC 9110, section 10.2.3), 0 if there is
// none.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	const longest = 365 * 24 * time.Hour
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil && seconds > 0 {
		return min(time.Duration(min(seconds, int64(longest/time.Second)))*time.Second, longest)
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
