package onetime

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"storefront/shop/fault"
	"storefront/shop/phone"
)

// MaxAttempts is the number of wrong attempts that make a code invalid. The client that requested
// the code has them for itself, and all other clients share as many: strangers cannot use up a code
// before the person who requested it enters it.
const MaxAttempts = 3

// Code is a stored code.
type Code struct {
	ID        string
	Recipient string // the contact or person that the code was sent to
	Purpose   string // a code is valid for its own purpose only
	Client    []byte // hash of the client that requested it
	Hash      []byte
	CreatedAt time.Time

	table     Table
	ownTries  int // wrong attempts by the client that requested it
	allTries  int
	usedAt    *time.Time
	isStored  bool
	requester bool // the present client requested it
}

// IsZero reports whether there is no code.
func (c Code) IsZero() bool { return !c.isStored }

// IsUsed reports whether the code has been used.
func (c Code) IsUsed() bool { return c.usedAt != nil }

// IsRequester reports whether the client that [Table.FindLast] was called for requested the code.
func (c Code) IsRequester() bool { return c.requester }

// IsLive reports whether the client can use the code.
func (c Code) IsLive(now time.Time) bool {
	tries := c.allTries - c.ownTries
	if c.requester {
		tries = c.ownTries
	}
	return c.isStored && c.usedAt == nil && tries < MaxAttempts && now.Before(c.CreatedAt.Add(c.table.Lifetime))
}

// Digits returns random digits.
func Digits(random io.Reader, digits int) (string, error) {
	n, err := rand.Int(random, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	if err != nil {
		return "", fmt.Errorf("generate code: %w", err)
	}
	return fmt.Sprintf("%0*d", digits, n), nil
}

// Parse returns a code in ASCII digits. The input may use the digits of any script, and spaces. It
// is "" if text has anything else, or more than most digits.
func Parse(text string, most int) string {
	var digits strings.Builder
	for _, r := range strings.TrimSpace(text) {
		if r == ' ' {
			continue
		}
		d, ok := phone.DigitValue(r)
		if !ok || digits.Len() == most {
			return ""
		}
		digits.WriteByte('0' + d)
	}
	return digits.String()
}

// Hashes hashes codes with a key that the shop's file contains only sealed. Plain hashes of a few
// digits could be reversed by trying all of them.
type Hashes struct{ key []byte }

// NewHashes returns the hashes with a key.
func NewHashes(key []byte) Hashes { return Hashes{key} }

// Of returns the hash of the parts.
func (h Hashes) Of(parts ...string) []byte {
	mac := hmac.New(sha256.New, h.key)
	mac.Write([]byte(strings.Join(parts, "\x00")))
	return mac.Sum(nil)
}

// Seal sets the hash of a code before it is stored.
func (h Hashes) Seal(c *Code, digits string) { c.Hash = h.of(*c, digits) }

// Match reports whether the code has these digits.
func (h Hashes) Match(c Code, digits string) bool { return hmac.Equal(c.Hash, h.of(c, digits)) }

func (h Hashes) of(c Code, digits string) []byte { return h.Of(c.ID, c.Recipient, digits) }

// ErrInvalid returns the error of a code that cannot be used. Codes: otp_invalid.
func ErrInvalid() *fault.Error {
	return fault.Errorf(fault.CodeOTPInvalid, "This code is wrong, used or expired: check it, or request a new one.")
}
