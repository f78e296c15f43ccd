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
)

// codeAttempt is one attempt at the live code of a phone.
type codeAttempt struct {
	phone  string // E.164
	code   string
	hashes otpHashes
	limits throttles
	wrong  Throttle // of wrong codes by client
}

// newCodeAttempt returns an attempt at the live code of a phone by the caller.
func (a *Accounts) newCodeAttempt(ctx context.Context, caller access.Caller, phone, code string) (codeAttempt, error) {
	hashes, err := a.otpHashes(ctx)
	if err != nil {
		return codeAttempt{}, err
	}
	limits, err := a.loadThrottles(ctx)
	if err != nil {
		return codeAttempt{}, err
	}
	return codeAttempt{phone: phone, code: code, hashes: hashes, limits: limits, wrong: limits.wrongCodesPerClient(caller.Client)}, nil
}

// compare reports whether the code is the live one of the phone, and returns that one's row, which
// is the zero row if there is none. Codes: rate_limited.
func (c codeAttempt) compare(tx *db.Tx) (row otpRow, correct bool, err error) {
	if err := c.wrong.Check(tx); err != nil {
		return otpRow{}, false, err
	}
	attempts, first, err := sumFailedAttempts(tx, tx.Now().Add(-time.Hour))
	if err != nil {
		return otpRow{}, false, err
	}
	if attempts >= c.limits.WrongCodes {
		return otpRow{}, false, tooMany(tx.Now(), first.Add(time.Hour), "There were too many wrong codes in this shop")
	}
	row, err = findLastCode(tx, c.phone)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return otpRow{}, false, err
	}
	if err != nil || !row.isLive(tx.Now()) {
		return otpRow{}, false, nil
	}
	return row, c.hashes.isOf(row, c.code), nil
}

// countWrong counts a wrong code for the client, and for the live code if there is one.
func (c codeAttempt) countWrong(tx *db.Tx, row otpRow) error {
	if row.id != "" {
		if err := saveFailedAttempt(tx, row); err != nil {
			return err
		}
	}
	return c.wrong.Count(tx)
}

func errCodeInvalid() *fault.Error {
	return fault.Errorf(fault.CodeOTPInvalid, "This code is wrong, used or expired: check it, or request a new one.")
}

// checkCode returns a code in ASCII digits. The input may use the digits of any script; it is "" if
// text is blank.
func checkCode(bad *fault.Invalid, field string, text *string) string {
	if input.IsBlank(text) {
		return ""
	}
	var digits strings.Builder
	for _, r := range strings.TrimSpace(*text) {
		d, ok := phone.DigitValue(r)
		if !ok || digits.Len() == otpDigits {
			bad.Add(field, fault.CodeInvalidValue, "The code must be four digits.")
			return ""
		}
		digits.WriteByte('0' + d)
	}
	if digits.Len() != otpDigits {
		bad.Add(field, fault.CodeInvalidValue, "The code must be four digits.")
	}
	return digits.String()
}
