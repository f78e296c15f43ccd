package account

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/secret"
)

// VerifyOTPInput is the input of [Accounts.VerifyOTP].
type VerifyOTPInput struct {
	PhoneNumber string  `json:"phoneNumber" doc:"The phone number that the code was sent to"`
	Code        *string `json:"code,omitempty" doc:"The four digits"`
	OTP         *string `json:"otp,omitempty" doc:"Another name for code"`
	Name        *string `json:"name,omitempty" doc:"Required if no account has verified this phone number yet (isNewCustomer)"`
	Password    *string `json:"password,omitempty" doc:"Of the account that registered this phone number without verifying it, which is retained with it; of the caller's account if its phone number changes"`
	CurrentCode *string `json:"currentCode,omitempty" doc:"A code sent to the verified phone that the caller's account has so far, instead of its password"`
}

// VerifyOTP signs in with a code, which can be used once.
//
// The code proves that the caller owns the phone. If an account has verified the phone before, the
// caller signs in to it. Otherwise the phone becomes that of the caller's account if the caller is
// signed in, and of a new account if not. Replacing another phone of the account requires
// re-authentication.
//
// An account that has the phone unverified loses it, since its creator may not be the owner: nothing
// that the creator wrote is shown to the owner. If the phone was its only contact and it has no order,
// it is deleted. A caller who sends its password is its creator, and signs in to it.
//
// Guest orders with the phone are attached to the account. Codes: validation_failed, otp_invalid,
// rate_limited, and three after which the code stays valid: name_required, invalid_credentials,
// reauthentication_required.
func (a *Accounts) VerifyOTP(ctx context.Context, caller access.Caller, in VerifyOTPInput) (*AuthPayload, error) {
	v, err := a.newVerification(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	if err := v.verifyPassword(ctx, caller, in); err != nil {
		return nil, err
	}
	var row, old Account
	var user Customer
	var refusal error // separate from err, because a refusal must commit its count
	err = a.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		row, old, user, refusal = Account{}, Account{}, Customer{}, nil
		code, correct, err := v.compare(tx)
		if err != nil {
			return err
		}
		if !correct {
			refusal = errCodeInvalid()
			return v.countWrong(tx, code)
		}
		owners, err := findPhoneOwners(tx, v.phone, v.who)
		if err != nil {
			return err
		}
		old = owners.caller
		if row, refusal, err = v.account(tx, owners); refusal != nil || err != nil {
			return err
		}
		if err := useCode(tx, code); err != nil {
			return err
		}
		if err := saveKnownClient(tx, row.id, v.limits.knownClient(row.id, caller.Client)); err != nil {
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
	if old.id == row.id {
		a.notifyContactsChanged(ctx, old, row)
	}
	return a.authPayload(v.keys, row, user)
}

// phoneOwners are the accounts concerned by a phone that a code proves. The zero Account means none.
type phoneOwners struct {
	holder Account // has the phone, verified or not
	caller Account // the caller is signed in to it
}

func findPhoneOwners(tx *db.Tx, phone string, who Identity) (o phoneOwners, err error) {
	o.holder, err = findCustomerByPhone(tx, phone)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return phoneOwners{}, err
	}
	if err != nil {
		o.holder = Account{}
	}
	o.caller, err = who.Customer(tx)
	return o, err
}

// isVerified reports whether the holder has verified the phone, so that the code signs in to that
// account. An unverified phone identifies nobody.
func (o phoneOwners) isVerified() bool { return o.holder.phoneVerifiedAt != nil }

// isNewCustomer reports whether the code creates an account, which requires a name.
func (o phoneOwners) isNewCustomer() bool { return !o.isVerified() && o.caller.IsGuest() }

// verification is one attempt at a code, with its input checked.
type verification struct {
	codeAttempt
	accounts *Accounts
	name     *string
	who      Identity // the caller; a guest if the token is invalid
	keys     *secret.Keys
	proof    reauthentication // of the caller's account, or of the one that has the phone unverified
}

func (a *Accounts) newVerification(ctx context.Context, caller access.Caller, in VerifyOTPInput) (v verification, err error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return v, err
	}
	var bad fault.Invalid
	phone := input.RequirePhone(&bad, "phoneNumber", in.PhoneNumber, set.Country)
	text := in.Code
	if input.IsBlank(text) {
		text = in.OTP
	}
	if input.IsBlank(text) {
		bad.Add("code", fault.CodeRequired, "The code of four digits that was sent to the phone is required.")
	}
	code := checkCode(&bad, "code", text)
	checkCode(&bad, "currentCode", in.CurrentCode)
	if err := bad.Err(); err != nil {
		return v, err
	}
	v.accounts, v.name = a, in.Name
	if v.who, err = a.IdentityOrGuest(ctx, caller); err != nil {
		return v, err
	}
	if v.keys, err = a.cfg.Secrets.Keys(ctx); err != nil {
		return v, err
	}
	v.codeAttempt, err = a.newCodeAttempt(ctx, caller, phone, code)
	return v, err
}

