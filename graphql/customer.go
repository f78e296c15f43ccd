package graphql

import (
	"context"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop/account"
)

// Me returns the caller's account.
func (*query) Me(ctx context.Context) (*customer, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	me, err := r.shop.Accounts.Me(ctx, r.caller)
	if err != nil {
		return nil, err
	}
	c := newCustomer(me)
	return &c, nil
}

// Profile is the same as Me.
func (q *query) Profile(ctx context.Context) (*customer, error) { return q.Me(ctx) }

// SendOtp sends a one-time code to a phone.
func (*mutation) SendOtp(ctx context.Context, args struct {
	langArgs
	Input account.SendOTPInput
}) (*account.OTPSent, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	return r.shop.Accounts.SendOTP(ctx, caller, args.Input)
}

// VerifyOtpToLogin signs in with a one-time code.
func (*mutation) VerifyOtpToLogin(ctx context.Context, args struct{ Input account.VerifyOTPInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Accounts.VerifyOTP(ctx, r.caller, args.Input))
}

// SendEmailCode sends a one-time code to an e-mail address.
func (*mutation) SendEmailCode(ctx context.Context, args struct {
	langArgs
	Input account.EmailCodeInput
}) (*account.EmailCodeSent, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	return r.shop.Accounts.SendEmailCode(ctx, caller, args.Input)
}

// VerifyEmail signs in with a one-time code sent to an e-mail address.
func (*mutation) VerifyEmail(ctx context.Context, args struct{ Input account.VerifyEmailInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Accounts.VerifyEmail(ctx, r.caller, args.Input))
}

// RequestPasswordReset sends a one-time code to set a new password.
func (*mutation) RequestPasswordReset(ctx context.Context, args struct {
	langArgs
	Input account.EmailCodeInput
}) (*account.EmailCodeSent, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	caller, err := args.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	return r.shop.Accounts.RequestPasswordReset(ctx, caller, args.Input)
}

// ResetPassword sets a new password with a one-time code and signs in.
func (*mutation) ResetPassword(ctx context.Context, args struct{ Input account.ResetPasswordInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Accounts.ResetForgottenPassword(ctx, r.caller, args.Input))
}

// Profile updates the caller's account.
func (*mutation) Profile(ctx context.Context, args struct{ Input account.ProfileInput }) (*customer, error) {
	start := beginSignIn
	if args.Input.CurrentPassword == nil && args.Input.CurrentCode == nil && args.Input.CurrentPasskey == nil {
		start = func(ctx context.Context) (*request, error) { return begin(ctx, costWrite) }
	}
	r, err := start(ctx)
	if err != nil {
		return nil, err
	}
	changed, err := r.shop.Accounts.UpdateProfile(ctx, r.caller, args.Input)
	if err != nil {
		return nil, err
	}
	c := newCustomer(changed)
	return &c, nil
}

// ChangePassword sets a new password and revokes all earlier tokens.
func (*mutation) ChangePassword(ctx context.Context, args struct{ Input account.ChangePasswordInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Accounts.ChangePassword(ctx, r.caller, args.Input))
}

// RenewToken returns a new access token for the caller's.
func (*mutation) RenewToken(ctx context.Context) (*authPayload, error) {
	r, err := begin(ctx, costOne)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Accounts.RenewToken(ctx, r.caller))
}

// Logout confirms that the client signed out, and revokes all tokens on request.
func (*mutation) Logout(ctx context.Context, args struct{ Input *account.LogoutInput }) (*account.LoggedOut, error) {
	var input account.LogoutInput
	cost := costOne
	if args.Input != nil {
		input, cost = *args.Input, costWrite
	}
	r, err := begin(ctx, cost)
	if err != nil {
		return nil, err
	}
	return r.shop.Accounts.Logout(ctx, r.caller, input)
}

// Register creates an account and signs in.
func (*mutation) Register(ctx context.Context, args struct{ Input account.RegisterInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Accounts.Register(ctx, r.caller, args.Input))
}

// Login signs in with a password.
func (*mutation) Login(ctx context.Context, args struct{ Input account.LoginInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Accounts.Login(ctx, r.caller, args.Input))
}

type authPayload struct {
	AccessToken           string
	User                  customer
	PasswordResetRequired bool
}

func newAuthPayload(p *account.AuthPayload, err error) (*authPayload, error) {
	if err != nil {
		return nil, err
	}
	return &authPayload{AccessToken: p.AccessToken, User: newCustomer(&p.User), PasswordResetRequired: p.PasswordResetRequired}, nil
}

type customer struct {
	ID            ID
	Name          string
	Email         *string
	EmailVerified bool
	PhoneNumber   *string
	PhoneVerified bool
	Addresses     []account.Address
	CreatedAt     graphqlgo.Time
}

func newCustomer(c *account.Customer) customer {
	return customer{
		ID: ID(c.ID), Name: c.Name, Email: c.Email, EmailVerified: c.EmailVerified, PhoneNumber: c.PhoneNumber, PhoneVerified: c.PhoneVerified,
		Addresses: orEmpty(c.Addresses), CreatedAt: newTime(c.CreatedAt),
	}
}
