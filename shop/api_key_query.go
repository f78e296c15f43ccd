package shop

import (
	"fmt"

	"storefront/db"
)

func insertAPIKey(tx *db.Tx, t *APIKey, hash []byte) error {
	_, err := tx.Exec(`
		INSERT INTO admin_tokens (id, label, hash, created_at)
		VALUES (?, ?, ?, ?)`, t.ID, t.Label, hash, db.Millis(t.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert API key: %w", err)
	}
	return nil
}

func findAPIKeys(tx *db.Tx) ([]APIKey, error) {
	list, err := db.Query(tx, func(r db.Row) (t APIKey, err error) {
		err = r.Scan(&t.ID, &t.Label, &t.CreatedAt)
		return t, err
	}, `
		SELECT id, label, created_at
		FROM admin_tokens
		ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("find API keys: %w", err)
	}
	return list, nil
}

func deleteAPIKey(tx *db.Tx, id string) (ok bool, err error) {
	n, err := tx.Exec(`
		DELETE FROM admin_tokens
		WHERE id = ?`, id)
	if err != nil {
		return false, fmt.Errorf("delete API key: %w", err)
	}
	return n > 0, nil
}

// checkAPIKeyHash returns db.ErrNotFound if no API key has this hash. The time of the lookup may
// depend on the prefix that the hash shares with a stored one, which reveals nothing about a key.
func checkAPIKeyHash(tx *db.Tx, hash []byte) error {
	var id string
	return tx.QueryRow(`
		SELECT id
		FROM admin_tokens
		WHERE hash = ?`, hash).Scan(&id)
}
