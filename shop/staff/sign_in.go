package staff

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// SignInInput is the input of [Staff.SignIn].
type SignInInput struct {
	User     string  `json:"user" doc:"E-mail address or phone number"`
	Password string  `json:"password"`
	Code     *string `json:"code,omitempty" doc:"A code of the app, or a recovery code, if the account has a second factor"`
}

func (in SignInInput) check() error {
	var bad fault.Invalid
	if input.IsBlank(&in.User) {
		bad.Add("user", fault.CodeRequired, "Your e-mail address or phone number is required.")
	}
	if in.Password == "" {
		bad.Add("password", fault.CodeRequired, "Your password is required.")
	}
	return bad.Err()
}

// SignIn creates a session with a password and, if the staff member has a second factor, a code. An
// unknown user, a wrong password, and a staff member who is invited or off return the same error
// after the same work. Codes: validation_failed, invalid_credentials, second_factor_required,
// rate_limited.
func (s *Staff) SignIn(ctx context.Context, caller access.Caller, in SignInInput) (*SignedIn, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.lookUpUser(ctx, in.User, set.Country)
	if err != nil {
		return nil, err
	}
	a, err := s.newAttempt(ctx, caller, before.id, userKey(in.User, set.Country))
	if err != nil {
		return nil, err
	}
	a.code = in.Code
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		_, err := a.check(tx, before.id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := a.verifyPassword(ctx, before, in.Password); err != nil {
		return nil, err
	}
	var session *SignedIn
	err = s.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		m, err := findMember(tx, before.id)
		switch {
		case isNotFound(err), err == nil && !m.hasPasswordOf(before):
			return errInvalidCredentials(), nil
		case err != nil:
			return nil, err
		}
		if refusal, err = a.checkSecondFactor(tx, &m, in.Code); refusal != nil || err != nil {
			return refusal, err
		}
		if err := a.succeed(tx); err != nil {
			return nil, err
		}
		session, err = s.openSession(tx, &m, caller, set)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}
