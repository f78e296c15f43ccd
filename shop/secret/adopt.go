package secret

import "storefront/db"

// Adopt makes the secrets in a copied file the shop's own. The copy was sealed by from; nil means
// that its sealer is unknown: its secrets are deleted and the shop gets new keys. A clone, which
// runs beside the shop that it was copied from, has its secrets sealed again and gets its own keys.
// The error is ErrSealed if from does not open a secret.
func (s *Store) Adopt(tx *db.Tx, from Sealer, clone bool) error {
	switch {
	case from == nil:
		if err := deleteAllSecrets(tx); err != nil {
			return err
		}
		return s.GenerateKeys(tx)
	case !clone:
		return CheckAll(tx, from)
	}
	if err := deleteKeys(tx); err != nil {
		return err
	}
	err := openAll(tx, from, func(name string, plain []byte) error { return s.reseal(tx, name, plain) })
	if err != nil {
		return err
	}
	return s.GenerateKeys(tx)
}
