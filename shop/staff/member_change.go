package staff

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/plan"
)

// InviteInput is the input of [Staff.InviteMember]. Email or PhoneNumber is required.
type InviteInput struct {
	Name        string              `json:"name"`
	Email       *string             `json:"email,omitempty"`
	PhoneNumber *string             `json:"phoneNumber,omitempty" doc:"In any common notation; the shop's country is assumed"`
	Role        Role                `json:"role"`
	Grants      []access.Permission `json:"grants,omitempty" doc:"Permissions in addition to the role"`
	Denies      []access.Permission `json:"denies,omitempty" doc:"Permissions of the role that are withheld"`
	Language    *Language           `json:"language,omitempty" doc:"en if left out"`
}

// MemberChange is the input of [Staff.UpdateMember]. nil fields are unchanged; a blank e-mail
// address or phone number removes it.
type MemberChange struct {
	Name        *string              `json:"name,omitempty"`
	Email       *string              `json:"email,omitempty"`
	PhoneNumber *string              `json:"phoneNumber,omitempty"`
	Role        *Role                `json:"role,omitempty" doc:"Ends the sessions"`
	Grants      *[]access.Permission `json:"grants,omitempty"`
	Denies      *[]access.Permission `json:"denies,omitempty"`
	Language    *Language            `json:"language,omitempty"`
	// Check is called with the staff member before the change, in its transaction; an error
	// prevents the change. nil means that it is not called.
	Check func(Member) error `json:"-"`
}

// InviteMember creates a staff member, and a link with which the staff member sets a password and
// signs in. Codes: validation_failed, state_conflict (another staff member has the contact, or too
// many staff members), unauthenticated, forbidden, proof_required.
func (s *Staff) InviteMember(ctx context.Context, caller access.Caller, in InviteInput) (m *Member, link *Link, err error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err = access.Write(ctx, s.data, caller, access.ToInviteMember, func(tx *db.Tx, who access.Staff) (invited *Member, err error) {
		row, err := in.row(set)
		if err != nil {
			return nil, err
		}
		invited, link, err = s.invite(tx, who.(*identity), row)
		return invited, err
	})
	if err != nil {
		return nil, nil, err
	}
	return m, link, nil
}

// PrepareInvite checks a staff member of a new shop with these settings. The result is
// [Staff.InviteMember] in the transaction that creates the shop. caller must be the operator.
// Codes: validation_failed.
func (s *Staff) PrepareInvite(
	ctx context.Context, caller access.Caller, in InviteInput, set Settings,
) (invite func(tx *db.Tx) (*Member, *Link, error), err error) {
	row, err := in.row(set)
	if err != nil {
		return nil, err
	}
	who, err := s.identify(ctx, caller, access.ToInviteMember)
	if err != nil {
		return nil, err
	}
	return func(tx *db.Tx) (*Member, *Link, error) { return s.invite(tx, who, row) }, nil
}

// row returns the staff member to create, without an ID. Codes: validation_failed.
func (in InviteInput) row(set Settings) (memberRow, error) {
	row := memberRow{status: StatusInvited, language: English, theme: ThemeSystem}
	change := MemberChange{
		Name: &in.Name, Email: in.Email, PhoneNumber: in.PhoneNumber, Role: &in.Role, Grants: &in.Grants, Denies: &in.Denies, Language: in.Language,
	}
	return row, change.apply(&row, set)
}

// invite creates a staff member with a link.
func (s *Staff) invite(tx *db.Tx, who *identity, row memberRow) (*Member, *Link, error) {
	members, err := findMembers(tx)
	if err != nil {
		return nil, nil, err
	}
	if len(members) >= s.maxMembers() {
		return nil, nil, fault.Errorf(
			fault.CodeStateConflict, "The shop has %d staff members, which is the limit: remove one first.", len(members))
	}
	if err := plan.Check(tx, plan.Staff, 1); err != nil {
		return nil, nil, err
	}
	row.id, row.createdAt = s.cfg.IDs.Next(tx.Now()), tx.Now()
	if err := who.mayHandle(&row); err != nil {
		return nil, nil, err
	}
	if err := checkContacts(&row, members); err != nil {
		return nil, nil, err
	}
	if err := insertMember(tx, &row); err != nil {
		return nil, nil, err
	}
	link, err := s.createLink(tx, &row, LinkInvite, who.Actor())
	if err != nil {
		return nil, nil, err
	}
	invited, err := viewMember(tx, &row)
	if err != nil {
		return nil, nil, err
	}
	return invited, link, who.Audit(tx, row.subject(), changesOf(memberRow{}, row)...)
}

// maxMembers returns the limit of staff members, or of operators.
func (s *Staff) maxMembers() int {
	if s.cfg.Operators {
		return maxOperators
	}
	return maxMembers
}

