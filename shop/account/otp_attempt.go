package account

import (
	"context"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/onetime"
	"storefront/shop/throttle"
)

// codeAttempt is one attempt at the live code of a contact.
type codeAttempt struct {
	kind      contactKind
	contact   string
	purpose   string
	code      string
	client    string
	hashes    onetime.Hashes
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

// compare reports whether the live code of the contact has these digits, and returns it, or
// the zero Code if there is none. The client that requested the code is exempt from the bounds
// shared with other clients: the attempts of the code itself bound it. Codes: rate_limited.
func (c codeAttempt) compare(tx *db.Tx) (code onetime.Code, correct bool, err error) {
	if err := c.wrong.Check(tx); err != nil {
		return onetime.Code{}, false, err
	}
	code, err = c.kind.rules().FindLast(tx, c.contact, c.limits.requesterKey(c.client))
	if err != nil {
		return onetime.Code{}, false, err
	}
	isLive := code.IsLive(tx.Now()) && code.Purpose == c.purpose
	if !isLive || !code.IsRequester() {
		if err := c.checkShared(tx); err != nil {
			return onetime.Code{}, false, err
		}
	}
	if !isLive {
		return onetime.Code{}, false, nil
	}
	return code, c.hashes.Match(code, c.code), nil
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
func (c codeAttempt) countWrong(tx *db.Tx, code onetime.Code) error {
	if err := code.CountWrong(tx); err != nil {
		return err
	}
	return throttle.CountAll(tx, []throttle.Throttle{c.wrong, c.byNetwork})
}

// checkCode returns a code in ASCII digits, of one of the allowed lengths. The input may use the
// digits of any script; it is "" if text is blank.
func checkCode(bad *fault.Invalid, field string, text *string, lengths ...int) string {
	if input.IsBlank(text) {
		return ""
	}
	digits := onetime.Parse(*text, maxCodeDigits)
	if !slices.Contains(lengths, len(digits)) {
		bad.Add(field, fault.CodeInvalidValue, "The code must be %s.", digitsInWords(lengths))
		return ""
	}
	return digits
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
