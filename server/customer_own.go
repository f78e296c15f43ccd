package server

import (
	"context"
	"net/http"

	"storefront/shop"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// registerOwnData adds the operations on a customer's whole account.
func (s *Server) registerOwnData() {
	register(s, operation{
		id: "joinAccounts", method: http.MethodPost, path: "/api/v1/auth/join", tag: tagAuth, token: requiredToken,
		summary: "Join another account of the customer with the caller's",
		description: "For a customer with one account by e-mail and another by phone. The code proves the other account: it was sent to a " +
			"phone number or an e-mail address that this account has verified. currentPassword, currentCode or currentPasskey proves the " +
			"caller's account, which gets the verified contacts, the orders and the addresses of the other; the other is deleted, with its tokens, its " +
			"password and its passkeys. If both have verified a contact of that kind, the error is state_conflict.",
		codes: []fault.Code{
			fault.CodeOTPInvalid, fault.CodeNotFound, fault.CodeStateConflict, fault.CodeReauthenticationRequired, fault.CodeInvalidCredentials,
		},
		example: map[string]any{"phoneNumber": "01711-000000", "code": "0000", "currentPassword": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.JoinInput
	}) (*account.Customer, error) {
		return in.x.shop.Accounts.Join(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "exportAccount", path: "/api/v1/auth/export", tag: tagAuth, token: requiredToken,
		summary:     "All data of the caller's account",
		description: "The account with its passkeys, all its orders in full, oldest first, and their reviews.",
	}, func(ctx context.Context, in *struct{ request }) (*shop.AccountExport, error) {
		done, err := in.beginList(ctx, allRecords().Work())
		if err != nil {
			return nil, err
		}
		defer done()
		return in.x.shop.ExportAccount(ctx, in.x.caller)
	})

	register(s, operation{
		id: "deleteAccount", method: http.MethodPost, path: "/api/v1/auth/delete", tag: tagAuth, token: requiredToken,
		summary: "Delete the caller's account",
		description: "Requires currentPassword, currentCode or currentPasskey. The orders stay with the shop for its accounts, without name, phone " +
			"number, e-mail address, address and note. While an order is neither completed nor closed, the error is state_conflict.",
		codes: []fault.Code{
			fault.CodeReauthenticationRequired, fault.CodeInvalidCredentials, fault.CodeOTPInvalid, fault.CodeStateConflict,
		},
		example: map[string]any{"currentPassword": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.ProofInput
	}) (*shop.AccountDeleted, error) {
		return in.x.shop.DeleteAccount(ctx, in.x.caller, in.Body)
	})
}

// allRecords is a list without pages.
func allRecords() page.Request {
	all := page.NoLimit
	return page.Request{Limit: &all}
}
