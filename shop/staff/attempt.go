package staff

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/onetime"
	"storefront/shop/password"
	"storefront/shop/throttle"
)

// Bounds of failed attempts, in addition to the shop's settings.
const (
	failureDelay     = 15 * time.Second // the first delay; doubled by each further failure
	failureWindow    = 24 * time.Hour
	failuresByClient = 30 // from one client address, over all staff members
	codesPerClient   = 30 // requests for a code an hour from one client address
	// recordedFailures limits the failures of a staff member that the audit log records in an hour,
	// so that a guesser does not displace other entries.
	recordedFailures = 10
)

// actionFailed is the action of a failed attempt in the audit log.
const actionFailed = "session.fail"

// attempt is one attempt to prove to be a staff member, by a password or a code. It is counted as
// failed and recorded in the audit log before any comparison, and withdrawn if it was correct. So
// concurrent attempts do not exceed the limits, and the work is always the same.
//
// Guesses from everywhere delay other guesses only. They do not delay a caller with a proof that
// only the staff member has: a known device, a code of the authenticator app, a code sent to the
// phone, or a session.
type attempt struct {
	throttle.Guesses
	staff    *Staff
	caller   access.Caller
	settings Settings
	source   throttle.Source
	hashes   onetime.Hashes
	code     *string // of the second factor, sent with the password; nil if none was sent

	codeUsed bool              // the code was used up to pass the limit
	counted  bool              // as a failure
	recorded throttle.Throttle // entries of the audit log, by staff member
	entry    string            // ID of the audit entry; "" if there is none
}

func (s *Staff) throttles(ctx context.Context) (throttle.Source, error) {
	keys, err := s.cfg.Secrets.Keys(ctx)
	if err != nil {
		return throttle.Source{}, err
	}
	return throttle.NewSource(keys.Throttle), nil
}

// newAttempt returns an attempt by the caller at a staff member's account. Failures are counted by
// the user as typed, so that they do not reveal which contacts belong to one staff member. memberID
// is "" if there is no such account.
func (s *Staff) newAttempt(ctx context.Context, caller access.Caller, memberID, user string) (*attempt, error) {
	a, err := s.newUnlimitedAttempt(ctx, caller)
	if err != nil {
		return nil, err
	}
	source := a.source
	if device := findDevice(source, caller.Device, memberID, s.cfg.Now()); device != "" {
		a.Own = delayed(source, a.settings, "staff device", memberID, device)
		return a, nil
	}
	a.Own = delayed(source, a.settings, "staff", user, caller.Client)
	a.Everywhere = throttle.New(source.Hash("staff everywhere", user), a.settings.WrongPasswordsPerMember, time.Hour)
	if caller.Client != "" {
		a.Client = throttle.NewDelayed(source.Hash("staff by client", caller.Client), failuresByClient, time.Hour, failureDelay)
	}
	return a, nil
}

// newSessionAttempt returns an attempt by a caller with a session. Failures are counted by session:
// strangers have none.
func (s *Staff) newSessionAttempt(ctx context.Context, caller access.Caller, sessionID string) (*attempt, error) {
	a, err := s.newUnlimitedAttempt(ctx, caller)
	if err != nil {
		return nil, err
	}
	a.Own = delayed(a.source, a.settings, "staff session", sessionID)
	return a, nil
}

func (s *Staff) newUnlimitedAttempt(ctx context.Context, caller access.Caller) (*attempt, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	source, err := s.throttles(ctx)
	if err != nil {
		return nil, err
	}
	hashes, err := s.codeHashes(ctx)
	if err != nil {
		return nil, err
	}
	return &attempt{staff: s, caller: caller, settings: set, source: source, hashes: hashes}, nil
}

// delayed returns the throttle of failures of one kind, with growing delays.
func delayed(source throttle.Source, set Settings, kind string, parts ...string) throttle.Throttle {
	return throttle.NewDelayed(source.Hash(kind, parts...), set.WrongPasswords, failureWindow, failureDelay)
}

// check returns an error while no attempt is allowed, and reports whether only the code of the
// second factor permits it. It writes nothing, so that a flood costs little. A guesser with many
// addresses does not block one that has signed in as the staff member before. Codes: rate_limited.
func (a *attempt) check(tx *db.Tx, memberID string) (byCode bool, err error) {
	proven, err := isKnownClient(tx, memberID, a.caller.Client)
	if err != nil {
		return false, err
	}
	err = a.Check(tx, proven)
	if !fault.HasCode(err, fault.CodeRateLimited) || a.code == nil || memberID == "" {
		return false, err
	}
	if own := a.Check(tx, true); own != nil {
		return false, own
	}
	holds, other := a.holdsCode(tx, memberID)
	if other != nil {
		return false, other
	}
	if holds {
		return true, nil
	}
	return false, err
}

