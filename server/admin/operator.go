package admin

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"

	"storefront/server/admin/barcode"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/page"
	"storefront/shop/plan"
	"storefront/shop/staff"
	"storefront/tenants"
)

// Shops has the use cases of operators on the shops of a server.
type Shops interface {
	// ListShops returns one page of the list of all shops; see [tenants.Tenants.ListShops].
	ListShops(ctx context.Context, caller access.Caller, filter tenants.ShopFilter) (*page.Page[tenants.ShopRow], error)
	// FindShop returns a shop with its owners and its open work.
	FindShop(ctx context.Context, caller access.Caller, uid string) (*tenants.ShopDetails, error)
	// CreateShop creates a shop, and invites its owner.
	CreateShop(ctx context.Context, caller access.Caller, in tenants.NewShopInput) (*tenants.OwnerLink, error)
	// SuspendShop suspends a shop with a reason that its staff members read.
	SuspendShop(ctx context.Context, caller access.Caller, uid string, in tenants.SuspendInput) error
	// ResumeShop ends the suspension of a shop.
	ResumeShop(ctx context.Context, caller access.Caller, uid string) error
	// ChangeShops suspends or resumes many shops.
	ChangeShops(ctx context.Context, caller access.Caller, in tenants.ShopsChange) (*tenants.ChangedShops, error)
	// ListPlans returns the plans of the server.
	ListPlans(ctx context.Context, caller access.Caller) ([]tenants.ServerPlan, error)
	// SavePlan creates a plan, or replaces the one with its name.
	SavePlan(ctx context.Context, caller access.Caller, in plan.Plan) (*tenants.ServerPlan, error)
	// RemovePlan deletes a plan that no shop has.
	RemovePlan(ctx context.Context, caller access.Caller, name string) error
	// FindDefaults returns what the shops of the server inherit.
	FindDefaults(ctx context.Context, caller access.Caller) (*tenants.ServerDefaults, error)
	// SetDefaults changes parts of the defaults.
	SetDefaults(ctx context.Context, caller access.Caller, changes map[string]json.RawMessage) (*tenants.ServerDefaults, error)
	// SetDefaultSMS sets the gateway of text messages of shops without their own; nil removes it.
	SetDefaultSMS(ctx context.Context, caller access.Caller, in *tenants.SMSInput) (*tenants.ServerDefaults, error)
	// SetDefaultMail sets the mail server of shops without their own; nil removes it.
	SetDefaultMail(ctx context.Context, caller access.Caller, in *tenants.MailSettings) (*tenants.ServerDefaults, error)
	// ListShopUsage returns one page of the shops with their usage in a month.
	ListShopUsage(ctx context.Context, caller access.Caller, filter tenants.UsageFilter) (*page.Page[tenants.ShopUsage], error)
	// ExportUsage writes the usage of all shops in a month as CSV.
	ExportUsage(ctx context.Context, caller access.Caller, month string, w io.Writer) error
	// InviteOwner creates a link for an owner of a shop.
	InviteOwner(ctx context.Context, caller access.Caller, uid string, in tenants.NewOwner) (*tenants.OwnerLink, error)
	// EnterShop creates a session in a shop for an operator.
	EnterShop(ctx context.Context, caller access.Caller, uid, reason string) (*tenants.EnteredShop, error)
	// DeleteShopLater suspends a shop, and deletes it after some days.
	DeleteShopLater(ctx context.Context, caller access.Caller, uid string, in tenants.DeletionInput) (*tenants.DeletionDate, error)
	// CreateSandbox makes the sandbox of a shop.
	CreateSandbox(ctx context.Context, caller access.Caller, uid string) (*tenants.Sandbox, error)
	// CopyShop creates a job that copies a shop.
	CopyShop(ctx context.Context, caller access.Caller, uid string, in tenants.CopyInput) (*job.Job, error)
	// MoveShop creates a job that moves a shop between files and the database.
	MoveShop(ctx context.Context, caller access.Caller, uid string, in tenants.MoveInput) (*job.Job, error)
	// ListRestorePoints returns the states in the past to which a shop can be restored.
	ListRestorePoints(ctx context.Context, caller access.Caller, uid string, at *time.Time) (*tenants.RestorePoints, error)
	// RestoreShop creates a job that restores a shop in place.
	RestoreShop(ctx context.Context, caller access.Caller, uid string, in tenants.RestoreInput) (*job.Job, error)
	// FindShopJob returns a job on a shop.
	FindShopJob(ctx context.Context, caller access.Caller, id string) (*job.Job, error)
	// FindHealth returns the state of the server.
	FindHealth(ctx context.Context, caller access.Caller) (*tenants.ServerStatus, error)
}

