package site

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
)

// work is a challenge that the browser solves before it sends a form again.
type work struct {
	Field      string // of the form, for the proof
	Challenge  string
	Difficulty int
}

// workProofs are the proofs of work of a form. An order may need one for itself and one for the
// code, and a proof is valid for its purpose alone.
type workProofs struct{ Orders, Codes string }

func readWorkProofs(form url.Values) workProofs {
	return workProofs{form.Get(workField(account.WorkForOrders)), form.Get(workField(account.WorkForOTP))}
}

func workField(purpose account.WorkPurpose) string { return "work-" + string(purpose) }

// workOf returns the challenge of an error; ok is false if it has none.
func workOf(err error, purpose account.WorkPurpose) (*work, bool) {
	found, ok := errors.AsType[*fault.Error](err)
	if !ok || found.Code != fault.CodeWorkRequired {
		return nil, false
	}
	challenge, _ := found.Details["challenge"].(string)
	difficulty, _ := found.Details["difficulty"].(int)
	return &work{workField(purpose), challenge, difficulty}, true
}

// phoneCaller returns the caller who proves a phone. The account of that phone may be another than
// the one that is signed in.
func (r *request) phoneCaller() access.Caller {
	caller := r.Caller
	caller.Bearer = ""
	return caller
}

// sendCode sends a code to a phone. Codes: as for [account.Accounts.SendOTP].
func (r *request) sendCode(ctx context.Context, phone, proof string) (*account.OTPSent, error) {
	caller := r.phoneCaller()
	caller.WorkProof = proof
	if host, isTLS := strings.CutPrefix(r.Origin, "https://"); isTLS && !strings.Contains(host, ":") {
		caller.PageHost = host
	}
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
