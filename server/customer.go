package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/account"
	"storefront/shop/fault"
)

// accountsDescription describes the account operations in the reference.
const accountsDescription = `Customers' accounts. Signing in returns a JWT that is valid for 7 days; the server stores no
session. A client renews it before it expires (` + "`renewToken`" + `), so that a customer signs in again after 90 days.

The limits below can be changed per shop (setting ` + "`limits`" + `). A ` + "`429`" + ` states how long to wait.

- Codes sent, not counting those used to sign in: one a minute to a phone, 5 a day to a phone for one client address, 10 a day to a phone,
  30 an hour for a client address, 2000 messages a day for the shop. An hour may use a twelfth of the day's messages, and a quarter is
  reserved for phones that customers have verified.
- Wrong codes: 3 for each code, 30 an hour from a client address, 300 an hour in the shop. Beyond the shop's limit, a code is accepted from
  the address that requested it.
- Wrong passwords: 5 for an account from a client address, after which the wait doubles with each further one, from 15 seconds to an hour;
  300 an hour from a client address; 50 an hour for an account from all addresses, after which only addresses that have signed in to the
  account may try.
- Registrations: 60 an hour from a client address.
- Codes sent by e-mail: the limits of codes and wrong codes hold for an e-mail address as for a phone, with counts of their own, and
  2000 e-mails a day for the shop.
- For codes, wrong codes and registrations, a network (IPv4 /24, IPv6 /48) may do four times as much as one address.
- Passkeys that are not accepted: 5 for a passkey from a client address, then as for passwords; 300 an hour from a client address.
- E-mail addresses and phone numbers of other accounts in a profile: 30 an hour from a client address.

A phone or an e-mail address identifies an account only once a code sent to it was used (` + "`phoneVerified`, `emailVerified`" + `). Replacing
or removing one, and setting a first password, require more than the access token: ` + "`currentPassword`" + `, or
` + "`currentCode`" + `, a code sent to the verified phone (four digits) or e-mail address (six digits) that the account has
so far, or ` + "`currentPasskey`" + `, a proof by a passkey. So does adding or removing a passkey. Without it the error is
` + "`reauthentication_required`" + `. The shop then notifies the owner at those contacts. An e-mail address or phone added without it is used as
any other, but does not re-authenticate.

Only registering with an e-mail address reveals whether it has an account.

A shop that is attacked can require a proof of work (setting ` + "`proofOfWork`" + `) for codes and for orders of guests. The request is then
rejected with ` + "`work_required`" + `, whose details have a challenge and a difficulty. Find a nonce so that the SHA-256 of the challenge, a dot and
the nonce begins with as many zero bits as the difficulty, and send the request again with all three as ` + "`X-Work-Proof`" + `. A proof is
valid once, within 10 minutes.

A server-rendered storefront sends its buyer's address in ` + "`X-Shopper-Address`" + ` and an API key of the scope
` + "`orders.write` as `X-API-Key`" + `, so that its buyers do not share the limits of one address.`

// workProofHeader is read by callerOf.
var workProofHeader = &huma.Param{
	Name: "X-Work-Proof", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
	Description: "A solved challenge, if the shop requires a proof of work (`work_required`).",
}