// OperatorSession is the session of an operator.
type OperatorSession struct {
	Operator      staff.Operator `json:"operator"`
	SetupRequired bool           `json:"secondFactorSetupRequired" doc:"An authenticator app or a passkey must be set up first"`
	RecoveryCodes int            `json:"recoveryCodes" doc:"Recovery codes that are not used yet"`
	ProvedAt      time.Time      `json:"provedAt" doc:"When a password, a code or a passkey was last used"`
	ExpiresAt     time.Time      `json:"expiresAt" doc:"12 hours after signing in"`
	ServerTime    time.Time      `json:"serverTime"`
	Version       string         `json:"version" doc:"The program's version"`
}

func (r *request) operatorSession(s *staff.Session, err error) (*OperatorSession, error) {
	if err != nil {
		return nil, err
	}
	return &OperatorSession{
		Operator: staff.OperatorOf(s.Member.Member), SetupRequired: s.SetupRequired, RecoveryCodes: s.Member.RecoveryCodes, ProvedAt: s.ProvedAt,
		ExpiresAt: s.ExpiresAt, ServerTime: r.x.Now().UTC(), Version: r.x.Version(),
	}, nil
}

// operatorSignedIn is operatorSession for a new session.
func (r *request) operatorSignedIn(ctx context.Context, s *staff.SignedIn, err error) (*OperatorSession, error) {
	if err != nil {
		return nil, err
	}
	device, err := r.shop().Staff.NewDevice(ctx, s.Member.ID)
	if err != nil {
		return nil, err
	}
	r.x.SetSession(s.Token, device)
	return r.operatorSession(&s.Session, nil)
}

// Operators are operators of the server.
type Operators struct {
	Nodes []staff.Operator `json:"nodes" nullable:"false"`
}

