package secret

import (
	"cmp"
	"errors"
	"fmt"

	"storefront/db"
)

// Adopt makes the secrets in a copied file the shop's own. The copy was sealed by from; nil means
// that its sealer is unknown: its secrets are deleted and the shop gets new keys. A clone runs
// beside its original: its secrets are sealed again, and it gets its own keys. The error is
// ErrSealed if from does not open a secret.
func (s *Store) Adopt(tx *db.Tx, from Sealer, clone, reseal bool) error {
	switch {
	case from == nil:
		if err := deleteAllSecrets(tx); err != nil {
			return err
		}
		return s.GenerateKeys(tx)
	case !clone && !reseal:
		return CheckAll(tx, from)
	}
	if clone {
		if err := deleteKeys(tx); err != nil {
			return err
		}
	}
	err := OpenAll(tx, from, func(name string, plain []byte) error { return s.reseal(tx, name, plain) })
	if err != nil {
		return err
	}
	if !clone {
		return nil
	}
	return s.GenerateKeys(tx)
}

// SealedKeys are the signing keys of a shop as stored in its file, the active one first.
type SealedKeys []sealedKey

// sealedKey is a row of the table secrets.
type sealedKey struct {
	name      string
	sealed    []byte
	createdAt int64
	retiredAt *int64
}

// isNewer reports whether keys continue other ones: they belong to the file that has rotated them
// last.
func (k SealedKeys) isNewer(other SealedKeys) bool {
	if len(k) == 0 || len(other) == 0 {
		return len(k) > 0
	}
	order := cmp.Or(cmp.Compare(k[0].createdAt, other[0].createdAt), cmp.Compare(k[0].name, other[0].name))
	return order > 0 || order == 0 && len(k) > len(other)
}

// ContinueKeys copies the signing keys of a file to a copy that replaces it, unless the copy's keys
// are newer: a key that was retired after the copy was made signs no tokens again, and the tokens
// of the key after it remain valid. It must be called after [Store.Adopt]. Keys that do not open
// are left unchanged.
func (s *Store) ContinueKeys(tx *db.Tx, replaced SealedKeys) error {
	own, err := FindSealedKeys(tx)
	if err != nil {
		return err
	}
	if !replaced.isNewer(own) {
		return nil
	}
	for _, key := range replaced {
		if _, err := s.open(key.name, key.sealed); errors.Is(err, ErrSealed) {
			return nil
		} else if err != nil {
			return fmt.Errorf("open replaced signing key: %w", err)
		}
	}
	return replaceSigningKeys(tx, replaced)
}