func (s *Server) registerCustomers() {
	register(s, operation{
		id: "register", method: http.MethodPost, path: "/api/v1/auth/register", tag: tagAuth, created: true,
		summary:     "Create an account and sign in",
		description: "An account must have an e-mail address, a phone number or both.",
		codes:       []fault.Code{fault.CodePasswordRejected, fault.CodeCustomerExists},
		example:     map[string]any{"name": "Ayesha Rahman", "phoneNumber": "01711-000000", "password": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.RegisterInput
	}) (*account.AuthPayload, error) {
		return in.x.shop.Accounts.Register(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "login", method: http.MethodPost, path: "/api/v1/auth/login", tag: tagAuth,
		summary: "Sign in with a password",
		description: "user is an e-mail address or a phone number. A wrong password, an unknown user and an account without a password " +
			"have the same response.",
		codes:   []fault.Code{fault.CodeInvalidCredentials, fault.CodePasswordResetRequired},
		example: map[string]any{"user": "01711-000000", "password": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.LoginInput
	}) (*account.AuthPayload, error) {
		return in.x.shop.Accounts.Login(ctx, in.x.caller, in.Body)
	})

	s.registerCodes()
	s.registerEmailCodes()
	s.registerPasskeySignIn()
	s.registerPasskeys()
	s.registerProfile()
	s.registerOwnData()
}

// registerCodes adds the sign-in by a code sent to a phone.
func (s *Server) registerCodes() {
	register(s, operation{
		id: "sendOtp", method: http.MethodPost, path: "/api/v1/auth/otp/send", tag: tagAuth, token: lenientToken,
		summary: "Send a code to a phone",
		description: "The code has four digits and is valid for 5 minutes and 3 attempts. A new code replaces the previous one. A phone can " +
			"request one code a minute, sooner if the previous code was used to sign in. Codes used to sign in and messages refused by the " +
			"SMS gateway do not count towards the limits. isNewCustomer is false for a signed-in caller: the code then attaches the phone " +
			"to the account, or is the currentCode of a change.",
		codes:      []fault.Code{fault.CodeSMSUnavailable, fault.CodeWorkRequired},
		parameters: []*huma.Param{workProofHeader},
		example:    map[string]any{"phoneNumber": "01711-000000"},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		Body account.SendOTPInput
	}) (*account.OTPSent, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Accounts.SendOTP(ctx, caller, in.Body)
	})

	register(s, operation{
		id: "verifyOtp", method: http.MethodPost, path: "/api/v1/auth/otp/verify", tag: tagAuth, token: lenientToken,
		summary: "Sign in with a code",
		description: "Signs in to the account that has verified the phone. If there is none, a signed-in caller's account gets the phone and " +
			"its tokens stay valid; replacing another phone requires password or currentCode. Otherwise an account is created, which " +
			"requires name; a request without it does not use up the code. Guest orders with the phone become the account's.\n\n" +
			"An account that has the phone without verifying it loses it, and is deleted if it has neither an e-mail address nor an order: " +
			"nothing that its creator wrote reaches the owner of the phone. A request with its password signs in to it instead. After a wrong " +
			"password (invalid_credentials) the code stays valid.",
		codes:   []fault.Code{fault.CodeOTPInvalid, fault.CodeNameRequired, fault.CodeInvalidCredentials, fault.CodeReauthenticationRequired},
		example: map[string]any{"phoneNumber": "01711-000000", "code": "0000", "name": "Ayesha Rahman"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.VerifyOTPInput
	}) (*account.AuthPayload, error) {
		return in.x.shop.Accounts.VerifyOTP(ctx, in.x.caller, in.Body)
	})
}

// registerEmailCodes adds the sign-in by a code sent to an e-mail address, and setting a new
// password.
func (s *Server) registerEmailCodes() {
	register(s, operation{
		id: "sendEmailCode", method: http.MethodPost, path: "/api/v1/auth/email/send", tag: tagAuth, token: lenientToken,
		summary: "Send a code to an e-mail address",
		description: "The code has six digits and is valid for 15 minutes and 3 attempts. A new " +
			"code replaces the previous one. The limits are the same as for codes sent to a " +
			"phone. The code signs in, verifies the address of a signed-in caller, or is the " +
			"currentCode of a change. The response is the same whether or not the address has an " +
			"account.",
		codes:      []fault.Code{fault.CodeEmailUnavailable, fault.CodeWorkRequired},
		parameters: []*huma.Param{workProofHeader},
		example:    map[string]any{"email": "ayesha@example.com"},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		Body account.EmailCodeInput
	}) (*account.EmailCodeSent, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Accounts.SendEmailCode(ctx, caller, in.Body)
	})

	register(s, operation{
		id: "verifyEmail", method: http.MethodPost, path: "/api/v1/auth/email/verify", tag: tagAuth, token: lenientToken,
		summary: "Sign in with a code from an e-mail",
		description: "Signs in to the account that has verified the e-mail address. If there is none, a signed-in caller's account gets it and " +
			"its tokens stay valid; replacing another address requires password or currentCode. Otherwise an account is created, which requires " +
			"name: a request without it gets name_required and does not use up the code. Guest orders with the address become the account's.\n\n" +
			"An account that has the address without verifying it loses it, unless the request has its password. If it has no verified phone, its " +
			"orders with the address, and nothing else, go to the owner of the address too.",
		codes:   []fault.Code{fault.CodeOTPInvalid, fault.CodeNameRequired, fault.CodeInvalidCredentials, fault.CodeReauthenticationRequired},
		example: map[string]any{"email": "ayesha@example.com", "code": "000000", "name": "Ayesha Rahman"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.VerifyEmailInput
	}) (*account.AuthPayload, error) {
		return in.x.shop.Accounts.VerifyEmail(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "requestPasswordReset", method: http.MethodPost, path: "/api/v1/auth/password/forgot", tag: tagAuth,
		summary: "Send a code to set a new password",
		description: "Sends a code of six digits, valid for 15 minutes and 3 attempts, if the " +
			"e-mail address has an account. The response is the same if it has none. The limits " +
			"are the same as for other codes.",
		codes:      []fault.Code{fault.CodeEmailUnavailable, fault.CodeWorkRequired},
		parameters: []*huma.Param{workProofHeader},
		example:    map[string]any{"email": "ayesha@example.com"},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		Body account.EmailCodeInput
	}) (*account.EmailCodeSent, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Accounts.RequestPasswordReset(ctx, caller, in.Body)
	})

	register(s, operation{
		id: "resetPassword", method: http.MethodPost, path: "/api/v1/auth/password/reset", tag: tagAuth,
		summary: "Set a new password with a code and sign in",
		description: "Verifies the e-mail address, sets the password, revokes all tokens of the " +
			"account and returns a new one. A rejected password does not use up the code. If the " +
			"account had not verified the address, its creator may not be the owner: the owner " +
			"gets a new account with only the orders that have the address. Its name is the part " +
			"of the address before the @.",
		codes:   []fault.Code{fault.CodePasswordRejected, fault.CodeOTPInvalid},
		example: map[string]any{"email": "ayesha@example.com", "code": "000000", "newPassword": "a short and loud waterfall"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.ResetPasswordInput
	}) (*account.AuthPayload, error) {
		return in.x.shop.Accounts.ResetForgottenPassword(ctx, in.x.caller, in.Body)
	})
}

