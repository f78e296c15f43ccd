package account

import (
	"fmt"

	"storefront/db"
)

// contactInUse reports whether another account has the e-mail address or phone number of row.
func contactInUse(tx *db.Tx, row Account) (inUse bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM customers
			WHERE email = ? AND id <> ?
		) OR EXISTS (
			SELECT 1
			FROM customers
			WHERE phone = ? AND id <> ?
		)`, row.email, row.id, row.phone, row.id).Scan(&inUse)
	if err != nil {
		return false, fmt.Errorf("find account with contact: %w", err)
	}
	return inUse, nil
}

func saveProfile(tx *db.Tx, c Account) error {
	_, err := tx.Exec(`
		UPDATE customers
		SET name = ?, email = ?, email_verified_at = ?, email_trusted = ?, phone = ?, phone_verified_at = ?, phone_trusted = ?,
			updated_at = ?
		WHERE id = ?`,
		c.name, c.email, db.NullMillis(c.emailVerifiedAt), c.emailTrusted, c.phone, db.NullMillis(c.phoneVerifiedAt), c.phoneTrusted,
		db.Millis(tx.Now()), c.id)
	if err != nil {
		return fmt.Errorf("save profile: %w", err)
	}
	return nil
}

// replaceAddresses replaces all addresses of an account. The first one is the default.
func (a *Accounts) replaceAddresses(tx *db.Tx, customerID string, addresses []Address) error {
	if err := deleteAddresses(tx, customerID); err != nil {
		return err
	}
	for i, address := range addresses {
		_, err := tx.Exec(`
			INSERT INTO addresses (id, customer_id, position, line1, line2, area, city, postcode, country)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.cfg.IDs.Next(tx.Now()), customerID, i+1, address.Line1, db.TextOf(address.Line2), db.TextOf(address.Area),
			address.City, db.TextOf(address.Postcode), db.TextOf(address.Country))
		if err != nil {
			return fmt.Errorf("insert address: %w", err)
		}
	}
	return nil
}

func deleteAddresses(tx *db.Tx, customerID string) error {
	_, err := tx.Exec(`
		DELETE FROM addresses
		WHERE customer_id = ?`, customerID)
	if err != nil {
		return fmt.Errorf("delete addresses: %w", err)
	}
	return nil
}
