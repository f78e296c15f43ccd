package server

import (
	"context"
	"net/http"

	"storefront/shop"
)

// accountsDescription is what the reference says of all operations about accounts.
const accountsDescription = `Customers' accounts. Signing in gives a JWT, good for 7 days; the server keeps no session.

Successes count for no limit. The shop can change these (setting ` + "`limits`" + `); ` + "`429`" + ` says how long to wait.
Codes that have not signed in: one a minute to a phone, 5 a day to a phone for one client address, 10 a day to a phone, 30 an hour for a
client address, 2000 messages a day for the shop. Wrong codes: 3 for each code, 30 an hour from a client address, 300 an hour in the shop.
Wrong passwords: 5 for an account from a client address, after which each next one waits twice as long, from 15 seconds to an hour; 300 an
hour from a client address.

A storefront that is rendered on a server passes its shopper's address in ` + "`X-Shopper-Address`" + `, with an administrator's token of the shop
in ` + "`X-Admin-Token`" + `, so that its shoppers do not share one address's limits.`

func (s *Server) registerCustomers() {
	register(s, operation{
		id: "register", method: http.MethodPost, path: "/api/v1/auth/register", tag: tagAuth, created: true,
		summary:     "Create an account and sign in",
		description: "An account has an e-mail address, a phone number or both.",
		codes:       []shop.Code{shop.CodePasswordRejected, shop.CodeCustomerExists},
		example:     map[string]any{"name": "Ayesha Rahman", "phoneNumber": "01711-000000", "password": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		Body shop.RegisterInput
	}) (*shop.AuthPayload, error) {
		return in.x.shop.Register(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "login", method: http.MethodPost, path: "/api/v1/auth/login", tag: tagAuth,
		summary:     "Sign in with a password",
		description: "user is an e-mail address or a phone number. A wrong password, an unknown user and an account without a password are one and the same answer.",
		codes:       []shop.Code{shop.CodeInvalidCredentials, shop.CodePasswordResetRequired},
		example:     map[string]any{"user": "01711-000000", "password": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		Body shop.LoginInput
	}) (*shop.AuthPayload, error) {
		return in.x.shop.Login(ctx, in.x.caller, in.Body)
	})

	s.registerCodes()
	s.registerProfile()
}

// registerCodes adds signing in by a code sent to a phone.
func (s *Server) registerCodes() {
	register(s, operation{
		id: "sendOtp", method: http.MethodPost, path: "/api/v1/auth/otp/send", tag: tagAuth,
		summary: "Send a code to a phone",
		description: "Four digits, good for 5 minutes and 3 wrong tries. A new code replaces the one before; there is a minute between two, " +
			"unless the first has signed in. Codes that sign in count for no limit, and a message that the gateway refuses costs nothing.",
		codes:   []shop.Code{shop.CodeSMSUnavailable},
		example: map[string]any{"phoneNumber": "01711-000000"},
	}, func(ctx context.Context, in *struct {
		request
		Body shop.SendOTPInput
	}) (*shop.OTPSent, error) {
		return in.x.shop.SendOTP(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "verifyOtp", method: http.MethodPost, path: "/api/v1/auth/otp/verify", tag: tagAuth, token: lenientToken,
		summary: "Sign in by a code",
		description: "Makes the account where the phone has none; name is needed then, and a request without it leaves the code good. " +
			"Guest orders with the phone become the account's. An account that had only claimed the phone has its tokens ended and its password " +
			"set aside (passwordResetRequired), unless its Bearer or its right password comes along.",
		codes:   []shop.Code{shop.CodeOTPInvalid, shop.CodeNameRequired},
		example: map[string]any{"phoneNumber": "01711-000000", "code": "0000", "name": "Ayesha Rahman"},
	}, func(ctx context.Context, in *struct {
		request
		Body shop.VerifyOTPInput
	}) (*shop.AuthPayload, error) {
		return in.x.shop.VerifyOTP(ctx, in.x.caller, in.Body)
	})
}

// registerProfile adds what a customer does with an account.
func (s *Server) registerProfile() {
	register(s, operation{
		id: "getMe", path: "/api/v1/auth/me", tag: tagAuth, token: requiredToken,
		summary:     "The caller's account",
		description: "The customer whom the access token names.",
	}, func(ctx context.Context, in *struct{ request }) (*shop.Customer, error) {
		return in.x.shop.Me(ctx, in.x.caller)
	})

	register(s, operation{
		id: "updateProfile", method: http.MethodPatch, path: "/api/v1/auth/profile", tag: tagAuth, token: requiredToken,
		summary:     "Change the caller's account",
		description: "What is left out, or null, stays as it is. A new phone number or e-mail address is unproven.",
		codes:       []shop.Code{shop.CodeCustomerExists},
		example:     map[string]any{"name": "Ayesha Rahman", "address": map[string]any{"line1": "House 12, Road 5", "area": "Dhanmondi", "city": "Dhaka"}},
	}, func(ctx context.Context, in *struct {
		request
		Body shop.ProfileInput
	}) (*shop.Customer, error) {
		return in.x.shop.UpdateProfile(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "changePassword", method: http.MethodPost, path: "/api/v1/auth/change-password", tag: tagAuth, token: requiredToken,
		summary:     "Set a new password",
		description: "Ends all tokens made before; the answer has a fresh one. An account that signs in by codes only sets its first password so, without currentPassword.",
		codes:       []shop.Code{shop.CodePasswordRejected, shop.CodeInvalidCredentials},
		example:     map[string]any{"currentPassword": "a long and quiet river", "newPassword": "a short and loud waterfall"},
	}, func(ctx context.Context, in *struct {
		request
		Body shop.ChangePasswordInput
	}) (*shop.AuthPayload, error) {
		return in.x.shop.ChangePassword(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "logout", method: http.MethodPost, path: "/api/v1/auth/logout", tag: tagAuth, token: lenientToken,
		summary:     "Sign out",
		description: "The server keeps no session, so nothing changes here: the client forgets its token.",
		example:     map[string]any{},
	}, func(ctx context.Context, in *struct {
		request
		Body *struct{}
	}) (*shop.LoggedOut, error) {
		return in.x.shop.Logout(ctx, in.x.caller)
	})
}
