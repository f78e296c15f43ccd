package server

import (
	"context"
	"net/http"

	"storefront/shop"
)

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
		codes:       []shop.Code{shop.CodeInvalidCredentials},
		example:     map[string]any{"user": "01711-000000", "password": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		Body shop.LoginInput
	}) (*shop.AuthPayload, error) {
		return in.x.shop.Login(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "getMe", path: "/api/v1/auth/me", tag: tagAuth, bearer: requiredBearer,
		summary: "The caller's account",
	}, func(ctx context.Context, in *struct{ request }) (*shop.Customer, error) {
		return in.x.shop.Me(ctx, in.x.caller)
	})
}
