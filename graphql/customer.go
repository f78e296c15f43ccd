package graphql

import (
	"context"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop"
)

// Me returns the caller's account.
func (*query) Me(ctx context.Context) (*customer, error) {
	r, err := begin(ctx, costOne)
	if err != nil {
		return nil, err
	}
	me, err := r.shop.Me(ctx, r.caller)
	if err != nil {
		return nil, err
	}
	c := newCustomer(me)
	return &c, nil
}

// Profile is the same as Me.
func (q *query) Profile(ctx context.Context) (*customer, error) { return q.Me(ctx) }

// SendOtp sends a one-time code to a phone.
func (*mutation) SendOtp(ctx context.Context, args struct{ Input shop.SendOTPInput }) (*shop.OTPSent, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return r.shop.SendOTP(ctx, r.caller, args.Input)
}

// VerifyOtpToLogin signs in with a one-time code.
func (*mutation) VerifyOtpToLogin(ctx context.Context, args struct{ Input shop.VerifyOTPInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.VerifyOTP(ctx, r.caller, args.Input))
}

// Profile updates the caller's account.
func (*mutation) Profile(ctx context.Context, args struct{ Input shop.ProfileInput }) (*customer, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	changed, err := r.shop.UpdateProfile(ctx, r.caller, args.Input)
	if err != nil {
		return nil, err
	}
	c := newCustomer(changed)
	return &c, nil
}

// ChangePassword sets a new password and revokes all earlier tokens.
func (*mutation) ChangePassword(ctx context.Context, args struct{ Input shop.ChangePasswordInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.ChangePassword(ctx, r.caller, args.Input))
}

// Logout confirms that the client signed out. The server stores no session.
func (*mutation) Logout(ctx context.Context) (*shop.LoggedOut, error) {
	r, err := begin(ctx, costOne)
	if err != nil {
		return nil, err
	}
	return r.shop.Logout(ctx, r.caller)
}

// Register creates an account and signs in.
func (*mutation) Register(ctx context.Context, args struct{ Input shop.RegisterInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Register(ctx, r.caller, args.Input))
}

// Login signs in with a password.
func (*mutation) Login(ctx context.Context, args struct{ Input shop.LoginInput }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Login(ctx, r.caller, args.Input))
}

type authPayload struct {
	AccessToken           string
	User                  customer
	PasswordResetRequired bool
}

func newAuthPayload(p *shop.AuthPayload, err error) (*authPayload, error) {
	if err != nil {
		return nil, err
	}
	return &authPayload{AccessToken: p.AccessToken, User: newCustomer(&p.User), PasswordResetRequired: p.PasswordResetRequired}, nil
}

type customer struct {
	ID            ID
	Name          string
	Email         *string
	PhoneNumber   *string
	PhoneVerified bool
	Addresses     []shop.Address
	CreatedAt     graphqlgo.Time
}

func newCustomer(c *shop.Customer) customer {
	return customer{
		ID: ID(c.ID), Name: c.Name, Email: c.Email, PhoneNumber: c.PhoneNumber, PhoneVerified: c.PhoneVerified,
		Addresses: orEmpty(c.Addresses), CreatedAt: newTime(c.CreatedAt),
	}
}
