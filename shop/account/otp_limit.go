package account

import (
	"errors"
	"time"

	"storefront/db"
)

// otpDay is the period over which codes are counted. Older codes are deleted.
const otpDay = 24 * time.Hour

// otpLimits checks whether another code may be sent.
type otpLimits struct {
	throttles
	phone, client string
	segments      int
}

// clientKey returns the hash that stands for the client in the shop's file.
func (l otpLimits) clientKey() []byte { return l.hash("codes of client", l.client) }

// check returns an error if a limit is reached. Codes that verified their phone do not count.
// Codes: rate_limited.
func (l otpLimits) check(tx *db.Tx) error {
	now := tx.Now()
	last, err := findLastCode(tx, l.phone)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err == nil && last.usedAt == nil {
		next := last.createdAt.Add(time.Duration(l.CodeInterval) * time.Second)
		if err := tooMany(now, next, "A code was sent to this phone just now"); err != nil {
			return err
		}
	}
	for _, rule := range []struct {
		of     codesOf
		limit  int64
		window time.Duration
		why    string
	}{
		{codesOf{phone: l.phone}, l.CodesPerPhone, otpDay, "Too many codes were sent to this phone"},
		{codesOf{phone: l.phone, client: l.clientKey()}, l.CodesPerPhoneAndClient, otpDay, "Too many codes were sent to this phone"},
		{codesOf{client: l.clientKey()}, l.CodesPerClient, time.Hour, "Too many codes were requested from your network"},
	} {
		if rule.of.phone == "" && l.client == "" {
			continue // the client is unknown: all unknown clients would count as one
		}
		first, err := findNthUnverified(tx, rule.of, now.Add(-rule.window), rule.limit)
		if err != nil {
			return err
		}
		if err := tooMany(now, first.Add(rule.window), rule.why); err != nil {
			return err
		}
	}
	segments, first, err := sumUnverified(tx, now.Add(-otpDay))
	if err != nil || segments+int64(l.segments) <= l.MessagesPerDay {
		return err
	}
	return tooMany(now, first.Add(otpDay), "The shop has reached its daily limit of codes")
}
