package account

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
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
	// A trusted contact re-authenticates the customer: it was set at registration, or by a customer
	// who proved more than an access token.
	emailTrusted  bool
	phoneTrusted  bool
	passwordHash  *string // nil means that the customer signs in with codes only
	passwordReset bool    // the password is no longer accepted
	tokenVersion  int64
	createdAt     time.Time
}

// Guest returns an Account for a buyer without one, with a phone number in E.164.
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

// CreatedAt returns when the account was created.
func (c Account) CreatedAt() time.Time { return c.createdAt }

// VerifiedPhone returns the phone number if the customer has verified it, or nil.
func (c Account) VerifiedPhone() *string { return c.verified(byPhone) }

// VerifiedEmail returns the e-mail address if the customer has verified it, or nil.
func (c Account) VerifiedEmail() *string { return c.verified(byEmail) }

// canReauthenticate reports whether the customer can prove to be the owner with more than an access
// token.
func (c Account) canReauthenticate() bool {
	return c.HasPassword() || c.trusted(byPhone) != nil || c.trusted(byEmail) != nil
}

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
		ID: c.id, Name: c.name, Email: c.email, EmailVerified: c.isVerified(byEmail), PhoneNumber: c.phone,
		PhoneVerified: c.isVerified(byPhone), Addresses: addresses, CreatedAt: c.createdAt,
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

const (
	selectByEmail = selectCustomer + `WHERE email = ?`
	selectByPhone = selectCustomer + `WHERE phone = ?`
)

func findCustomerByEmail(tx *db.Tx, email string) (Account, error) {
	row, err := scanCustomer(tx.QueryRow(selectByEmail, email))
	return row, wrapFind(err)
}

func findCustomerByPhone(tx *db.Tx, phone string) (Account, error) {
	row, err := scanCustomer(tx.QueryRow(selectByPhone, phone))
	return row, wrapFind(err)
}

// AnnounceContactOwner announces the queries of [FindContactOwner].
func AnnounceContactOwner(tx *db.Tx, phone string, email *string) error {
	err := tx.Ahead(selectByPhone, phone)
	if err == nil && email != nil {
		err = tx.Ahead(selectByEmail, *email)
	}
	return wrapFind(err)
}

// FindContactOwner returns the ID of the account that has verified a phone, otherwise the e-mail
// address, which may be nil. It is "" if there is none.
func FindContactOwner(tx *db.Tx, phone string, email *string) (id string, err error) {
	id, err = findVerifiedOwner(tx, byPhone, phone)
	if id == "" && err == nil && email != nil {
		return findVerifiedOwner(tx, byEmail, *email)
	}
	return id, err
}

func findVerifiedOwner(tx *db.Tx, kind contactKind, contact string) (id string, err error) {
	row, err := kind.findHolder(tx, contact)
	if errors.Is(err, db.ErrNotFound) || err == nil && !row.isVerified(kind) {
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

// insertCustomer inserts an account with its event. It returns false if another account has the
// e-mail address or phone number. The contacts of a new account are trusted.
func insertCustomer(tx *db.Tx, c Account) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO customers (id, name, email, phone, email_verified_at, phone_verified_at, password_hash, token_version, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		c.id, c.name, c.email, c.phone, db.NullMillis(c.emailVerifiedAt), db.NullMillis(c.phoneVerifiedAt), c.passwordHash, c.tokenVersion,
		db.Millis(c.createdAt), db.Millis(c.createdAt))
	if err != nil {
		return false, fmt.Errorf("insert customer: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	return true, outbox.Append(tx, outbox.Event{Type: outbox.CustomerCreated, Subject: c.id})
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

// endPassword saves that the password of an account is no longer accepted, and revokes its tokens.
func endPassword(tx *db.Tx, row *Account) error {
	row.passwordReset = row.passwordHash != nil
	row.tokenVersion++
	_, err := tx.Exec(`
		UPDATE customers
		SET password_reset = ?, token_version = ?, updated_at = ?
		WHERE id = ?`, row.passwordReset, row.tokenVersion, db.Millis(tx.Now()), row.id)
	if err != nil {
		return fmt.Errorf("end password: %w", err)
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

// FindAccount returns an account by ID. It is the zero Account if there is none.
func FindAccount(tx *db.Tx, id string) (Account, error) {
	row, err := findCustomer(tx, id)
	if errors.Is(err, db.ErrNotFound) {
		return Account{}, nil
	}
	return row, err
}
