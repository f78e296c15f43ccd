package conversion

import (
	"context"
	"strings"
	"time"
	"unicode"
)

// Sender sends events to one receiver.
type Sender interface {
	// Send sends an event once. The answer contains no secret.
	Send(ctx context.Context, account Account, event Event) Answer
}

// Account is a shop's account at a receiver.
type Account struct {
	PixelID, Token string
	TestCode       string // of a test event; "" for a real one
}

// Event is an event for a receiver.
type Event struct {
	Name     string
	ID       string // the same in every attempt, and in the buyer's browser
	At       time.Time
	Page     string // URL without a query; "" if it is unknown
	OrderID  string // "" if the event concerns no order
	Value    string // decimal, in major units
	Currency string // ISO 4217
	Contents []Content
	User     User
}

// Content is a part of an order.
type Content struct {
	ID       string // of the variant, as in the feed
	Quantity int64
	Price    string // of a unit: decimal, in major units
}

// User is the buyer, in the clear: senders hash what their protocol requires. "" means unknown.
type User struct {
	Phone         string // E.164
	Email         string
	Name          string
	City, Country string
	Fbp, Fbc      string // cookies of Meta's pixel
	Address       string // of the client
	Agent         string
}

// Verdict is the result of an attempt.
type Verdict string

// The verdicts.
const (
	Accepted    Verdict = "accepted"
	Refused     Verdict = "refused"      // it is not sent again
	NotReceived Verdict = "not_received" // surely not processed, and sent again
	Unknown     Verdict = "unknown"      // perhaps processed, and sent again
)

// Answer is the answer of a receiver.
type Answer struct {
	Verdict    Verdict
	Status     int           // 0 without a response
	Text       string        // the beginning of the response
	Problem    string        // why it was not accepted, for people; "" if it was
	RetryAfter time.Duration // before the next attempt; 0 means the usual delay
	// Account means that the account is refused, not only this event.
	Account bool
}

// NormalEmail returns an e-mail address as receivers hash it.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// NormalDigits returns a phone number as Meta hashes it: digits with the country code.
func NormalDigits(phone string) string {
	return strings.TrimLeft(strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, phone), "0")
}

// NormalWord returns a name or a place as Meta hashes it: lower case, without spaces and
// punctuation. Marks belong to letters, as in Bangla.
func NormalWord(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// NormalName returns the first and the last name as Meta hashes them. A single name is the first.
func NormalName(name string) (first, last string) {
	words := strings.Fields(name)
	if len(words) == 0 {
		return "", ""
	}
	if len(words) > 1 {
		last = NormalWord(words[len(words)-1])
	}
	return NormalWord(words[0]), last
}
