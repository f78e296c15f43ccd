package account

import (
	"bytes"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/throttle"
)

// otpDay is the period over which codes are counted. Older codes are deleted.
const otpDay = 24 * time.Hour

// Slices of the shop's daily budget of messages, so that a flood neither empties it within minutes
// nor stops customers with a verified contact from signing in.
const (
	budgetSlices  = 12 // an hour may use one twelfth of the day's budget
	minHourBudget = 20 // or this many messages, if that is more
	reserveShare  = 4  // one quarter is reserved for verified contacts
)

// clientKey returns the hash of a client in the shop's file.
func (t throttles) clientKey(client string) []byte { return t.Hash("codes of client", client) }

// networkKey returns the hash of a client's network, or nil if it is unknown.
func (t throttles) networkKey(client string) []byte {
	network := throttle.NetworkOf(client)
	if network == "" {
		return nil
	}
	return t.Hash("codes of network", network)
}

// hasRequested reports whether the client requested the code.
func (t throttles) hasRequested(row otpRow, client string) bool {
	return client != "" && bytes.Equal(row.client, t.clientKey(client))
}

// otpLimits checks whether another code may be sent.
type otpLimits struct {
	throttles
	kind            contactKind
	contact, client string
	segments        int
}

// check returns an error if a limit is reached. Codes that verified their contact do not count.
// Codes: rate_limited.
func (l otpLimits) check(tx *db.Tx) error {
	if err := l.checkContact(tx); err != nil {
		return err
	}
	known, err := l.isKnown(tx)
	if err != nil {
		return err
	}
	return l.checkBudget(tx, known)
}

// checkContact checks the limits of the contact, the client and its network. Codes: rate_limited.
func (l otpLimits) checkContact(tx *db.Tx) error {
	now, to := tx.Now(), "this "+l.kind.rules().contact
	last, err := findLastCode(tx, l.kind, l.contact)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err == nil && last.usedAt == nil {
		next := last.createdAt.Add(time.Duration(l.CodeInterval) * time.Second)
		if err := throttle.TooMany(now, next, "A code was sent to "+to+" just now"); err != nil {
			return err
		}
	}
	client, network := l.clientKey(l.client), l.networkKey(l.client)
	for _, rule := range []struct {
		of      codesOf
		limit   int64
		window  time.Duration
		why     string
		unknown bool // otherwise all clients without an address would count as one
	}{
		{codesOf{contact: l.contact}, l.CodesPerPhone, otpDay, "Too many codes were sent to " + to, false},
		{codesOf{contact: l.contact, client: client}, l.CodesPerPhoneAndClient, otpDay, "Too many codes were sent to " + to, false},
		{codesOf{client: client}, l.CodesPerClient, time.Hour, "Too many codes were requested from your address", l.client == ""},
		{codesOf{network: network}, throttle.NetworkShare * l.CodesPerClient, time.Hour, "Too many codes were requested from your network", network == nil},
	} {
		if rule.unknown {
			continue
		}
		rule.of.kind = l.kind
		first, err := findNthUnverified(tx, rule.of, now.Add(-rule.window), rule.limit)
		if err != nil {
			return err
		}
		if err := throttle.TooMany(now, first.Add(rule.window), rule.why); err != nil {
			return err
		}
	}
	return nil
}

// isKnown reports whether a customer has verified the contact.
func (l otpLimits) isKnown(tx *db.Tx) (bool, error) {
	owner, err := findVerifiedOwner(tx, l.kind, l.contact)
	return owner != "", err
}

// checkBudget checks the whole shop's budget of messages for the day and the hour. A part of it is
// reserved for verified contacts. Codes: rate_limited.
func (l otpLimits) checkBudget(tx *db.Tx, known bool) error {
	day := l.MessagesPerDay
	if l.kind == byEmail {
		day = l.EmailsPerDay
	}
	hour := max(day/budgetSlices, min(day, minHourBudget))
	for _, budget := range []struct {
		messages int64
		window   time.Duration
		why      string
	}{
		{day, otpDay, "The shop has reached its daily limit of codes"},
		{hour, time.Hour, "The shop has reached its hourly limit of codes"},
	} {
		if !known {
			budget.messages -= budget.messages / reserveShare
		}
		segments, first, err := sumUnverified(tx, l.kind, tx.Now().Add(-budget.window))
		if err != nil {
			return err
		}
		if segments+int64(l.segments) <= budget.messages {
			continue
		}
		if err := throttle.TooMany(tx.Now(), first.Add(budget.window), budget.why); err != nil {
			return err
		}
	}
	return nil
}