// holdsCode reports whether the code sent is a right one of the staff member's second factor,
// without using it up.
func (a *attempt) holdsCode(tx *db.Tx, memberID string) (bool, error) {
	m, err := findMember(tx, memberID)
	if isNotFound(err) || err == nil && m.status != StatusActive {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, refusal, err := a.matchCode(tx, &m, *a.code)
	return refusal == nil, err
}

// begin counts the attempt as failed. memberID is "" if there is no such staff member. A code that
// alone permits the attempt is used up, so that it permits one guess of the password.
// Codes: rate_limited.
func (a *attempt) begin(ctx context.Context, memberID string) error {
	return a.staff.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		byCode, err := a.check(tx, memberID)
		if err != nil {
			return err
		}
		if a.codeUsed = byCode; byCode {
			m, err := findMember(tx, memberID)
			if err != nil {
				return err
			}
			refusal, err := a.useCode(tx, &m, *a.code)
			if err := errors.Join(refusal, err); err != nil {
				return err
			}
		}
		return a.countFailure(tx, memberID)
	})
}

// countFailure counts the attempt as failed, and records it.
func (a *attempt) countFailure(tx *db.Tx, memberID string) error {
	a.counted = true
	if err := a.Count(tx); err != nil {
		return err
	}
	return a.record(tx, memberID)
}

// record writes the failure to the audit log. An unknown user is not recorded, since anybody could
// write any text into the log.
func (a *attempt) record(tx *db.Tx, memberID string) error {
	a.entry = ""
	if memberID == "" {
		return nil
	}
	m, err := findMember(tx, memberID)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	a.recorded = throttle.New(a.source.Hash("recorded failures", memberID), recordedFailures, time.Hour)
	if err := a.recorded.Check(tx); err != nil {
		if fault.HasCode(err, fault.CodeRateLimited) {
			return nil
		}
		return err
	}
	if err := a.recorded.Count(tx); err != nil {
		return err
	}
	a.entry, err = a.staff.insertEntry(tx, Actor{Kind: access.ActorStaff}, a.caller, actionFailed, m.subject(), nil)
	return err
}

// withdraw uncounts the attempt because its first factor was correct, and deletes its audit entry.
func (a *attempt) withdraw(tx *db.Tx) error {
	if !a.counted {
		return nil
	}
	if err := a.Withdraw(tx); err != nil {
		return err
	}
	if a.entry == "" {
		return nil
	}
	if err := a.recorded.Uncount(tx); err != nil {
		return err
	}
	return deleteAudit(tx, a.entry)
}

// succeed uncounts the attempt, and the failures of the same user and client before it.
func (a *attempt) succeed(tx *db.Tx) error {
	if err := a.withdraw(tx); err != nil {
		return err
	}
	return a.Own.Reset(tx)
}

// hashUse returns the owner of the hashed password.
func (s *Staff) hashUse(caller access.Caller) password.Use {
	return password.Use{Shop: string(s.cfg.ID), Client: caller.Client, Staff: true}
}

// verifyPassword compares a password with a staff member's, and does the same work for the zero row
// and for an inactive member. It counts as one attempt. Codes: rate_limited, invalid_credentials.
func (a *attempt) verifyPassword(ctx context.Context, m memberRow, text string) error {
	ticket, err := a.staff.cfg.Hasher.Enqueue(a.staff.hashUse(a.caller))
	if err != nil {
		return err
	}
	defer ticket.Release()
	if err := a.begin(ctx, m.id); err != nil {
		return err
	}
	hash := ""
	if m.status == StatusActive {
		hash = db.TextOf(m.passwordHash)
	}
	correct, err := ticket.Verify(ctx, text, hash)
	if err == nil && !correct {
		err = errInvalidCredentials()
	}
	return err
}

// hasPasswordOf reports whether the staff member is active and still has the password that was read
// earlier.
func (m *memberRow) hasPasswordOf(before memberRow) bool {
	return m.id == before.id && m.status == StatusActive && m.passwordHash != nil && before.passwordHash != nil &&
		*m.passwordHash == *before.passwordHash
}

func errInvalidCredentials() error {
	return fault.Errorf(fault.CodeInvalidCredentials, "The user, the password or the code is wrong.")
}
