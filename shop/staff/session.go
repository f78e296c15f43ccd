package staff

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/outbox"
	"storefront/shop/passkey"
	"storefront/shop/secret"
)

// Bounds of sessions.
const (
	sessionIdle     = 30 * 24 * time.Hour // after its last use
	sessionLifetime = 90 * 24 * time.Hour // at most, and as long as the row of an ended one is stored
	operatorSession = 12 * time.Hour      // of an operator, at most
	maxSessions     = 100                 // of one staff member, with those that have ended; older ones are deleted
	maxAgent        = 300                 // characters
)

// Session is the caller's session with its staff member.
type Session struct {
	Member      SessionMember       `json:"staffMember"`
	Permissions []access.Permission `json:"permissions" nullable:"false"`
	// SetupRequired is set if the shop requires a second factor that the staff member has not set
	// up: until then no other use case is permitted.
	SetupRequired bool      `json:"secondFactorSetupRequired"`
	ProvedAt      time.Time `json:"provedAt" doc:"When a password, a code or a passkey was last used"`
	ExpiresAt     time.Time `json:"expiresAt" doc:"30 days after the last use, 90 days after signing in at most"`
	Visit         *Visit    `json:"visit" doc:"Set if an operator of the server has entered the shop"`
}

// SessionMember is the staff member of a session, with fields for that member alone.
type SessionMember struct {
	Member
	Theme         Theme         `json:"theme"`
	Notifications Notifications `json:"notifications"`
	RecoveryCodes int           `json:"recoveryCodes" doc:"Recovery codes that are not used yet"`
}

// SignedIn is a new session. The token is returned once and must go into a cookie that scripts
// cannot read.
type SignedIn struct {
	Token string `json:"-"`
	Session
}

// SessionInfo is one of a staff member's sessions.
type SessionInfo struct {
	ID        string    `json:"_id"`
	Agent     string    `json:"agent" doc:"The browser, as it describes itself"`
	Client    string    `json:"client" doc:"Network address at which it signed in"`
	CreatedAt time.Time `json:"createdAt"`
	SeenAt    time.Time `json:"seenAt" doc:"Last use, to ten minutes"`
	Current   bool      `json:"current" doc:"The session of this request"`
}

// sessionRow is a row of staff_sessions, with its staff member.
type sessionRow struct {
	id                                   string
	createdAt, seenAt, provedAt, expires time.Time
	member                               memberRow
}

// checkProof checks that the session was proved recently. Codes: proof_required.
func (r *sessionRow) checkProof(now time.Time) error {
	if age := now.Sub(r.provedAt); age >= 0 && age < proofLifetime {
		return nil
	}
	return fault.Errorf(fault.CodeProofRequired, "Enter your password or a code again to do this.")
}

// NewToken returns a random token of a session or a link. Its hash is stored.
func NewToken() string {
	random := make([]byte, secret.KeyBytes)
	rand.Read(random)
	return base64.RawURLEncoding.EncodeToString(random)
}

// sessionIdle returns the time after its last use at which a session ends.
func (s *Staff) sessionIdle() time.Duration {
	if s.cfg.Operators {
		return operatorSession
	}
	return sessionIdle
}

// sessionLifetime returns the time after which a session ends at the latest.
func (s *Staff) sessionLifetime() time.Duration {
	if s.cfg.Operators {
		return operatorSession
	}
	return sessionLifetime
}

// openSession creates a session of the staff member for the caller. It must be called in the
// transaction of the caller's proof to be the staff member.
func (s *Staff) openSession(tx *db.Tx, m *memberRow, caller access.Caller, set Settings) (*SignedIn, error) {
	token, now := NewToken(), tx.Now()
	row := sessionRow{
		id: s.cfg.IDs.Next(now), createdAt: now, seenAt: now, provedAt: now, expires: now.Add(s.sessionIdle()), member: *m,
	}
	agent := input.Cut(input.Clean(caller.Agent), maxAgent)
	if err := insertSession(tx, &row, hashToken(token), caller.Client, agent); err != nil {
		return nil, err
	}
	if err := deleteSurplusSessions(tx, m.id); err != nil {
		return nil, err
	}
	// Every sign-in is recorded, so that a new device is among them.
	if err := s.recordAs(tx, m.actor(), caller, access.ToSignIn.Action, m.subject(), []access.Change{access.Set("agent", agent)}); err != nil {
		return nil, err
	}
	if err := outbox.Append(tx, outbox.Event{Type: outbox.StaffSignedIn, Subject: m.id}); err != nil {
		return nil, err
	}
	session, err := row.view(tx, set)
	if err != nil {
		return nil, err
	}
	return &SignedIn{Token: token, Session: *session}, nil
}

func (r *sessionRow) view(tx *db.Tx, set Settings) (*Session, error) {
	m := &r.member
	codes, err := countRecoveryCodes(tx, m.id)
	if err != nil {
		return nil, err
	}
	return &Session{
		Member: SessionMember{
			Member: m.view(&r.seenAt), Theme: m.theme, Notifications: m.notify, RecoveryCodes: codes,
		},
		Permissions: m.permissions(), SetupRequired: m.mustSetUp(set), ProvedAt: r.provedAt, ExpiresAt: r.expires,
	}, nil
}

func errNoSession() error {
	return fault.Errorf(fault.CodeForbidden, "Sign in as a staff member: API keys and the command line have no account of their own.")
}