// UpdateMember changes a staff member. Another role ends the sessions; another role, another
// contact and a further permission make links and codes invalid. Codes: validation_failed,
// not_found, state_conflict (another staff member has the contact, or the last owner),
// unauthenticated, forbidden, proof_required.
func (s *Staff) UpdateMember(ctx context.Context, caller access.Caller, user string, in MemberChange) (m *Member, err error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	err = s.changeMember(ctx, caller, access.ToUpdateMember, user, func(
		tx *db.Tx, who *identity, row *memberRow,
	) (_ []access.Change, err error) {
		before := *row
		if err := accepted(tx, in.Check, row); err != nil {
			return nil, err
		}
		if err := in.apply(row, set); err != nil {
			return nil, err
		}
		changes := changesOf(before, *row)
		if len(changes) > 0 {
			if err := who.saveChange(tx, before, row); err != nil {
				return nil, err
			}
		}
		m, err = viewMember(tx, row)
		return changes, err
	})
	return m, err
}

// saveChange saves a changed staff member.
func (who *identity) saveChange(tx *db.Tx, before memberRow, row *memberRow) error {
	members, err := findMembers(tx)
	if err != nil {
		return err
	}
	if who.actor.ID == row.id {
		if row.role != before.role || row.status != before.status {
			return fault.Errorf(fault.CodeForbidden, "Nobody can change their own role or status: another owner can.")
		}
	}
	if err := who.mayHandle(row); err != nil {
		return err
	}
	if err := checkContacts(row, members); err != nil {
		return err
	}
	if before.rulesAlone() && !row.rulesAlone() && !slices.ContainsFunc(members, func(m memberRow) bool { return m.id != row.id && m.rulesAlone() }) {
		return errLastOwner(&before)
	}
	if err := updateMember(tx, row); err != nil {
		return err
	}
	return endEarlierAccess(tx, &before, row)
}

// endEarlierAccess ends access that must not outlast a change of a staff member: all access after
// another role or status, links and codes after another contact or a further permission.
func endEarlierAccess(tx *db.Tx, before, row *memberRow) error {
	if row.role != before.role || row.status != before.status {
		return endAccess(tx, row.id)
	}
	// A manager may have the link, and somebody else the phone with the code. Neither may sign them
	// in with more permissions than at its creation.
	if db.TextOf(row.phone) != db.TextOf(before.phone) || db.TextOf(row.email) != db.TextOf(before.email) || row.mayMoreThan(before) {
		if err := deleteLinks(tx, row.id); err != nil {
			return err
		}
		return textCodes.EndOf(tx, row.id)
	}
	return nil
}

// mayMoreThan reports whether a staff member has a permission that another one lacks.
func (m *memberRow) mayMoreThan(other *memberRow) bool {
	return slices.ContainsFunc(m.permissions(), func(p access.Permission) bool { return !other.permits(p) })
}

func errLastOwner(m *memberRow) error {
	return fault.StatusConflict(m.status, "This is the last owner with every permission: promote another staff member first.")
}

// TurnOffMember ends the sessions of a staff member, who cannot sign in until invited again.
// Codes: not_found, state_conflict (the last owner), unauthenticated, forbidden, proof_required.
func (s *Staff) TurnOffMember(ctx context.Context, caller access.Caller, user string) (m *Member, err error) {
	err = s.changeMember(ctx, caller, access.ToTurnOffMember, user, func(
		tx *db.Tx, who *identity, row *memberRow,
	) (_ []access.Change, err error) {
		before := *row
		row.status = StatusOff
		changes := changesOf(before, *row)
		if len(changes) > 0 {
			if err := who.saveChange(tx, before, row); err != nil {
				return nil, err
			}
		}
		m, err = viewMember(tx, row)
		return changes, err
	})
	return m, err
}

// RemoveMember deletes a staff member that check accepts; nil accepts any. The audit log retains
// the name. Codes: not_found, state_conflict (the last owner), unauthenticated, forbidden,
// proof_required, and check's.
func (s *Staff) RemoveMember(ctx context.Context, caller access.Caller, user string, check func(Member) error) error {
	return s.changeMember(ctx, caller, access.ToRemoveMember, user, func(tx *db.Tx, who *identity, row *memberRow) ([]access.Change, error) {
		if err := accepted(tx, check, row); err != nil {
			return nil, err
		}
		before := *row
		row.status = StatusOff
		if row.status != before.status {
			if err := who.saveChange(tx, before, row); err != nil {
				return nil, err
			}
		}
		if err := s.deleteSecondFactor(tx, row); err != nil {
			return nil, err
		}
		return access.Changed("status", string(before.status), "removed"), deleteMember(tx, row.id)
	})
}

// accepted calls check, unless it is nil, with the staff member before a change.
func accepted(tx *db.Tx, check func(Member) error, row *memberRow) error {
	if check == nil {
		return nil
	}
	found, err := viewMember(tx, row)
	if err != nil {
		return err
	}
	return check(*found)
}

