package shop

import (
	"context"
	"errors"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/phone"
	"storefront/shop/secret"
)

// VerifyOTPInput proves a phone by the code that was sent there.
type VerifyOTPInput struct {
	PhoneNumber string  `json:"phoneNumber" doc:"The number that the code was sent to"`
	Code        *string `json:"code,omitempty" doc:"The four digits"`
	OTP         *string `json:"otp,omitempty" doc:"The four digits, under their other name"`
	Name        *string `json:"name,omitempty" doc:"Needed when no account has this phone yet"`
	Password    *string `json:"password,omitempty" doc:"An account made with this phone and a password keeps its password when the right one is sent along"`
}

// VerifyOTP signs in by a code, which it uses up, and makes the account where there is none.
//
// It proves the phone. If an account only claimed it until now, whoever made that account need not
// be who has the phone: its tokens end and its password signs in no more, unless the caller is
// signed in to it or knows its password. Guest orders with the phone become the account's own.
// Codes: validation_failed, otp_invalid, name_required (the code stays good), rate_limited.
func (s *Shop) VerifyOTP(ctx context.Context, caller access.Caller, in VerifyOTPInput) (*AuthPayload, error) {
	v, err := s.newVerification(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	known, err := s.loadPasswordHash(ctx, v, db.TextOf(in.Password))
	if err != nil {
		return nil, err
	}
	var row customerRow
	var user Customer
	var refusal error // kept apart, since what a refusal counts is to be committed
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		row, user, refusal = customerRow{}, Customer{}, nil
		code, right, err := v.compare(tx)
		if err != nil {
			return err
		}
		if !right {
			refusal = fault.Errorf(fault.CodeOTPInvalid, "This code is wrong, used or too old: check it, or ask for a new one.")
			return v.countWrong(tx, code)
		}
		if row, refusal, err = v.account(tx, s, known); refusal != nil || err != nil {
			return err
		}
		if err := useCode(tx, code); err != nil {
			return err
		}
		if err := attachGuestOrders(tx, row.id, v.phone); err != nil {
			return err
		}
		user, err = customerView(tx, row)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return nil, refusal
	}
	return s.authPayload(v.keys, row, user)
}

// verification is one try at a code, checked as far as it can be before a transaction.
type verification struct {
	phone  string
	code   string
	name   *string
	who    identity // who calls; a bad token makes a guest
	keys   *secret.Keys
	hashes otpHashes
	limits throttles
	wrong  throttle // wrong codes of this client
}

func (s *Shop) newVerification(ctx context.Context, caller access.Caller, in VerifyOTPInput) (v verification, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return v, err
	}
	var bad fault.Invalid
	v.phone = input.RequirePhone(&bad, "phoneNumber", in.PhoneNumber, set.Country)
	v.code = checkCode(&bad, in)
	v.name = in.Name
	if err := bad.Err(); err != nil {
		return v, err
	}
	if v.who, err = s.identityOrGuest(ctx, caller); err != nil {
		return v, err
	}
	if v.keys, err = s.secrets.Keys(ctx); err != nil {
		return v, err
	}
	if v.hashes, err = s.otpHashes(ctx); err != nil {
		return v, err
	}
	v.limits, err = s.throttles(ctx)
	v.wrong = v.limits.wrongCodesOf(caller.Client)
	return v, err
}

// checkCode gives the four digits, which may be of any script.
func checkCode(bad *fault.Invalid, in VerifyOTPInput) string {
	text := in.Code
	if input.IsBlank(text) {
		text = in.OTP
	}
	if input.IsBlank(text) {
		bad.Add("code", fault.CodeRequired, "Give the code of four digits that was sent to the phone.")
		return ""
	}
	var digits strings.Builder
	for _, r := range strings.TrimSpace(*text) {
		d, ok := phone.DigitValue(r)
		if !ok || digits.Len() == otpDigits {
			bad.Add("code", fault.CodeInvalidValue, "A code is four digits.")
			return ""
		}
		digits.WriteByte('0' + d)
	}
	if digits.Len() != otpDigits {
		bad.Add("code", fault.CodeInvalidValue, "A code is four digits.")
	}
	return digits.String()
}