// FindSession returns the caller's session. Codes: unauthenticated, forbidden.
func (s *Staff) FindSession(ctx context.Context, caller access.Caller) (*Session, error) {
	return access.Read(ctx, s.data, caller, access.ToFindSession, func(tx *db.Tx, who access.Staff) (*Session, error) {
		me := who.(*identity)
		if me.visit != nil {
			return me.visitSession(), nil
		}
		return me.session.view(tx, me.settings)
	})
}

// ListSessions returns the caller's own sessions that have not ended, newest first.
// Codes: unauthenticated, forbidden, second_factor_setup_required.
func (s *Staff) ListSessions(ctx context.Context, caller access.Caller) ([]SessionInfo, error) {
	return access.Read(ctx, s.data, caller, access.ToListSessions, func(tx *db.Tx, who access.Staff) ([]SessionInfo, error) {
		me := who.(*identity)
		list, err := findSessions(tx, me.actor.ID)
		for i := range list {
			list[i].Current = list[i].ID == me.session.id
		}
		return list, err
	})
}

// EndSession ends the caller's session. Codes: unauthenticated, forbidden.
func (s *Staff) EndSession(ctx context.Context, caller access.Caller) error {
	return access.Do(ctx, s.data, caller, access.ToEndSession, func(tx *db.Tx, who access.Staff) error {
		me := who.(*identity)
		if me.visit != nil {
			if err := who.Audit(tx, visitSubject); err != nil {
				return err
			}
			return endVisit(tx, me.visit.ID)
		}
		if err := who.Audit(tx, me.member.subject()); err != nil {
			return err
		}
		_, err := endSession(tx, me.actor.ID, me.session.id)
		return err
	})
}

// EndOwnSession ends one of the caller's own sessions, by its ID.
// Codes: not_found, unauthenticated, forbidden, second_factor_setup_required.
func (s *Staff) EndOwnSession(ctx context.Context, caller access.Caller, id string) error {
	return access.Do(ctx, s.data, caller, access.ToEndOwnSession, func(tx *db.Tx, who access.Staff) error {
		me := who.(*identity)
		if err := who.Audit(tx, me.member.subject()); err != nil {
			return err
		}
		ended, err := endSession(tx, me.actor.ID, id)
		if err == nil && !ended {
			err = fault.Errorf(fault.CodeNotFound, "There is no such session.")
		}
		return err
	})
}

// EndOwnSessions ends all of the caller's own sessions, the one of this request too.
// Codes: unauthenticated, forbidden, second_factor_setup_required.
func (s *Staff) EndOwnSessions(ctx context.Context, caller access.Caller) error {
	return access.Do(ctx, s.data, caller, access.ToEndOwnSessions, func(tx *db.Tx, who access.Staff) error {
		me := who.(*identity)
		if err := who.Audit(tx, me.member.subject(), access.Set("sessions", "all")); err != nil {
			return err
		}
		return endSessions(tx, me.actor.ID)
	})
}

// ProofInput is the input of [Staff.ProveSession]: one of the three.
type ProofInput struct {
	Password   *string            `json:"password,omitempty"`
	Code       *string            `json:"code,omitempty" doc:"A code of the authenticator app, or a recovery code"`
	Credential *passkey.Assertion `json:"credential,omitempty" doc:"By one of the caller's passkeys"`
}

func (in ProofInput) check() error {
	if db.TextOf(in.Password) != "" || !input.IsBlank(in.Code) || in.Credential != nil {
		return nil
	}
	var bad fault.Invalid
	bad.Add("password", fault.CodeRequired, "Your password, a code or a passkey is required.")
	return bad.Err()
}

// ProveSession records that the caller has entered the password or a code again, or used a passkey.
// For 15 minutes this permits sensitive use cases. Codes: validation_failed, invalid_credentials,
// rate_limited, unauthenticated, forbidden.
func (s *Staff) ProveSession(ctx context.Context, caller access.Caller, in ProofInput) (*Session, error) {
	who, err := s.identify(ctx, caller, access.ToProveSession)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	a, err := s.newSessionAttempt(ctx, caller, who.session.id)
	if err != nil {
		return nil, err
	}
	before := *who.member
	if password := db.TextOf(in.Password); password != "" {
		err = a.verifyPassword(ctx, before, password)
	} else {
		err = a.begin(ctx, before.id)
	}
	if err != nil {
		return nil, err
	}
	var session *Session
	err = s.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		if err := who.Check(tx); err != nil {
			return nil, err
		}
		switch {
		case db.TextOf(in.Password) != "" && !who.member.hasPasswordOf(before):
			refusal = errInvalidCredentials()
		case db.TextOf(in.Password) != "":
		case in.Credential != nil:
			refusal, err = a.proveByPasskey(tx, who, *in.Credential)
		default:
			refusal, err = a.useCode(tx, who.member, *in.Code)
		}
		if refusal != nil || err != nil {
			return refusal, err
		}
		session, err = who.prove(tx, a)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}

// prove records that the caller's session was proved by an attempt, and returns it.
func (who *identity) prove(tx *db.Tx, a *attempt) (*Session, error) {
	if err := a.succeed(tx); err != nil {
		return nil, err
	}
	if err := updateSessionProved(tx, who.session.id); err != nil {
		return nil, err
	}
	if err := who.Audit(tx, who.member.subject()); err != nil {
		return nil, err
	}
	if err := who.Check(tx); err != nil { // reads the session again
		return nil, err
	}
	return who.session.view(tx, who.settings)
}
