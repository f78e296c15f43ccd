package staff

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// proofLifetime is the time for which a proof permits sensitive use cases in a session.
const proofLifetime = 15 * time.Minute

// seenInterval is the interval at which the last use of a session or an API key is written.
const seenInterval = 10 * time.Minute

// Actor is the author of an action.
type Actor = access.Actor

// viaOf returns the way in which the actor reached the shop.
func viaOf(a Actor, caller access.Caller) Via {
	if caller.ByAgent {
		return ViaMCP
	}
	switch a.Kind {
	case access.ActorStaff, access.ActorOperator:
		return ViaDashboard
	case access.ActorKey:
		return ViaAPI
	}
	return ViaCLI
}

// noPermission is required of a caller who only has to be identified. The zero [access.UseCase], by
// contrast, is permitted to the operator alone.
const noPermission access.Permission = "none"

// identity is a caller who may execute one use case. It implements [access.Staff].
type identity struct {
	staff  *Staff
	caller access.Caller
	use    access.UseCase

	// Set by Check.
	actor   Actor
	seenAt  time.Time   // last recorded use of the session or the key; a zero time means never
	session *sessionRow // nil if there is no session
	proved  bool        // the session was proved recently when the use case began; a use case may last longer
	checked *db.Tx      // the transaction of the last check
	member  *memberRow  // of the session
	key     *APIKey     // nil if there is no API key
	visit   *visitRow   // of an operator; nil if there is none

	settings Settings // of a session, when the caller was identified
}

// Authorize checks that the caller may execute a use case of staff, unless the caller was
// authorized for it before. It implements [access.Authorize]. Codes: unauthenticated, forbidden,
// proof_required, second_factor_setup_required.
func (s *Staff) Authorize(ctx context.Context, caller access.Caller, use access.UseCase) (access.Staff, error) {
	if caller.Authorized != nil && caller.AuthorizedFor == use {
		before, ok := caller.Authorized.(*identity)
		if !ok { // an item of a job
			return caller.Authorized, nil
		}
		who := *before
		who.caller = caller
		return &who, nil
	}
	who, err := s.identify(ctx, caller, use)
	if err != nil {
		return nil, err
	}
	return who, nil
}

// identify checks the caller against a use case in a view of its own, and records the use of a
// session or a key.
func (s *Staff) identify(ctx context.Context, caller access.Caller, use access.UseCase) (*identity, error) {
	who := &identity{staff: s, caller: caller, use: use}
	if caller.Operator {
		who.actor = operatorActor(caller)
		if use.Permission == access.Own {
			return nil, errNoSession()
		}
		return who, nil
	}
	if caller.OnBehalf.Kind != "" {
		return who, s.data.View(ctx, func(_ context.Context, tx *db.Tx) error { return who.Check(tx) })
	}
	if caller.BadAuthorization || caller.Bearer != "" && !IsAPIKey(caller.Bearer) {
		isCustomer, err := s.cfg.IsCustomer(ctx, caller)
		if err == nil && isCustomer {
			err = fault.Errorf(fault.CodeForbidden, "A customer's access token does not permit this. Send an API key of the shop.")
		}
		if err == nil {
			err = errUnauthenticated()
		}
		return nil, err
	}
	if caller.Bearer == "" && caller.Session == "" {
		return nil, fault.Errorf(fault.CodeUnauthenticated, "Sign in first, or send an API key of this shop as a Bearer token.")
	}
	if caller.Bearer == "" {
		var err error
		if who.settings, err = s.cfg.Settings(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) error { return who.Check(tx) }); err != nil {
		return nil, err
	}
	return who, s.admit(ctx, who)
}

// operatorActor returns the operator as an author: one who is signed in, or the command line.
func operatorActor(caller access.Caller) Actor {
	if caller.OnBehalf.Kind == access.ActorOperator {
		return caller.OnBehalf
	}
	return Actor{Kind: access.ActorCLI, Name: caller.User}
}

func errUnauthenticated() error {
	return fault.Errorf(fault.CodeUnauthenticated, "An API key of this shop is required. Send it as a Bearer token.")
}

