package account

import (
	"context"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/onetime"
	"storefront/shop/passkey"
)

// reauthentication is a proof, beside the access token, that the caller owns the account: its
// password, a code sent to a contact that the owner had verified before, or a passkey. Replacing or
// removing a contact, adding or removing a passkey and setting a first password require it, so that
// a stolen token cannot take an account over for good. The zero value is no proof.
type reauthentication struct {
	accounts *Accounts
	password string
	attempt  passwordAttempt
	code     codeAttempt // at the code of the contact that the account has in the transaction
	verified string      // hash of the password proved by the caller, or ""
	passkey  *passkeyAttempt
	ceremony passkey.Ceremony // of the passkey, without the subject
}

// accountKey returns the key for counting wrong passwords of signed-in callers for an account.
func accountKey(customerID string) string { return "id:" + customerID }

// newReauthentication returns the proof in a request. Wrong passwords count under key. The code has
// been checked.
func (a *Accounts) newReauthentication(ctx context.Context, caller access.Caller, key string, in ProofInput) (r reauthentication, err error) {
	var checked fault.Invalid
	r.accounts, r.password = a, db.TextOf(in.CurrentPassword)
	if in.CurrentPasskey != nil {
		r.ceremony, err = a.ceremony(ctx, caller, passkey.ToProve, "")
		if fault.HasCode(err, fault.CodeStateConflict) {
			return r, errPasskey()
		}
		if err != nil {
			return r, err
		}
		if r.passkey, err = a.newPasskeyAttempt(ctx, caller, *in.CurrentPasskey); err != nil {
			return r, err
		}
	}
	if r.attempt, err = a.newPasswordAttempt(ctx, caller, key); err != nil {
		return r, err
	}
	digits := checkCurrentCode(&checked, in.CurrentCode)
	r.code, err = a.newCodeAttempt(ctx, caller, kindOfCode(digits), "", digits)
	return r, err
}

// verifyPassword compares the password, if the caller sent one and the account accepts one. It
// hashes, so it runs before the transaction of the change. Codes: rate_limited,
// invalid_credentials.
func (r *reauthentication) verifyPassword(ctx context.Context, row Account) error {
	if r.password == "" || !row.HasPassword() {
		return nil
	}
	// Checked first without a write, so that refused requests cost little.
	err := r.accounts.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error { return r.attempt.check(tx, row.id) })
	if err != nil {
		return err
	}
	correct, err := r.attempt.verify(ctx, r.password, row)
	if err != nil {
		return err
	}
	if !correct {
		return fault.Errorf(fault.CodeInvalidCredentials, "The current password is wrong.")
	}
	r.verified = *row.passwordHash
	return nil
}

// hasPasswordOf reports whether the caller has proved the account's password.
func (r reauthentication) hasPasswordOf(row Account) bool {
	return r.verified != "" && row.HasPassword() && *row.passwordHash == r.verified
}

// proof is the result of [reauthentication.check].
type proof struct {
	sufficient bool         // the caller has given the strongest proof that the account allows
	code       onetime.Code // the code of the proof; the zero row means none
	passkey    *provedPasskey
}

// use uses up the code or the passkey's challenge, if there is one. It must be called if the change
// succeeds. Codes: invalid_credentials (the challenge was used before).
func (p proof) use(tx *db.Tx) error {
	if p.passkey != nil {
		fresh, err := p.passkey.use(tx)
		if err == nil && !fresh {
			err = errPasskey()
		}
		return err
	}
	if p.code.IsZero() {
		return nil
	}
	return p.code.Use(tx)
}

// check checks the proof against the account. Without a proof, an account with neither a password,
// a trusted contact nor a passkey counts as proved: its owner has only the token. required refuses
// an insufficient proof, or none. refusal must not roll back the transaction, because a wrong code
// counts: it is otp_invalid, invalid_credentials or reauthentication_required. Codes: rate_limited.
func (r reauthentication) check(tx *db.Tx, row Account, required bool) (p proof, refusal, err error) {
	contact := row.trusted(r.code.kind)
	switch {
	case r.hasPasswordOf(row):
		return proof{sufficient: true}, nil, nil
	case r.passkey != nil:
		c := r.ceremony
		c.Subject = passkeySubject(row.id, row.tokenVersion)
		proved, refusal, err := r.passkey.verify(tx, c, row)
		return proof{sufficient: proved != nil, passkey: proved}, refusal, err
	case r.code.code != "" && contact != nil:
		attempt := r.code
		attempt.contact = *contact
		code, correct, err := attempt.compare(tx)
		if err != nil {
			return proof{}, nil, err
		}
		if !correct {
			return proof{}, onetime.ErrInvalid(), attempt.countWrong(tx, code)
		}
		return proof{sufficient: true, code: code}, nil, nil
	case row.canReauthenticate():
		return proof{}, refusalIf(required, row), nil
	}
	rows, err := passkeys.List(tx, row.id)
	if err != nil {
		return proof{}, nil, err
	}
	if len(rows) > 0 {
		return proof{}, refusalIf(required, row), nil
	}
	return proof{sufficient: true}, nil, nil
}

func refusalIf(required bool, row Account) error {
	if !required {
		return nil
	}
	return errReauthenticationRequired(row)
}

// errReauthenticationRequired lists the proofs that the account can send.
func errReauthenticationRequired(row Account) error {
	var contacts []string
	if row.trusted(byPhone) != nil {
		contacts = append(contacts, "phone")
	}
	if row.trusted(byEmail) != nil {
		contacts = append(contacts, "e-mail address")
	}
	verified := "your verified " + strings.Join(contacts, " or ")
	proofs := "your current password, or a code sent to " + verified + " (currentCode)"
	switch {
	case !row.canReauthenticate():
		proofs = "your passkey"
	case !row.HasPassword():
		proofs = "a code: request one for " + verified + " and send it as currentCode"
	case len(contacts) == 0:
		proofs = "your current password"
	}
	return fault.Errorf(fault.CodeReauthenticationRequired, "The access token is not sufficient for this change, which requires %s.", proofs)
}
