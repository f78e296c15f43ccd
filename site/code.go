package site

import (
	"context"
	"errors"
	"net/url"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
)

// work is a challenge that the browser solves before it sends a form again.
type work struct {
	Challenge  string
	Difficulty int
}

// workOf returns the challenge of an error; ok is false if it has none.
func workOf(err error) (*work, bool) {
	found, ok := errors.AsType[*fault.Error](err)
	if !ok || found.Code != fault.CodeWorkRequired {
		return nil, false
	}
	challenge, _ := found.Details["challenge"].(string)
	difficulty, _ := found.Details["difficulty"].(int)
	return &work{challenge, difficulty}, true
}

// phoneCaller returns the caller who proves a phone. The account of that phone may be another than
// the one that is signed in.
func (r *request) phoneCaller() access.Caller {
	caller := r.Caller
	caller.Bearer = ""
	return caller
}

// sendCode sends a code to a phone. Codes: as for [account.Accounts.SendOTP].
func (r *request) sendCode(ctx context.Context, phone string, form url.Values) (*account.OTPSent, error) {
	caller := r.phoneCaller()
	caller.WorkProof = form.Get("work")
	return r.Shop.Accounts.SendOTP(ctx, caller, account.SendOTPInput{PhoneNumber: phone})
}

// verifyCode returns the access token of the account with a phone, by the code sent to it. Codes:
// as for [account.Accounts.VerifyOTP].
func (r *request) verifyCode(ctx context.Context, phone, code, name string) (token string, err error) {
	code = asciiDigits(code)
	signedIn, err := r.Shop.Accounts.VerifyOTP(ctx, r.phoneCaller(), account.VerifyOTPInput{
		PhoneNumber: phone, Code: &code, Name: optional(name),
	})
	if err != nil {
		return "", err
	}
	return signedIn.AccessToken, nil
}
