package staff

import (
	"encoding/json"
	"errors"
	"fmt"

	"storefront/db"
)

const apiKeyColumns = "id, label, created_at, expires_at, scopes, used_at, created_by"

func scanAPIKey(r db.Row) (k APIKey, err error) {
	var scopes string
	var by *string
	if err := r.Scan(&k.ID, &k.Label, &k.CreatedAt, &k.ExpiresAt, &scopes, &k.LastUsedAt, &by); err != nil {
		return k, err
	}
	if by != nil {
		k.CreatedBy = &Actor{}
		err = json.Unmarshal([]byte(*by), k.CreatedBy)
	}
	return k, errors.Join(err, json.Unmarshal([]byte(scopes), &k.Scopes))
}

func insertAPIKey(tx *db.Tx, t *APIKey, hash []byte) error {
	scopes, err := json.Marshal(t.Scopes)
	if err != nil {
		return fmt.Errorf("encode scopes: %w", err)
	}
	by, err := json.Marshal(t.CreatedBy)
	if err != nil {
		return fmt.Errorf("encode actor: %w", err)
	}
	_, err = tx.Exec(`
		INSERT INTO admin_tokens (id, label, hash, created_at, expires_at, scopes, created_by)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, t.ID, t.Label, hash, db.Millis(t.CreatedAt), db.NullMillis(t.ExpiresAt), string(scopes), string(by))
	if err != nil {
		return fmt.Errorf("insert API key: %w", err)
	}
	return nil
}

func findAPIKeys(tx *db.Tx) ([]APIKey, error) {
	list, err := db.Query(tx, scanAPIKey, `
		SELECT `+apiKeyColumns+`
		FROM admin_tokens
		ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("find API keys: %w", err)
	}
	return list, nil
}

// CountEndingKeys returns the number of API keys that have expired or will within [ExpiryNotice].
func CountEndingKeys(tx *db.Tx) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM admin_tokens
		WHERE expires_at <= ?`, db.Millis(tx.Now().Add(ExpiryNotice))).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count API keys that expire: %w", err)
	}
	return n, nil
}

func deleteAPIKey(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		DELETE FROM admin_tokens
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("delete API key: %w", err)
	}
	return nil
}

func updateKeyUsed(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		UPDATE admin_tokens
		SET used_at = ?
		WHERE id = ?`, db.Millis(tx.Now()), id)
	if err != nil {
		return fmt.Errorf("update last use of API key: %w", err)
	}
	return nil
}

// findAPIKey returns the API key with this hash, or db.ErrNotFound. The time of the lookup may
// depend on the prefix that the hash shares with a stored one, which reveals nothing about a key.
func findAPIKey(tx *db.Tx, hash []byte) (APIKey, error) {
	return scanAPIKey(tx.QueryRow(`
		SELECT `+apiKeyColumns+`
		FROM admin_tokens
		WHERE hash = ?`, hash))
}

// findAPIKeyByID returns an API key, or db.ErrNotFound.
func findAPIKeyByID(tx *db.Tx, id string) (APIKey, error) {
	return scanAPIKey(tx.QueryRow(`
		SELECT `+apiKeyColumns+`
		FROM admin_tokens
		WHERE id = ?`, id))
}
