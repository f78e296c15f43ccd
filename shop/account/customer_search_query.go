package account

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/page"
	"storefront/shop/phone"
)

// customerQuery is the condition of a search for accounts.
type customerQuery struct {
	where string
	args  []any
}

func newCustomerQuery(search, country string) customerQuery {
	search = strings.TrimSpace(input.Clean(search))
	switch email, isEmail := input.ParseEmail(search); {
	case search == "":
		return customerQuery{}
	case isEmail:
		return customerQuery{"WHERE email = ?", []any{email}}
	}
	if phone, ok := phone.Parse(search, country); ok {
		return customerQuery{"WHERE phone = ?", []any{phone}}
	}
	part := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(search)
	return customerQuery{`WHERE lower(name) LIKE lower(?) ESCAPE '\'`, []any{"%" + part + "%"}}
}

// List returns one page of the accounts that match search, newest first, and their total number.
// search is part of a name, a whole e-mail address or a whole phone number; "" matches every
// account. country is the shop's.
func List(tx *db.Tx, search, country string, w page.Window) (rows []Account, total int, err error) {
	q := newCustomerQuery(search, country)
	err = tx.QueryRow(`
		SELECT count(*)
		FROM customers
		`+q.where, q.args...).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("count customers: %w", err)
	}
	rows, err = db.Query(tx, scanCustomer, selectCustomer+q.where+`
		ORDER BY created_at DESC, id DESC
		LIMIT ?
		OFFSET ?`, append(q.args[:len(q.args):len(q.args)], w.Limit, w.Offset())...)
	if err != nil {
		return nil, 0, fmt.Errorf("list customers: %w", err)
	}
	return rows, total, nil
}

// Delete deletes an account with its addresses, and the codes sent to its contacts. For a [Guest]
// it deletes the codes alone.
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
