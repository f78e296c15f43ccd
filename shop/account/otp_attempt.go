package account

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/phone"
	"storefront/shop/throttle"
)

// codeAttempt is one attempt at the live code of a contact.
type codeAttempt struct {
	kind      contactKind
	contact   string
	purpose   purpose
	code      string
	client    string
	hashes    otpHashes
	limits    throttles
	wrong     throttle.Throttle // of wrong codes by client
	byNetwork throttle.Throttle // of wrong codes by network
}

// newCodeAttempt returns an attempt by the caller at the live sign-in code of a contact.
func (a *Accounts) newCodeAttempt(ctx context.Context, caller access.Caller, kind contactKind, contact, code string) (codeAttempt, error) {
	hashes, err := a.otpHashes(ctx)
	if err != nil {
		return codeAttempt{}, err
	}
	limits, err := a.loadThrottles(ctx)
	if err != nil {
		return codeAttempt{}, err
	}
	return codeAttempt{
		kind: kind, contact: contact, purpose: forSignIn, code: code, client: caller.Client, hashes: hashes, limits: limits,
		wrong: limits.wrongCodesPerClient(caller.Client), byNetwork: limits.wrongCodesPerNetwork(caller.Client),
	}, nil
}

// compare reports whether the code is the live one of the contact, and returns its row, or the zero
// row if there is none. The client that requested the code is exempt from the bounds shared with
// other clients: the attempts of the code itself bound it. Codes: rate_limited.
func (c codeAttempt) compare(tx *db.Tx) (row otpRow, correct bool, err error) {
	if err := c.wrong.Check(tx); err != nil {
		return otpRow{}, false, err
	}
	row, err = findLastCode(tx, c.kind, c.contact)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return otpRow{}, false, err
	}
	isLive := err == nil && row.isLive(tx.Now()) && row.purpose == c.purpose
	if !isLive || !c.limits.hasRequested(row, c.client) {
		if err := c.checkShared(tx); err != nil {
			return otpRow{}, false, err
		}
	}
	if !isLive {
		return otpRow{}, false, nil
	}
	return row, c.hashes.isOf(row, c.code), nil
}

// checkShared checks the bounds on wrong codes in the whole shop and from the client's network.
// Codes: rate_limited.
func (c codeAttempt) checkShared(tx *db.Tx) error {
	attempts, first, err := sumFailedAttempts(tx, c.kind, tx.Now().Add(-time.Hour))
	if err != nil {
		return err
	}
	if attempts >= c.limits.WrongCodes {
		return throttle.TooMany(tx.Now(), first.Add(time.Hour), "There were too many wrong codes in this shop")
	}
	return c.byNetwork.Check(tx)
}

// countWrong counts a wrong code for the client, and for the live code if there is one.
func (c codeAttempt) countWrong(tx *db.Tx, row otpRow) error {
	if row.id != "" {
		if err := saveFailedAttempt(tx, row); err != nil {
			return err
		}
	}
	return throttle.CountAll(tx, []throttle.Throttle{c.wrong, c.byNetwork})
}

func errCodeInvalid() *fault.Error {
	return fault.Errorf(fault.CodeOTPInvalid, "This code is wrong, used or expired: check it, or request a new one.")
}

// checkCode returns a code in ASCII digits, of one of the allowed lengths. The input may use the
// digits of any script; it is "" if text is blank.
func checkCode(bad *fault.Invalid, field string, text *string, lengths ...int) string {
	if input.IsBlank(text) {
		return ""
	}
	var digits strings.Builder
	for _, r := range strings.TrimSpace(*text) {
		d, ok := phone.DigitValue(r)
		if !ok || digits.Len() == maxCodeDigits {
			digits.Reset()
			break
		}
		digits.WriteByte('0' + d)
	}
	if !slices.Contains(lengths, digits.Len()) {
		bad.Add(field, fault.CodeInvalidValue, "The code must be %s.", digitsInWords(lengths))
		return ""
	}
	return digits.String()
}

// checkCurrentCode returns a code sent to either kind of contact, "" if text is blank.
func checkCurrentCode(bad *fault.Invalid, text *string) string {
	return checkCode(bad, "currentCode", text, otpDigits, emailCodeDigits)
}

// maxCodeDigits is the length of the longest code.
const maxCodeDigits = emailCodeDigits

func digitsInWords(lengths []int) string {
	words := map[int]string{otpDigits: "four", emailCodeDigits: "six"}
	var all []string
	for _, n := range lengths {
		all = append(all, words[n])
	}
	return strings.Join(all, " or ") + " digits"
}
