package staff

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// OperatorRole is a set of permissions of an operator of the server.
//
//api:enum OperatorRole
type OperatorRole string

// The roles of operators.
const (
	OperatorOwner   OperatorRole = "owner"   // everything
	OperatorSupport OperatorRole = "support" // creates, suspends and enters shops
	OperatorViewer  OperatorRole = "viewer"  // views all shops, and changes nothing
)

// OperatorRoles returns the roles of operators, the most powerful first.
func OperatorRoles() []OperatorRole {
	return []OperatorRole{OperatorOwner, OperatorSupport, OperatorViewer}
}

// storedRoles are the roles under which the roles of operators are stored, in the same order.
func storedRoles() []Role { return []Role{RoleOwner, RoleManager, RoleViewer} }

// operatorRoleOf returns the role of an operator with a stored role; "" if no operator has it.
func operatorRoleOf(r Role) OperatorRole {
	i := slices.Index(storedRoles(), r)
	if i < 0 {
		return ""
	}
	return OperatorRoles()[i]
}

// stored returns the role under which the role is stored. Codes: validation_failed.
func (r OperatorRole) stored() (Role, error) {
	i := slices.Index(OperatorRoles(), r)
	if i < 0 {
		var bad fault.Invalid
		bad.Add("role", fault.CodeInvalidValue, "Must be %s.", joined(OperatorRoles()))
		return "", bad.Err()
	}
	return storedRoles()[i], nil
}

// Permissions returns the permissions of the role.
func (r OperatorRole) Permissions() []access.Permission {
	i := slices.Index(OperatorRoles(), r)
	return slices.DeleteFunc(access.InstallationPermissions(), func(p access.Permission) bool {
		return i < 0 || operatorGrants[p][i] == no
	})
}

// isOfInstallation reports whether operators have a permission, and no member of a shop.
func isOfInstallation(p access.Permission) bool {
	return slices.Contains(access.InstallationPermissions(), p)
}

// isElsewhere reports whether a permission is one of the installation in a shop, or one of a shop
// in the installation. The members of both have accounts, with their own use cases.
func (s *Staff) isElsewhere(p access.Permission) bool {
	switch p {
	case noPermission, access.Any, access.Own, access.StaffRead, access.StaffWrite, access.AuditRead:
		return false
	}
	return isOfInstallation(p) != s.cfg.Operators
}

// maxOperators limits the operators of a server.
const maxOperators = 50

// Operator is an operator of the server.
type Operator struct {
	Member
	Role        OperatorRole        `json:"role"`
	Permissions []access.Permission `json:"permissions" nullable:"false"`
}

// OperatorOf returns a member of the installation as an operator.
func OperatorOf(m Member) Operator {
	role := operatorRoleOf(m.Role)
	return Operator{Member: m, Role: role, Permissions: role.Permissions()}
}

// OperatorInput is the input of [Staff.InviteOperator].
type OperatorInput struct {
	Name     string       `json:"name"`
	Email    string       `json:"email"`
	Role     OperatorRole `json:"role"`
	Language *Language    `json:"language,omitempty" doc:"en if left out"`
}

// ListOperators returns the operators, in the order in which they were created.
// Codes: unauthenticated, forbidden.
func (s *Staff) ListOperators(ctx context.Context, caller access.Caller) ([]Operator, error) {
	if _, err := s.Authorize(ctx, caller, access.ToListOperators); err != nil {
		return nil, err
	}
	members, err := s.ListMembers(ctx, caller)
	if err != nil {
		return nil, err
	}
	list := make([]Operator, len(members))
	for i := range members {
		list[i] = OperatorOf(members[i])
	}
	return list, nil
}

// InviteOperator creates an operator, and a link with which the operator sets a password and signs
// in. Codes: validation_failed, state_conflict (another operator has the address, or too many
// operators), unauthenticated, forbidden, proof_required.
func (s *Staff) InviteOperator(ctx context.Context, caller access.Caller, in OperatorInput) (*Operator, *Link, error) {
	if _, err := s.Authorize(ctx, caller, access.ToInviteOperator); err != nil {
		return nil, nil, err
	}
	role, err := in.Role.stored()
	if err != nil {
		return nil, nil, err
	}
	m, link, err := s.InviteMember(ctx, caller, InviteInput{Name: in.Name, Email: &in.Email, Role: role, Language: in.Language})
	return operatorOrError(m, link, err)
}

