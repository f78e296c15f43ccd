package account

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// Account is a customer's account as stored, for use cases that act for its owner. The zero Account
// is a guest.
type Account struct {
	id              string
	name            string
	email           *string // lower case
	phone           *string // E.164
	emailVerifiedAt *time.Time
	phoneVerifiedAt *time.Time
	// A trusted contact re-authenticates the customer: it was set at registration, or by a customer who
	// proved more than an access token.
	emailTrusted  bool
	phoneTrusted  bool
	passwordHash  *string // nil means that the customer signs in with codes only
	passwordReset bool    // the password is no longer accepted
	tokenVersion  int64
	createdAt     time.Time
}

// Guest returns an Account for a buyer who has none, with a phone number in E.164.
func Guest(phone string) Account { return Account{phone: &phone} }

// IsGuest reports whether the buyer has no account.
func (c Account) IsGuest() bool { return c.id == "" }

// ID returns the account's ID; "" for a guest.
func (c Account) ID() string { return c.id }

// Name returns the customer's name.
func (c Account) Name() string { return c.name }

// Email returns the e-mail address in lower case, or nil.
func (c Account) Email() *string { return c.email }

// Phone returns the phone number in E.164, or nil.
func (c Account) Phone() *string { return c.phone }

// VerifiedPhone returns the phone number if the customer has verified it, or nil.
func (c Account) VerifiedPhone() *string {
	if c.phoneVerifiedAt == nil {
		return nil
	}
	return c.phone
}

// trustedPhone returns the phone number if codes sent to it re-authenticate the customer, or nil.
func (c Account) trustedPhone() *string {
	if !c.phoneTrusted {
		return nil
	}
	return c.VerifiedPhone()
}

// canReauthenticate reports whether the customer has more than an access token to prove to be the
// owner with.
func (c Account) canReauthenticate() bool { return c.HasPassword() || c.trustedPhone() != nil }

// verifyPhone marks the phone as verified. trusted means that its codes re-authenticate the customer.
func (c *Account) verifyPhone(now time.Time, trusted bool) {
	c.phoneVerifiedAt, c.phoneTrusted = &now, trusted
}

// EmailVerified reports whether the customer has verified the e-mail address.
func (c Account) EmailVerified() bool { return c.emailVerifiedAt != nil }

// PasswordResetRequired reports whether the customer has to set a new password.
func (c Account) PasswordResetRequired() bool { return c.passwordReset }

// Addresses returns the account's addresses, the default one first.
func (c Account) Addresses(tx *db.Tx) ([]Address, error) { return findAddresses(tx, c.id) }

// View returns the account as the customer sees it.
func (c Account) View(tx *db.Tx) (Customer, error) {
	addresses, err := c.Addresses(tx)
	if err != nil {
		return Customer{}, err
	}
	return Customer{
		ID: c.id, Name: c.name, Email: c.email, PhoneNumber: c.phone,
		PhoneVerified: c.phoneVerifiedAt != nil, Addresses: addresses, CreatedAt: c.createdAt,
	}, nil
}

// HasPassword reports whether the customer can sign in with a password.
func (c Account) HasPassword() bool { return c.passwordHash != nil && !c.passwordReset }

const selectCustomer = `
	SELECT id, name, email, phone, email_verified_at, phone_verified_at, email_trusted, phone_trusted,
		password_hash, password_reset, token_version, created_at
	FROM customers
	`

func scanCustomer(r db.Row) (c Account, err error) {
	var emailVerified, phoneVerified *int64
	var created int64
	err = r.Scan(&c.id, &c.name, &c.email, &c.phone, &emailVerified, &phoneVerified, &c.emailTrusted, &c.phoneTrusted,
		&c.passwordHash, &c.passwordReset, &c.tokenVersion, &created)
	c.emailVerifiedAt, c.phoneVerifiedAt = db.FromNullMillis(emailVerified), db.FromNullMillis(phoneVerified)
	c.createdAt = db.FromMillis(created)
	return c, err
}

// findCustomer returns an account by ID. The error is db.ErrNotFound if there is none.
func findCustomer(tx *db.Tx, id string) (Account, error) {
	row, err := scanCustomer(tx.QueryRow(selectCustomer+`WHERE id = ?`, id))
	return row, wrapFind(err)
}

func findCustomerByEmail(tx *db.Tx, email string) (Account, error) {
	row, err := scanCustomer(tx.QueryRow(selectCustomer+`WHERE email = ?`, email))
	return row, wrapFind(err)
}

func findCustomerByPhone(tx *db.Tx, phone string) (Account, error) {
	row, err := scanCustomer(tx.QueryRow(selectCustomer+`WHERE phone = ?`, phone))
	return row, wrapFind(err)
}

// FindVerifiedPhoneOwner returns the ID of the account that has verified a phone, or "".
func FindVerifiedPhoneOwner(tx *db.Tx, phone string) (id string, err error) {
	row, err := findCustomerByPhone(tx, phone)
	if errors.Is(err, db.ErrNotFound) || err == nil && row.phoneVerifiedAt == nil {
		return "", nil
	}
	return row.id, err
}

func wrapFind(err error) error {
	if err != nil {
		return fmt.Errorf("find customer: %w", err)
	}
	return nil
}

// insertCustomer reports whether it inserted the account: it does not if another account has the
// e-mail address or phone number. The contacts of a new account are trusted.
func insertCustomer(tx *db.Tx, c Account) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO customers (id, name, email, phone, phone_verified_at, password_hash, token_version, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		c.id, c.name, c.email, c.phone, db.NullMillis(c.phoneVerifiedAt), c.passwordHash, c.tokenVersion,
		db.Millis(c.createdAt), db.Millis(c.createdAt))
	if err != nil {
		return false, fmt.Errorf("insert customer: %w", err)
	}
	return n == 1, nil
}

// revokeTokens ends all sessions of the account of row.
func revokeTokens(tx *db.Tx, row *Account) error {
	row.tokenVersion++
	_, err := tx.Exec(`
		UPDATE customers
		SET token_version = ?, updated_at = ?
		WHERE id = ?`, row.tokenVersion, db.Millis(tx.Now()), row.id)
	if err != nil {
		return fmt.Errorf("revoke tokens: %w", err)
	}
	return nil
}

// setPassword saves a new password for the account of row and revokes all its tokens.
func setPassword(tx *db.Tx, row *Account, hash string) error {
	row.passwordHash, row.passwordReset = &hash, false
	row.tokenVersion++
	_, err := tx.Exec(`
		UPDATE customers
		SET password_hash = ?, password_reset = 0, token_version = ?, updated_at = ?
		WHERE id = ?`, hash, row.tokenVersion, db.Millis(tx.Now()), row.id)
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return nil
}

// findAddresses returns an account's addresses, the default one first.
func findAddresses(tx *db.Tx, customerID string) ([]Address, error) {
	addresses, err := db.Query(tx, func(r db.Row) (a Address, err error) {
		var line2, area, postcode, country string
		err = r.Scan(&a.Line1, &line2, &area, &a.City, &postcode, &country)
		a.Line2, a.Area, a.Postcode, a.Country = db.NullText(line2), db.NullText(area), db.NullText(postcode), db.NullText(country)
		return a, err
	}, `
		SELECT line1, line2, area, city, postcode, country
		FROM addresses
		WHERE customer_id = ?
		ORDER BY position, id`, customerID)
	if err != nil {
		return nil, fmt.Errorf("find addresses: %w", err)
	}
	return addresses, nil
}
