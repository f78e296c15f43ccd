package staff

import (
	"context"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/onetime"
	"storefront/shop/password"
	"storefront/shop/throttle"
)

// Limits of the codes for setting a new password.
const (
	textCodeLifetime = 10 * time.Minute
	textCodeDigits   = 6
	// textCodesPerHour limits the codes to one staff member that one network requests. A client that
	// the staff member has signed in from has as many for itself.
	textCodesPerHour = 3
	// textCodeNetworks is the number of networks that can request all their codes within an hour.
	textCodeNetworks = 4
	// codeRequestsPerHour limits the attempts to send a code to one staff member, as textCodesPerHour
	// does. Messages that the SMS gateway refuses do not count towards that, but each has an entry in
	// the audit log.
	codeRequestsPerHour = 10
)

// textCodes is the table of the codes. The recipient is a staff member's ID.
var textCodes = onetime.Table{Name: "staff_codes", Recipient: "staff_id", Purpose: "''", Lifetime: textCodeLifetime}

// RequestPasswordCode sends a code of six digits by SMS to a staff member who needs a new password,
// at most three an hour for each network and twelve for all. Nothing is sent to anybody else, or
// without an SMS gateway. The result is always the same and is returned before the message is sent,
// so neither reveals staff members.
// Codes: validation_failed, rate_limited (too many requests from the client).
func (s *Staff) RequestPasswordCode(ctx context.Context, caller access.Caller, user string) error {
	if input.IsBlank(&user) {
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
	code, err := onetime.Digits(s.cfg.Rand, textCodeDigits)
	if err != nil {
		return err
	}
	bound := source.PerClient("staff codes", caller.Client, codesPerClient)
	if err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) error { return bound.Check(tx) }); err != nil {
		return err
	}
	var row onetime.Code
	var to *memberRow // nil if there is nobody
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if err := bound.Check(tx); err != nil {
			return err
		}
		if err := bound.Count(tx); err != nil {
			return err
		}
		if to, err = s.findCodeRecipient(tx, source, caller, user, set.Country); err != nil {
			return err
		}
		if to == nil {
			return nil
		}
		row = onetime.Code{
			ID: s.cfg.IDs.Next(tx.Now()), Recipient: to.id, Client: requesterKey(source, caller), CreatedAt: tx.Now(),
		}
		hashes.Seal(&row, code)
		if err := insertTextCode(tx, row, networkKey(source, caller)); err != nil {
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

// requesterKey returns the hash of a client in the table of codes.
func requesterKey(source throttle.Source, caller access.Caller) []byte {
	return source.Hash("codes of client", caller.Client)
}

// networkKey returns the hash of a client's network in the table of codes.
func networkKey(source throttle.Source, caller access.Caller) []byte {
	return source.Hash("codes of network", throttle.NetworkOf(caller.Client))
}

// findCodeRecipient returns the staff member to receive a code within the limits, nil if there is
// none, and counts the request.
func (s *Staff) findCodeRecipient(tx *db.Tx, source throttle.Source, caller access.Caller, user, country string) (*memberRow, error) {
	m, err := findMemberByUser(tx, user, country)
	if isNotFound(err) || err == nil && (m.status != StatusActive || m.phone == nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	limits, requests, err := codeLimits(tx, source, caller, m.id)
	if err != nil {
		return nil, err
	}
	for _, limit := range limits {
		sent, err := countTextCodes(tx, m.id, limit.of, tx.Now().Add(-time.Hour))
		if err != nil {
			return nil, err
		}
		if sent >= limit.most {
			return nil, nil
		}
	}
	if err := throttle.CheckAll(tx, requests); err != nil {
		if fault.HasCode(err, fault.CodeRateLimited) {
			return nil, nil
		}
		return nil, err
	}
	return &m, throttle.CountAll(tx, requests)
}

// codeLimit limits the codes to one staff member in an hour.
type codeLimit struct {
	of   codesOf
	most int
}

// codeLimits returns the limits for a caller. A known device or client has limits of its own, which
// strangers do not use up. A new one shares the limits of its network: strangers in other networks
// do not use them up unless they have many.
func codeLimits(
	tx *db.Tx, source throttle.Source, caller access.Caller, memberID string,
) ([]codeLimit, []throttle.Throttle, error) {
	known, err := isKnownClient(tx, memberID, caller.Client)
	if err != nil {
		return nil, nil, err
	}
	requests := func(most int64, of ...string) throttle.Throttle {
		return throttle.New(source.Hash("requests for a code", append([]string{memberID}, of...)...), most, time.Hour)
	}
	if known || findDevice(source, caller.Device, memberID, tx.Now()) != "" {
		return []codeLimit{{codesOf{client: requesterKey(source, caller)}, textCodesPerHour}},
			[]throttle.Throttle{requests(codeRequestsPerHour, caller.Client)}, nil
	}
	network := throttle.NetworkOf(caller.Client)
	return []codeLimit{
			{codesOf{network: networkKey(source, caller)}, textCodesPerHour},
			{codesOf{}, textCodeNetworks * textCodesPerHour},
		}, []throttle.Throttle{
			requests(codeRequestsPerHour, "network", network),
			requests(textCodeNetworks * codeRequestsPerHour),
		}, nil
}

// deliverTextCode sends a stored code and records the outcome. The code of a message that was not
// sent is deleted.
func (s *Staff) deliverTextCode(ctx context.Context, row onetime.Code, to, text string) error {
	messageID, sendErr := s.cfg.SendText(ctx, to, text)
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		switch {
		case sendErr == nil:
			return textCodes.SaveState(tx, row.ID, onetime.Sent, messageID)
		case fault.HasCode(sendErr, fault.CodeSMSUnavailable):
			return textCodes.Delete(tx, row.ID)
		}
		return textCodes.SaveState(tx, row.ID, onetime.Unknown, "")
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
		if refusal, err := r.use(tx, in.SecondFactorCode); refusal != nil || err != nil {
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
	if input.IsBlank(&in.User) {
		bad.Add("user", fault.CodeRequired, "Your e-mail address or phone number is required.")
	}
	if code = parseTOTP(in.Code); code == "" { // the same form
		bad.Add("code", fault.CodeInvalidValue, "The code must be six digits.")
	}
	password.Check(&bad, "password", in.Password, password.Owner{Country: set.Country, Shop: set.Name})
	return code, bad.Err()
}

// textCodeAttempt is an attempt at the newest code of a staff member. A right code is not held back
// by wrong ones of strangers: the attempts at the code itself bound them.
type textCodeAttempt struct {
	*attempt
	user, code string
	member     memberRow    // the zero row if there is no such active staff member
	row        onetime.Code // the zero row if there is no live code
}

// hashPassword returns the hash of the new password if the code is right. Otherwise it counts the
// attempt as failed. Codes: otp_invalid, rate_limited, password_rejected.
func (r *textCodeAttempt) hashPassword(ctx context.Context, text string, set Settings) (hash string, err error) {
	// Checked first without a write, so that refused requests cost little.
	err = r.staff.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		_, err := r.compare(tx)
		return err
	})
	if err != nil {
		return "", err
	}
	err = r.staff.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		correct, err := r.compare(tx)
		if err != nil {
			return nil, err
		}
		if !correct {
			return onetime.ErrInvalid(), r.countWrong(tx)
		}
		var bad fault.Invalid
		password.Check(&bad, "password", text, r.member.owner(set))
		return bad.Err(), nil
	})
	if err != nil {
		return "", err
	}
	return r.staff.cfg.Hasher.Hash(ctx, r.staff.hashUse(r.caller), text)
}

