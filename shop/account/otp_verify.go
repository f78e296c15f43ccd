package account

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
func (a *Accounts) VerifyOTP(ctx context.Context, caller access.Caller, in VerifyOTPInput) (*AuthPayload, error) {
	v, err := a.newVerification(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	known, err := a.loadPasswordHash(ctx, v, db.TextOf(in.Password))
	if err != nil {
		return nil, err
	}
	var row Account
	var user Customer
	var refusal error // kept apart, since what a refusal counts is to be committed
	err = a.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		row, user, refusal = Account{}, Customer{}, nil
		code, right, err := v.compare(tx)
		if err != nil {
			return err
		}
		if !right {
			refusal = fault.Errorf(fault.CodeOTPInvalid, "This code is wrong, used or too old: check it, or ask for a new one.")
			return v.countWrong(tx, code)
		}
		if row, refusal, err = v.account(tx, a, known); refusal != nil || err != nil {
			return err
		}
		if err := useCode(tx, code); err != nil {
			return err
		}
		if err := a.cfg.PhoneVerified(tx, row.id, v.phone); err != nil {
			return err
		}
		user, err = row.View(tx)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return nil, refusal
	}
	return a.authPayload(v.keys, row, user)
}

// verification is one try at a code, checked as far as it can be before a transaction.
type verification struct {
	phone  string
	code   string
	name   *string
	who    Identity // who calls; a bad token makes a guest
	keys   *secret.Keys
	hashes otpHashes
	limits throttles
	wrong  Throttle // wrong codes of this client
}

func (a *Accounts) newVerification(ctx context.Context, caller access.Caller, in VerifyOTPInput) (v verification, err error) {
	set, err := a.cfg.Settings(ctx)
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
	if v.who, err = a.IdentityOrGuest(ctx, caller); err != nil {
		return v, err
	}
	if v.keys, err = a.cfg.Secrets.Keys(ctx); err != nil {
		return v, err
	}
	if v.hashes, err = a.otpHashes(ctx); err != nil {
		return v, err
	}
	v.limits, err = a.throttles(ctx)
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
	if err := v.wrong.Check(tx); err != nil {
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
	return v.wrong.Count(tx)
}

// loadPasswordHash refuses a caller who may not try, without a write, and gives the hash of the
// account's password where the caller sent the right one and it matters; "" otherwise. It looks at
// the password only once the code is known to be right, so that whoever has no code learns nothing.
// Codes: rate_limited.
func (a *Accounts) loadPasswordHash(ctx context.Context, v verification, password string) (hash string, err error) {
	err = a.view(ctx, func(ctx context.Context, tx *db.Tx) error {
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
	right, err := a.cfg.Hasher.Verify(ctx, password, hash)
	if err != nil || !right {
		return "", err
	}
	return hash, nil
}

// account gives the account of the phone, proven, or makes it. knownHash is the hash of the
// password that the caller knows. refusal is one that changes nothing: name_required.
func (v verification) account(tx *db.Tx, a *Accounts, knownHash string) (row Account, refusal, err error) {
	row, err = findCustomerByPhone(tx, v.phone)
	if errors.Is(err, db.ErrNotFound) {
		return v.newAccount(tx, a)
	}
	if err != nil || row.phoneVerifiedAt != nil {
		return row, nil, err
	}
	owner, err := v.who.Customer(tx)
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

func (v verification) newAccount(tx *db.Tx, a *Accounts) (row Account, refusal, err error) {
	var bad fault.Invalid
	if input.IsBlank(v.name) {
		bad.Add("name", fault.CodeNameRequired, "This phone number is new here: send the same code again with a name.")
		return row, bad.Err(), nil
	}
	now := tx.Now()
	row = Account{
		id: a.cfg.IDs.Next(now), name: input.CheckName(&bad, "name", *v.name), phone: &v.phone, phoneVerifiedAt: &now,
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
