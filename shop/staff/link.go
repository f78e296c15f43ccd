package staff

import (
	"context"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/password"
	"storefront/shop/plan"
)

// LinkKind is what a link is for.
//
//api:enum LinkKind
type LinkKind string

// The kinds of links.
const (
	LinkInvite LinkKind = "invite" // the staff member sets a first password
	LinkReset  LinkKind = "reset"  // sets a new password
	LinkDemo   LinkKind = "demo"   // signs in to the demo shop, without a password
)

// lifetime returns the validity period of a link.
func (k LinkKind) lifetime() time.Duration {
	if k == LinkInvite {
		return 72 * time.Hour
	}
	return 2 * time.Hour
}

// Link is a link to set a password. Its token is returned once and can be used once.
type Link struct {
	Kind      LinkKind  `json:"kind"`
	Token     string    `json:"token" doc:"Shown once"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// LinkInfo is the data of a link shown to its holder before use.
type LinkInfo struct {
	Kind   LinkKind   `json:"kind"`
	Member LinkMember `json:"staffMember"`
	// InvitedBy is the name of the staff member who created an invitation; nil if nobody did.
	InvitedBy *string `json:"invitedBy" doc:"Name of the inviter; null for the command line, or without an invitation"`
	// SecondFactorRequired reports whether the link must be used with a code of the second factor.
	SecondFactorRequired bool `json:"secondFactorRequired" doc:"Whether it must be used with a code of the staff member's second factor"`
}

// LinkMember is the staff member of a link.
type LinkMember struct {
	Name        string   `json:"name"`
	Email       *string  `json:"email"`
	PhoneNumber *string  `json:"phoneNumber"`
	Role        Role     `json:"role"`
	Language    Language `json:"language"`
}

// linkRow is a row of staff_links, with its staff member.
type linkRow struct {
	kind      LinkKind
	createdBy Actor
	member    memberRow
}

// requiresSecondFactor reports whether the link signs in only with the staff member's second
// factor. A manager's link requires it, so that a manager cannot become another staff member. A
// link by the command line or an owner does not, so that a staff member who has lost the factor can
// sign in.
func (l *linkRow) requiresSecondFactor(tx *db.Tx) (bool, error) {
	if l.kind == LinkDemo || l.member.secondFactor() == SecondFactorNone || l.createdBy.Kind != access.ActorStaff {
		return false, nil
	}
	by, err := findMember(tx, l.createdBy.ID)
	if err != nil && !isNotFound(err) {
		return false, err
	}
	return err != nil || by.role != RoleOwner || by.status != StatusActive, nil
}

func errLinkInvalid() error {
	return fault.Errorf(fault.CodeLinkInvalid, "This link is invalid, expired or already used. An owner of the shop can create a new one.")
}

// CreateLink creates a link for setting a password: an invitation if the staff member is not
// active, otherwise a reset. Earlier links of the staff member become invalid. Codes: not_found,
// unauthenticated, forbidden, proof_required.
func (s *Staff) CreateLink(ctx context.Context, caller access.Caller, user string) (m *Member, link *Link, err error) {
	err = s.changeMember(ctx, caller, access.ToCreateLink, user, func(
		tx *db.Tx, who *identity, row *memberRow,
	) (_ []access.Change, err error) {
		kind := LinkReset
		var changes []access.Change
		if row.status != StatusActive {
			kind = LinkInvite
			if row.status == StatusOff {
				if err := plan.Check(tx, plan.Staff, 1); err != nil {
					return nil, err
				}
			}
			changes = access.Changed("status", row.status, StatusInvited)
			row.status = StatusInvited
			if err := updateMember(tx, row); err != nil {
				return nil, err
			}
		}
		if link, err = s.createLink(tx, row, kind, who.actor); err != nil {
			return nil, err
		}
		m, err = viewMember(tx, row)
		return append(changes, access.Set("link", kind)), err
	})
	return m, link, err
}

// createLink creates the only valid link of a staff member.
func (s *Staff) createLink(tx *db.Tx, m *memberRow, kind LinkKind, by Actor) (*Link, error) {
	if err := deleteLinks(tx, m.id); err != nil {
		return nil, err
	}
	link := &Link{Kind: kind, Token: NewToken(), ExpiresAt: tx.Now().Add(kind.lifetime())}
	return link, insertLink(tx, m.id, link, hashToken(link.Token), by)
}

// isDemo reports whether a token is the demo's, which can be used any number of times.
func (s *Staff) isDemo(token string) bool {
	return s.cfg.DemoLink != "" && subtle.ConstantTimeCompare(hashToken(token), hashToken(s.cfg.DemoLink)) == 1
}

// findLink returns a valid link. Codes: link_invalid.
func (s *Staff) findLink(tx *db.Tx, token string) (linkRow, error) {
	if s.isDemo(token) {
		members, err := findMembers(tx)
		if err != nil {
			return linkRow{}, err
		}
		i := slices.IndexFunc(members, func(m memberRow) bool { return m.role == RoleOwner && m.status != StatusOff })
		if i < 0 {
			return linkRow{}, errLinkInvalid()
		}
		return linkRow{kind: LinkDemo, member: members[i]}, nil
	}
	link, err := findLink(tx, hashToken(token))
	if isNotFound(err) || err == nil && link.member.status == StatusOff {
		return linkRow{}, errLinkInvalid()
	}
	if err != nil {
		return linkRow{}, err
	}
	vouched, err := isVouchedFor(tx, link.createdBy, &link.member)
	if err != nil {
		return linkRow{}, err
	}
	if !vouched {
		return linkRow{}, errLinkInvalid()
	}
	return link, nil
}

// isVouchedFor reports whether the creator of a link may still create it: a manager who has left
// must not sign in with a link created for somebody else.
func isVouchedFor(tx *db.Tx, by Actor, m *memberRow) (bool, error) {
	if by.Kind != access.ActorStaff {
		return true, nil
	}
	creator, err := findMember(tx, by.ID)
	switch {
	case isNotFound(err):
		return false, nil
	case err != nil:
		return false, err
	}
	return creator.status == StatusActive && creator.permits(access.StaffWrite) && creator.mayHandle(m) == nil, nil
}

// InspectLink returns the purpose of a link without using it. Codes: link_invalid.
func (s *Staff) InspectLink(ctx context.Context, _ access.Caller, token string) (*LinkInfo, error) {
	link, withCode, err := s.inspectLink(ctx, token)
	if err != nil {
		return nil, err
	}
	m := &link.member
	info := &LinkInfo{Kind: link.kind, SecondFactorRequired: withCode, Member: LinkMember{
		Name: m.name, Email: m.email, PhoneNumber: m.phone, Role: m.role, Language: m.language,
	}}
	if link.kind == LinkInvite && link.createdBy.Kind == access.ActorStaff {
		info.InvitedBy = &link.createdBy.Name
	}
	return info, nil
}

// inspectLink returns a valid link, and whether it requires a code of the second factor.
// Codes: link_invalid.
func (s *Staff) inspectLink(ctx context.Context, token string) (link linkRow, withCode bool, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if link, err = s.findLink(tx, token); err != nil {
			return err
		}
		withCode, err = link.requiresSecondFactor(tx)
		return err
	})
	return link, withCode, err
}

// UseLinkInput is the input of [Staff.UseLink].
type UseLinkInput struct {
	Token    string    `json:"token"`
	Name     *string   `json:"name,omitempty" doc:"Replaces the name that the inviter entered"`
	Password string    `json:"password,omitempty" doc:"8 to 256 characters; not for a demo"`
	Language *Language `json:"language,omitempty"`
	// SecondFactorCode is required if the link was created by a manager.
	SecondFactorCode *string `json:"secondFactorCode,omitempty" doc:"A code of the app, or a recovery code, if links/inspect requires one"`
}

// UseLink sets a staff member's password with a link, which becomes invalid, ends the sessions of
// the staff member, and signs in. An authenticator app stays set up. A link by an owner or the
// command line signs in without it, so that a lost one can be removed, and removes passkeys; the
// audit log records both. A link by a manager requires a code. Codes: validation_failed,
// password_rejected, link_invalid, second_factor_required, invalid_credentials (the code is wrong),
// rate_limited.
func (s *Staff) UseLink(ctx context.Context, caller access.Caller, in UseLinkInput) (*SignedIn, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	link, withCode, err := s.inspectLink(ctx, in.Token)
	if err != nil {
		return nil, err
	}
	u := linkUse{staff: s, caller: caller, in: in, settings: set}
	if link.kind != LinkDemo {
		if err := in.check(&link.member, set); err != nil {
			return nil, err
		}
		if u.hash, err = s.cfg.Hasher.Hash(ctx, s.hashUse(caller), in.Password); err != nil {
			return nil, err
		}
	}
	if withCode {
		if u.attempt, err = s.newAttempt(ctx, caller, "", "id:"+link.member.id); err != nil {
			return nil, err
		}
		if err := u.attempt.begin(ctx, link.member.id); err != nil {
			return nil, err
		}
	}
	var session *SignedIn
	err = s.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		link, err := s.findLink(tx, in.Token) // used in the meantime, or replaced
		if err != nil {
			return nil, err
		}
		if refusal, err := u.checkSecondFactor(tx, &link); refusal != nil || err != nil {
			return refusal, err
		}
		if err := u.activate(tx, &link); err != nil {
			return nil, err
		}
		session, err = s.openSession(tx, &link.member, caller, set)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}

// linkUse is the use of a link by a caller.
type linkUse struct {
	staff    *Staff
	caller   access.Caller
	in       UseLinkInput
	settings Settings
	hash     string   // of the new password; "" for a demo
	attempt  *attempt // of the second factor; nil if none is required
}

// checkSecondFactor checks the second factor that the link requires. Codes of the refusal:
// second_factor_required, invalid_credentials, link_invalid.
func (u *linkUse) checkSecondFactor(tx *db.Tx, link *linkRow) (refusal, err error) {
	if u.attempt == nil {
		required, err := link.requiresSecondFactor(tx)
		if err != nil {
			return nil, err
		}
		if required { // set up in the meantime
			return errLinkInvalid(), nil
		}
		return nil, nil
	}
	if refusal, err := u.attempt.requireSecondFactor(tx, &link.member, u.in.SecondFactorCode); refusal != nil || err != nil {
		return refusal, err
	}
	return nil, u.attempt.succeed(tx)
}

// activate sets the password of the link's staff member, unless the link is a demo's, and lets the
// staff member sign in.
func (u *linkUse) activate(tx *db.Tx, link *linkRow) error {
	m := &link.member
	if link.kind == LinkDemo {
		if m.status == StatusActive {
			return nil
		}
		m.status = StatusActive
		return updateMember(tx, m)
	}
	if err := u.in.check(m, u.settings); err != nil { // sets the name
		return err
	}
	changes := []access.Change{access.Set("link", link.kind), access.Set("password", access.Secret)}
	if u.attempt == nil && m.secondFactor() != SecondFactorNone {
		changes = append(changes, access.Set("secondFactor", "not required: the link is by "+describe(link.createdBy)))
	}
	if u.attempt == nil { // nothing but the link proves who uses it: somebody else may have the passkeys
		if err := u.staff.removePasskeys(tx, m, u.caller); err != nil {
			return err
		}
	}
	if err := u.staff.setPassword(tx, m, u.hash); err != nil {
		return err
	}
	return u.staff.recordAs(tx, m.actor(), u.caller, access.ToUseLink.Action, m.subject(), changes)
}

// describe returns an actor in words.
func describe(a Actor) string {
	if a.Kind == access.ActorCLI {
		return strings.TrimSpace("the command line " + a.Name)
	}
	return a.Name
}

// check checks the input and sets the name and the language of the staff member.
func (in UseLinkInput) check(m *memberRow, set Settings) error {
	var bad fault.Invalid
	if !input.IsBlank(in.Name) {
		m.name = input.CheckName(&bad, "name", *in.Name)
	}
	if in.Language != nil {
		m.language = checkLanguage(&bad, *in.Language)
	}
	password.Check(&bad, "password", in.Password, m.owner(set))
	return bad.Err()
}

// owner returns the staff member as the owner of a password.
func (m *memberRow) owner(set Settings) password.Owner {
	return password.Owner{Name: m.name, Email: db.TextOf(m.email), Phone: db.TextOf(m.phone), Country: set.Country, Shop: set.Name}
}

// setPassword sets the password of a staff member with a proof, and ends the access by earlier
// proofs: sessions, links and codes.
func (s *Staff) setPassword(tx *db.Tx, m *memberRow, hash string) error {
	m.passwordHash, m.status = &hash, StatusActive
	if err := updateMember(tx, m); err != nil {
		return err
	}
	return endAccess(tx, m.id)
}

// endAccess ends the sessions, links and codes of a staff member.
func endAccess(tx *db.Tx, memberID string) error {
	if err := endSessions(tx, memberID); err != nil {
		return err
	}
	if err := deleteLinks(tx, memberID); err != nil {
		return err
	}
	return textCodes.EndOf(tx, memberID)
}

func checkLanguage(bad *fault.Invalid, language Language) Language {
	if !slices.Contains(Languages(), language) {
		bad.Add("language", fault.CodeInvalidValue, "Must be %s.", joined(Languages()))
	}
	return language
}
