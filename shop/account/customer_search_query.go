package account

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/phone"
)

// SearchCondition returns the condition on customers c for a search of accounts: part of a name, a
// whole e-mail address, a whole phone number or at least its last four digits; "" matches every
// account. country is the shop's.
func SearchCondition(search, country string) (where string, args []any) {
	search = strings.TrimSpace(input.Clean(search))
	switch email, isEmail := input.ParseEmail(search); {
	case search == "":
		return "1 = 1", nil
	case isEmail:
		return "c.email = ?", []any{email}
	}
	if phone, ok := phone.Parse(search, country); ok {
		return "c.phone = ?", []any{phone}
	}
	if digits, ok := phone.Digits(strings.TrimPrefix(search, "#")); ok {
		// The last digits only: people do not type the country code and the leading zero.
		return `(lower(c.name) LIKE lower(?) OR lower(c.phone) LIKE lower(?))`, []any{"%" + digits + "%", "%" + strings.TrimLeft(digits, "0")}
	}
	part := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(search)
	return `lower(c.name) LIKE lower(?) ESCAPE '\'`, []any{"%" + part + "%"}
}

// FindAccounts returns accounts by ID. Unknown IDs are omitted.
func FindAccounts(tx *db.Tx, ids []string) (map[string]Account, error) {
	accounts := make(map[string]Account, len(ids))
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		rows, err := db.Query(tx, scanCustomer, selectCustomer+"WHERE id IN "+list, args...)
		if err != nil {
			return nil, fmt.Errorf("find customers: %w", err)
		}
		for _, row := range rows {
			accounts[row.id] = row
		}
	}
	return accounts, nil
}

// Delete deletes an account with its addresses, and the codes sent to its contacts. For a [Guest]
// it deletes only the codes.
func Delete(tx *db.Tx, row Account) error {
	if err := deleteCodes(tx, row); err != nil {
		return err
	}
	return deleteCustomer(tx, row.id)
}

// deleteCustomer deletes an account with its addresses.
func deleteCustomer(tx *db.Tx, id string) error {
	if err := deleteAddresses(tx, id); err != nil {
		return err
	}
	_, err := tx.Exec(`
		DELETE FROM customers
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("delete customer: %w", err)
	}
	return nil
}