func errSignIn() error {
	return fault.Errorf(fault.CodeUnauthenticated, "The session has ended: sign in again.")
}

// Check implements [access.Staff]. It also makes the caller the actor of the transaction's events.
func (who *identity) Check(tx *db.Tx) error {
	if err := who.check(tx); err != nil {
		return err
	}
	who.checked = tx
	if who.actor.Name != "" || who.actor.ID != "" { // otherwise the program itself
		outbox.Sign(tx, outbox.Actor{Kind: string(who.actor.Kind), ID: who.actor.ID})
	}
	return nil
}

func (who *identity) check(tx *db.Tx) error {
	switch {
	case who.caller.Operator:
		return nil
	case who.staff.isElsewhere(who.use.Permission):
		return errForbidden(who.use.Permission, "Neither a shop's staff nor its keys can do this for the server, nor can operators for a shop.")
	case who.caller.OnBehalf.Kind != "":
		return who.checkOnBehalf(tx)
	case who.caller.Bearer != "":
		return who.checkKey(tx)
	}
	return who.checkSession(tx)
}

// checkOnBehalf checks the requester of a job. Their session and proof are not checked again: both
// were checked at the request.
func (who *identity) checkOnBehalf(tx *db.Tx) (err error) {
	who.actor = who.caller.OnBehalf
	permitted := false
	switch id := who.actor.ID; who.actor.Kind {
	case access.ActorStaff:
		var m memberRow
		if m, err = findMember(tx, id); err == nil {
			who.member, permitted = &m, m.status == StatusActive && m.permits(who.use.Permission)
		}
	case access.ActorOperator:
		var is bool
		is, err = isVisitor(tx, id)
		permitted = is && canVisit(who.use.Permission)
	case access.ActorKey:
		var key APIKey
		if key, err = findAPIKeyByID(tx, id); err == nil {
			who.key, permitted = &key, !key.IsExpired(tx.Now()) && key.permits(who.use.Permission)
		}
	}
	switch {
	case err != nil && !isNotFound(err):
		return err
	case !permitted:
		e := fault.Errorf(fault.CodeForbidden, "The role of the person who requested the job no longer includes this.")
		e.Details = map[string]any{"permission": who.use.Permission}
		return e
	}
	return nil
}

func (who *identity) checkKey(tx *db.Tx) error {
	key, err := findAPIKey(tx, hashToken(who.caller.Bearer))
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errUnauthenticated()
	case err != nil:
		return err
	case key.IsExpired(tx.Now()):
		return fault.Errorf(fault.CodeUnauthenticated, "The API key expired on %s: create a new one.", key.ExpiresAt.UTC().Format(time.DateOnly))
	}
	who.actor, who.key = Actor{Kind: access.ActorKey, ID: key.ID, Name: key.Label}, &key
	if key.LastUsedAt != nil {
		who.seenAt = *key.LastUsedAt
	}
	switch p := who.use.Permission; {
	case p == noPermission:
	case p == access.Own:
		return errNoSession()
	case !key.permits(p):
		return who.errForbidden(p)
	}
	return nil
}

// permits reports whether the key's scopes include a permission.
func (k *APIKey) permits(p access.Permission) bool {
	return p == access.Any || p == access.PricesRead ||
		canBeScope(p) && (slices.Contains(k.Scopes, ScopeAll) || slices.Contains(k.Scopes, Scope(p)))
}

func (who *identity) checkSession(tx *db.Tx) error {
	session, err := findSession(tx, hashToken(who.caller.Session))
	switch {
	case errors.Is(err, db.ErrNotFound):
		return who.checkVisit(tx)
	case err != nil:
		return err
	case !tx.Now().Before(session.expires), session.member.status != StatusActive:
		return errSignIn()
	}
	m := &session.member
	who.actor, who.session, who.member, who.seenAt = m.actor(), &session, m, session.seenAt
	p := who.use.Permission
	switch {
	case p == noPermission:
	case m.mustSetUp(who.settings) && !IsBeforeSetup(who.use):
		return errSetUpRequired()
	case p == access.Own:
	case !m.permits(p):
		return who.errForbidden(p)
	case NeedsProof(p) && !who.proved:
		err := session.checkProof(tx.Now())
		who.proved = err == nil
		return err
	}
	return nil
}