// EndMemberSessions ends the sessions of a staff member.
// Codes: not_found, unauthenticated, forbidden, proof_required.
func (s *Staff) EndMemberSessions(ctx context.Context, caller access.Caller, user string) error {
	return s.changeMember(ctx, caller, access.ToEndMemberSessions, user, func(tx *db.Tx, _ *identity, row *memberRow) ([]access.Change, error) {
		return access.Changed("sessions", "", "ended"), endSessions(tx, row.id)
	})
}

// changeMember runs fn in a transaction with a staff member whom the caller may handle, and writes
// the audit entry unless nothing changed.
func (s *Staff) changeMember(
	ctx context.Context, caller access.Caller, use access.UseCase, user string,
	fn func(tx *db.Tx, who *identity, row *memberRow) ([]access.Change, error),
) error {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	return access.Do(ctx, s.data, caller, use, func(tx *db.Tx, authorized access.Staff) error {
		who := authorized.(*identity)
		row, err := requireMember(tx, user, set.Country)
		if err != nil {
			return err
		}
		if err := who.mayHandle(&row); err != nil {
			return err
		}
		subject := row.subject()
		changes, err := fn(tx, who, &row)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return nil
		}
		if err := who.claimRequest(tx, subject); err != nil {
			return err
		}
		return who.record(tx, who.use.Action, subject, changes)
	})
}

// mayHandle checks that the caller may change a staff member with the permissions of the row, or
// grant them: nobody may change a staff member with more permissions than their own, since a link
// to that account would grant these. Codes: forbidden.
func (who *identity) mayHandle(row *memberRow) error {
	if who.caller.Operator {
		return nil
	}
	return who.member.mayHandle(row)
}

func (m *memberRow) mayHandle(row *memberRow) error {
	if m.role != RoleOwner && (row.role == RoleOwner || row.role == RoleManager) {
		return fault.Errorf(fault.CodeForbidden, "Only an owner can do this for an owner or a manager.")
	}
	for _, p := range row.permissions() {
		if !m.permits(p) {
			return errForbidden(p, "This staff member may do more than you. An owner of the shop can do this.")
		}
	}
	return nil
}

// checkContacts checks that nobody else has the contacts of a staff member.
func checkContacts(row *memberRow, members []memberRow) error {
	for i := range members {
		m := &members[i]
		isSame := func(a, b *string) bool { return a != nil && b != nil && *a == *b }
		if m.id != row.id && (isSame(m.email, row.email) || isSame(m.phone, row.phone)) {
			return fault.Errorf(fault.CodeStateConflict,
				"There is a staff member with this e-mail address or phone number already: create a new link for them instead.")
		}
	}
	return nil
}

// apply checks the input and changes the row.
func (in MemberChange) apply(row *memberRow, set Settings) error {
	var bad fault.Invalid
	if in.Name != nil {
		row.name = input.CheckName(&bad, "name", *in.Name)
	}
	if in.Email != nil {
		row.email = input.CheckEmail(&bad, "email", in.Email)
	}
	if in.PhoneNumber != nil {
		row.phone = input.CheckPhone(&bad, "phoneNumber", in.PhoneNumber, set.Country)
	}
	if row.email == nil && row.phone == nil {
		bad.Add("email", fault.CodeRequired, "An e-mail address or a phone number is required.")
	}
	if in.Role != nil {
		if row.role = *in.Role; !slices.Contains(Roles(), row.role) {
			bad.Add("role", fault.CodeInvalidValue, "Must be %s.", joined(Roles()))
		}
	}
	if in.Grants != nil {
		row.grants = checkPermissions(&bad, "grants", *in.Grants)
	}
	if in.Denies != nil {
		row.denies = checkPermissions(&bad, "denies", *in.Denies)
	}
	if in.Language != nil {
		row.language = checkLanguage(&bad, *in.Language)
	}
	return bad.Err()
}

func checkPermissions(bad *fault.Invalid, field string, list []access.Permission) []access.Permission {
	for _, p := range list {
		if !slices.Contains(access.Permissions(), p) {
			bad.Add(field, fault.CodeInvalidValue, "Unknown permission %q: must be one of %s.", p, joined(access.Permissions()))
			break
		}
	}
	sorted := slices.Sorted(slices.Values(list))
	return slices.Compact(sorted)
}

// changesOf returns the differences between two states of a staff member, for the audit log.
func changesOf(before, after memberRow) []access.Change {
	return slices.Concat(
		access.Changed("name", before.name, after.name),
		access.Changed("email", db.TextOf(before.email), db.TextOf(after.email)),
		access.Changed("phoneNumber", db.TextOf(before.phone), db.TextOf(after.phone)),
		access.Changed("role", before.role, after.role),
		access.Changed("grants", joined(before.grants), joined(after.grants)),
		access.Changed("denies", joined(before.denies), joined(after.denies)),
		access.Changed("language", before.language, after.language),
		access.Changed("status", before.status, after.status),
	)
}