// use uses up the code, and a code of the second factor if the staff member has one. Codes of the
// refusal: otp_invalid, second_factor_required, invalid_credentials.
func (r *textCodeAttempt) use(tx *db.Tx, secondFactor *string) (refusal, err error) {
	correct, err := r.find(tx)
	if err != nil {
		return nil, err
	}
	if !correct { // used in the meantime, or used up
		return onetime.ErrInvalid(), nil
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

// compare reports whether the code is right. A wrong one must be within the limits. Codes:
// rate_limited.
func (r *textCodeAttempt) compare(tx *db.Tx) (correct bool, err error) {
	correct, err = r.find(tx)
	if err == nil && !correct {
		_, err = r.check(tx, r.member.id)
	}
	return correct, err
}

// find reports whether the code is right.
func (r *textCodeAttempt) find(tx *db.Tx) (correct bool, err error) {
	r.member, r.row = memberRow{}, onetime.Code{}
	m, err := findMemberByUser(tx, r.user, r.settings.Country)
	if isNotFound(err) || err == nil && m.status != StatusActive {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.member = m
	code, err := textCodes.FindLast(tx, m.id, requesterKey(r.source, r.caller))
	if err != nil {
		return false, err
	}
	if !code.IsLive(tx.Now()) {
		return false, nil
	}
	r.row = code
	return r.hashes.Match(code, r.code), nil
}

// countWrong counts a failed attempt, also at the code if there is a live one.
func (r *textCodeAttempt) countWrong(tx *db.Tx) error {
	if err := r.countFailure(tx, r.member.id); err != nil {
		return err
	}
	return r.row.CountWrong(tx)
}
