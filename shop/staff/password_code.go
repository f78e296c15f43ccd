package staff

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math/big"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/password"
	"storefront/shop/throttle"
)

// Limits of the codes for setting a new password.
const (
	textCodeLifetime = 10 * time.Minute
	textCodeAttempts = 3 // wrong attempts after which a code is invalid
	textCodesPerHour = 3 // to one staff member
	textCodeDigits   = 6
	// codeRequestsPerHour limits the attempts to send a code to one staff member. Messages that the
	// SMS gateway refuses do not count towards textCodesPerHour, but each has an entry in the audit
	// log.
	codeRequestsPerHour = 10
)

// textCodeRow is a row of staff_codes.
type textCodeRow struct {
	id             string
	memberID       string
	hash           []byte
	failedAttempts int
	usedAt         *time.Time
	createdAt      time.Time
}

// isLive reports whether the code can be used.
func (c textCodeRow) isLive(now time.Time) bool {
	return c.usedAt == nil && c.failedAttempts < textCodeAttempts && now.Before(c.createdAt.Add(textCodeLifetime))
}

// RequestPasswordCode sends a code of six digits by SMS to a staff member who needs a new password,
// at most three an hour. Nothing is sent to anybody else, or without an SMS gateway. The result is
// always the same and is returned before the message is sent, so neither reveals staff members.
// Codes: validation_failed, rate_limited (too many requests from the client).
func (s *Staff) RequestPasswordCode(ctx context.Context, caller access.Caller, user string) error {
	if strings.TrimSpace(user) == "" {
		var bad fault.Invalid
		bad.Add("user", fault.CodeRequired, "Your e-mail address or phone number is required.")
		return bad.Err()
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	source, err := s.throttles(ctx)
	if err != nil {
		return err
	}
	hashes, err := s.codeHashes(ctx)
	if err != nil {
		return err
	}
	number, err := rand.Int(s.cfg.Rand, big.NewInt(1_000_000))
	if err != nil {
		return fmt.Errorf("generate code: %w", err)
	}
	code := fmt.Sprintf("%0*d", textCodeDigits, number)
	bound := source.PerClient("staff codes", caller.Client, codesPerClient)
	if err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) error { return bound.Check(tx) }); err != nil {
		return err
	}
	var row textCodeRow
	var to *memberRow // nil if there is nobody
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if err := bound.Check(tx); err != nil {
			return err
		}
		if err := bound.Count(tx); err != nil {
			return err
		}
		if to, err = findCodeRecipient(tx, source, user, set.Country); err != nil {
			return err
		}
		if to == nil {
			return nil
		}
		row = textCodeRow{id: s.cfg.IDs.Next(tx.Now()), memberID: to.id, createdAt: tx.Now()}
		row.hash = hashes.ofText(row.id, code)
		if err := insertTextCode(tx, row, source.Hash("codes of client", caller.Client)); err != nil {
			return err
		}
		return s.recordAs(tx, Actor{Kind: access.ActorStaff}, caller, access.ToRequestPasswordCode.Action, to.subject(), nil)
	})
	if err != nil {
		return err
	}
	if to != nil {
		// The outcome is in the table: the staff member requests another code.
		go func() {
			_ = s.deliverTextCode(context.WithoutCancel(ctx), row, *to.phone, passwordCodeText(to.language, code, set.Name))
		}()
	}
	return nil
}

// findCodeRecipient returns the staff member to receive a code within the limits, nil if there is
// none, and counts the request.
func findCodeRecipient(tx *db.Tx, source throttle.Source, user, country string) (*memberRow, error) {
	m, err := findMemberByUser(tx, user, country)
	if isNotFound(err) || err == nil && (m.status != StatusActive || m.phone == nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sent, err := countTextCodes(tx, m.id, tx.Now().Add(-time.Hour))
	if err != nil {
		return nil, err
	}
	if sent >= textCodesPerHour {
		return nil, nil
	}
	requests := throttle.New(source.Hash("requests for a code", m.id), codeRequestsPerHour, time.Hour)
	if err := requests.Check(tx); err != nil {
		if fault.HasCode(err, fault.CodeRateLimited) {
			return nil, nil
		}
		return nil, err
	}
	return &m, requests.Count(tx)
}

// deliverTextCode sends a stored code and records the outcome. The code of a message that was not
// sent is deleted.
func (s *Staff) deliverTextCode(ctx context.Context, row textCodeRow, to, text string) error {
	messageID, sendErr := s.cfg.SendText(ctx, to, text)
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		switch {
		case sendErr == nil:
			return saveTextCodeState(tx, row.id, "sent", messageID)
		case fault.HasCode(sendErr, fault.CodeSMSUnavailable):
			return deleteTextCode(tx, row.id)
		}
		return saveTextCodeState(tx, row.id, "unknown", "")
	})
}

// passwordCodeText returns the message with a code in the staff member's language. The shop's name
// is cut so that the message fits in one segment. Digits are ASCII, so that phones recognize them.
func passwordCodeText(language Language, code, shopName string) string {
	const limit = 20
	name := strings.TrimSpace(input.Cut(shopName, limit))
	if language == Bangla {
		return code + ": " + name + "-এর পাসওয়ার্ড কোড। কাউকে দেবেন না।"
	}
	return code + " is your password code at " + name + ". Keep it secret."
}