// registerProfile adds the operations on a customer's own account.
func (s *Server) registerProfile() {
	register(s, operation{
		id: "getMe", path: "/api/v1/auth/me", tag: tagAuth, token: requiredToken,
		summary:     "The caller's account",
		description: "Returns the customer that the access token belongs to.",
	}, readRecord(func(ctx context.Context, in *struct{ request }) (*account.Customer, error) {
		return in.x.shop.Accounts.Me(ctx, in.x.caller)
	}))

	register(s, operation{
		id: "updateProfile", method: http.MethodPatch, path: "/api/v1/auth/profile", tag: tagAuth, token: requiredToken,
		summary: "Update the caller's account",
		description: "Fields that are omitted or null stay unchanged. A new phone number or e-mail address is unverified. Replacing or removing " +
			"one requires currentPassword or currentCode, and notifies the owner at the contacts that were verified before.",
		codes: []fault.Code{
			fault.CodeCustomerExists, fault.CodeReauthenticationRequired, fault.CodeInvalidCredentials, fault.CodeOTPInvalid,
		},
		example: map[string]any{"name": "Ayesha Rahman", "address": map[string]any{"line1": "House 12, Road 5", "area": "Dhanmondi", "city": "Dhaka"}},
	}, func(ctx context.Context, in *struct {
		request
		Body account.ProfileInput
	}) (*account.Customer, error) {
		return in.x.shop.Accounts.UpdateProfile(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "changePassword", method: http.MethodPost, path: "/api/v1/auth/change-password", tag: tagAuth, token: requiredToken,
		summary: "Set a new password",
		description: "Revokes all earlier tokens; the response has a new one. Requires currentPassword or, as an account without a password " +
			"must, currentCode: a code sent to the account's verified phone or e-mail address.",
		codes: []fault.Code{
			fault.CodePasswordRejected, fault.CodeInvalidCredentials, fault.CodeOTPInvalid, fault.CodeReauthenticationRequired,
		},
		example: map[string]any{"currentPassword": "a long and quiet river", "newPassword": "a short and loud waterfall"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.ChangePasswordInput
	}) (*account.AuthPayload, error) {
		return in.x.shop.Accounts.ChangePassword(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "renewToken", method: http.MethodPost, path: "/api/v1/auth/renew", tag: tagAuth, token: requiredToken,
		summary: "Renew the access token",
		description: "Returns a new token of 7 days, for at most 90 days after the password or the code with which the customer signed in. The " +
			"earlier one stays valid until it expires. Signing out everywhere and a new password revoke both. A token of a replaced signing key " +
			"cannot be renewed (token_expired): the customer signs in again.",
	}, func(ctx context.Context, in *struct{ request }) (*account.AuthPayload, error) {
		return in.x.shop.Accounts.RenewToken(ctx, in.x.caller)
	})

	register(s, operation{
		id: "logout", method: http.MethodPost, path: "/api/v1/auth/logout", tag: tagAuth, token: lenientToken,
		summary: "Sign out",
		description: "The server stores no session, so this changes nothing on it: the client must delete its token. With everywhere, which " +
			"requires a valid token, all tokens of the account are revoked.",
		codes:   []fault.Code{fault.CodeUnauthenticated, fault.CodeTokenExpired, fault.CodeTokenInvalid},
		example: map[string]any{},
	}, func(ctx context.Context, in *struct {
		request
		Body *account.LogoutInput
	}) (*account.LoggedOut, error) {
		var input account.LogoutInput
		if in.Body != nil {
			input = *in.Body
		}
		return in.x.shop.Accounts.Logout(ctx, in.x.caller, input)
	})
}