// compare compares the code with the phone's live one. right is false also where there is none; the
// row then is the zero row. Codes: rate_limited.
func (v verification) compare(tx *db.Tx) (row otpRow, right bool, err error) {
	if err := v.wrong.check(tx); err != nil {
		return otpRow{}, false, err
	}
	tries, first, err := sumFailedAttempts(tx, tx.Now().Add(-time.Hour))
	if err != nil {
		return otpRow{}, false, err
	}
	if tries >= v.limits.WrongCodes {
		return otpRow{}, false, tooMany(tx.Now(), first.Add(time.Hour), "Somebody is guessing codes of this shop")
	}
	row, err = findLastCode(tx, v.phone)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return otpRow{}, false, err
	}
	if err != nil || !row.isLive(tx.Now()) {
		return otpRow{}, false, nil
	}
	return row, v.hashes.isOf(row, v.code), nil
}

// countWrong counts a wrong code for the client, and for the live code where there was one.
func (v verification) countWrong(tx *db.Tx, row otpRow) error {
	if row.id != "" {
		if err := saveFailedAttempt(tx, row); err != nil {
			return err
		}
	}
	return v.wrong.count(tx)
}

// loadPasswordHash refuses a caller who may not try, without a write, and gives the hash of the
// account's password where the caller sent the right one and it matters; "" otherwise. It looks at
// the password only once the code is known to be right, so that whoever has no code learns nothing.
// Codes: rate_limited.
func (s *Shop) loadPasswordHash(ctx context.Context, v verification, password string) (hash string, err error) {
	err = s.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		hash = ""
		_, right, err := v.compare(tx)
		if err != nil || !right || password == "" {
			return err
		}
		row, err := findCustomerByPhone(tx, v.phone)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err == nil && row.phoneVerifiedAt == nil {
			hash = db.TextOf(row.passwordHash)
		}
		return err
	})
	if err != nil || hash == "" {
		return "", err
	}
	right, err := s.hasher.Verify(ctx, password, hash)
	if err != nil || !right {
		return "", err
	}
	return hash, nil
}

// account gives the account of the phone, proven, or makes it. knownHash is the hash of the
// password that the caller knows. refusal is one that changes nothing: name_required.
func (v verification) account(tx *db.Tx, s *Shop, knownHash string) (row customerRow, refusal, err error) {
	row, err = findCustomerByPhone(tx, v.phone)
	if errors.Is(err, db.ErrNotFound) {
		return v.newAccount(tx, s)
	}
	if err != nil || row.phoneVerifiedAt != nil {
		return row, nil, err
	}
	owner, err := v.who.customer(tx)
	if err != nil {
		return row, nil, err
	}
	now := tx.Now()
	row.phoneVerifiedAt = &now
	if owner.id != row.id && (knownHash == "" || db.TextOf(row.passwordHash) != knownHash) {
		row.tokenVersion++
		row.passwordReset = row.passwordHash != nil
	}
	return row, nil, saveContact(tx, row)
}

func (v verification) newAccount(tx *db.Tx, s *Shop) (row customerRow, refusal, err error) {
	var bad fault.Invalid
	if input.IsBlank(v.name) {
		bad.Add("name", fault.CodeNameRequired, "This phone number is new here: send the same code again with a name.")
		return row, bad.Err(), nil
	}
	now := tx.Now()
	row = customerRow{
		id: s.ids.Next(now), name: input.CheckName(&bad, "name", *v.name), phone: &v.phone, phoneVerifiedAt: &now,
		tokenVersion: 1, createdAt: now,
	}
	if err := bad.Err(); err != nil {
		return row, err, nil
	}
	inserted, err := insertCustomer(tx, row)
	if err == nil && !inserted {
		err = errors.New("the phone has an account that was not found by it")
	}
	return row, nil, err
}
