package server

import (
	"context"
	"net/http"

	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/passkey"
)

// Examples of an authenticator's answers.
var (
	exampleAssertion = map[string]any{
		"id": "kHp0nXc3V2", "clientDataJSON": "eyJ0eXBlIjoi", "authenticatorData": "SZYN5YgOjGh0", "signature": "MEUCIQDx", "userHandle": "bXktdXNlcg",
	}
	exampleAttestation = map[string]any{
		"id": "kHp0nXc3V2", "clientDataJSON": "eyJ0eXBlIjoi", "attestationObject": "o2NmbXRkbm9u", "transports": []string{"internal"},
	}
)

// PasskeyPath has a passkey in the path.
type PasskeyPath struct {
	ID string `path:"id" doc:"The passkey's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// registerPasskeySignIn adds the sign-in with a passkey, and proofs by one.
func (s *Server) registerPasskeySignIn() {
	register(s, operation{
		id: "beginPasskeySignIn", method: http.MethodPost, path: "/api/v1/auth/passkey/options", tag: tagAuth,
		summary: "Begin to sign in with a passkey",
		description: "Returns options for PublicKeyCredential.parseRequestOptionsFromJSON. The browser offers the passkeys that were created at " +
			"the host of the page. The page's origin, which browsers send, must be one of the shop's domains, its storefrontUrl's origin or in its " +
			"list of origins, over HTTPS or at localhost; otherwise the error is state_conflict.",
		codes: []fault.Code{fault.CodeStateConflict},
	}, func(ctx context.Context, in *struct{ request }) (*passkey.RequestOptions, error) {
		return in.x.shop.Accounts.BeginPasskeySignIn(ctx, in.x.caller)
	})

	register(s, operation{
		id: "signInByPasskey", method: http.MethodPost, path: "/api/v1/auth/passkey", tag: tagAuth,
		summary:     "Sign in with a passkey",
		description: "The authenticator verifies its user. Every passkey that is not accepted has the same response.",
		codes:       []fault.Code{fault.CodeInvalidCredentials},
		example:     map[string]any{"credential": exampleAssertion},
	}, func(ctx context.Context, in *struct {
		request
		Body account.PasskeyProof
	}) (*account.AuthPayload, error) {
		return in.x.shop.Accounts.SignInByPasskey(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "beginPasskeyProof", method: http.MethodPost, path: "/api/v1/auth/passkey/proof/options", tag: tagAuth, token: requiredToken,
		summary: "Begin to prove the account with a passkey",
		description: "Returns options with the account's passkeys for the host of the page. The proof is the currentPasskey of one change, within " +
			"five minutes, in place of a password or a code.",
		codes: []fault.Code{fault.CodeStateConflict},
	}, func(ctx context.Context, in *struct{ request }) (*passkey.RequestOptions, error) {
		return in.x.shop.Accounts.BeginPasskeyProof(ctx, in.x.caller)
	})
}

// registerPasskeys adds the operations on a customer's own passkeys.
func (s *Server) registerPasskeys() {
	proofs := []fault.Code{fault.CodeReauthenticationRequired, fault.CodeInvalidCredentials, fault.CodeOTPInvalid}
	register(s, operation{
		id: "beginPasskey", method: http.MethodPost, path: "/api/v1/auth/passkey/add/options", tag: tagAuth, token: requiredToken,
		summary: "Begin to add a passkey",
		description: "Returns options for PublicKeyCredential.parseCreationOptionsFromJSON. Requires currentPassword, currentCode or " +
			"currentPasskey, and a page of the shop as beginPasskeySignIn does. An account has at most 10 passkeys.",
		codes:   append([]fault.Code{fault.CodeStateConflict}, proofs...),
		example: map[string]any{"currentPassword": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		Body account.ProofInput
	}) (*passkey.CreationOptions, error) {
		return in.x.shop.Accounts.BeginPasskey(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "addPasskey", method: http.MethodPost, path: "/api/v1/auth/passkeys", tag: tagAuth, token: requiredToken, created: true,
		summary: "Add a passkey",
		description: "It signs in at the host of the page. The options of beginPasskey, valid for five minutes and once, are the proof of the " +
			"account. The owner is notified at the verified contacts.",
		codes:   []fault.Code{fault.CodeInvalidCredentials, fault.CodeStateConflict},
		example: map[string]any{"name": "Ayesha's phone", "credential": exampleAttestation},
	}, func(ctx context.Context, in *struct {
		request
		Body account.AddPasskeyInput
	}) (*passkey.Passkey, error) {
		return in.x.shop.Accounts.AddPasskey(ctx, in.x.caller, in.Body)
	})

	register(s, operation{
		id: "listPasskeys", path: "/api/v1/auth/passkeys", tag: tagAuth, token: requiredToken,
		summary:     "List the account's passkeys, oldest first",
		description: "Each has its host, name and last use.",
	}, readRecord(func(ctx context.Context, in *struct{ request }) (*account.Passkeys, error) {
		return in.x.shop.Accounts.ListPasskeys(ctx, in.x.caller)
	}))

	register(s, operation{
		id: "renamePasskey", method: http.MethodPatch, path: "/api/v1/auth/passkeys/{id}", tag: tagAuth, token: requiredToken,
		summary:     "Rename one of the account's passkeys",
		description: "The name is for the customer alone.",
		codes:       []fault.Code{fault.CodeNotFound},
		example:     map[string]any{"name": "Ayesha's phone"},
	}, func(ctx context.Context, in *struct {
		request
		PasskeyPath
		Body account.PasskeyName
	}) (*passkey.Passkey, error) {
		return in.x.shop.Accounts.RenamePasskey(ctx, in.x.caller, in.ID, in.Body)
	})

	register(s, operation{
		id: "removePasskey", method: http.MethodPost, path: "/api/v1/auth/passkeys/{id}/remove", tag: tagAuth, token: requiredToken,
		summary: "Remove one of the account's passkeys",
		description: "Requires currentPassword, currentCode or currentPasskey. Access tokens stay valid, and the owner is notified at the verified " +
			"contacts. resetPassword removes all passkeys; changePassword and signing out everywhere do not.",
		codes:   append([]fault.Code{fault.CodeNotFound}, proofs...),
		example: map[string]any{"currentPassword": "a long and quiet river"},
	}, func(ctx context.Context, in *struct {
		request
		PasskeyPath
		Body account.ProofInput
	}) (*account.PasskeyRemoved, error) {
		return in.x.shop.Accounts.RemovePasskey(ctx, in.x.caller, in.ID, in.Body)
	})
}
