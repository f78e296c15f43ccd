package staff

import (
	"context"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// VisitTime is the time after which the visit of an operator to a shop ends.
const VisitTime = time.Hour

// visitRetention is the time for which a visit that has ended is stored.
const visitRetention = 90 * 24 * time.Hour

// Bounds of the reason of a visit, in characters.
const (
	minVisitReason = 3
	maxVisitReason = 200
)

// Visit is the time that an operator of the server spends in a shop, as its staff members see it.
type Visit struct {
	ID        string    `json:"_id"`
	Operator  string    `json:"operator" doc:"Name of the operator"`
	Reason    string    `json:"reason"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// visitRow is a row of operator_visits.
type visitRow struct {
	Visit
	operatorID string
	session    string // ID of the operator's own session, without which the visit ends
	language   Language
}

func (v *visitRow) actor() Actor {
	return Actor{Kind: access.ActorOperator, ID: v.operatorID, Name: v.Operator}
}

// visitSubject is the shop as in the audit log.
var visitSubject = access.Subject{Kind: access.SubjectShop}

// canVisit reports whether an operator in a shop has a permission: each that an API key can have.
// Passwords of staff members, keys and the state of the shop are not among them.
func canVisit(p access.Permission) bool {
	return p == access.Any || p == access.PricesRead || canBeScope(p)
}

// CheckVisitReason returns the reason of a visit. Codes: validation_failed.
func CheckVisitReason(reason string) (string, error) {
	var bad fault.Invalid
	reason = input.CheckLine(&bad, "reason", strings.TrimSpace(reason), maxVisitReason)
	if len([]rune(reason)) < minVisitReason {
		bad.Add("reason", fault.CodeRequired, "Must have 3 to 200 characters: staff members of the shop read it.")
	}
	return reason, bad.Err()
}

// BeginVisit creates a session in the shop for an operator who was authorized in the installation.
// It ends after [VisitTime], or with the operator's own session. The shop's audit log states the
// reason. Codes: forbidden (no session), validation_failed.
func (s *Staff) BeginVisit(ctx context.Context, caller access.Caller, by *SignedOperator, reason string) (token string, visit *Visit, err error) {
	if by.session == "" {
		return "", nil, fault.Errorf(fault.CodeForbidden, "Only an operator who is signed in can enter a shop.")
	}
	if reason, err = CheckVisitReason(reason); err != nil {
		return "", nil, err
	}
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		now := tx.Now()
		row := visitRow{operatorID: by.Actor.ID, session: by.session, language: by.language, Visit: Visit{
			ID: s.cfg.IDs.Next(now), Operator: by.Actor.Name, Reason: reason, CreatedAt: now, ExpiresAt: now.Add(VisitTime),
		}}
		token, visit = NewToken(), &row.Visit
		if err := deleteVisitsBefore(tx, now.Add(-visitRetention)); err != nil {
			return err
		}
		if err := insertVisit(tx, &row, hashToken(token), caller.Client, input.Cut(input.Clean(caller.Agent), maxAgent)); err != nil {
			return err
		}
		return s.recordAs(tx, row.actor(), caller, access.ToEnterShop.Action, visitSubject, []access.Change{
			access.Set("reason", reason), access.Set("minutes", int(VisitTime/time.Minute)),
		})
	})
	if err != nil {
		return "", nil, err
	}
	return token, visit, nil
}

// ListVisits returns the visits of operators that have not ended, newest first.
// Codes: unauthenticated, forbidden.
func (s *Staff) ListVisits(ctx context.Context, caller access.Caller) ([]Visit, error) {
	return access.Read(ctx, s.data, caller, access.ToListVisits, func(tx *db.Tx, _ access.Staff) ([]Visit, error) {
		return findVisits(tx)
	})
}

// checkVisit checks the caller's visit to the shop. Whether the operator's own session continues
// was checked when the caller was identified.
func (who *identity) checkVisit(tx *db.Tx) error {
	visit, err := findVisit(tx, hashToken(who.caller.Session))
	switch {
	case isNotFound(err), err == nil && !tx.Now().Before(visit.ExpiresAt):
		return errSignIn()
	case err != nil:
		return err
	}
	who.visit, who.actor, who.seenAt = &visit, visit.actor(), tx.Now()
	who.session = &sessionRow{
		id: visit.ID, createdAt: visit.CreatedAt, seenAt: visit.CreatedAt, provedAt: visit.CreatedAt, expires: visit.ExpiresAt,
	}
	p := who.use.Permission
	switch {
	case p == noPermission:
	case p == access.Own:
		if who.use != access.ToFindSession && who.use != access.ToEndSession {
			return fault.Errorf(fault.CodeForbidden,
				"An operator of the server has no account in the shop. To continue after 15 minutes, leave and enter again.")
		}
	case !canVisit(p):
		return errForbidden(p, "An operator of the server cannot do this in a shop: a member of its staff can.")
	case NeedsProof(p) && !who.proved:
		err := who.session.checkProof(tx.Now())
		who.proved = err == nil
		return err
	}
	return nil
}

// visitSession returns the session of an operator in the shop.
func (who *identity) visitSession() *Session {
	v := who.visit
	m := memberRow{
		id: v.operatorID, name: v.Operator, role: RoleManager, status: StatusActive, language: v.language, theme: ThemeSystem, createdAt: v.CreatedAt,
	}
	session := &Session{
		Member:   SessionMember{Member: m.view(&v.CreatedAt), Theme: m.theme, Notifications: Notifications{}},
		ProvedAt: v.CreatedAt, ExpiresAt: v.ExpiresAt, Visit: &v.Visit,
	}
	for _, p := range access.Permissions() {
		if canVisit(p) {
			session.Permissions = append(session.Permissions, p)
		}
	}
	session.Member.Permissions = session.Permissions
	return session
}

// requireSignedIn checks that the operator of a visit is still signed in to the installation.
// Codes: unauthenticated.
func (who *identity) requireSignedIn(ctx context.Context) error {
	if who.visit == nil {
		return nil
	}
	isSignedIn := who.staff.cfg.IsOperatorSignedIn
	if isSignedIn == nil {
		return errSignIn()
	}
	active, err := isSignedIn(ctx, who.visit.session)
	if err == nil && !active {
		err = errSignIn()
	}
	return err
}