// verifyPassword compares the password, if the caller sent one and it matters, with that of the
// caller's account or of the one that has the phone unverified. It does so only after the code, so that
// a caller without the code cannot guess passwords, and counts wrong ones as a sign-in does. It also
// rejects a throttled caller without a write. Codes: rate_limited, invalid_credentials.
func (v *verification) verifyPassword(ctx context.Context, caller access.Caller, in VerifyOTPInput) error {
	var row Account
	err := v.accounts.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		row = Account{}
		_, correct, err := v.compare(tx)
		if err != nil || !correct {
			return err
		}
		owners, err := findPhoneOwners(tx, v.phone, v.who)
		if err != nil || owners.isVerified() {
			return err
		}
		if row = owners.caller; row.IsGuest() {
			row = owners.holder
		}
		return nil
	})
	if err != nil || row.id == "" {
		return err
	}
	key := v.phone // as in a sign-in with the phone
	if row.id == v.who.customerID {
		key = accountKey(row.id)
	}
	v.proof, err = v.accounts.newReauthentication(ctx, caller, key, in.Password, in.CurrentCode)
	if err != nil {
		return err
	}
	err = v.proof.verifyPassword(ctx, row)
	if fault.HasCode(err, fault.CodeInvalidCredentials) {
		return fault.Errorf(fault.CodeInvalidCredentials, "The password is wrong: send the same code again with the right one or without.")
	}
	return err
}

// account returns the account that the phone, which is verified now, signs in to. refusal is an error
// that does not use up the code.
func (v verification) account(tx *db.Tx, owners phoneOwners) (row Account, refusal, err error) {
	switch {
	case owners.isVerified():
		return owners.holder, nil, nil
	case !owners.caller.IsGuest():
		return v.attach(tx, owners)
	case owners.holder.id != "" && v.proof.hasPasswordOf(owners.holder):
		row := owners.holder
		row.verifyPhone(tx.Now(), true)
		return row, nil, saveProfile(tx, row)
	}
	return v.newAccount(tx, owners.holder)
}

// attach makes the phone that of the caller's account. Codes: reauthentication_required, otp_invalid
// (of the code sent to the phone that is replaced).
func (v verification) attach(tx *db.Tx, owners phoneOwners) (row Account, refusal, err error) {
	row = owners.caller
	isOwn := owners.holder.id == row.id
	proof, refusal, err := v.proof.check(tx, row, row.phone != nil && !isOwn)
	if refusal != nil || err != nil {
		return row, refusal, err
	}
	if err := proof.use(tx); err != nil {
		return row, nil, err
	}
	if !isOwn && owners.holder.id != "" {
		if _, err := v.accounts.removeUnverifiedPhone(tx, owners.holder); err != nil {
			return row, nil, err
		}
	}
	row.phone = &v.phone
	row.verifyPhone(tx.Now(), proof.sufficient || isOwn && row.phoneTrusted)
	return row, nil, saveProfile(tx, row)
}

// newAccount creates an account with the phone, which holder loses if it has it unverified. An account
// that is left with nothing is replaced: the new one has its ID and nothing else of it.
// Codes: name_required, validation_failed.
func (v verification) newAccount(tx *db.Tx, holder Account) (row Account, refusal, err error) {
	var bad fault.Invalid
	if input.IsBlank(v.name) {
		bad.Add("name", fault.CodeNameRequired, "No account has verified this phone number: send the same code again with a name.")
		return row, bad.Err(), nil
	}
	now := tx.Now()
	row = Account{
		id: v.accounts.cfg.IDs.Next(now), name: input.CheckName(&bad, "name", *v.name), phone: &v.phone, phoneVerifiedAt: &now,
		tokenVersion: 1, createdAt: now,
	}
	if err := bad.Err(); err != nil {
		return row, err, nil
	}
	if holder.id != "" {
		deleted, err := v.accounts.removeUnverifiedPhone(tx, holder)
		if err != nil {
			return row, nil, err
		}
		if deleted {
			row.id, row.tokenVersion = holder.id, holder.tokenVersion+1
		}
	}
	inserted, err := insertCustomer(tx, row)
	if err == nil && !inserted {
		err = errors.New("the phone has an account that was not found by it")
	}
	return row, nil, err
}

// removeUnverifiedPhone removes the phone from an account that has not verified it, for the owner of
// the phone. An account without another contact and without orders is deleted.
func (a *Accounts) removeUnverifiedPhone(tx *db.Tx, row Account) (deleted bool, err error) {
	hasOrders, err := a.cfg.HasOrders(tx, row.id)
	if err != nil {
		return false, err
	}
	if row.email == nil && !hasOrders {
		return true, deleteCustomer(tx, row.id)
	}
	row.phone, row.phoneTrusted = nil, true
	return false, saveProfile(tx, row)
}
