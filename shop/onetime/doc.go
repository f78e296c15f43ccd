// Package onetime holds the one-time codes that are sent to people: their digits, their hashes,
// their rows, and the attempts at them. It knows neither customers nor staff members, nor how a
// message is sent.
package onetime
