package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/password"
	"storefront/shop/phone"
	"storefront/shop/secret"
	"storefront/shop/throttle"
)

// Customer is an account as its owner sees it.
type Customer struct {
	ID            string    `json:"_id"`
	Name          string    `json:"name"`
	Email         *string   `json:"email" doc:"Lower case; null for an account with a phone only"`
	EmailVerified bool      `json:"emailVerified" doc:"The e-mail address was verified with a code sent to it"`
	PhoneNumber   *string   `json:"phoneNumber" doc:"E.164"`
	PhoneVerified bool      `json:"phoneVerified" doc:"The phone number was verified with a code sent to it"`
	Addresses     []Address `json:"addresses" nullable:"false" doc:"The first is the default one"`
	CreatedAt     time.Time `json:"createdAt"`
}

// Address is a delivery address.
type Address struct {
	Line1    string  `json:"line1" doc:"House and street"`
	Line2    *string `json:"line2" required:"false"`
	Area     *string `json:"area" required:"false" doc:"Part of the city or district; chooses the delivery charge"`
	City     string  `json:"city"`
	Postcode *string `json:"postcode" required:"false"`
	Country  *string `json:"country" required:"false" doc:"ISO 3166, two letters; the shop's country if left out"`
}

// AuthPayload is the result of signing in.
type AuthPayload struct {
	AccessToken           string   `json:"accessToken" doc:"JWT, valid for 7 days: send it as Authorization: Bearer"`
	User                  Customer `json:"user"`
	PasswordResetRequired bool     `json:"passwordResetRequired" doc:"The account's password is no longer accepted: set a new one"`
}

// RegisterInput is the input of [Accounts.Register]. Email or PhoneNumber is required.
type RegisterInput struct {
	Name        string  `json:"name"`
	Email       *string `json:"email,omitempty"`
	PhoneNumber *string `json:"phoneNumber,omitempty" doc:"In any common notation; the shop's country is assumed"`
	Password    string  `json:"password" doc:"8 to 256 characters"`
}

// LoginInput is the input of [Accounts.Login].
type LoginInput struct {
	User     string `json:"user" doc:"E-mail address or phone number"`
	Password string `json:"password"`
}

// Register creates an account and signs the customer in. It does not attach guest orders, because
// the phone number is not verified yet. Codes: validation_failed, password_rejected,
// customer_exists, rate_limited (too many registrations from the client, or too many sign-ins).
func (a *Accounts) Register(ctx context.Context, caller access.Caller, in RegisterInput) (*AuthPayload, error) {
	settings, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	row, err := in.account(settings)
	if err != nil {
		return nil, err
	}
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	limits, err := a.loadThrottles(ctx)
	if err != nil {
		return nil, err
	}
	registrations := limits.registrations(caller.Client)
	// Checked first without a write and a hash, so that refused requests cost little.
	err = a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error { return throttle.CheckAll(tx, registrations) })
	if err != nil {
		return nil, err
	}
	// The password is hashed before the transaction, so that no transaction waits for it and an
	// address in use costs the same time as a free one.
	hash, err := a.cfg.Hasher.Hash(ctx, a.hashUse(caller, true), in.Password)
	if err != nil {
		return nil, err
	}
	row.passwordHash = &hash
	var user Customer
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		if err := throttle.CheckAll(tx, registrations); err != nil {
			return nil, err
		}
		if err := throttle.CountAll(tx, registrations); err != nil {
			return nil, err
		}
		row.id, row.createdAt = a.cfg.IDs.Next(tx.Now()), tx.Now()
		inserted, err := insertCustomer(tx, row)
		if err != nil {
			return nil, err
		}
		if !inserted {
			return fault.Errorf(fault.CodeCustomerExists,
				"An account with this e-mail address or phone number already exists: sign in instead."), nil
		}
		if err := saveKnownClient(tx, row.id, limits.knownClient(row.id, caller.Client)); err != nil {
			return nil, err
		}
		user, err = row.View(tx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return a.authPayload(keys, row, user, a.cfg.Now())
}

// account checks the input and returns a new account without ID, password and creation time.
func (in RegisterInput) account(set Settings) (Account, error) {
	var bad fault.Invalid
	row := Account{
		name:         input.CheckName(&bad, "name", in.Name),
		email:        input.CheckEmail(&bad, "email", in.Email),
		phone:        input.CheckPhone(&bad, "phoneNumber", in.PhoneNumber, set.Country),
		tokenVersion: 1,
	}
	if input.IsBlank(in.Email) && input.IsBlank(in.PhoneNumber) {
		bad.Add("email", fault.CodeRequired, "An e-mail address or a phone number is required.")
	}
	password.Check(&bad, "password", in.Password, password.Owner{
		Name: row.name, Email: db.TextOf(row.email), Phone: db.TextOf(row.phone), Country: set.Country, Shop: set.Name,
	})
	return row, bad.Err()
}