func operatorOrError(m *Member, link *Link, err error) (*Operator, *Link, error) {
	if err != nil {
		return nil, nil, err
	}
	return new(OperatorOf(*m)), link, nil
}

// UpdateOperator changes the role of an operator, and ends the operator's sessions. Codes:
// validation_failed, not_found, state_conflict (the last owner), unauthenticated, forbidden,
// proof_required.
func (s *Staff) UpdateOperator(ctx context.Context, caller access.Caller, user string, to OperatorRole) (*Operator, error) {
	if _, err := s.Authorize(ctx, caller, access.ToUpdateOperator); err != nil {
		return nil, err
	}
	role, err := to.stored()
	if err != nil {
		return nil, err
	}
	m, err := s.UpdateMember(ctx, caller, user, MemberChange{Role: &role})
	operator, _, err := operatorOrError(m, nil, err)
	return operator, err
}

// ResetOperator ends the sessions of an operator, and creates a link with which the operator sets a
// new password. Codes: not_found, unauthenticated, forbidden, proof_required.
func (s *Staff) ResetOperator(ctx context.Context, caller access.Caller, user string) (*Operator, *Link, error) {
	if _, err := s.Authorize(ctx, caller, access.ToResetOperator); err != nil {
		return nil, nil, err
	}
	if err := s.EndMemberSessions(ctx, caller, user); err != nil {
		return nil, nil, err
	}
	return operatorOrError(s.CreateLink(ctx, caller, user))
}

// RemoveOperator deletes an operator. The log retains the name. Codes: not_found, state_conflict
// (the last owner), unauthenticated, forbidden, proof_required.
func (s *Staff) RemoveOperator(ctx context.Context, caller access.Caller, user string) error {
	if _, err := s.Authorize(ctx, caller, access.ToRemoveOperator); err != nil {
		return err
	}
	return s.RemoveMember(ctx, caller, user, nil)
}

// RecordAsOperator authorizes a use case of operators on a shop, writes it to the log of the
// installation, and returns the operator. Codes: unauthenticated, forbidden, proof_required.
func (s *Staff) RecordAsOperator(
	ctx context.Context, caller access.Caller, use access.UseCase, on access.Subject, changes ...access.Change,
) (*SignedOperator, error) {
	return access.Write(ctx, s.data, caller, use, func(tx *db.Tx, who access.Staff) (*SignedOperator, error) {
		me := who.(*identity)
		by := &SignedOperator{Actor: me.actor, language: English}
		if me.member != nil {
			by.Actor.Kind, by.language = access.ActorOperator, me.member.language
		}
		if me.session != nil {
			by.session = me.session.id
		}
		return by, who.Audit(tx, on, changes...)
	})
}

// SignedOperator is an operator who is signed in, or the command line.
type SignedOperator struct {
	Actor    Actor
	session  string // ID in the installation; "" at the command line
	language Language
}

// Caller returns the operator as the author of a use case in a shop.
func (o *SignedOperator) Caller() access.Caller {
	if o.Actor.Kind == access.ActorCLI {
		return access.CommandLine(o.Actor.Name)
	}
	return access.OfOperator(o.Actor)
}

// PermitOperator authorizes a use case of operators that only reads.
// Codes: unauthenticated, forbidden.
func (s *Staff) PermitOperator(ctx context.Context, caller access.Caller, use access.UseCase) error {
	return access.Permit(ctx, s.data, caller, use)
}

// IsSessionActive reports whether a session, by its ID, has not ended, and its member may sign in.
func (s *Staff) IsSessionActive(ctx context.Context, id string) (active bool, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		active, err = isSessionActive(tx, id)
		return err
	})
	return active, err
}

// ListOperatorLog returns one page of the log of the installation, newest first. Codes:
// validation_failed, unauthenticated, forbidden.
func (s *Staff) ListOperatorLog(ctx context.Context, caller access.Caller, filter AuditFilter) (*page.List[AuditEntry], error) {
	if _, err := s.Authorize(ctx, caller, access.ToListOperatorLog); err != nil {
		return nil, err
	}
	return s.ListAudit(ctx, caller, filter)
}
