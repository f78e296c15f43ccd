package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

// MemberPath has a staff member in the path.
type MemberPath struct {
	ID string `path:"id" doc:"The staff member's _id, e-mail address or phone number" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// Members are staff members.
type Members struct {
	Nodes []staff.Member `json:"nodes" nullable:"false"`
}

// InvitedMember is a staff member with a new link.
type InvitedMember struct {
	Member staff.Member `json:"staffMember"`
	Link   staff.Link   `json:"link" doc:"To send by any messenger"`
}

// memberVersion is the version of a staff member: a hash of the editable fields and the status. So
// withdrawing an invitation does not remove a member who has just accepted it.
func memberVersion(m staff.Member) string {
	return versionOf([]any{m.Name, m.Email, m.PhoneNumber, m.Status, m.Role, m.Grants, m.Denies, m.Language})
}

// Visits are operators of the server who are in the shop.
type Visits struct {
	Nodes []staff.Visit `json:"nodes" nullable:"false"`
}

func memberOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listVisits", Path: "visits", Tag: tagStaff, Use: access.ToListVisits,
			Summary:     "List the operators of the server who are in the shop",
			Description: "Each has entered it with a reason, for an hour at most. The audit log has earlier ones.",
		}, func(ctx context.Context, in *struct{ request }) (*Visits, error) {
			visits, err := in.shop().Staff.ListVisits(ctx, in.caller())
			return &Visits{visits}, err
		}),

		define(Operation{
			ID: "listStaff", Path: "staff", Tag: tagStaff, Use: access.ToListMembers,
			Summary:     "List the staff members",
			Description: "Each has its role, permissions and last use.",
		}, func(ctx context.Context, in *struct{ request }) (*Members, error) {
			members, err := in.shop().Staff.ListMembers(ctx, in.caller())
			return &Members{members}, err
		}),

		define(Operation{
			ID: "getStaffMember", Path: "staff/{id}",
			Tag: tagStaff, Use: access.ToFindMember, Versioned: true,
			Summary:     "One staff member",
			Description: "Found by ID, e-mail address or phone number.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			MemberPath
		}) (*staff.Member, error) {
			return in.member(in.shop().Staff.FindMember(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "inviteStaffMember", Method: http.MethodPost, Path: "staff",
			Tag: tagStaff, Use: access.ToInviteMember, Idempotent: true, Secret: true, Created: true,
			Summary: "Invite a staff member",
			Description: "Returns the link with which the staff member sets a password. Nobody can grant a permission that they lack. A shop has at most " +
				"100 staff members.",
			Codes:   []fault.Code{fault.CodeStateConflict, fault.CodePlanLimit},
			Example: map[string]any{"name": "Rina", "email": "rina@example.com", "role": staff.RoleStaff},
		}, func(ctx context.Context, in *struct {
			request
			Body staff.InviteInput
		}) (*InvitedMember, error) {
			return invited(in.shop().Staff.InviteMember(ctx, in.caller(), in.Body))
		}),

		define(Operation{
			ID: "updateStaffMember", Method: http.MethodPatch, Path: "staff/{id}",
			Tag: tagStaff, Use: access.ToUpdateMember, Versioned: true,
			Summary: "Change a staff member",
			Description: "Fields that are left out are unchanged. Another role ends the sessions. Another role, another contact and a further " +
				"permission make a link that was created before invalid.",
			Codes:   changeCodes,
			Example: map[string]any{"role": staff.RoleManager},
		}, func(ctx context.Context, in *struct {
			request
			MemberPath
			Precondition
			Body MemberChange
		}) (*staff.Member, error) {
			change := in.Body.change()
			change.Check = check(in.Precondition, memberVersion)
			return in.member(in.shop().Staff.UpdateMember(ctx, in.caller(), in.ID, change))
		}),

		define(Operation{
			ID: "turnOffStaffMember", Method: http.MethodPost, Path: "staff/{id}/turn-off",
			Tag: tagStaff, Use: access.ToTurnOffMember, BodyOptional: true,
			Summary:     "Turn a staff member off",
			Description: "The sessions end, and signing in is refused until the staff member is invited again.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			MemberPath
			NoBody
		}) (*staff.Member, error) {
			return in.member(in.shop().Staff.TurnOffMember(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "removeStaffMember", Method: http.MethodDelete, Path: "staff/{id}",
			Tag: tagStaff, Use: access.ToRemoveMember,
			Summary:     "Delete a staff member",
			Description: "The audit log retains the name.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			MemberPath
			Precondition
		}) (*Done, error) {
			return done(in.shop().Staff.RemoveMember(ctx, in.caller(), in.ID, check(in.Precondition, memberVersion)))
		}),

		define(Operation{
			ID: "createStaffLink", Method: http.MethodPost, Path: "staff/{id}/link",
			Tag: tagStaff, Use: access.ToCreateLink,
			Idempotent: true, Secret: true, Created: true, BodyOptional: true,
			Summary: "Create a link for a staff member to set a password",
			Description: "The link is an invitation if the staff member is not active; otherwise " +
				"it resets the password. Earlier links become invalid.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodePlanLimit},
		}, func(ctx context.Context, in *struct {
			request
			MemberPath
			NoBody
		}) (*InvitedMember, error) {
			return invited(in.shop().Staff.CreateLink(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "endStaffSessions", Method: http.MethodDelete, Path: "staff/{id}/sessions",
			Tag: tagStaff, Use: access.ToEndMemberSessions,
			Summary:     "End all sessions of a staff member",
			Description: "Use this if a phone was lost, for example.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			MemberPath
		}) (*Done, error) {
			return done(in.shop().Staff.EndMemberSessions(ctx, in.caller(), in.ID))
		}),
	}
}

// MemberChange is a change of some fields of a staff member.
type MemberChange struct {
	Name        *string             `json:"name,omitempty"`
	Email       Nullable[string]    `json:"email,omitempty" doc:"null or empty removes it"`
	PhoneNumber Nullable[string]    `json:"phoneNumber,omitempty" doc:"null or empty removes it"`
	Role        *staff.Role         `json:"role,omitempty" doc:"Ends the sessions"`
	Grants      []access.Permission `json:"grants,omitempty" nullable:"false" doc:"Permissions in addition to the role; replaces the whole list"`
	Denies      []access.Permission `json:"denies,omitempty" nullable:"false" doc:"Permissions of the role that are withheld; replaces the whole list"`
	Language    *staff.Language     `json:"language,omitempty"`
}

func (in *MemberChange) change() staff.MemberChange {
	change := staff.MemberChange{Name: in.Name, Email: in.Email.edit(), PhoneNumber: in.PhoneNumber.edit(), Role: in.Role, Language: in.Language}
	if in.Grants != nil {
		change.Grants = &in.Grants
	}
	if in.Denies != nil {
		change.Denies = &in.Denies
	}
	return change
}

// member returns a staff member with its version.
func (r *request) member(m *staff.Member, err error) (*staff.Member, error) {
	if err == nil {
		r.setVersion(memberVersion(*m))
	}
	return m, err
}

func invited(m *staff.Member, link *staff.Link, err error) (*InvitedMember, error) {
	if err != nil {
		return nil, err
	}
	return &InvitedMember{*m, *link}, nil
}