// Login signs in with a password. An unknown user, a wrong password and an account without a
// password return the same error after the same work, so that a caller cannot discover accounts.
// Codes: validation_failed, invalid_credentials, password_reset_required, rate_limited.
func (a *Accounts) Login(ctx context.Context, caller access.Caller, in LoginInput) (*AuthPayload, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	settings, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	attempt, err := a.newPasswordAttempt(ctx, caller, userKey(in.User, settings.Country))
	if err != nil {
		return nil, err
	}
	var row Account
	var user Customer
	err = a.cfg.Data.View(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		row, user = Account{}, Customer{}
		found, err := findCustomerByUser(tx, in.User, settings.Country)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if err == nil {
			row = found
		}
		if err := attempt.check(tx, row.id); err != nil {
			return err
		}
		if row.id == "" {
			return nil
		}
		user, err = row.View(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	correct, err := attempt.verify(ctx, in.Password, row)
	switch {
	case err != nil:
		return nil, err
	case !correct:
		return nil, fault.Errorf(fault.CodeInvalidCredentials, "The user or the password is wrong.")
	case row.passwordReset:
		return nil, fault.Errorf(fault.CodePasswordResetRequired,
			"This password is no longer accepted: sign in with a code sent to your phone or e-mail address, then set a new password.")
	}
	return a.authPayload(keys, row, user, a.cfg.Now())
}

func (in LoginInput) check() error {
	var bad fault.Invalid
	if input.IsBlank(&in.User) {
		bad.Add("user", fault.CodeRequired, "Your e-mail address or phone number is required.")
	}
	if in.Password == "" {
		bad.Add("password", fault.CodeRequired, "Your password is required.")
	}
	return bad.Err()
}

// userKey returns the key for counting wrong passwords of user, the same for all notations of an
// e-mail address or phone number.
func userKey(user, country string) string {
	if email, ok := input.ParseEmail(user); ok {
		return email
	}
	if phone, ok := phone.Parse(user, country); ok {
		return phone
	}
	return "" // no account has such a user
}

// findCustomerByUser returns the account with an e-mail address or phone number. The error is
// db.ErrNotFound also if user is neither of them.
func findCustomerByUser(tx *db.Tx, user, country string) (Account, error) {
	if email, ok := input.ParseEmail(user); ok {
		return findCustomerByEmail(tx, email)
	}
	if phone, ok := phone.Parse(user, country); ok {
		return findCustomerByPhone(tx, phone)
	}
	return Account{}, db.ErrNotFound
}

// Me returns the caller's account. Codes: unauthenticated, token_expired, token_invalid.
func (a *Accounts) Me(ctx context.Context, caller access.Caller) (*Customer, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	var user Customer
	err = a.cfg.Data.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := who.Customer(tx)
		if err != nil {
			return err
		}
		user, err = row.View(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &user, nil
}

// LoggedOut is the result of signing out.
type LoggedOut struct {
	Success bool `json:"success"`
}

// LogoutInput is the input of [Accounts.Logout].
type LogoutInput struct {
	Everywhere *bool `json:"everywhere,omitempty" doc:"Revoke all tokens of the account, on every device. Requires its token"`
}

// Logout changes nothing, because there is no session: the client discards the access token, which
// remains valid until it expires. Everywhere revokes all tokens of the caller's account. Codes, of
// Everywhere only: unauthenticated, token_expired, token_invalid.
func (a *Accounts) Logout(ctx context.Context, caller access.Caller, in LogoutInput) (*LoggedOut, error) {
	if in.Everywhere == nil || !*in.Everywhere {
		return &LoggedOut{Success: true}, nil
	}
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	err = a.cfg.Data.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := who.Customer(tx)
		if err != nil {
			return err
		}
		return revokeTokens(tx, &row)
	})
	if err != nil {
		return nil, err
	}
	return &LoggedOut{Success: true}, nil
}

// authPayload issues an access token for the account in row. Its owner proved to own it at a time.
func (a *Accounts) authPayload(keys *secret.Keys, row Account, user Customer, proved time.Time) (*AuthPayload, error) {
	token, err := a.issueToken(keys, row.id, row.tokenVersion, proved)
	if err != nil {
		return nil, fmt.Errorf("issue token: %w", err)
	}
	return &AuthPayload{AccessToken: token, User: user, PasswordResetRequired: row.passwordReset}, nil
}
