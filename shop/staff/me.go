package staff

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/password"
)

// maxNotifications limits the types of events with channels chosen by a staff member.
const maxNotifications = 50

// eventPattern is the form of the type of an event, such as order.placed.
var eventPattern = regexp.MustCompile(`^[a-z_]{1,30}\.[a-z_]{1,30}$`)

// MeChange is the input of [Staff.UpdateMe]. nil fields are unchanged.
type MeChange struct {
	Name          *string        `json:"name,omitempty"`
	Language      *Language      `json:"language,omitempty"`
	Theme         *Theme         `json:"theme,omitempty"`
	Notifications *Notifications `json:"notifications,omitempty" doc:"Replaces all: channels by type of event"`
}

// UpdateMe changes the caller's own settings. Codes: validation_failed, unauthenticated, forbidden,
// second_factor_setup_required.
func (s *Staff) UpdateMe(ctx context.Context, caller access.Caller, in MeChange) (*Session, error) {
	return access.Write(ctx, s.data, caller, access.ToUpdateMe, func(tx *db.Tx, who access.Staff) (*Session, error) {
		me := who.(*identity)
		m := me.member
		before := *m
		if err := in.apply(m); err != nil {
			return nil, err
		}
		changes := slices.Concat(changesOf(before, *m), access.Changed("theme", before.theme, m.theme))
		if in.Notifications != nil {
			changes = append(changes, access.Set("notifications", m.notify))
		}
		session, err := me.session.view(tx, me.settings)
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			return session, nil
		}
		if err := updateMember(tx, m); err != nil {
			return nil, err
		}
		return session, who.Audit(tx, m.subject(), changes...)
	})
}

func (in MeChange) apply(m *memberRow) error {
	var bad fault.Invalid
	if in.Name != nil {
		m.name = input.CheckName(&bad, "name", *in.Name)
	}
	if in.Language != nil {
		m.language = checkLanguage(&bad, *in.Language)
	}
	if in.Theme != nil {
		if m.theme = *in.Theme; !slices.Contains(Themes(), m.theme) {
			bad.Add("theme", fault.CodeInvalidValue, "Must be %s.", joined(Themes()))
		}
	}
	if in.Notifications != nil {
		m.notify = *in.Notifications
		if len(m.notify) > maxNotifications {
			bad.Add("notifications", fault.CodeInvalidValue, "Must be at most %d types of events.", maxNotifications)
		}
		for event := range m.notify {
			if !eventPattern.MatchString(event) {
				bad.Add("notifications", fault.CodeInvalidValue, "The keys must be types of events.")
				break
			}
		}
	}
	return bad.Err()
}

// ChangeOwnPasswordInput is the input of [Staff.ChangeOwnPassword].
type ChangeOwnPasswordInput struct {
	CurrentPassword string `json:"currentPassword"`
	NewPassword     string `json:"newPassword" doc:"8 to 256 characters"`
}

// ChangeOwnPassword sets the caller's password, ends all their sessions and creates a new one.
// Codes: validation_failed, password_rejected, invalid_credentials (the current password is wrong),
// rate_limited, unauthenticated, forbidden, second_factor_setup_required.
func (s *Staff) ChangeOwnPassword(ctx context.Context, caller access.Caller, in ChangeOwnPasswordInput) (*SignedIn, error) {
	who, err := s.identify(ctx, caller, access.ToChangeOwnPassword)
	if err != nil {
		return nil, err
	}
	before := *who.member
	var bad fault.Invalid
	if in.CurrentPassword == "" {
		bad.Add("currentPassword", fault.CodeRequired, "Your current password is required.")
	}
	password.Check(&bad, "newPassword", in.NewPassword, before.owner(who.settings))
	if err := bad.Err(); err != nil {
		return nil, err
	}
	a, err := s.newSessionAttempt(ctx, caller, who.session.id)
	if err != nil {
		return nil, err
	}
	if err := a.verifyPassword(ctx, before, in.CurrentPassword); err != nil {
		return nil, err
	}
	hash, err := s.cfg.Hasher.Hash(ctx, s.hashUse(caller), in.NewPassword)
	if err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	var session *SignedIn
	err = s.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		if err := who.Audit(tx, before.subject(), access.Set("password", access.Secret)); err != nil {
			return nil, err
		}
		if !who.member.hasPasswordOf(before) {
			return nil, errInvalidCredentials()
		}
		if err := a.succeed(tx); err != nil {
			return nil, err
		}
		if err := s.setPassword(tx, who.member, hash); err != nil {
			return nil, err
		}
		session, err = s.openSession(tx, who.member, caller, who.settings)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}
