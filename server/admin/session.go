package admin

import (
	"context"
	"net/http"
	"time"

	"storefront/server/admin/barcode"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/staff"
)

// Session is the caller's session, with the initial data of a dashboard.
type Session struct {
	staff.Session
	Shop       SessionShop `json:"shop"`
	ServerTime time.Time   `json:"serverTime"`
	Version    string      `json:"version" doc:"The program's version"`
}

// SessionShop is the shop of a session.
type SessionShop struct {
	UID      string      `json:"uid"`
	Name     string      `json:"name"`
	Currency string      `json:"currency" doc:"ISO 4217"`
	Country  string      `json:"country" doc:"ISO 3166, two letters"`
	Locale   string      `json:"locale" doc:"BCP 47"`
	TimeZone string      `json:"timeZone" doc:"Name in the IANA database, such as Asia/Dhaka"`
	Mode     plugin.Mode `json:"mode"`
	LogoURL  *string     `json:"logoUrl"`
	// Suspended shops work for staff as before.
	Suspended  bool             `json:"suspended" doc:"Closed for buyers"`
	Suspension *shop.Suspension `json:"suspension" doc:"The operator of the server has suspended the shop"`

	Announcements []shop.Announcement `json:"announcements" nullable:"false" doc:"Present messages of the operator of the server"`
}

// session returns the response of an operation that returns the session. The token of a new one is
// set as a cookie.
func (r *request) session(ctx context.Context, s *staff.Session, token string) (*Session, error) {
	set, err := r.shop().Settings(ctx)
	if err != nil {
		return nil, err
	}
	logo, err := r.shop().LogoURL(ctx)
	if err != nil {
		return nil, err
	}
	zone, err := r.shop().TimeZone(ctx)
	if err != nil {
		return nil, err
	}
	view := &Session{Session: *s, ServerTime: r.x.Now().UTC(), Version: r.x.Version(), Shop: SessionShop{
		UID: r.shop().UID(), Name: set.Name, Currency: set.Currency, Country: set.Country, Locale: set.Locale, TimeZone: zone.String(),
		Mode: set.ActiveMode, LogoURL: nullText(logo), Suspended: set.IsClosed(), Suspension: set.Suspension,
		Announcements: set.Announcements(r.x.Now()),
	}}
	if view.Shop.Mode == "" {
		view.Shop.Mode = plugin.Live
	}
	if token != "" {
		device, err := r.shop().Staff.NewDevice(ctx, s.Member.ID)
		if err != nil {
			return nil, err
		}
		r.x.SetSession(token, device)
	}
	return view, nil
}

// signedIn is session for a new session.
func (r *request) signedIn(ctx context.Context, s *staff.SignedIn, err error) (*Session, error) {
	if err != nil {
		return nil, err
	}
	return r.session(ctx, &s.Session, s.Token)
}

// nullText returns a text, nil if it is empty.
func nullText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Sessions are sessions of the caller.
type Sessions struct {
	Nodes []staff.SessionInfo `json:"nodes" nullable:"false"`
}

// TOTPSetup is a new secret for an authenticator app, with its QR code.
type TOTPSetup struct {
	staff.TOTPSetup
	QRSVG string `json:"qrSvg" doc:"The uri as a QR code, an SVG image"`
}

// RecoveryCodes replace codes of an authenticator app, each once.
type RecoveryCodes struct {
	Codes []string `json:"recoveryCodes" nullable:"false" doc:"Shown once"`
}

// LinkToken is the input of inspecting a link.
type LinkToken struct {
	Token string `json:"token" doc:"From the link, after /link/"`
}

// LinkUse is the purpose of a link.
type LinkUse struct {
	staff.LinkInfo
	Shop LinkShop `json:"shop"`
}

// LinkShop is the shop of a link.
type LinkShop struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
}

// signInCodes are the codes of operations that sign in.
var signInCodes = []fault.Code{fault.CodeInvalidCredentials, fault.CodeSecondFactorRequired}

func sessionOperations() []Operation {
	return append(passkeyOperations("", func(ctx context.Context, r *request, s *staff.SignedIn, err error) (*Session, error) {
		return r.signedIn(ctx, s, err)
	}), accountOperations()...)
}

