package shop

import (
	"fmt"

	"storefront/db"
)

func (s *Shop) saveSecret(tx *db.Tx, name string, plain []byte) error {
	sealed, err := s.sealer.Seal(name, plain)
	if err != nil {
		return fmt.Errorf("seal %s: %w", name, err)
	}
	_, err = tx.Exec(`
		INSERT INTO secrets (name, sealed, created_at)
		VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at`,
		name, sealed, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("save secret: %w", err)
	}
	return nil
}

// findSecret gives db.ErrNotFound where there is no such secret.
func (s *Shop) findSecret(tx *db.Tx, name string) ([]byte, error) {
	var sealed []byte
	err := tx.QueryRow(`
		SELECT sealed
		FROM secrets
		WHERE name = ?`, name).Scan(&sealed)
	if err != nil {
		return nil, fmt.Errorf("find secret %s: %w", name, err)
	}
	plain, err := s.sealer.Open(name, sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: %s of %s: %w", ErrSealed, name, s.id, err)
	}
	return plain, nil
}

type secretRow struct {
	name   string
	sealed []byte
}

// findSecrets gives the secrets whose name begins with prefix, which ends in a dot.
func findSecrets(tx *db.Tx, prefix string) ([]secretRow, error) {
	// '/' comes right after '.', so that the range holds all names with this prefix and no other.
	end := prefix[:len(prefix)-1] + "/"
	rows, err := db.Query(tx, func(r db.Row) (v secretRow, err error) {
		err = r.Scan(&v.name, &v.sealed)
		return v, err
	}, `
		SELECT name, sealed
		FROM secrets
		WHERE name >= ? AND name < ?`, prefix, end)
	if err != nil {
		return nil, fmt.Errorf("find secrets: %w", err)
	}
	return rows, nil
}

func deleteSecret(tx *db.Tx, name string) error {
	if _, err := tx.Exec(`
		DELETE FROM secrets
		WHERE name = ?`, name); err != nil {
		return fmt.Errorf("delete secret: %w", err)
	}
	return nil
}