// ResetOwnPasswordInput is the input of [Staff.ResetOwnPassword].
type ResetOwnPasswordInput struct {
	User             string  `json:"user" doc:"E-mail address or phone number"`
	Code             string  `json:"code" doc:"The six digits that were sent by SMS"`
	Password         string  `json:"password" doc:"8 to 256 characters"`
	SecondFactorCode *string `json:"secondFactorCode,omitempty" doc:"A code of the app, or a recovery code, if the account has a second factor"`
}

// ResetOwnPassword sets a new password with a code that was sent by SMS and, if the staff member
// has a second factor, a code of it, ends all sessions of the staff member and signs in. A rejected
// password or a missing second factor does not use up the code. Codes: validation_failed,
// password_rejected, otp_invalid, second_factor_required, invalid_credentials (the code of the
// second factor is wrong), rate_limited.
func (s *Staff) ResetOwnPassword(ctx context.Context, caller access.Caller, in ResetOwnPasswordInput) (*SignedIn, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	code, err := in.check(set)
	if err != nil {
		return nil, err
	}
	before, err := s.lookUpUser(ctx, in.User, set.Country)
	if err != nil {
		return nil, err
	}
	a, err := s.newAttempt(ctx, caller, before.id, userKey(in.User, set.Country))
	if err != nil {
		return nil, err
	}
	r := textCodeAttempt{attempt: a, user: in.User, code: code}
	hash, err := r.hashPassword(ctx, in.Password, set)
	if err != nil {
		return nil, err
	}
	var session *SignedIn
	err = s.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		if refusal, err := r.use(tx, hash, in.SecondFactorCode); refusal != nil || err != nil {
			return refusal, err
		}
		m := &r.member
		err = s.recordAs(tx, m.actor(), caller, access.ToResetOwnPassword.Action, m.subject(),
			[]access.Change{access.Set("password", access.Secret)})
		if err != nil {
			return nil, err
		}
		if err := s.setPassword(tx, m, hash); err != nil { // ends the code
			return nil, err
		}
		session, err = s.openSession(tx, m, caller, set)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}

func (in ResetOwnPasswordInput) check(set Settings) (code string, err error) {
	var bad fault.Invalid
	if strings.TrimSpace(in.User) == "" {
		bad.Add("user", fault.CodeRequired, "Your e-mail address or phone number is required.")
	}
	code, ok := parseTOTP(in.Code) // the same form
	if !ok {
		bad.Add("code", fault.CodeInvalidValue, "The code must be six digits.")
	}
	password.Check(&bad, "password", in.Password, password.Owner{Country: set.Country, Shop: set.Name})
	return code, bad.Err()
}

// textCodeAttempt is an attempt at the newest code of a staff member.
type textCodeAttempt struct {
	*attempt
	user, code string
	member     memberRow   // the zero row if there is no such active staff member
	row        textCodeRow // the zero row if there is no live code
}

// hashPassword counts the attempt as failed and returns the hash of the new password, "" if the
// code is wrong. Codes: rate_limited, password_rejected.
func (r *textCodeAttempt) hashPassword(ctx context.Context, text string, set Settings) (hash string, err error) {
	correct := false
	// Checked first without a write and a hash, so that refused requests cost little.
	err = r.staff.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if correct, err = r.compare(tx); err != nil {
			return err
		}
		if !correct {
			return nil
		}
		var bad fault.Invalid
		password.Check(&bad, "password", text, r.member.owner(set))
		return bad.Err()
	})
	if err != nil {
		return "", err
	}
	if err := r.begin(ctx, r.member.id); err != nil {
		return "", err
	}
	if !correct {
		return "", nil
	}
	return r.staff.cfg.Hasher.Hash(ctx, r.staff.hashUse(r.caller), text)
}

// use uses up the code, and a code of the second factor if the staff member has one. hash is "" if
// the code was wrong before. Codes of the refusal: otp_invalid, second_factor_required,
// invalid_credentials.
func (r *textCodeAttempt) use(tx *db.Tx, hash string, secondFactor *string) (refusal, err error) {
	correct, err := r.find(tx)
	if err != nil {
		return nil, err
	}
	if !correct || hash == "" {
		return fault.Errorf(fault.CodeOTPInvalid, "This code is wrong, used or expired: check it, or request a new one."), r.countWrong(tx)
	}
	refusal, err = r.checkSecondFactor(tx, &r.member, secondFactor)
	switch {
	case err != nil:
		return nil, err
	case fault.HasCode(refusal, fault.CodeSecondFactorRequired):
		return refusal, nil
	case refusal != nil:
		return refusal, r.countWrong(tx)
	}
	return nil, r.succeed(tx)
}

// compare reports whether the code is right, within the limits. Codes: rate_limited.
func (r *textCodeAttempt) compare(tx *db.Tx) (correct bool, err error) {
	correct, err = r.find(tx)
	if err != nil {
		return false, err
	}
	return correct, r.check(tx, r.member.id)
}

// find reports whether the code is right.
func (r *textCodeAttempt) find(tx *db.Tx) (correct bool, err error) {
	r.member, r.row = memberRow{}, textCodeRow{}
	m, err := findMemberByUser(tx, r.user, r.settings.Country)
	if isNotFound(err) || err == nil && m.status != StatusActive {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.member = m
	row, err := findLastTextCode(tx, m.id)
	if isNotFound(err) || err == nil && !row.isLive(tx.Now()) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.row = row
	return subtle.ConstantTimeCompare(row.hash, r.hashes.ofText(row.id, r.code)) == 1, nil
}

// countWrong counts a failed attempt at the code, if there is a live one.
func (r *textCodeAttempt) countWrong(tx *db.Tx) error {
	if r.row.id == "" {
		return nil
	}
	return saveFailedTextCode(tx, r.row.id)
}
