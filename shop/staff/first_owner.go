package staff

import (
	"context"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/password"
)

// FirstOwner is the owner of a new shop, who is signed in immediately.
type FirstOwner struct {
	Name     string   `json:"name"`
	User     string   `json:"user" doc:"E-mail address or phone number, in any common notation"`
	Password string   `json:"password" doc:"8 to 256 characters"`
	Language Language `json:"language,omitempty"`
}

// PrepareOwner checks the owner of a new shop with these settings and hashes the password. The
// result creates the owner in the transaction that creates the shop.
// Codes: validation_failed, password_rejected, rate_limited.
func (s *Staff) PrepareOwner(
	ctx context.Context, caller access.Caller, in FirstOwner, set Settings,
) (create func(tx *db.Tx) (*SignedIn, error), err error) {
	m, err := in.row(set)
	if err != nil {
		return nil, err
	}
	hash, err := s.cfg.Hasher.Hash(ctx, s.hashUse(caller), in.Password)
	if err != nil {
		return nil, err
	}
	return func(tx *db.Tx) (*SignedIn, error) {
		m.id, m.createdAt, m.passwordHash = s.cfg.IDs.Next(tx.Now()), tx.Now(), &hash
		if err := insertMember(tx, &m); err != nil {
			return nil, err
		}
		created := access.Set("name", set.Name)
		if err := s.recordAs(tx, m.actor(), caller, access.ToSetUp.Action, access.Subject{Kind: access.SubjectShop, Label: set.Name},
			[]access.Change{created}); err != nil {
			return nil, err
		}
		return s.openSession(tx, &m, caller, set)
	}, nil
}

func (in FirstOwner) row(set Settings) (memberRow, error) {
	var bad fault.Invalid
	m := memberRow{role: RoleOwner, status: StatusActive, language: English, theme: ThemeSystem, name: input.CheckName(&bad, "owner.name", in.Name)}
	switch {
	case input.IsBlank(&in.User):
		bad.Add("owner.user", fault.CodeRequired, "An e-mail address or a phone number is required.")
	case strings.Contains(in.User, "@"):
		m.email = input.CheckEmail(&bad, "owner.user", &in.User)
	default:
		m.phone = input.CheckPhone(&bad, "owner.user", &in.User, set.Country)
	}
	if in.Language != "" {
		m.language = checkLanguage(&bad, in.Language)
	}
	password.Check(&bad, "owner.password", in.Password, m.owner(set))
	return m, bad.Err()
}

// PrepareDemo creates the owner that the demo link signs in as, unless the shop has an owner. It is
// for development.
func (s *Staff) PrepareDemo(ctx context.Context, caller access.Caller, in InviteInput) error {
	list, err := s.ListMembers(ctx, caller)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.Role == RoleOwner {
			return nil
		}
	}
	in.Role = RoleOwner
	_, _, err = s.InviteMember(ctx, caller, in)
	return err
}
