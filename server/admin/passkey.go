package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/passkey"
	"storefront/shop/staff"
)

// Passkeys are passkeys of the caller.
type Passkeys struct {
	Nodes []passkey.Passkey `json:"nodes" nullable:"false"`
}

// PasskeyPath has a passkey in the path.
type PasskeyPath struct {
	ID string `path:"id" doc:"The passkey's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// PasskeyName is the new name of a passkey.
type PasskeyName struct {
	Name string `json:"name" doc:"At most 60 characters"`
}

// PasskeyProof is a proof by a passkey.
type PasskeyProof struct {
	Credential passkey.Assertion `json:"credential"`
}

// Examples of an authenticator's answers.
var (
	exampleAssertion = map[string]any{
		"id": "kHp0nXc3V2", "clientDataJSON": "eyJ0eXBlIjoi", "authenticatorData": "SZYN5YgOjGh0", "signature": "MEUCIQDx", "userHandle": "bXktdXNlcg",
	}
	exampleAttestation = map[string]any{
		"id": "kHp0nXc3V2", "clientDataJSON": "eyJ0eXBlIjoi", "attestationObject": "o2NmbXRkbm9u", "transports": []string{"internal"},
	}
)

// passkeyOperations returns the operations of passkeys for staff members, or for operators if their
// names have the word Operator. signedIn returns the response with a new session.
func passkeyOperations[S any](
	of string, signedIn func(ctx context.Context, r *request, s *staff.SignedIn, err error) (*S, error),
) []Operation {
	return []Operation{
		define(Operation{
			ID: "begin" + of + "PasskeySignIn", Method: http.MethodPost, Path: "session/passkey/options", Tag: tagSession,
			Use: access.ToBeginPasskeySignIn, BodyOptional: true,
			Summary: "Begin to sign in with a passkey",
			Description: "Returns options for PublicKeyCredential.parseRequestOptionsFromJSON. The browser offers the passkeys that were created " +
				"at the host of the page.",
			Codes: []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*passkey.RequestOptions, error) {
			return in.shop().Staff.BeginPasskeySignIn(ctx, in.caller())
		}),

		define(Operation{
			ID: "signIn" + of + "ByPasskey", Method: http.MethodPost, Path: "session/passkey", Tag: tagSession, Use: access.ToSignInByPasskey,
			Summary: "Sign in with a passkey",
			Description: "Sets the session as a cookie, as signing in with a password does. The authenticator verifies its user, so that no " +
				"second factor is required. Every passkey that is not accepted returns the same error.",
			Codes:   []fault.Code{fault.CodeInvalidCredentials},
			Example: map[string]any{"credential": exampleAssertion},
		}, func(ctx context.Context, in *struct {
			request
			Body PasskeyProof
		}) (*S, error) {
			s, err := in.shop().Staff.SignInByPasskey(ctx, in.caller(), in.Body.Credential)
			return signedIn(ctx, &in.request, s, err)
		}),

		define(Operation{
			ID: "begin" + of + "PasskeyProof", Method: http.MethodPost, Path: "session/proof/options", Tag: tagSession,
			Use: access.ToBeginPasskeyProof, BodyOptional: true,
			Summary: "Begin to prove the session with a passkey",
			Description: "Returns options with the caller's passkeys for the host of the page. The proof is sent in place of a password to " +
				"`session/proof`.",
			Codes: []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*passkey.RequestOptions, error) {
			return in.shop().Staff.BeginPasskeyProof(ctx, in.caller())
		}),

		define(Operation{
			ID: "begin" + of + "Passkey", Method: http.MethodPost, Path: "me/passkeys/options", Tag: tagSession,
			Use: access.ToBeginPasskey, BodyOptional: true,
			Summary:     "Begin to add a passkey",
			Description: "Returns options for PublicKeyCredential.parseCreationOptionsFromJSON.",
			Codes:       []fault.Code{fault.CodeStateConflict, fault.CodeProofRequired},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*passkey.CreationOptions, error) {
			return in.shop().Staff.BeginPasskey(ctx, in.caller())
		}),

		define(Operation{
			ID: "add" + of + "Passkey", Method: http.MethodPost, Path: "me/passkeys", Tag: tagSession, Use: access.ToAddPasskey, Created: true,
			Summary: "Add a passkey",
			Description: "It signs in at the host of the page, and is a second factor. An account without another one gets recovery codes. An " +
				"account has at most 10 passkeys.",
			Codes:   []fault.Code{fault.CodeInvalidCredentials, fault.CodeStateConflict, fault.CodeProofRequired},
			Example: map[string]any{"name": "Rina's phone", "credential": exampleAttestation},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.AddPasskeyInput
		}) (*staff.NewPasskey, error) {
			return in.shop().Staff.AddPasskey(ctx, in.caller(), in.Body)
		}),

		define(Operation{
			ID: "list" + of + "Passkeys", Path: "me/passkeys", Tag: tagSession, Use: access.ToListPasskeys,
			Summary:     "List the caller's own passkeys, oldest first",
			Description: "Each has its host, name and last use.",
		}, func(ctx context.Context, in *struct{ request }) (*Passkeys, error) {
			list, err := in.shop().Staff.ListPasskeys(ctx, in.caller())
			return &Passkeys{list}, err
		}),

		define(Operation{
			ID: "rename" + of + "Passkey", Method: http.MethodPatch, Path: "me/passkeys/{id}", Tag: tagSession, Use: access.ToRenamePasskey,
			Summary:     "Rename one of the caller's own passkeys",
			Description: "The name is for the caller alone.",
			Codes:       []fault.Code{fault.CodeNotFound},
			Example:     map[string]any{"name": "Rina's phone"},
		}, func(ctx context.Context, in *struct {
			request
			PasskeyPath
			Body PasskeyName
		}) (*passkey.Passkey, error) {
			return in.shop().Staff.RenamePasskey(ctx, in.caller(), in.ID, in.Body.Name)
		}),

		define(Operation{
			ID: "remove" + of + "Passkey", Method: http.MethodDelete, Path: "me/passkeys/{id}", Tag: tagSession, Use: access.ToRemovePasskey,
			Summary:     "Remove one of the caller's own passkeys",
			Description: "The only second factor cannot be removed where one is required. With the last one, the recovery codes go too.",
			Codes:       []fault.Code{fault.CodeNotFound, fault.CodeStateConflict, fault.CodeProofRequired},
		}, func(ctx context.Context, in *struct {
			request
			PasskeyPath
		}) (*Done, error) {
			return done(in.shop().Staff.RemovePasskey(ctx, in.caller(), in.ID))
		}),
	}
}