// Permits implements [access.Staff].
func (who *identity) Permits(p access.Permission) bool {
	switch {
	case who.caller.Operator:
		return true
	case who.key != nil:
		return who.key.permits(p)
	case who.visit != nil:
		return canVisit(p)
	}
	return who.member != nil && who.member.permits(p)
}

// Require implements [access.Staff].
func (who *identity) Require(tx *db.Tx, p access.Permission) error {
	switch {
	case !who.Permits(p):
		return who.errForbidden(p)
	case who.session != nil && NeedsProof(p):
		return who.session.checkProof(tx.Now())
	}
	return nil
}

// Prove implements [access.Staff].
func (who *identity) Prove(tx *db.Tx) error {
	if who.session == nil {
		return nil
	}
	return who.session.checkProof(tx.Now())
}

// errForbidden returns the error about a missing permission, with the remedy.
func (who *identity) errForbidden(p access.Permission) error {
	switch {
	case who.staff.cfg.Operators:
		return errForbidden(p, "Your role does not include this. Another operator can do it.")
	case who.key == nil:
		return errForbidden(p, "Your role does not include this. An owner of the shop can allow it.")
	case canBeScope(p):
		return errForbidden(p, "The API key lacks the scope for this. An owner of the shop can create a key that has it.")
	}
	return errForbidden(p, "No API key can do this. An owner of the shop must sign in for it.")
}

// errForbidden has the missing permission in its details, for programs.
func errForbidden(p access.Permission, message string) error {
	e := &fault.Error{Code: fault.CodeForbidden, Message: message}
	e.Details = map[string]any{"permission": p}
	return e
}

// IsManager implements [access.Staff].
func (who *identity) IsManager() bool {
	return who.caller.Operator || who.member != nil && (who.member.role == RoleOwner || who.member.role == RoleManager)
}

// IsOwner implements [access.Staff].
func (who *identity) IsOwner() bool {
	return who.caller.Operator || who.member != nil && who.member.role == RoleOwner
}

// Actor implements [access.Staff].
func (who *identity) Actor() Actor { return who.actor }

// Audit implements [access.Staff].
func (who *identity) Audit(tx *db.Tx, on access.Subject, changes ...access.Change) error {
	if who.checked != tx {
		if err := who.Check(tx); err != nil {
			return err
		}
	}
	if err := who.claimRequest(tx, on); err != nil {
		return err
	}
	return who.record(tx, who.use.Action, on, changes)
}

// hashToken hashes the token of a key, a session or a link without a salt and in one round, because
// a token is 256 random bits.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// admit checks the operator's own session, if the caller is one in the shop, and records the use of
// a session or a key.
func (s *Staff) admit(ctx context.Context, who *identity) error {
	if err := who.requireSignedIn(ctx); err != nil {
		return err
	}
	return s.recordUse(ctx, who)
}

// recordUse writes the last use of a session or a key, at most once in seenInterval. The use case
// need not fail if the file cannot be written.
func (s *Staff) recordUse(ctx context.Context, who *identity) error {
	if now := s.cfg.Now(); who.visit != nil || now.Sub(who.seenAt) < seenInterval && !now.Before(who.seenAt) {
		return nil
	}
	err := s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		if who.member == nil {
			return updateKeyUsed(tx, who.actor.ID)
		}
		return updateSessionSeen(tx, hashToken(who.caller.Session), s.sessionIdle(), s.sessionLifetime())
	})
	if db.IsUnwritable(err) {
		return nil
	}
	return err
}

// Identify returns the actor of a valid API key, a valid session or the command line, with any
// permissions. Codes: unauthenticated, forbidden (a customer's token).
func (s *Staff) Identify(ctx context.Context, caller access.Caller) (Actor, error) {
	who, err := s.identify(ctx, caller, access.UseCase{Permission: noPermission})
	if err != nil {
		return Actor{}, err
	}
	return who.actor, nil
}
