package order

import (
	"fmt"

	"storefront/db"
)

// AttachGuestOrders moves orders placed without an account to the account, if it has proven their
// phone number. Later orders are attached when they are placed.
func (s *Orders) AttachGuestOrders(tx *db.Tx, customerID, phone string) error {
	if err := s.Post(tx); err != nil {
		return err
	}
	n, err := tx.Exec(`
		UPDATE orders
		SET customer_id = ?, client = NULL
		WHERE customer_phone = ? AND customer_id IS NULL`, customerID, phone)
	if err != nil {
		return fmt.Errorf("attach guest orders: %w", err)
	}
	if n == 0 {
		return nil
	}
	return CountBuyers(tx, Buyer{CustomerID: customerID}, Buyer{Phone: phone})
}

// AttachGuestOrdersByEmail is AttachGuestOrders for an e-mail address. The buyers of such orders
// remain unproven, because an e-mail address proves no phone.
func (s *Orders) AttachGuestOrdersByEmail(tx *db.Tx, customerID, email string) error {
	if err := s.Post(tx); err != nil {
		return err
	}
	const ofGuest = "customer_email = ? AND customer_id IS NULL"
	phones, err := findOrderPhones(tx, ofGuest, email)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`
		UPDATE orders
		SET customer_id = ?
		WHERE `+ofGuest, customerID, email)
	if err != nil {
		return fmt.Errorf("attach guest orders: %w", err)
	}
	return countMoved(tx, customerID, phones)
}

// ReleaseOrders moves the orders of an account with this e-mail address to a guest.
func (s *Orders) ReleaseOrders(tx *db.Tx, customerID, email string) error {
	if err := s.Post(tx); err != nil {
		return err
	}
	const ofAccount = "customer_id = ? AND customer_email = ?"
	phones, err := findOrderPhones(tx, ofAccount, customerID, email)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`
		UPDATE orders
		SET customer_id = NULL, signed_in = 0
		WHERE `+ofAccount, customerID, email)
	if err != nil {
		return fmt.Errorf("release orders: %w", err)
	}
	return countMoved(tx, customerID, phones)
}

// findOrderPhones returns the phone numbers of the orders that a condition selects.
func findOrderPhones(tx *db.Tx, condition string, args ...any) ([]string, error) {
	phones, err := db.Query(tx, db.ScanText, `
		SELECT DISTINCT customer_phone
		FROM orders
		WHERE `+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("find phone numbers of orders: %w", err)
	}
	return phones, nil
}

// countMoved counts the orders of an account and of guests, after orders with these phone numbers
// have moved between them.
func countMoved(tx *db.Tx, customerID string, phones []string) error {
	if len(phones) == 0 {
		return nil
	}
	return CountBuyers(tx, append(guestsOf(phones), Buyer{CustomerID: customerID})...)
}

// MoveOrders moves the orders of an account to another one.
func (s *Orders) MoveOrders(tx *db.Tx, from, to string) error {
	if err := s.Post(tx); err != nil {
		return err
	}
	_, err := tx.Exec(`
		UPDATE orders
		SET customer_id = ?
		WHERE customer_id = ?`, to, from)
	if err != nil {
		return fmt.Errorf("move orders: %w", err)
	}
	return CountBuyers(tx, Buyer{CustomerID: from}, Buyer{CustomerID: to})
}

// HasOrders reports whether an account has any order.
func HasOrders(tx *db.Tx, customerID string) (has bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM orders
			WHERE customer_id = ?
		)`, customerID).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find orders of account: %w", err)
	}
	return has, nil
}
