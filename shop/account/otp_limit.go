package account

import (
	"bytes"
	"errors"
	"time"

	"storefront/db"
)

// otpDay is the period over which codes are counted. Older codes are deleted.
const otpDay = 24 * time.Hour

// Slices of the shop's daily budget of messages, so that a flood neither empties it within minutes
// nor stops customers with a verified phone from signing in.
const (
	budgetSlices  = 12 // an hour may use one twelfth of the day's budget
	minHourBudget = 20 // or this many messages, if that is more
	reserveShare  = 4  // one quarter is reserved for verified phones
)

// clientKey returns the hash that stands for a client in the shop's file.
func (t throttles) clientKey(client string) []byte { return t.hash("codes of client", client) }

// networkKey returns the hash that stands for a client's network, or nil if it is unknown.
func (t throttles) networkKey(client string) []byte {
	network := networkOf(client)
	if network == "" {
		return nil
	}
	return t.hash("codes of network", network)
}

// hasRequested reports whether the client requested the code.
func (t throttles) hasRequested(row otpRow, client string) bool {
	return client != "" && bytes.Equal(row.client, t.clientKey(client))
}

// otpLimits checks whether another code may be sent.
type otpLimits struct {
	throttles
	phone, client string
	segments      int
}

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
	client, network := l.clientKey(l.client), l.networkKey(l.client)
	for _, rule := range []struct {
		of      codesOf
		limit   int64
		window  time.Duration
		why     string
		unknown bool // skip: all clients without an address would count as one
	}{
		{codesOf{phone: l.phone}, l.CodesPerPhone, otpDay, "Too many codes were sent to this phone", false},
		{codesOf{phone: l.phone, client: client}, l.CodesPerPhoneAndClient, otpDay, "Too many codes were sent to this phone", false},
		{codesOf{client: client}, l.CodesPerClient, time.Hour, "Too many codes were requested from your address", l.client == ""},
		{codesOf{network: network}, networkShare * l.CodesPerClient, time.Hour, "Too many codes were requested from your network", network == nil},
	} {
		if rule.unknown {
			continue
		}
		first, err := findNthUnverified(tx, rule.of, now.Add(-rule.window), rule.limit)
		if err != nil {
			return err
		}
		if err := tooMany(now, first.Add(rule.window), rule.why); err != nil {
			return err
		}
	}
	return l.checkBudget(tx)
}

// checkBudget checks the budget of messages of the whole shop, of the day and of the hour.
// Codes: rate_limited.
func (l otpLimits) checkBudget(tx *db.Tx) error {
	holder, err := findCustomerByPhone(tx, l.phone)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	isKnown := err == nil && holder.phoneVerifiedAt != nil
	hour := max(l.MessagesPerDay/budgetSlices, min(l.MessagesPerDay, minHourBudget))
	for _, budget := range []struct {
		messages int64
		window   time.Duration
		why      string
	}{
		{l.MessagesPerDay, otpDay, "The shop has reached its daily limit of codes"},
		{hour, time.Hour, "The shop has reached its hourly limit of codes"},
	} {
		if !isKnown {
			budget.messages -= budget.messages / reserveShare
		}
		segments, first, err := sumUnverified(tx, tx.Now().Add(-budget.window))
		if err != nil {
			return err
		}
		if segments+int64(l.segments) <= budget.messages {
			continue
		}
		if err := tooMany(tx.Now(), first.Add(budget.window), budget.why); err != nil {
			return err
		}
	}
	return nil
}
