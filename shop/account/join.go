package account

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/onetime"
	"storefront/shop/passkey"
)

// JoinInput is the input of [Accounts.Join]. Exactly one of PhoneNumber and Email is required.
type JoinInput struct {
	PhoneNumber     *string            `json:"phoneNumber,omitempty" doc:"The verified phone number of the other account"`
	Email           *string            `json:"email,omitempty" doc:"Or its verified e-mail address"`
	Code            string             `json:"code" doc:"A code that was sent to it"`
	CurrentPassword *string            `json:"currentPassword,omitempty" doc:"Password of the caller's account"`
	CurrentCode     *string            `json:"currentCode,omitempty" doc:"A code sent to a verified contact of the caller's account, instead"`
	CurrentPasskey  *passkey.Assertion `json:"currentPasskey,omitempty" doc:"A proof by a passkey instead; see beginPasskeyProof"`
}

// Join joins another account of the customer with the caller's: its verified contacts, orders and
// addresses become the caller's, and it is deleted with its tokens, its password and its passkeys.
// The caller proves the other account by a code sent to its verified contact, and the own account
// by re-authentication. A verified contact of the caller's account is not replaced. Codes:
// validation_failed, otp_invalid, not_found (no account has verified the contact), state_conflict
// (both accounts have such a contact), reauthentication_required, invalid_credentials,
// rate_limited, unauthenticated, token_expired, token_invalid.
func (a *Accounts) Join(ctx context.Context, caller access.Caller, in JoinInput) (*Customer, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	kind, contact, code, err := in.check(set.Country)
	if err != nil {
		return nil, err
	}
	attempt, err := a.newCodeAttempt(ctx, caller, kind, contact, code)
	if err != nil {
		return nil, err
	}
	proof, err := a.NewProof(ctx, caller, who, ProofInput{in.CurrentPassword, in.CurrentCode, in.CurrentPasskey})
	if err != nil {
		return nil, err
	}
	var before, row, other Account
	var user Customer
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		code, correct, err := attempt.compare(tx)
		if err != nil {
			return nil, err
		}
		if !correct {
			return onetime.ErrInvalid(), attempt.countWrong(tx, code)
		}
		// The proof is used up with the code, so a refused join uses up neither.
		if row, refusal, err = proof.check(tx); refusal != nil || err != nil {
			return refusal, err
		}
		before = row
		owner, err := findContactOwners(tx, kind, contact, who)
		if err != nil {
			return nil, err
		}
		if err := checkJoin(kind, row, owner); err != nil {
			return nil, err
		}
		other = owner.holder
		if err := code.Use(tx); err != nil {
			return nil, err
		}
		if err := proof.use(tx); err != nil {
			return nil, err
		}
		if err := a.merge(tx, &row, other); err != nil {
			return nil, err
		}
		user, err = row.View(tx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	a.notifyOwner(ctx, before, accountsJoined)
	a.notifyOwner(ctx, other, accountsJoined)
	return &user, nil
}

// checkJoin checks that an account may join the account with a verified contact. Codes: not_found,
// state_conflict.
func checkJoin(kind contactKind, row Account, owner contactOwners) error {
	switch {
	case !owner.isVerified():
		return fault.Errorf(fault.CodeNotFound, "No account has verified this contact: verify it for your account instead.")
	case owner.holder.id == row.id:
		return fault.Errorf(fault.CodeStateConflict, "This contact already belongs to your account.")
	case row.isVerified(kind):
		return fault.Errorf(fault.CodeStateConflict,
			"Your account has a verified %[1]s: sign in to the other account, or remove the %[1]s from yours first.", kind.rules().contact)
	}
	return nil
}

// check returns the contact of the other account, and the code sent to it.
func (in JoinInput) check(country string) (kind contactKind, contact, code string, err error) {
	var bad fault.Invalid
	checkCurrentCode(&bad, in.CurrentCode)
	digits := otpDigits
	switch {
	case !input.IsBlank(in.PhoneNumber) && !input.IsBlank(in.Email):
		bad.Add("email", fault.CodeInvalidValue, "Send phoneNumber or email, not both.")
	case !input.IsBlank(in.Email):
		kind, digits = byEmail, emailCodeDigits
		contact = input.RequireEmail(&bad, "email", *in.Email)
	default:
		contact = input.RequirePhone(&bad, "phoneNumber", db.TextOf(in.PhoneNumber), country)
	}
	if input.IsBlank(&in.Code) {
		bad.Add("code", fault.CodeRequired, "The code that was sent to the other account's contact is required.")
	}
	code = checkCode(&bad, "code", &in.Code, digits)
	return kind, contact, code, bad.Err()
}

// merge adds the data of other to the account in row, and deletes other.
func (a *Accounts) merge(tx *db.Tx, row *Account, other Account) error {
	addresses, err := row.Addresses(tx)
	if err != nil {
		return err
	}
	more, err := other.Addresses(tx)
	if err != nil {
		return err
	}
	addresses = append(addresses, more...)
	if err := a.cfg.MoveOrders(tx, other.id, row.id); err != nil {
		return err
	}
	if err := deleteCustomer(tx, other.id); err != nil {
		return err
	}
	for _, kind := range []contactKind{byPhone, byEmail} {
		if contact := other.verified(kind); contact != nil && !row.isVerified(kind) {
			row.verify(kind, *contact, tx.Now(), true)
		}
	}
	if err := saveProfile(tx, *row); err != nil {
		return err
	}
	return a.replaceAddresses(tx, row.id, addresses[:min(len(addresses), MaxAddresses)])
}
