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

// throttles count failures where the work is done, so that no transport multiplies guesses, and in
// the shop's file, so that a restart forgives nothing.
type throttles struct {
	Limits
	key []byte
}

func (a *Accounts) throttles(ctx context.Context) (throttles, error) {
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

// hash gives what is counted in a form from which nobody reads an address or a phone.
func (t throttles) hash(kind string, parts ...string) []byte {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(kind))
	for _, part := range parts {
		mac.Write([]byte{0})
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)[:16]
}

// Throttle is one count of failures with its rule. The zero value counts nothing.
type Throttle struct {
	key    []byte
	limit  int64         // failures from which on it holds back
	window time.Duration // how long failures count
	delay  time.Duration // the first wait, doubled by each further failure; 0: until the window ends
}

// The rule about passwords of one account from one address. A day of guessing gives fewer than
// forty tries; someone who misremembers waits for seconds.
const (
	passwordDelay    = 15 * time.Second
	maxPasswordDelay = time.Hour
	passwordWindow   = 24 * time.Hour
)

// wrongPasswords counts for one account and client together: a guesser elsewhere does not lock the
// owner out. account is what was typed, so that nobody learns which accounts there are.
func (t throttles) wrongPasswords(account, client string) Throttle {
	return Throttle{key: t.hash("password", account, client), limit: t.WrongPasswords, window: passwordWindow, delay: passwordDelay}
}

// wrongPasswordsOf counts for one client over all accounts.
func (t throttles) wrongPasswordsOf(client string) Throttle {
	return t.byClient("password", client, t.WrongPasswordsByClient)
}

// ClientThrottle returns a throttle for failures of one kind by one client. It allows as many of them
// an hour as the limit on wrong codes, [Limits].WrongCodesPerClient, says.
func (a *Accounts) ClientThrottle(ctx context.Context, kind, client string) (Throttle, error) {
	t, err := a.throttles(ctx)
	return t.byClient(kind, client, t.WrongCodesPerClient), err
}

func (t throttles) wrongCodesOf(client string) Throttle {
	return t.byClient("code", client, t.WrongCodesPerClient)
}

// byClient counts nothing for a client without an address: it would stand for all of them.
func (t throttles) byClient(kind, client string, limit int64) Throttle {
	if client == "" {
		return Throttle{}
	}
	return Throttle{key: t.hash(kind+" by client", client), limit: limit, window: time.Hour}
}

// Key identifies the count: the same bytes for the same kind and client. It is nil for a throttle
// that counts nothing.
func (t Throttle) Key() []byte { return t.key }

// Check gives an error while the throttle holds back. Codes: rate_limited.
func (t Throttle) Check(tx *db.Tx) error {
	if t.key == nil {
		return nil
	}
	row, err := findFailures(tx, t.key)
	if err != nil {
		return err
	}
	return tooMany(tx.Now(), t.heldUntil(row), "There were too many wrong tries")
}

func (t Throttle) heldUntil(row failureRow) time.Time {
	switch {
	case row.count < t.limit:
		return time.Time{}
	case t.delay == 0:
		return row.firstAt.Add(t.window)
	}
	doublings := min(row.count-t.limit, 16) // beyond which any delay is the longest
	return row.lastAt.Add(min(t.delay<<doublings, maxPasswordDelay))
}

// Count notes one failure.
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

// uncount undoes one count.
func (t Throttle) uncount(tx *db.Tx) error {
	if t.key == nil {
		return nil
	}
	return reduceFailures(tx, t.key)
}

// reset forgets all failures.
func (t Throttle) reset(tx *db.Tx) error { return deleteFailures(tx, t.key) }

// tooMany gives an error that says when to come back; nil when the time until is past.
func tooMany(now, until time.Time, why string) error {
	wait := until.Sub(now)
	if until.IsZero() || wait <= 0 {
		return nil
	}
	e := fault.Errorf(fault.CodeRateLimited, "%s: try again in %s.", why, roughly(wait))
	e.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return e
}

// roughly writes a wait for people, never shorter than it is.
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
