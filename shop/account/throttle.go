package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

// throttles creates the throttles of a shop. They count in the domain, so that a guesser gains nothing
// by using several transports, and in the shop's file, so that a restart does not reset them.
type throttles struct {
	Limits
	key []byte
}

// loadThrottles returns the throttles with the shop's present limits.
func (a *Accounts) loadThrottles(ctx context.Context) (throttles, error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return throttles{}, err
	}
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return throttles{}, err
	}
	return throttles{Limits: set.Limits.withDefaults(), key: keys.Throttle}, nil
}

// hash returns the key of a count. It does not reveal the addresses and phone numbers in parts.
func (t throttles) hash(kind string, parts ...string) []byte {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(kind))
	for _, part := range parts {
		mac.Write([]byte{0})
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)[:16]
}

// Throttle limits failures of one kind: it counts them and, above its limit, returns an error until
// its window or delay ends. The zero Throttle counts nothing.
type Throttle struct {
	key    []byte
	limit  int64         // failures after which it blocks
	window time.Duration // how long a failure counts
	delay  time.Duration // the first wait, doubled by each further failure; 0 means until the window ends
}

// Delays after wrong passwords for one account from one client: fewer than 40 attempts a day for a
// guesser, and seconds of waiting for a customer who mistypes.
const (
	passwordDelay    = 15 * time.Second
	maxPasswordDelay = time.Hour
	passwordWindow   = 24 * time.Hour
)

// wrongPasswordsPerAccount limits wrong passwords by account and client together, so that a guesser
// at another address does not lock the owner out. account is derived from the input, so that the
// throttle does not reveal which accounts exist.
func (t throttles) wrongPasswordsPerAccount(account, client string) Throttle {
	return Throttle{key: t.hash("password", account, client), limit: t.WrongPasswords, window: passwordWindow, delay: passwordDelay}
}

// wrongPasswordsPerClient limits wrong passwords by client, over all accounts.
func (t throttles) wrongPasswordsPerClient(client string) Throttle {
	return t.perClient("password", client, t.WrongPasswordsPerClient)
}

// ClientThrottle returns a throttle of failures of one kind by client, the address that the caller
// connects from. Its limit is [Limits].WrongCodesPerClient an hour.
func (a *Accounts) ClientThrottle(ctx context.Context, kind, client string) (Throttle, error) {
	t, err := a.loadThrottles(ctx)
	return t.perClient(kind, client, t.WrongCodesPerClient), err
}

// wrongCodesPerClient limits wrong sign-in codes by client.
func (t throttles) wrongCodesPerClient(client string) Throttle {
	return t.perClient("code", client, t.WrongCodesPerClient)
}

// perClient returns a throttle that counts nothing if the client is unknown: it would count all
// unknown clients as one.
func (t throttles) perClient(kind, client string, limit int64) Throttle {
	if client == "" {
		return Throttle{}
	}
	return Throttle{key: t.hash(kind+" by client", client), limit: limit, window: time.Hour}
}

// Key returns the key of the count, which is the same for the same kind and client. It is nil for a
// throttle that counts nothing.
func (t Throttle) Key() []byte { return t.key }

// Check returns an error while the throttle blocks. Codes: rate_limited.
func (t Throttle) Check(tx *db.Tx) error {
	if t.key == nil {
		return nil
	}
	row, err := findFailures(tx, t.key)
	if err != nil {
		return err
	}
	return tooMany(tx.Now(), t.blockedUntil(row), "There were too many failed attempts")
}

func (t Throttle) blockedUntil(row failureRow) time.Time {
	switch {
	case row.count < t.limit:
		return time.Time{}
	case t.delay == 0:
		return row.firstAt.Add(t.window)
	}
	doublings := min(row.count-t.limit, 16) // more would exceed the longest delay anyway
	return row.lastAt.Add(min(t.delay<<doublings, maxPasswordDelay))
}

// Count records one failure.
func (t Throttle) Count(tx *db.Tx) error {
	if t.key == nil {
		return nil
	}
	row, err := findFailures(tx, t.key)
	if err != nil {
		return err
	}
	if row.count == 0 {
		row.firstAt = tx.Now()
	}
	row.count, row.lastAt = row.count+1, tx.Now()
	expires := row.firstAt.Add(t.window)
	if t.delay > 0 {
		expires = row.lastAt.Add(t.window)
	}
	return saveFailures(tx, t.key, row, expires)
}

// uncount removes one failure.
func (t Throttle) uncount(tx *db.Tx) error {
	if t.key == nil {
		return nil
	}
	return reduceFailures(tx, t.key)
}

// reset removes all failures.
func (t Throttle) reset(tx *db.Tx) error { return deleteFailures(tx, t.key) }

// tooMany returns an error with the time to wait until a retry, or nil if until is past or zero.
func tooMany(now, until time.Time, why string) error {
	wait := until.Sub(now)
	if until.IsZero() || wait <= 0 {
		return nil
	}
	e := fault.Errorf(fault.CodeRateLimited, "%s: try again in %s.", why, roughly(wait))
	e.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return e
}

// roughly formats a wait in words, rounded up.
func roughly(wait time.Duration) string {
	unit, each := "second", time.Second
	switch {
	case wait > 2*time.Hour:
		unit, each = "hour", time.Hour
	case wait > 2*time.Minute:
		unit, each = "minute", time.Minute
	}
	n := (wait + each - 1) / each
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
