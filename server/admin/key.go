package admin

import (
	"context"
	"net/http"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/staff"
)

// KeyInput is a new API key.
type KeyInput struct {
	Label     string        `json:"label,omitempty" doc:"The program that uses the key, at most 100 characters"`
	Scopes    []staff.Scope `json:"scopes,omitempty" nullable:"false" doc:"Permissions. Defaults to all that a key can have"`
	ExpiresAt *time.Time    `json:"expiresAt,omitempty" doc:"Defaults to never"`
}

// NewKey is a created API key.
type NewKey struct {
	staff.APIKey
	Token string `json:"token" doc:"The key itself, shown once"`
}

// Keys are API keys.
type Keys struct {
	Nodes []staff.APIKey `json:"nodes" nullable:"false"`
}

func keyOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listKeys", Path: "keys", Tag: tagStaff, Use: access.ToListAPIKeys,
			Summary:     "List the API keys, oldest first",
			Description: "The keys themselves are not stored.",
		}, func(ctx context.Context, in *struct{ request }) (*Keys, error) {
			keys, err := in.shop().Staff.ListAPIKeys(ctx, in.caller())
			return &Keys{keys}, err
		}),

		define(Operation{
			ID: "createKey", Method: http.MethodPost, Path: "keys",
			Tag: tagStaff, Use: access.ToCreateAPIKey, Idempotent: true, Secret: true, Created: true,
			Summary:     "Create an API key",
			Description: "A key is never an owner: it can create no keys, change no staff members and close no shop. A shop has at most 50.",
			Codes:       []fault.Code{fault.CodeStateConflict},
			Example:     map[string]any{"label": "Warehouse", "scopes": []string{"orders.read", "orders.fulfill"}},
		}, func(ctx context.Context, in *struct {
			request
			Body KeyInput
		}) (*NewKey, error) {
			key, record, err := in.shop().Staff.CreateAPIKey(ctx, in.caller(),
				staff.APIKeyInput{Label: in.Body.Label, Scopes: in.Body.Scopes, ExpiresAt: in.Body.ExpiresAt})
			if err != nil {
				return nil, err
			}
			return &NewKey{*record, key}, nil
		}),

		define(Operation{
			ID: "revokeKey", Method: http.MethodDelete, Path: "keys/{id}",
			Tag: tagStaff, Use: access.ToRevokeAPIKey,
			Summary:     "Revoke an API key",
			Description: "The key is refused from now on.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			ID string `path:"id" doc:"The key's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
		}) (*Done, error) {
			return done(in.shop().Staff.RevokeAPIKey(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "listAudit", Path: "audit", Tag: tagStaff, Use: access.ToListAudit, List: true,
			Summary: "List the audit log, newest first",
			Description: "Has the changes by staff members, API keys and the command line for 400 " +
				"days. Secrets and personal data of erased customers are masked.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			staff.AuditFilter
		}) (*page.List[staff.AuditEntry], error) {
			in.Request = in.page()
			return in.shop().Staff.ListAudit(ctx, in.caller(), in.AuditFilter)
		}),
	}
}
