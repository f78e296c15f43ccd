package account

import (
	"context"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/passkey"
)

// VerifyOTPInput is the input of [Accounts.VerifyOTP].
type VerifyOTPInput struct {
	PhoneNumber    string             `json:"phoneNumber" doc:"The phone number that the code was sent to"`
	Code           *string            `json:"code,omitempty" doc:"The four digits"`
	OTP            *string            `json:"otp,omitempty" doc:"Another name for code"`
	Name           *string            `json:"name,omitempty" doc:"Required if no account has verified this phone number yet (isNewCustomer)"`
	Password       *string            `json:"password,omitempty" doc:"The caller's if its phone changes, else of the account that has it unverified"`
	CurrentCode    *string            `json:"currentCode,omitempty" doc:"A code sent to a verified contact of that account, instead"`
	CurrentPasskey *passkey.Assertion `json:"currentPasskey,omitempty" doc:"A proof by a passkey instead; see beginPasskeyProof"`
}

// VerifyOTP signs in with a code, which can be used once.
//
// The code proves that the caller owns the phone. If an account has verified the phone before, the
// caller signs in to it. Otherwise the phone is added to the caller's account if the caller is
// signed in, and to a new account if not. Replacing another phone of the account requires
// re-authentication.
//
// An account that has the phone unverified loses it, since its creator may not be the owner: the
// owner sees no data of the creator. If the phone was its only contact and it has no order, it is
// deleted. A caller who sends its password is the creator, and signs in to it.
//
// Guest orders with the phone are attached to the account. Codes: validation_failed, otp_invalid,
// rate_limited, and three that leave the code valid: name_required, invalid_credentials,
// reauthentication_required.
func (a *Accounts) VerifyOTP(ctx context.Context, caller access.Caller, in VerifyOTPInput) (*AuthPayload, error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
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
	code := checkCode(&bad, "code", text, otpDigits)
	checkCurrentCode(&bad, in.CurrentCode)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return a.verifyContact(ctx, caller, contactProof{
		kind: byPhone, contact: phone, code: code, name: in.Name, password: in.Password, currentCode: in.CurrentCode,
		currentPasskey: in.CurrentPasskey,
	})
}
