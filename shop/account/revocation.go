package account

import (
	"fmt"

	"storefront/db"
)

// Revocations are the credentials that customers no longer have in a shop. A copy of the shop that
// replaces it must not have them either.
type Revocations struct {
	versions map[string]int64 // token versions of customers with revoked tokens, by ID
	passkeys map[string]bool  // IDs of the passkeys that exist
}

// FindRevocations returns the revocations in the file that tx reads.
func FindRevocations(tx *db.Tx) (*Revocations, error) {
	v := &Revocations{versions: map[string]int64{}, passkeys: map[string]bool{}}
	err := tx.Each("SELECT id, token_version FROM customers WHERE token_version > 1", nil, func(r db.Row) error {
		var id string
		var version int64
		err := r.Scan(&id, &version)
		v.versions[id] = version
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find token versions: %w", err)
	}
	ids, err := findPasskeyIDs(tx)
	for _, id := range ids {
		v.passkeys[id] = true
	}
	return v, err
}

func findPasskeyIDs(tx *db.Tx) ([]string, error) {
	ids, err := db.Query(tx, func(r db.Row) (id string, err error) { return id, r.Scan(&id) }, "SELECT id FROM customer_passkeys")
	if err != nil {
		return nil, fmt.Errorf("find passkeys: %w", err)
	}
	return ids, nil
}

// Apply revokes, in a copy of the shop, the tokens and the passkeys that were revoked after the
// copy. If v is nil, the revocations are unknown.
func (v *Revocations) Apply(tx *db.Tx) error {
	if v == nil {
		return nil
	}
	for id, version := range v.versions {
		err := tx.Do("UPDATE customers SET token_version = ? WHERE id = ? AND token_version < ?", version, id, version)
		if err != nil {
			return fmt.Errorf("raise token version: %w", err)
		}
	}
	ids, err := findPasskeyIDs(tx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if v.passkeys[id] {
			continue
		}
		if err := passkeys.Delete(tx, id); err != nil {
			return err
		}
	}
	return nil
}
