package site

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/passkey"
	"storefront/site/orderpage"
)

// passkeyRow is a passkey in the list of the account.
type passkeyRow struct {
	ID, Name, Used string
	IsHere         bool // it was created at the host of the page
}

// addPasskeys adds the buyer's passkeys to the page of the account.
func (s *Site) addPasskeys(ctx context.Context, r *request, p *accountPage) error {
	found, err := r.Shop.Accounts.ListPasskeys(ctx, r.Caller)
	if err != nil {
		return err
	}
	for _, key := range found.Nodes {
		row := passkeyRow{ID: key.ID, Name: key.Name, Used: p.W.PasskeyUnused, IsHere: isHostOf(r.Origin, key.Host)}
		if key.LastUsedAt != nil {
			row.Used = p.W.PasskeyUsed + " " + orderpage.Day(p.Lang, *key.LastUsedAt, p.front.TimeZone)
		}
		p.Passkeys = append(p.Passkeys, row)
	}
	return nil
}

// hasPasskeys reports whether the page is at the shop's canonical host, where alone passkeys are
// created: others may lead elsewhere one day.
func (r *request) hasPasskeys() bool {
	u, err := url.Parse(r.Origin)
	return err == nil && strings.EqualFold(u.Host, r.Request.Host)
}

func isHostOf(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Hostname() == host
}

// passkeySteps are the requests of the script of passkeys, by the field do. Each returns the data
// of its response, and the token of a new session.
var passkeySteps = map[string]func(*Site, context.Context, *request) (data any, token string, err error){
	"begin-sign-in": func(_ *Site, ctx context.Context, r *request) (any, string, error) {
		options, err := r.Shop.Accounts.BeginPasskeySignIn(ctx, r.Caller)
		return options, "", err
	},
	"sign-in": (*Site).signInByPasskey,
	"code":    (*Site).sendProofCode,
	"prove": func(_ *Site, ctx context.Context, r *request) (any, string, error) {
		options, err := r.Shop.Accounts.BeginPasskeyProof(ctx, r.Caller)
		return options, "", err
	},
	"begin": func(_ *Site, ctx context.Context, r *request) (any, string, error) {
		options, err := r.Shop.Accounts.BeginPasskey(ctx, r.Caller, r.proof())
		return options, "", err
	},
	"add": func(_ *Site, ctx context.Context, r *request) (any, string, error) {
		credential := r.credential("credential")
		in := account.AddPasskeyInput{Name: r.posted.Get("name"), Credential: passkey.Attestation{
			ID: credential.ID, ClientDataJSON: credential.Response.ClientDataJSON, AttestationObject: credential.Response.AttestationObject,
			Transports: &credential.Response.Transports,
		}}
		added, err := r.Shop.Accounts.AddPasskey(ctx, r.Caller, in)
		return added, "", err
	},
	"rename": func(_ *Site, ctx context.Context, r *request) (any, string, error) {
		renamed, err := r.Shop.Accounts.RenamePasskey(ctx, r.Caller, r.posted.Get("id"), account.PasskeyName{Name: r.posted.Get("name")})
		return renamed, "", err
	},
	"remove": func(_ *Site, ctx context.Context, r *request) (any, string, error) {
		removed, err := r.Shop.Accounts.RemovePasskey(ctx, r.Caller, r.posted.Get("id"), r.proof())
		return removed, "", err
	},
}

// passkeys responds to the script of passkeys.
func (s *Site) passkeys(ctx context.Context, r *request) (*Response, error) {
	form, err := r.form()
	if err != nil {
		return nil, err
	}
	step, ok := passkeySteps[form.Get("do")]
	if !ok {
		return nil, errNoForm()
	}
	if r.hasPasskeys() {
		r.Caller.Origin = r.Origin
	}
	data, token, err := step(s, ctx, r)
	if err != nil {
		return r.explainPasskey(err)
	}
	response, err := jsonResponse(http.StatusOK, data)
	if err == nil && token != "" {
		response.Cookies = r.sessionCookies(token)
	}
	return response, err
}

func jsonResponse(status int, data any) (*Response, error) {
	body, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return &Response{Status: status, Media: "application/json", Body: body}, nil
}

// passkeyProblem is why a request was refused.
type passkeyProblem struct {
	Problem string `json:"problem"` // for the buyer
	IsCode  bool   `json:"isCode"`  // the code is wrong, and can be entered again
	Work    *work  `json:"work"`    // to be solved first
}

