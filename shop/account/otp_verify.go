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

// VerifyOTPInput is the input of [Accounts.VerifyOTP].
type VerifyOTPInput struct {
	PhoneNumber string  `json:"phoneNumber" doc:"The phone number that the code was sent to"`
	Code        *string `json:"code,omitempty" doc:"The four digits"`
	OTP         *string `json:"otp,omitempty" doc:"Another name for code"`
	Name        *string `json:"name,omitempty" doc:"Required if no account has this phone number yet"`
	Password    *string `json:"password,omitempty" doc:"An account registered with this phone number retains its password only if that is sent here"`
}

// VerifyOTP signs in with a code, which can be used once, and creates an account if the phone has
// none.
//
// It verifies the phone. If an account had the phone unverified, its creator may be somebody other
// than the owner of the phone: its tokens are revoked and its password is no longer accepted,
// unless the caller is signed in to the account or sends its password. Guest orders with the phone
// are attached to the account. Codes: validation_failed, otp_invalid, name_required (the code stays
// valid), rate_limited.
func (a *Accounts) VerifyOTP(ctx context.Context, caller access.Caller, in VerifyOTPInput) (*AuthPayload, error) {
	v, err := a.newVerification(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	verifiedHash, err := a.loadPasswordHash(ctx, v, db.TextOf(in.Password))
	if err != nil {
		return nil, err
	}
	var row Account
	var user Customer
	var refusal error // separate from err, because a refusal must commit its count
	err = a.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		row, user, refusal = Account{}, Customer{}, nil
		code, correct, err := v.compare(tx)
		if err != nil {
			return err
		}
		if !correct {
			refusal = fault.Errorf(fault.CodeOTPInvalid, "This code is wrong, used or expired: check it, or request a new one.")
			return v.countWrong(tx, code)
		}
		if row, refusal, err = v.account(tx, a, verifiedHash); refusal != nil || err != nil {
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

// verification is one attempt at a code, with its input checked.
type verification struct {
	phone  string
	code   string
	name   *string
	who    Identity // the caller; a guest if the token is invalid
	keys   *secret.Keys
	hashes otpHashes
	limits throttles
	wrong  Throttle // of wrong codes by client
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
	v.limits, err = a.loadThrottles(ctx)
	v.wrong = v.limits.wrongCodesPerClient(caller.Client)
	return v, err
}

// checkCode returns the code in ASCII digits. The input may use the digits of any script.
func checkCode(bad *fault.Invalid, in VerifyOTPInput) string {
	text := in.Code
	if input.IsBlank(text) {
		text = in.OTP
	}
	if input.IsBlank(text) {
		bad.Add("code", fault.CodeRequired, "The code of four digits that was sent to the phone is required.")
		return ""
	}
	var digits strings.Builder
	for _, r := range strings.TrimSpace(*text) {
		d, ok := phone.DigitValue(r)
		if !ok || digits.Len() == otpDigits {
			bad.Add("code", fault.CodeInvalidValue, "The code must be four digits.")
			return ""
		}
		digits.WriteByte('0' + d)
	}
	if digits.Len() != otpDigits {
		bad.Add("code", fault.CodeInvalidValue, "The code must be four digits.")
	}
	return digits.String()
}

// compare reports whether the code is the live one of the phone, and returns that one's row, which
// is the zero row if there is none. Codes: rate_limited.
func (v verification) compare(tx *db.Tx) (row otpRow, correct bool, err error) {
	if err := v.wrong.Check(tx); err != nil {
		return otpRow{}, false, err
	}
	attempts, first, err := sumFailedAttempts(tx, tx.Now().Add(-time.Hour))
	if err != nil {
		return otpRow{}, false, err
	}
	if attempts >= v.limits.WrongCodes {
		return otpRow{}, false, tooMany(tx.Now(), first.Add(time.Hour), "There were too many wrong codes in this shop")
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

// countWrong counts a wrong code for the client, and for the live code if there is one.
func (v verification) countWrong(tx *db.Tx, row otpRow) error {
	if row.id != "" {
		if err := saveFailedAttempt(tx, row); err != nil {
			return err
		}
	}
	return v.wrong.Count(tx)
}

// loadPasswordHash returns the hash of the account's password if the caller sent the correct one
// and the account has not verified the phone yet; otherwise it returns "". It compares the password
// only after the code, so that a caller without the code cannot guess passwords. It also rejects a
// throttled caller without a write. Codes: rate_limited.
func (a *Accounts) loadPasswordHash(ctx context.Context, v verification, password string) (hash string, err error) {
	err = a.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		hash = ""
		_, correct, err := v.compare(tx)
		if err != nil || !correct || password == "" {
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
	correct, err := a.cfg.Hasher.Verify(ctx, password, hash)
	if err != nil || !correct {
		return "", err
	}
	return hash, nil
}

// account returns the account of the phone, which is verified now, or creates it. verifiedHash is
// the hash of the password that the caller proved, or "". refusal is an error that changes nothing:
// name_required or validation_failed.
func (v verification) account(tx *db.Tx, a *Accounts, verifiedHash string) (row Account, refusal, err error) {
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
	if owner.id != row.id && (verifiedHash == "" || db.TextOf(row.passwordHash) != verifiedHash) {
		row.tokenVersion++
		row.passwordReset = row.passwordHash != nil
	}
	return row, nil, savePhoneVerified(tx, row)
}

func (v verification) newAccount(tx *db.Tx, a *Accounts) (row Account, refusal, err error) {
	var bad fault.Invalid
	if input.IsBlank(v.name) {
		bad.Add("name", fault.CodeNameRequired, "No account has this phone number: send the same code again with a name.")
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
