package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"strings"
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

// wrongPasswordsEverywhere limits wrong passwords for an account from all clients together. It does
// not apply to clients that have signed in to the account before, so that a guesser with many
// addresses does not lock the owner out.
func (t throttles) wrongPasswordsEverywhere(account string) Throttle {
	return Throttle{key: t.hash("password everywhere", account), limit: t.WrongPasswordsPerAccount, window: time.Hour}
}

// registrations limits registrations by client and by network.
func (t throttles) registrations(client string) []Throttle {
	return []Throttle{
		t.perClient("registration", client, t.RegistrationsPerClient),
		t.perNetwork("registration", client, t.RegistrationsPerClient),
	}
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

// wrongCodesPerNetwork limits wrong sign-in codes by the client's network.
func (t throttles) wrongCodesPerNetwork(client string) Throttle {
	return t.perNetwork("code", client, t.WrongCodesPerClient)
}

// networkShare is how many times as much as one client its network may do: an attacker who rents a
// network has many addresses in it, and so has a carrier whose customers are honest.
const networkShare = 4

// perNetwork returns a throttle by the network of a client, given the limit of one client.
func (t throttles) perNetwork(kind, client string, limit int64) Throttle {
	return t.perClient(kind+" by network", networkOf(client), networkShare*limit)
}

// networkOf returns the network that a client's address is in: an IPv4 /24 or an IPv6 /48, which are
// the smallest that are routed on their own. It is "" if the client is unknown.
func networkOf(client string) string {
	address, _, _ := strings.Cut(client, "/")
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	bits := 48
	if addr.Is4() {
		bits = 24
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return ""
	}
	return network.String()
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

// checkAll returns an error while one of the throttles blocks. Codes: rate_limited.
func checkAll(tx *db.Tx, all []Throttle) error {
	for _, t := range all {
		if err := t.Check(tx); err != nil {
			return err
		}
	}
	return nil
}

// countAll records one failure in each of the throttles.
func countAll(tx *db.Tx, all []Throttle) error {
	for _, t := range all {
		if err := t.Count(tx); err != nil {
			return err
		}
	}
	return nil
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
