package staff

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/phone"
)

// Status is the status of a staff member.
//
//api:enum MemberStatus
type Status string

// The statuses of a staff member.
const (
	StatusInvited Status = "invited" // has not set a password yet
	StatusActive  Status = "active"  // can sign in
	StatusOff     Status = "off"     // cannot sign in until invited again
)

// Language is a language of the dashboard and of messages.
//
//api:enum Language
type Language string

// The languages of the dashboard.
const (
	Bangla  Language = "bn" // Bangla
	English Language = "en" // English
)

// Languages returns the languages of the dashboard.
func Languages() []Language { return []Language{Bangla, English} }

// Theme is an appearance of the dashboard.
//
//api:enum Theme
type Theme string

// The themes.
const (
	ThemeSystem Theme = "system" // as the device is set
	ThemeLight  Theme = "light"  // light
	ThemeDark   Theme = "dark"   // dark
)

// Themes returns the themes of the dashboard.
func Themes() []Theme { return []Theme{ThemeSystem, ThemeLight, ThemeDark} }

// SecondFactor is what a staff member proves beside the password.
//
//api:enum SecondFactor
type SecondFactor string

// The second factors.
const (
	SecondFactorNone    SecondFactor = "none"    // nothing
	SecondFactorTOTP    SecondFactor = "totp"    // a code of an authenticator app
	SecondFactorPasskey SecondFactor = "passkey" // nothing unless the shop requires a second factor: a passkey signs in by itself
)

// maxMembers limits the staff members of a shop.
const maxMembers = 100

// Member is a staff member.
type Member struct {
	ID           string              `json:"_id"`
	Name         string              `json:"name"`
	Email        *string             `json:"email" doc:"Lower case"`
	PhoneNumber  *string             `json:"phoneNumber" doc:"E.164"`
	Role         Role                `json:"role"`
	Grants       []access.Permission `json:"grants" nullable:"false" doc:"Permissions in addition to the role"`
	Denies       []access.Permission `json:"denies" nullable:"false" doc:"Permissions that are withheld"`
	Permissions  []access.Permission `json:"permissions" nullable:"false" doc:"Permissions of the role and grants, without denies"`
	Language     Language            `json:"language"`
	Status       Status              `json:"status"`
	SecondFactor SecondFactor        `json:"secondFactor"`
	Passkeys     int                 `json:"passkeys"`
	LastSeenAt   *time.Time          `json:"lastSeenAt" doc:"Last use of the dashboard, to ten minutes; null if never"`
	// InvitationExpiresAt is nil for members with a password, and once the link has expired.
	InvitationExpiresAt *time.Time `json:"invitationExpiresAt" doc:"Expiry of the invitation's link; null if there is none"`
	CreatedAt           time.Time  `json:"createdAt"`
}

// Notifications are the staff member's channels for each type of event.
type Notifications map[string]MemberChannels

// MemberChannels are the channels of notifications.
type MemberChannels struct {
	Push     bool `json:"push"`
	Telegram bool `json:"telegram"`
	SMS      bool `json:"sms"`
	// Email was added later: clients may omit it.
	Email bool `json:"email" required:"false" doc:"false if left out"`
}

// memberRow is a row of staff.
type memberRow struct {
	id, name       string
	email, phone   *string
	role           Role
	grants, denies []access.Permission
	status         Status
	passwordHash   *string
	totpStep       *int64 // nil if there is no TOTP
	passkeys       int
	language       Language
	theme          Theme
	notify         Notifications
	createdAt      time.Time
}

func (m *memberRow) actor() Actor { return Actor{Kind: access.ActorStaff, ID: m.id, Name: m.name} }

// subject returns the staff member as in the audit log.
func (m *memberRow) subject() access.Subject {
	return access.Subject{Kind: access.SubjectStaff, ID: m.id, Label: m.name}
}

// permits reports whether the staff member has a permission.
func (m *memberRow) permits(p access.Permission) bool {
	return !slices.Contains(m.denies, p) && (m.role.Has(p) || slices.Contains(m.grants, p))
}

// permissions returns the permissions of the staff member.
func (m *memberRow) permissions() []access.Permission {
	return slices.DeleteFunc(access.Permissions(), func(p access.Permission) bool { return !m.permits(p) })
}

