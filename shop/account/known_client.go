package account

import (
	"fmt"
	"time"

	"storefront/db"
)

// Bounds of the clients known to have signed in to an account.
const (
	knownClientLifetime = 90 * 24 * time.Hour
	maxKnownClients     = 20 // per account; older ones are deleted
)

// knownClient returns the hash of an account's client in the shop's file, or nil if the client is
// unknown.
func (t throttles) knownClient(customerID, client string) []byte {
	if client == "" {
		return nil
	}
	return t.Hash("known client", customerID, client)
}

// isKnownClient reports whether the client has signed in to the account lately.
func isKnownClient(tx *db.Tx, customerID string, client []byte) (known bool, err error) {
	err = tx.QueryRow(`
		SELECT count(*) > 0
		FROM known_clients
		WHERE customer_id = ? AND client = ? AND last_at > ?`, customerID, client, db.Millis(tx.Now().Add(-knownClientLifetime))).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("find known client: %w", err)
	}
	return known, nil
}

// saveKnownClient records that a client signed in to the account, and deletes the account's oldest
// clients above the bound. Nothing is recorded for an unknown client, or if the account has been
// deleted in the meantime.
func saveKnownClient(tx *db.Tx, customerID string, client []byte) error {
	if client == nil {
		return nil
	}
	_, err := tx.Exec(`
		INSERT INTO known_clients (customer_id, client, last_at)
		SELECT id, ?, ?
		FROM customers
		WHERE id = ?
		ON CONFLICT (customer_id, client) DO UPDATE SET last_at = excluded.last_at`, client, db.Millis(tx.Now()), customerID)
	if err == nil {
		_, err = tx.Exec(`
			DELETE FROM known_clients
			WHERE customer_id = ? AND client IN (
				SELECT client
				FROM known_clients
				WHERE customer_id = ?
				ORDER BY last_at DESC, client
				LIMIT 100
				OFFSET ?
			)`, customerID, customerID, maxKnownClients)
	}
	if err != nil {
		return fmt.Errorf("save known client: %w", err)
	}
	return nil
}
