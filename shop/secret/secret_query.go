package secret

import (
	"fmt"
	"time"

	"storefront/db"
)

func upsertSecret(tx *db.Tx, name string, sealed []byte) error {
	_, err := tx.Exec(`
		INSERT INTO secrets (name, sealed, created_at)
		VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at`,
		name, sealed, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("save secret: %w", err)
	}
	return nil
}

func findSecret(tx *db.Tx, name string) (sealed []byte, err error) {
	err = tx.QueryRow(`
		SELECT sealed
		FROM secrets
		WHERE name = ?`, name).Scan(&sealed)
	if err != nil {
		return nil, fmt.Errorf("find secret %s: %w", name, err)
	}
	return sealed, nil
}

// secretRow is a secret as stored.
type secretRow struct {
	name      string
	sealed    []byte
	retiredAt *time.Time // of a signing key
}

func scanSecret(r db.Row) (v secretRow, err error) {
	var retired *int64
	err = r.Scan(&v.name, &v.sealed, &retired)
	v.retiredAt = db.FromNullMillis(retired)
	return v, err
}

// findSecrets returns the secrets with names that begin with prefix, which must end in a dot.
func findSecrets(tx *db.Tx, prefix string) ([]secretRow, error) {
	// '/' follows '.', so the range has all names with this prefix and no others.
	end := prefix[:len(prefix)-1] + "/"
	rows, err := db.Query(tx, scanSecret, `
		SELECT name, sealed, retired_at
		FROM secrets
		WHERE name >= ? AND name < ?`, prefix, end)
	if err != nil {
		return nil, fmt.Errorf("find secrets: %w", err)
	}
	return rows, nil
}

func findAllSecrets(tx *db.Tx) ([]secretRow, error) {
	rows, err := db.Query(tx, scanSecret, `
		SELECT name, sealed, retired_at
		FROM secrets
		ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("find secrets: %w", err)
	}
	return rows, nil
}

// reseal replaces the sealed bytes of an existing secret.
func (s *Store) reseal(tx *db.Tx, name string, plain []byte) error {
	sealed, err := s.cfg.Sealer.Seal(name, plain)
	if err == nil {
		_, err = tx.Exec(`
			UPDATE secrets
			SET sealed = ?
			WHERE name = ?`, sealed, name)
	}
	if err != nil {
		return fmt.Errorf("seal secret %s: %w", name, err)
	}
	return nil
}

func deleteSecret(tx *db.Tx, name string) error {
	if _, err := tx.Exec(`
		DELETE FROM secrets
		WHERE name = ?`, name); err != nil {
		return fmt.Errorf("delete secret: %w", err)
	}
	return nil
}

func deleteAllSecrets(tx *db.Tx) error {
	if _, err := tx.Exec(`DELETE FROM secrets`); err != nil {
		return fmt.Errorf("delete secrets: %w", err)
	}
	return nil
}

// findKeys returns the shop's own keys. The active signing key is first, then the retired ones,
// newest first.
func findKeys(tx *db.Tx) ([]secretRow, error) {
	rows, err := db.Query(tx, scanSecret, `
		SELECT name, sealed, retired_at
		FROM secrets
		WHERE name = ? OR name >= ? AND name < ?
		ORDER BY retired_at IS NOT NULL, created_at DESC, name DESC`, masterKey, signingPrefix, signingEnd)
	if err != nil {
		return nil, fmt.Errorf("find keys: %w", err)
	}
	return rows, nil
}

func deleteKeys(tx *db.Tx) error {
	_, err := tx.Exec(`
		DELETE FROM secrets
		WHERE name = ? OR name >= ? AND name < ?`, masterKey, signingPrefix, signingEnd)
	if err != nil {
		return fmt.Errorf("delete keys: %w", err)
	}
	return nil
}

// findSigningKeys returns the signing key and those retired after retiredAfter, without their
// bytes.
func findSigningKeys(tx *db.Tx, retiredAfter time.Time) ([]SigningKey, error) {
	keys, err := db.Query(tx, func(r db.Row) (k SigningKey, err error) {
		var name string
		var created int64
		var retired *int64
		err = r.Scan(&name, &created, &retired)
		k.ID = name[min(len(signingPrefix), len(name)):]
		k.CreatedAt, k.RetiredAt = db.FromMillis(created), db.FromNullMillis(retired)
		return k, err
	}, `
		SELECT name, created_at, retired_at
		FROM secrets
		WHERE name >= ? AND name < ? AND (retired_at IS NULL OR retired_at > ?)
		ORDER BY retired_at IS NOT NULL, created_at DESC, name DESC`,
		signingPrefix, signingEnd, db.Millis(retiredAfter))
	if err != nil {
		return nil, fmt.Errorf("find signing keys: %w", err)
	}
	return keys, nil
}

func retireSigningKey(tx *db.Tx) error {
	_, err := tx.Exec(`
		UPDATE secrets
		SET retired_at = ?
		WHERE name >= ? AND name < ? AND retired_at IS NULL`, db.Millis(tx.Now()), signingPrefix, signingEnd)
	if err != nil {
		return fmt.Errorf("retire signing key: %w", err)
	}
	return nil
}

// deleteSigningKeys deletes the signing keys retired at retiredUntil or before.
func deleteSigningKeys(tx *db.Tx, retiredUntil time.Time) error {
	_, err := tx.Exec(`
		DELETE FROM secrets
		WHERE name >= ? AND name < ? AND retired_at <= ?`, signingPrefix, signingEnd, db.Millis(retiredUntil))
	if err != nil {
		return fmt.Errorf("delete retired signing keys: %w", err)
	}
	return nil
}

// FindSealedKeys returns the signing keys of a shop's file.
func FindSealedKeys(tx *db.Tx) (SealedKeys, error) {
	keys, err := db.Query(tx, func(r db.Row) (k sealedKey, err error) {
		return k, r.Scan(&k.name, &k.sealed, &k.createdAt, &k.retiredAt)
	}, `
		SELECT name, sealed, created_at, retired_at
		FROM secrets
		WHERE name >= ? AND name < ?
		ORDER BY retired_at IS NOT NULL, created_at DESC, name DESC`, signingPrefix, signingEnd)
	if err != nil {
		return nil, fmt.Errorf("find sealed signing keys: %w", err)
	}
	return keys, nil
}

// replaceSigningKeys replaces all signing keys.
func replaceSigningKeys(tx *db.Tx, keys SealedKeys) error {
	_, err := tx.Exec(`
		DELETE FROM secrets
		WHERE name >= ? AND name < ?`, signingPrefix, signingEnd)
	for _, key := range keys {
		if err != nil {
			break
		}
		_, err = tx.Exec(`
			INSERT INTO secrets (name, sealed, created_at, retired_at)
			VALUES (?, ?, ?, ?)`, key.name, key.sealed, key.createdAt, key.retiredAt)
	}
	if err != nil {
		return fmt.Errorf("replace signing keys: %w", err)
	}
	return nil
}