// OperatorPath has an operator in the path.
type OperatorPath struct {
	ID string `path:"id" doc:"The operator's _id or e-mail address" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// ShopPath has a shop in the path.
type ShopPath struct {
	UID string `path:"shop" doc:"The shop's UID" example:"acme"`
}

// OperatorLink is an operator with a new link.
type OperatorLink struct {
	Operator staff.Operator `json:"operator"`
	Link     staff.Link     `json:"link" doc:"To send by any messenger"`
}

func operatorLink(o *staff.Operator, link *staff.Link, err error) (*OperatorLink, error) {
	if err != nil {
		return nil, err
	}
	return &OperatorLink{*o, *link}, nil
}

// OperatorInvitation is the purpose of an operator's link.
type OperatorInvitation struct {
	Kind                 staff.LinkKind     `json:"kind"`
	Name                 string             `json:"name"`
	Email                *string            `json:"email"`
	Role                 staff.OperatorRole `json:"role"`
	SecondFactorRequired bool               `json:"secondFactorRequired" doc:"Whether it must be used with a code"`
}

// OperatorRoleChange is the new role of an operator.
type OperatorRoleChange struct {
	Role staff.OperatorRole `json:"role"`
}

// VisitReason is the reason for which an operator enters a shop.
type VisitReason struct {
	Reason string `json:"reason" doc:"3 to 200 characters; staff members of the shop read it"`
}

// ListedShop is a shop in the list of all shops.
type ListedShop struct {
	tenants.ShopRow
	Certificate *Certificate `json:"certificate" doc:"Of its first domain; null if it has no domain"`
}

// FoundShop is a shop with the certificates of its domains.
type FoundShop struct {
	*tenants.ShopDetails
	Certificates []Certificate `json:"certificates" nullable:"false" doc:"Of its domains, in their order"`
}

// certificates returns the states of the certificates of domains.
func (r *request) certificates(domains []string) []Certificate {
	all := make([]Certificate, len(domains))
	for i, name := range domains {
		all[i] = r.x.Certificate(name)
	}
	return all
}

// ofInstallation completes the declaration of operations on the installation.
func ofInstallation(operations ...Operation) []Operation {
	for i := range operations {
		operations[i].OfInstallation, operations[i].Tag = true, tagOperators
	}
	return operations
}

func operatorOperations() []Operation {
	passkeys := ofInstallation(operatorPasskeyOperations()...)
	own := slices.Concat(operatorAccountOperations(), passkeys, planOperations(), defaultsOperations(), incidentOperations())
	return slices.Concat(own, shopJobOperations(), sandboxOperations(), ofInstallation(
		define(Operation{
			ID: "listOperators", Path: "operators", Use: access.ToListOperators,
			Summary: "List the operators of the server", Description: "Each has its role, permissions and last use.",
		}, func(ctx context.Context, in *struct{ request }) (*Operators, error) {
			list, err := in.shop().Staff.ListOperators(ctx, in.caller())
			return &Operators{list}, err
		}),

		define(Operation{
			ID: "inviteOperator", Method: http.MethodPost, Path: "operators", Use: access.ToInviteOperator, Secret: true, Created: true,
			Summary:     "Invite an operator",
			Description: "Returns the link with which the operator sets a password. A server has at most 50 operators.",
			Codes:       []fault.Code{fault.CodeStateConflict},
			Example:     map[string]any{"name": "Tanvir", "email": "tanvir@agency.example", "role": staff.OperatorSupport},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.OperatorInput
		}) (*OperatorLink, error) {
			return operatorLink(in.shop().Staff.InviteOperator(ctx, in.caller(), in.Body))
		}),

		define(Operation{
			ID: "updateOperator", Method: http.MethodPatch, Path: "operators/{id}", Use: access.ToUpdateOperator,
			Summary: "Change the role of an operator", Description: "The operator's sessions end. Nobody changes their own role.",
			Codes:   []fault.Code{fault.CodeNotFound},
			Example: map[string]any{"role": staff.OperatorViewer},
		}, func(ctx context.Context, in *struct {
			request
			OperatorPath
			Body OperatorRoleChange
		}) (*staff.Operator, error) {
			return in.shop().Staff.UpdateOperator(ctx, in.caller(), in.ID, in.Body.Role)
		}),

		define(Operation{
			ID: "resetOperator", Method: http.MethodPost, Path: "operators/{id}/link", Use: access.ToResetOperator, Secret: true,
			BodyOptional: true,
			Summary:      "End an operator's sessions, and create a link for a new password",
			Description:  "Visits to shops end too. Earlier links become invalid.",
			Codes:        []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OperatorPath
			NoBody
		}) (*OperatorLink, error) {
			return operatorLink(in.shop().Staff.ResetOperator(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "removeOperator", Method: http.MethodDelete, Path: "operators/{id}", Use: access.ToRemoveOperator,
			Summary:     "Remove an operator",
			Description: "The sessions end, and visits to shops too. Nobody removes themselves, so an owner remains.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OperatorPath
		}) (*Done, error) {
			return done(in.shop().Staff.RemoveOperator(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "listOperatorLog", Path: "audit", Use: access.ToListOperatorLog, List: true,
			Summary:     "List what operators did, newest first",
			Description: "Has sign-ins, changes of operators, and what was done with shops, for 400 days.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			staff.AuditFilter
		}) (*page.List[staff.AuditEntry], error) {
			in.Request = in.page()
			return in.shop().Staff.ListOperatorLog(ctx, in.caller(), in.AuditFilter)
		}),

		define(Operation{
			ID: "listShops", Path: "shops", Use: access.ToListShops, List: true,
			Summary:     "List all shops of the server, by name",
			Description: "Searches names, UIDs and domains.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			tenants.ShopFilter
		}) (*page.Page[ListedShop], error) {
			in.Request = in.page()
			list, err := in.x.Shops().ListShops(ctx, in.caller(), in.ShopFilter)
			if err != nil {
				return nil, err
			}
			listed := &page.Page[ListedShop]{Nodes: make([]ListedShop, len(list.Nodes)), Meta: list.Meta}
			for i, row := range list.Nodes {
				listed.Nodes[i] = ListedShop{ShopRow: row}
				if len(row.Domains) > 0 {
					listed.Nodes[i].Certificate = &in.certificates(row.Domains[:1])[0]
				}
			}
			return listed, nil
		}),

		define(Operation{
			ID: "getShop", Path: "shops/{shop}", Use: access.ToFindShop,
			Summary:     "One shop of the server",
			Description: "With its owners, the operators who are in it, and its open work.",
			Codes:       []fault.Code{fault.CodeTenantNotFound},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
		}) (*FoundShop, error) {
			found, err := in.x.Shops().FindShop(ctx, in.caller(), in.UID)
			if err != nil {
				return nil, err
			}
			return &FoundShop{found, in.certificates(found.Domains)}, nil
		}),

		define(Operation{
			ID: "createShop", Method: http.MethodPost, Path: "shops", Use: access.ToCreateShop, Secret: true, Created: true,
			Summary:     "Create a shop, and invite its owner",
			Description: "Returns the link with which the owner sets a password. The UID cannot be changed.",
			Codes:       []fault.Code{fault.CodeShopExists},
			Example: map[string]any{
				"uid": "rina", "name": "Rina's Sarees", "currency": "BDT", "country": "BD", "language": staff.Bangla,
				"owner": map[string]any{"name": "Rina Akter", "user": "01711-000000"},
			},
		}, func(ctx context.Context, in *struct {
			request
			Body tenants.NewShopInput
		}) (*tenants.OwnerLink, error) {
			return in.x.Shops().CreateShop(ctx, in.caller(), in.Body)
		}),

		define(Operation{
			ID: "suspendShopAsOperator", Method: http.MethodPost, Path: "shops/{shop}/suspend", Use: access.ToSuspendShop,
			Summary:     "Suspend a shop",
			Description: "Closes it to buyers until an operator resumes it. Its staff members read the reason.",
			Codes:       []fault.Code{fault.CodeTenantNotFound},
			Example:     map[string]any{"reason": "The invoice of May is unpaid."},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			Body tenants.SuspendInput
		}) (*Done, error) {
			return done(in.x.Shops().SuspendShop(ctx, in.caller(), in.UID, in.Body))
		}),

		define(Operation{
			ID: "resumeShopAsOperator", Method: http.MethodPost, Path: "shops/{shop}/resume", Use: access.ToResumeShop, BodyOptional: true,
			Summary:     "End the suspension of a shop",
			Description: "A shop that its staff members have closed too stays closed.",
			Codes:       []fault.Code{fault.CodeTenantNotFound, fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			NoBody
		}) (*Done, error) {
			return done(in.x.Shops().ResumeShop(ctx, in.caller(), in.UID))
		}),

		define(Operation{
			ID: "changeShops", Method: http.MethodPost, Path: "bulk/shops", Use: access.ToChangeShops,
			Summary: "Suspend or resume many shops, or assign them a plan",
			Description: "Returns the result of each shop. It continues although the client has gone. After a crash each shop is changed or not: " +
				"a repetition changes the others, and returns those that are as requested with `changed: false`.",
			Example: map[string]any{"action": tenants.SuspendShops, "shops": []string{"acme", "rina"}, "reason": "The invoice of May is unpaid."},
		}, func(ctx context.Context, in *struct {
			request
			Body tenants.ShopsChange
		}) (*tenants.ChangedShops, error) {
			return in.x.Shops().ChangeShops(ctx, in.caller(), in.Body)
		}),

		define(Operation{
			ID: "inviteShopOwner", Method: http.MethodPost, Path: "shops/{shop}/owner-link", Use: access.ToInviteOwner, Secret: true,
			Summary: "Create a link for an owner of a shop",
			Description: "An owner who has lost access sets a new password with it. A person who does not work for the shop " +
				"becomes a further owner.",
			Codes:   []fault.Code{fault.CodeTenantNotFound, fault.CodeStateConflict},
			Example: map[string]any{"name": "Rina Akter", "user": "rina@example.com"},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			Body tenants.NewOwner
		}) (*tenants.OwnerLink, error) {
			return in.x.Shops().InviteOwner(ctx, in.caller(), in.UID, in.Body)
		}),

		define(Operation{
			ID: "enterShop", Method: http.MethodPost, Path: "shops/{shop}/visits", Use: access.ToEnterShop, Created: true,
			Summary: "Enter a shop for an hour",
			Description: "Sets a session of the shop as a cookie. The shop's audit log states the operator and the reason, and all " +
				"changes in the shop as the operator's. Staff members, API keys and the state of the shop cannot be changed, and secrets " +
				"stay hidden. End the visit with signOut of the shop; it also ends with the operator's own session.",
			Codes:   []fault.Code{fault.CodeTenantNotFound},
			Example: map[string]any{"reason": "Ticket 481: prices of delivery"},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			Body VisitReason
		}) (*tenants.EnteredShop, error) {
			entered, err := in.x.Shops().EnterShop(ctx, in.caller(), in.UID, in.Body.Reason)
			if err != nil {
				return nil, err
			}
			in.x.SetVisit(entered.UID, entered.Token)
			return entered, nil
		}),

		define(Operation{
			ID: "getServerHealth", Path: "health", Use: access.ToFindHealth,
			Summary:     "The state of the server",
			Description: "Shops that cannot be served, backups and the replica.",
		}, func(ctx context.Context, in *struct{ request }) (*tenants.ServerStatus, error) {
			return in.x.Shops().FindHealth(ctx, in.caller())
		}),
	))
}

func operatorPasskeyOperations() []Operation {
	return passkeyOperations("Operator", func(ctx context.Context, r *request, s *staff.SignedIn, err error) (*OperatorSession, error) {
		return r.operatorSignedIn(ctx, s, err)
	})
}

// operatorAccountOperations are the operations on the caller's own account.
func operatorAccountOperations() []Operation {
	return ofInstallation(
		define(Operation{
			ID: "signInOperator", Method: http.MethodPost, Path: "session", Use: access.ToSignIn,
			Summary: "Sign in as an operator of the server",
			Description: "Sets the session as a cookie that scripts cannot read, for the paths of operators alone: it opens no shop. It lasts 12 " +
				"hours. An operator without an authenticator app or a passkey must set one up first.",
			Codes:   append(slices.Clone(signInCodes), fault.CodeUnauthenticated),
			Example: map[string]any{"user": "shaila@agency.example", "password": "kolapata-7-nodi", "code": "123456"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.SignInInput
		}) (*OperatorSession, error) {
			s, err := in.shop().Staff.SignIn(ctx, in.caller(), in.Body)
			return in.operatorSignedIn(ctx, s, err)
		}),

		define(Operation{
			ID: "getOperatorSession", Path: "session", Use: access.ToFindSession,
			Summary: "The operator's session", Description: "Includes the operator with the permissions.",
		}, func(ctx context.Context, in *struct{ request }) (*OperatorSession, error) {
			return in.operatorSession(in.shop().Staff.FindSession(ctx, in.caller()))
		}),

		define(Operation{
			ID: "proveOperatorSession", Method: http.MethodPost, Path: "session/proof", Use: access.ToProveSession,
			Summary:     "Enter the password or a code again, or use a passkey",
			Description: "Permits sensitive operations, such as entering a shop, for 15 minutes.",
			Codes:       []fault.Code{fault.CodeInvalidCredentials},
			Example:     map[string]any{"code": "123456"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.ProofInput
		}) (*OperatorSession, error) {
			return in.operatorSession(in.shop().Staff.ProveSession(ctx, in.caller(), in.Body))
		}),

		define(Operation{
			ID: "signOutOperator", Method: http.MethodDelete, Path: "session", Use: access.ToEndSession,
			Summary: "End the operator's session", Description: "Visits to shops end too.",
		}, func(ctx context.Context, in *struct{ request }) (*Done, error) {
			return in.ended(in.shop().Staff.EndSession(ctx, in.caller()))
		}),

		define(Operation{
			ID: "startOperatorTotp", Method: http.MethodPost, Path: "me/totp", Use: access.ToStartTOTP, BodyOptional: true,
			Summary: "Begin to set up the operator's authenticator app", Description: "No code is required until confirmOperatorTotp.",
			Codes: []fault.Code{fault.CodeStateConflict, fault.CodeProofRequired},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*TOTPSetup, error) {
			setup, err := in.shop().Staff.StartTOTP(ctx, in.caller())
			if err != nil {
				return nil, err
			}
			image, err := barcode.QR(setup.URI)
			return &TOTPSetup{*setup, image}, err
		}),

		define(Operation{
			ID: "confirmOperatorTotp", Method: http.MethodPost, Path: "me/totp/confirm", Use: access.ToConfirmTOTP,
			Summary: "Make the authenticator app the operator's second factor", Description: "Requires one of its codes, and returns recovery codes.",
			Codes:   []fault.Code{fault.CodeInvalidCredentials, fault.CodeStateConflict, fault.CodeProofRequired},
			Example: map[string]any{"code": "123456"},
		}, func(ctx context.Context, in *struct {
			request
			Body struct {
				Code string `json:"code"`
			}
		}) (*RecoveryCodes, error) {
			codes, err := in.shop().Staff.ConfirmTOTP(ctx, in.caller(), in.Body.Code)
			return &RecoveryCodes{codes}, err
		}),

		define(Operation{
			ID: "removeOperatorTotp", Method: http.MethodDelete, Path: "me/totp", Use: access.ToRemoveTOTP,
			Summary: "Remove the operator's authenticator app and recovery codes", Description: "Another one must be set up before anything else.",
			Codes: []fault.Code{fault.CodeProofRequired},
		}, func(ctx context.Context, in *struct{ request }) (*Done, error) {
			return done(in.shop().Staff.RemoveTOTP(ctx, in.caller()))
		}),

		define(Operation{
			ID: "inspectOperatorLink", Method: http.MethodPost, Path: "links/inspect", Use: access.ToInspectLink,
			Summary: "Inspect an operator's link", Description: "Returns the link's purpose and does not use the link.",
			Codes:   []fault.Code{fault.CodeLinkInvalid, fault.CodeUnauthenticated},
			Example: map[string]any{"token": "the part of the link after /link/"},
		}, func(ctx context.Context, in *struct {
			request
			Body LinkToken
		}) (*OperatorInvitation, error) {
			info, err := in.shop().Staff.InspectLink(ctx, in.caller(), in.Body.Token)
			if err != nil {
				return nil, err
			}
			role := staff.OperatorOf(staff.Member{Role: info.Member.Role}).Role
			return &OperatorInvitation{info.Kind, info.Member.Name, info.Member.Email, role, info.SecondFactorRequired}, nil
		}),

		define(Operation{
			ID: "useOperatorLink", Method: http.MethodPost, Path: "links/use", Use: access.ToUseLink,
			Summary: "Set a password with an operator's link, and sign in", Description: "The link becomes invalid, and all sessions of the operator end.",
			Codes:   []fault.Code{fault.CodeLinkInvalid, fault.CodePasswordRejected, fault.CodeUnauthenticated},
			Example: map[string]any{"token": "the part of the link after /link/", "password": "a long and quiet river"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.UseLinkInput
		}) (*OperatorSession, error) {
			s, err := in.shop().Staff.UseLink(ctx, in.caller(), in.Body)
			return in.operatorSignedIn(ctx, s, err)
		}),
	)
}
