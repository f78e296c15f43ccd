package shop

import (
	"fmt"

	"storefront/db"
)

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
