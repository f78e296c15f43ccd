package account

import (
	"time"

	"storefront/db"
	"storefront/shop/onetime"
)

// contactKind is a kind of contact that can be proved by codes.
type contactKind int

// The kinds of contacts.
const (
	byPhone contactKind = iota // in E.164
	byEmail                    // in lower case
)

// The purposes of codes. A code is valid for its own purpose only.
const (
	forSignIn = "sign_in"
	forReset  = "password_reset" // sent by e-mail only
)

// codeRules are the properties of the codes sent to contacts of one kind.
type codeRules struct {
	onetime.Table
	cost    string // SQL expression of billed messages
	digits  int
	contact string // name of the contact in errors
}

// rules returns the properties of the codes sent to contacts of this kind.
func (k contactKind) rules() codeRules {
	if k == byEmail {
		return codeRules{
			Table: onetime.Table{Name: "email_codes", Recipient: "email", Purpose: "purpose", Lifetime: EmailCodeLifetime},
			cost:  "1", digits: emailCodeDigits, contact: "e-mail address",
		}
	}
	return codeRules{
		Table: onetime.Table{Name: "otp_codes", Recipient: "phone", Purpose: "'" + forSignIn + "'", Lifetime: OTPLifetime},
		cost:  "segments", digits: otpDigits, contact: "phone",
	}
}

// kindOfCode returns the kind of contact of a checked code, by its length.
func kindOfCode(code string) contactKind {
	if len(code) == emailCodeDigits {
		return byEmail
	}
	return byPhone
}

// findHolder returns the account that has a contact, verified or not. The error is db.ErrNotFound
// if there is none.
func (k contactKind) findHolder(tx *db.Tx, contact string) (Account, error) {
	if k == byEmail {
		return findCustomerByEmail(tx, contact)
	}
	return findCustomerByPhone(tx, contact)
}

// contact returns the account's contact of a kind, or nil.
func (c Account) contact(k contactKind) *string {
	if k == byEmail {
		return c.email
	}
	return c.phone
}

// isVerified reports whether the customer has verified the contact of a kind.
func (c Account) isVerified(k contactKind) bool {
	if k == byEmail {
		return c.emailVerifiedAt != nil
	}
	return c.phoneVerifiedAt != nil
}

// isTrusted reports whether the contact of a kind is trusted.
func (c Account) isTrusted(k contactKind) bool {
	if k == byEmail {
		return c.emailTrusted
	}
	return c.phoneTrusted
}

// verified returns the contact of a kind if the customer has verified it, or nil.
func (c Account) verified(k contactKind) *string {
	if !c.isVerified(k) {
		return nil
	}
	return c.contact(k)
}

// trusted returns the contact of a kind if codes sent to it re-authenticate the customer, or nil.
func (c Account) trusted(k contactKind) *string {
	if !c.isTrusted(k) {
		return nil
	}
	return c.verified(k)
}

// verify sets a contact that the customer has verified. trusted means that its codes
// re-authenticate the customer.
func (c *Account) verify(k contactKind, contact string, now time.Time, trusted bool) {
	if k == byEmail {
		c.email, c.emailVerifiedAt, c.emailTrusted = &contact, &now, trusted
		return
	}
	c.phone, c.phoneVerifiedAt, c.phoneTrusted = &contact, &now, trusted
}

// removeContact removes the contact of a kind.
func (c *Account) removeContact(k contactKind) {
	if k == byEmail {
		c.email, c.emailVerifiedAt, c.emailTrusted = nil, nil, true
		return
	}
	c.phone, c.phoneVerifiedAt, c.phoneTrusted = nil, nil, true
}
