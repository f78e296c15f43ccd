package account

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
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
	workShare     = 2  // beyond half of the rest for the hour, a proof of work is required
	workFactor    = 4  // with which four times as many messages are sent
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

// requesterKey is clientKey, nil if the client is unknown: unknown clients are not one client.
func (t throttles) requesterKey(client string) []byte {
	if client == "" {
		return nil
	}
	return t.clientKey(client)
}

// otpLimits checks whether another code may be sent.
type otpLimits struct {
	throttles
	kind            contactKind
	contact, client string
	segments        int
	work            WorkProof // of the request; solved or not
}

// codeWork returns the proof of work of a request for a code. A shop that does not require one in
// its settings requires it while strangers use up its budget; see [otpLimits.checkWork].
// Codes: work_required.
func (a *Accounts) codeWork(ctx context.Context, caller access.Caller) (WorkProof, error) {
	if _, err := a.CheckWork(ctx, caller, WorkForOTP); err != nil {
		return WorkProof{}, err
	}
	return a.findWork(ctx, caller, WorkForOTP)
}

// check returns an error if a limit is reached. Codes that verified their contact do not count.
// Codes: rate_limited, work_required.
func (l otpLimits) check(tx *db.Tx) error {
	if err := l.checkContact(tx); err != nil {
		return err
	}
	known, err := l.isKnown(tx)
	if err != nil {
		return err
	}
	if !known {
		if err := l.checkWork(tx); err != nil {
			return err
		}
	}
	return l.checkBudget(tx, known)
}

// codeRule limits the unused codes that were sent within a window.
type codeRule struct {
	of     codesOf
	limit  int64
	window time.Duration
	why    string
}

// checkContact checks the limits of the contact, the client and its network. A client that has
// signed in to the account with the contact has a limit of its own, which strangers do not use up.
// Codes: rate_limited.
func (l otpLimits) checkContact(tx *db.Tx) error {
	now, to := tx.Now(), "this "+l.kind.rules().contact
	last, err := l.kind.rules().FindLast(tx, l.contact, nil)
	if err != nil {
		return err
	}
	if !last.IsZero() && !last.IsUsed() {
		next := last.CreatedAt.Add(time.Duration(l.CodeInterval) * time.Second)
		if err := throttle.TooMany(now, next, "A code was sent to "+to+" just now"); err != nil {
			return err
		}
	}
	known, err := l.isKnownClient(tx)
	if err != nil {
		return err
	}
	for _, rule := range l.rules(to, known) {
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

// rules returns the limits for a client. Clients without an address are not counted, as all of them
// would count as one.
func (l otpLimits) rules(to string, known bool) []codeRule {
	client, network := l.clientKey(l.client), l.networkKey(l.client)
	rules := []codeRule{
		{codesOf{contact: l.contact, client: client}, l.CodesPerPhoneAndClient, otpDay, "Too many codes were sent to " + to},
	}
	if !known {
		rules = append(rules, codeRule{codesOf{contact: l.contact}, l.CodesPerPhone, otpDay, "Too many codes were sent to " + to})
	}
	if l.client != "" {
		rules = append(rules, codeRule{
			codesOf{client: client}, l.CodesPerClient, time.Hour, "Too many codes were requested from your address",
		})
	}
	if network != nil {
		rules = append(rules, codeRule{
			codesOf{network: network}, throttle.NetworkShare * l.CodesPerClient, time.Hour, "Too many codes were requested from your network",
		})
	}
	return rules
}

// isKnown reports whether a customer has verified the contact.
func (l otpLimits) isKnown(tx *db.Tx) (bool, error) {
	owner, err := findVerifiedOwner(tx, l.kind, l.contact)
	return owner != "", err
}

// isKnownClient reports whether the client has signed in lately to the account that has verified
// the contact.
func (l otpLimits) isKnownClient(tx *db.Tx) (bool, error) {
	owner, err := findVerifiedOwner(tx, l.kind, l.contact)
	if err != nil {
		return false, err
	}
	if owner == "" || l.client == "" {
		return false, nil
	}
	return isKnownClient(tx, owner, l.knownClient(owner, l.client))
}

// budget is what a shop spends on the messages with codes that are never entered.
type budget struct {
	day, hour int64
	unknown   int64 // of the hour, for unverified contacts without a proof of work
}

// budget returns the whole shop's budget. A part of it is reserved for verified contacts.
func (l otpLimits) budget() budget {
	day := l.MessagesPerDay
	if l.kind == byEmail {
		day = l.EmailsPerDay
	}
	hour := max(day/budgetSlices, min(day, minHourBudget))
	return budget{day: day, hour: hour, unknown: hour - hour/reserveShare}
}

// checkWork requires a proof of work once half of the hour's budget for unverified contacts is used
// up, or all of it for an e-mail address: the response must not reveal whether it is verified. With
// the proof, the hour's budget is workFactor times as large, so that a flood without work stops
// nobody else. Codes: work_required.
func (l otpLimits) checkWork(tx *db.Tx) error {
	free := l.budget().unknown
	if l.kind == byPhone {
		free /= workShare
	}
	since := tx.Now().Add(-time.Hour)
	used, _, err := sumUnverified(tx, codesOf{kind: l.kind}, since)
	if err != nil {
		return err
	}
	if used+int64(l.segments) <= free {
		return nil
	}
	if l.work.isSolved() {
		return nil
	}
	return l.work.refuse()
}

// checkBudget checks the budget of messages for the day and the hour. Codes: rate_limited.
func (l otpLimits) checkBudget(tx *db.Tx, known bool) error {
	b := l.budget()
	day, hour := b.day-b.day/reserveShare, b.unknown
	if l.work.isSolved() {
		hour *= workFactor
	}
	if known {
		day, hour = b.day, workFactor*b.unknown+b.hour/reserveShare
	}
	for _, rule := range []codeRule{
		{limit: day, window: otpDay, why: "The shop has reached its daily limit of codes"},
		{limit: hour, window: time.Hour, why: "The shop has reached its hourly limit of codes"},
	} {
		segments, first, err := sumUnverified(tx, codesOf{kind: l.kind}, tx.Now().Add(-rule.window))
		if err != nil {
			return err
		}
		if segments+int64(l.segments) <= rule.limit {
			continue
		}
		if err := throttle.TooMany(tx.Now(), first.Add(rule.window), rule.why); err != nil {
			return err
		}
	}
	return nil
}