// explainPasskey responds to a refused request.
func (r *request) explainPasskey(err error) (*Response, error) {
	found, ok := errors.AsType[*fault.Error](err)
	if !ok || isSignedOut(err) {
		return nil, err
	}
	f := &frame{Lang: r.page.language, W: wordsOf[r.page.language]}
	problem := passkeyProblem{}
	switch found.Code {
	case fault.CodeWorkRequired:
		problem.Work, _ = workOf(err, account.WorkForOTP)
	case fault.CodeInvalidCredentials:
		problem.Problem = f.W.PasskeyRefused
	case fault.CodeNotFound:
		problem.Problem = f.W.PasskeyGone
	case fault.CodeStateConflict:
		problem.Problem = f.W.PasskeyConflict
	case fault.CodeReauthenticationRequired, fault.CodeUnauthenticated:
		problem.Problem = f.W.PasskeyUnproved
	case fault.CodeOTPInvalid:
		problem.Problem, problem.IsCode = f.fieldText("code", fault.CodeOTPInvalid, ""), true
	case fault.CodeValidationFailed:
		if problem.Problem = f.W.Fix; len(found.Fields) > 0 {
			problem.IsCode = found.Fields[0].Field == "currentCode"
			problem.Problem = f.fieldText(map[bool]string{true: "code", false: "name"}[problem.IsCode], found.Fields[0].Code, f.W.Fix)
		}
	default:
		_, text, known := f.explain(err)
		if !known {
			return nil, err
		}
		problem.Problem = text
	}
	return jsonResponse(http.StatusUnprocessableEntity, problem)
}

// credential is what PublicKeyCredential.toJSON returns.
type credential struct {
	ID       string `json:"id"`
	Response struct {
		ClientDataJSON    string   `json:"clientDataJSON"`
		AttestationObject string   `json:"attestationObject"`
		Transports        []string `json:"transports"`
		AuthenticatorData string   `json:"authenticatorData"`
		Signature         string   `json:"signature"`
		UserHandle        *string  `json:"userHandle"`
	} `json:"response"`
}

// credential returns the credential in a field of the form. Its values are verified later, so one
// that cannot be read is empty.
func (r *request) credential(field string) credential {
	var c credential
	if json.Unmarshal([]byte(r.posted.Get(field)), &c) != nil {
		return credential{}
	}
	return c
}

func (c credential) assertion() passkey.Assertion {
	return passkey.Assertion{
		ID: c.ID, ClientDataJSON: c.Response.ClientDataJSON, AuthenticatorData: c.Response.AuthenticatorData, Signature: c.Response.Signature,
		UserHandle: c.Response.UserHandle,
	}
}

// proof returns the proof in the form: a passkey or a code.
func (r *request) proof() account.ProofInput {
	if r.posted.Has("proof") {
		return account.ProofInput{CurrentPasskey: new(r.credential("proof").assertion())}
	}
	return account.ProofInput{CurrentCode: optional(asciiDigits(r.posted.Get("code")))}
}

func (s *Site) signInByPasskey(ctx context.Context, r *request) (any, string, error) {
	signedIn, err := r.Shop.Accounts.SignInByPasskey(ctx, r.Caller, account.PasskeyProof{Credential: r.credential("credential").assertion()})
	if err != nil {
		return nil, "", err
	}
	return struct{}{}, signedIn.AccessToken, nil
}

// sentCode is where a code was sent to.
type sentCode struct {
	To string `json:"to"`
}

// sendProofCode sends a code to the verified phone of the account, or to its e-mail address.
func (s *Site) sendProofCode(ctx context.Context, r *request) (any, string, error) {
	customer, err := r.customer(ctx)
	if err != nil {
		return nil, "", err
	}
	caller := r.Caller
	caller.WorkProof = r.posted.Get(workField(account.WorkForOTP))
	switch {
	case customer == nil:
		return nil, "", &fault.Error{Code: fault.CodeUnauthenticated}
	case customer.PhoneVerified && customer.PhoneNumber != nil:
		_, err = r.Shop.Accounts.SendOTP(ctx, caller, account.SendOTPInput{PhoneNumber: *customer.PhoneNumber})
		return sentCode{*customer.PhoneNumber}, "", err
	case customer.EmailVerified && customer.Email != nil:
		_, err = r.Shop.Accounts.SendEmailCode(ctx, caller, account.EmailCodeInput{Email: *customer.Email})
		return sentCode{*customer.Email}, "", err
	}
	return nil, "", &fault.Error{Code: fault.CodeReauthenticationRequired}
}
