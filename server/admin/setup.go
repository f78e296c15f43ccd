package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/tenants"
)

// Start is the data for a client before anybody signs in.
type Start struct {
	Version     string           `json:"version" doc:"The program's version"`
	SetupNeeded bool             `json:"setupNeeded" doc:"The server has no shop yet: the link that it printed at its start creates one"`
	Shop        *StartShop       `json:"shop" doc:"The shop of the host name; null if there is none"`
	Languages   []staff.Language `json:"languages" nullable:"false" doc:"Languages of the dashboard"`
}

// StartShop is the shop of a host name.
type StartShop struct {
	UID     string  `json:"uid"`
	Name    string  `json:"name"`
	LogoURL *string `json:"logoUrl"`
}

func setupOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "getStart", Path: "start", OfServer: true, Tag: tagSession, Use: access.ToFindStart,
			Summary: "The data of the page before signing in",
			Description: "If setupNeeded is true, show the page to create the first shop; the " +
				"set-up link opens it: /admin/#/setup/TOKEN. Otherwise show the page to sign in, " +
				"for shop if it is not null. Invited staff members have links of their own, for " +
				"inspectLink and useLink.",
		}, func(ctx context.Context, in *struct{ request }) (*Start, error) {
			needed, err := in.x.SetupNeeded(ctx)
			if err != nil {
				return nil, err
			}
			start := &Start{Version: in.x.Version(), SetupNeeded: needed, Languages: staff.Languages()}
			s, err := in.x.HostShop(ctx)
			if fault.HasCode(err, fault.CodeTenantNotFound) {
				return start, nil
			}
			if err != nil {
				return nil, err
			}
			set, err := s.Settings(ctx)
			if err != nil {
				return nil, err
			}
			logo, err := s.LogoURL(ctx)
			if err != nil {
				return nil, err
			}
			start.Shop = &StartShop{UID: s.UID(), Name: set.Name, LogoURL: nullText(logo)}
			return start, nil
		}),

		define(Operation{
			ID: "setUp", Method: http.MethodPost, Path: "setup", OfServer: true,
			Tag: tagSession, Use: access.ToSetUp, Created: true,
			Summary: "Create the first shop and its owner, who is signed in",
			Description: "Requires the token of the set-up link, valid once within 24 hours; " +
				"serve prints the link if the data folder has no shop. The shop's UID is part of " +
				"all its addresses and cannot be changed; by default it is derived from the name. " +
				"The currency cannot be changed once the shop has products. The response is the " +
				"same as for signIn, with the session's cookie for the new shop. Nothing is " +
				"created unless all of the input is valid.",
			Codes: []fault.Code{fault.CodeLinkInvalid, fault.CodeShopExists, fault.CodePasswordRejected},
			Example: map[string]any{
				"token": "the part of the link after /setup/",
				"shop":  map[string]any{"name": "Rina's Sarees", "currency": "BDT", "country": "BD", "language": staff.Bangla},
				"owner": map[string]any{"name": "Rina Akter", "user": "01711-000000", "password": "kolapata-7-nodi"},
			},
		}, func(ctx context.Context, in *struct {
			request
			Body tenants.SetupInput
		}) (*Session, error) {
			s, err := in.x.SetUp(ctx, in.Body)
			return in.signedIn(ctx, s, err)
		}),
	}
}