// accountOperations are the operations on the caller's own account.
func accountOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "signIn", Method: http.MethodPost, Path: "session", Tag: tagSession, Use: access.ToSignIn,
			Summary: "Sign in as a staff member",
			Description: "Sets the session as a cookie that scripts cannot read, for the paths of this shop. An account with a second factor needs code " +
				"too: without it the error is second_factor_required. Failures are throttled by user and by client.",
			Codes:   signInCodes,
			Example: map[string]any{"user": "rina@example.com", "password": "kolapata-7-nodi"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.SignInInput
		}) (*Session, error) {
			s, err := in.shop().Staff.SignIn(ctx, in.caller(), in.Body)
			return in.signedIn(ctx, s, err)
		}),

		define(Operation{
			ID: "getSession", Path: "session", Tag: tagSession, Use: access.ToFindSession,
			Summary:     "The caller's session",
			Description: "Includes the staff member, the permissions and the shop.",
		}, func(ctx context.Context, in *struct{ request }) (*Session, error) {
			s, err := in.shop().Staff.FindSession(ctx, in.caller())
			if err != nil {
				return nil, err
			}
			return in.session(ctx, s, "")
		}),

		define(Operation{
			ID: "proveSession", Method: http.MethodPost, Path: "session/proof",
			Tag: tagSession, Use: access.ToProveSession,
			Summary:     "Enter the password or a code again, or use a passkey",
			Description: "Permits sensitive operations, such as a refund, for 15 minutes.",
			Codes:       []fault.Code{fault.CodeInvalidCredentials},
			Example:     map[string]any{"password": "kolapata-7-nodi"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.ProofInput
		}) (*Session, error) {
			s, err := in.shop().Staff.ProveSession(ctx, in.caller(), in.Body)
			if err != nil {
				return nil, err
			}
			return in.session(ctx, s, "")
		}),

		define(Operation{
			ID: "signOut", Method: http.MethodDelete, Path: "session",
			Tag: tagSession, Use: access.ToEndSession,
			Summary:     "End the caller's session",
			Description: "Removes the cookie.",
		}, func(ctx context.Context, in *struct{ request }) (*Done, error) {
			return in.ended(in.shop().Staff.EndSession(ctx, in.caller()))
		}),

		define(Operation{
			ID: "listSessions", Path: "sessions", Tag: tagSession, Use: access.ToListSessions,
			Summary:     "List the caller's own sessions, newest first",
			Description: "Each has its browser, network address and last use.",
		}, func(ctx context.Context, in *struct{ request }) (*Sessions, error) {
			sessions, err := in.shop().Staff.ListSessions(ctx, in.caller())
			return &Sessions{sessions}, err
		}),

		define(Operation{
			ID: "endSession", Method: http.MethodDelete, Path: "sessions/{id}",
			Tag: tagSession, Use: access.ToEndOwnSession,
			Summary:     "End one of the caller's own sessions",
			Description: "Use this if a phone was lost, for example.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			ID string `path:"id" doc:"The session's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
		}) (*Done, error) {
			return done(in.shop().Staff.EndOwnSession(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "endSessions", Method: http.MethodDelete, Path: "sessions",
			Tag: tagSession, Use: access.ToEndOwnSessions,
			Summary:     "End all of the caller's own sessions",
			Description: "Includes the session of this request.",
		}, func(ctx context.Context, in *struct{ request }) (*Done, error) {
			return in.ended(in.shop().Staff.EndOwnSessions(ctx, in.caller()))
		}),

		define(Operation{
			ID: "updateMe", Method: http.MethodPatch, Path: "me", Tag: tagSession, Use: access.ToUpdateMe,
			Summary:     "Change the caller's own name, language, theme and notifications",
			Description: "Fields that are left out are unchanged.",
			Example:     map[string]any{"language": "bn"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.MeChange
		}) (*Session, error) {
			s, err := in.shop().Staff.UpdateMe(ctx, in.caller(), in.Body)
			if err != nil {
				return nil, err
			}
			return in.session(ctx, s, "")
		}),

		define(Operation{
			ID: "changeMyPassword", Method: http.MethodPost, Path: "me/password",
			Tag: tagSession, Use: access.ToChangeOwnPassword,
			Summary:     "Change the caller's own password",
			Description: "Ends all sessions and sets a new one.",
			Codes:       []fault.Code{fault.CodeInvalidCredentials, fault.CodePasswordRejected},
			Example:     map[string]any{"currentPassword": "kolapata-7-nodi", "newPassword": "a long and quiet river"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.ChangeOwnPasswordInput
		}) (*Session, error) {
			s, err := in.shop().Staff.ChangeOwnPassword(ctx, in.caller(), in.Body)
			return in.signedIn(ctx, s, err)
		}),

		define(Operation{
			ID: "startTotp", Method: http.MethodPost, Path: "me/totp",
			Tag: tagSession, Use: access.ToStartTOTP, BodyOptional: true,
			Summary:     "Begin to set up an authenticator app",
			Description: "No code is required until confirmTotp.",
			Codes:       []fault.Code{fault.CodeStateConflict, fault.CodeProofRequired},
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
			ID: "confirmTotp", Method: http.MethodPost, Path: "me/totp/confirm",
			Tag: tagSession, Use: access.ToConfirmTOTP,
			Summary:     "Make the authenticator app the second factor",
			Description: "Requires one of its codes, and returns recovery codes.",
			Codes:       []fault.Code{fault.CodeInvalidCredentials, fault.CodeStateConflict, fault.CodeProofRequired},
			Example:     map[string]any{"code": "123456"},
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
			ID: "removeTotp", Method: http.MethodDelete, Path: "me/totp",
			Tag: tagSession, Use: access.ToRemoveTOTP,
			Summary:     "Remove the caller's authenticator app and recovery codes",
			Description: "Requires the password or a code, entered in the last 15 minutes.",
			Codes:       []fault.Code{fault.CodeStateConflict, fault.CodeProofRequired},
		}, func(ctx context.Context, in *struct{ request }) (*Done, error) {
			return done(in.shop().Staff.RemoveTOTP(ctx, in.caller()))
		}),

		define(Operation{
			ID: "inspectLink", Method: http.MethodPost, Path: "links/inspect",
			Tag: tagSession, Use: access.ToInspectLink,
			Summary:     "Inspect a staff member's link",
			Description: "Returns the link's purpose and does not use the link.",
			Codes:       []fault.Code{fault.CodeLinkInvalid},
			Example:     map[string]any{"token": "the part of the link after /link/"},
		}, func(ctx context.Context, in *struct {
			request
			Body LinkToken
		}) (*LinkUse, error) {
			info, err := in.shop().Staff.InspectLink(ctx, in.caller(), in.Body.Token)
			if err != nil {
				return nil, err
			}
			set, err := in.shop().Settings(ctx)
			if err != nil {
				return nil, err
			}
			return &LinkUse{*info, LinkShop{in.shop().UID(), set.Name}}, nil
		}),

		define(Operation{
			ID: "useLink", Method: http.MethodPost, Path: "links/use",
			Tag: tagSession, Use: access.ToUseLink,
			Summary: "Set a password with a link, and sign in",
			Description: "The link becomes invalid, and all sessions of the staff member end. If " +
				"the staff member has a second factor, a link created by a manager requires one " +
				"of its codes.",
			Codes:   []fault.Code{fault.CodeLinkInvalid, fault.CodePasswordRejected, fault.CodeSecondFactorRequired, fault.CodeInvalidCredentials},
			Example: map[string]any{"token": "the part of the link after /link/", "password": "a long and quiet river"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.UseLinkInput
		}) (*Session, error) {
			s, err := in.shop().Staff.UseLink(ctx, in.caller(), in.Body)
			return in.signedIn(ctx, s, err)
		}),

		define(Operation{
			ID: "requestPasswordCode", Method: http.MethodPost, Path: "password/code",
			Tag: tagSession, Use: access.ToRequestPasswordCode,
			Summary: "Send a code to a staff member who needs a new password",
			Description: "The code is sent by SMS, at most three times an hour. The response is " +
				"the same for everybody.",
			Example: map[string]any{"user": "rina@example.com"},
		}, func(ctx context.Context, in *struct {
			request
			Body struct {
				User string `json:"user" doc:"E-mail address or phone number"`
			}
		}) (*Done, error) {
			return done(in.shop().Staff.RequestPasswordCode(ctx, in.caller(), in.Body.User))
		}),

		define(Operation{
			ID: "resetPassword", Method: http.MethodPost, Path: "password/reset",
			Tag: tagSession, Use: access.ToResetOwnPassword,
			Summary:     "Set a new password with a code, and sign in",
			Description: "A second factor is still required. All earlier sessions end.",
			Codes:       append([]fault.Code{fault.CodeOTPInvalid, fault.CodePasswordRejected}, signInCodes...),
			Example:     map[string]any{"user": "rina@example.com", "code": "123456", "password": "a long and quiet river"},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.ResetOwnPasswordInput
		}) (*Session, error) {
			s, err := in.shop().Staff.ResetOwnPassword(ctx, in.caller(), in.Body)
			return in.signedIn(ctx, s, err)
		}),
	}
}

// ended removes the cookie of a session that has ended.
func (r *request) ended(err error) (*Done, error) {
	if err == nil {
		r.x.EndSession()
	}
	return done(err)
}