func (m *memberRow) secondFactor() SecondFactor {
	if m.totpStep != nil {
		return SecondFactorTOTP
	}
	if m.passkeys > 0 {
		return SecondFactorPasskey
	}
	return SecondFactorNone
}

// rulesAlone reports whether the staff member can do everything in the shop.
func (m *memberRow) rulesAlone() bool {
	return m.role == RoleOwner && m.status == StatusActive && len(m.denies) == 0
}

func (m *memberRow) view(lastSeen *time.Time) Member {
	return Member{
		ID: m.id, Name: m.name, Email: m.email, PhoneNumber: m.phone, Role: m.role, Grants: db.OrEmpty(m.grants), Denies: db.OrEmpty(m.denies),
		Permissions: m.permissions(), Language: m.language, Status: m.status, SecondFactor: m.secondFactor(), Passkeys: m.passkeys,
		LastSeenAt: lastSeen, CreatedAt: m.createdAt,
	}
}

// ListMembers returns the staff members, in the order in which they were created.
// Codes: unauthenticated, forbidden.
func (s *Staff) ListMembers(ctx context.Context, caller access.Caller) ([]Member, error) {
	return access.Read(ctx, s.data, caller, access.ToListMembers, func(tx *db.Tx, _ access.Staff) ([]Member, error) {
		rows, err := findMembers(tx)
		if err != nil {
			return nil, err
		}
		seen, err := findLastSeen(tx)
		if err != nil {
			return nil, err
		}
		invited, err := findInvitations(tx)
		if err != nil {
			return nil, err
		}
		list := make([]Member, len(rows))
		for i := range rows {
			list[i] = rows[i].view(seen[rows[i].id])
			list[i].InvitationExpiresAt = invited[rows[i].id]
		}
		return list, nil
	})
}

// FindMember returns a staff member by ID, e-mail address or phone number.
// Codes: not_found, unauthenticated, forbidden.
func (s *Staff) FindMember(ctx context.Context, caller access.Caller, user string) (*Member, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToFindMember, func(tx *db.Tx, _ access.Staff) (*Member, error) {
		row, err := requireMember(tx, user, set.Country)
		if err != nil {
			return nil, err
		}
		return viewMember(tx, &row)
	})
}

func viewMember(tx *db.Tx, row *memberRow) (*Member, error) {
	seen, err := findLastSeen(tx)
	if err != nil {
		return nil, err
	}
	invited, err := findInvitations(tx)
	if err != nil {
		return nil, err
	}
	member := row.view(seen[row.id])
	member.InvitationExpiresAt = invited[row.id]
	return &member, nil
}

// requireMember returns a staff member by ID, e-mail address or phone number. Codes: not_found.
func requireMember(tx *db.Tx, user, country string) (memberRow, error) {
	m, err := findMember(tx, user)
	if errors.Is(err, db.ErrNotFound) {
		m, err = findMemberByUser(tx, user, country)
	}
	if errors.Is(err, db.ErrNotFound) {
		return memberRow{}, fault.Errorf(fault.CodeNotFound, "There is no such staff member.")
	}
	return m, err
}

// findMemberByUser returns the staff member with an e-mail address or phone number. The error is
// db.ErrNotFound also if user is neither of them.
func findMemberByUser(tx *db.Tx, user, country string) (memberRow, error) {
	if email, ok := input.ParseEmail(user); ok {
		return findMemberByEmail(tx, email)
	}
	if number, ok := phone.Parse(user, country); ok {
		return findMemberByPhone(tx, number)
	}
	return memberRow{}, db.ErrNotFound
}

// lookUpUser returns the staff member with an e-mail address or phone number, the zero row if there
// is none.
func (s *Staff) lookUpUser(ctx context.Context, user, country string) (m memberRow, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if m, err = findMemberByUser(tx, user, country); isNotFound(err) {
			return nil
		}
		return err
	})
	return m, err
}

// userKey returns the key that failures for a user are counted under, which is the same for all
// notations of an e-mail address or phone number.
func userKey(user, country string) string {
	if email, ok := input.ParseEmail(user); ok {
		return email
	}
	if number, ok := phone.Parse(user, country); ok {
		return number
	}
	return "" // no staff member has such a user
}

// joined returns a list of texts in one line.
func joined[S ~string](list []S) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}
