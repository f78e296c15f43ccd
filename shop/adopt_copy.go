package shop

import (
	"context"
	"fmt"

	"storefront/db"
)

// AdoptCopy says how a copy of a shop's file becomes the file of a shop.
type AdoptCopy struct {
	// Sealer is the one of the shop that the file is a copy of; nil: its secrets are left out, so that
	// everyone signs in anew and the providers have to be configured anew.
	Sealer Sealer
	// Clone makes another shop of it, beside the one that it is a copy of: suspended, in sandbox mode,
	// with keys of its own, without administrators' tokens, and with nothing left to ask of gateways.
	Clone bool
}

// AdoptCopy makes the file that tx writes to this shop's own. It is called before the file appears.
// The error says which of the secrets can not be opened.
func (s *Shop) AdoptCopy(_ context.Context, tx *db.Tx, o AdoptCopy) error {
	if err := s.resealSecrets(tx, o); err != nil {
		return err
	}
	if !o.Clone {
		return nil
	}
	if err := disableInClone(tx); err != nil {
		return err
	}
	settings, err := findSettings(tx)
	if err != nil {
		return err
	}
	settings.Suspended, settings.ActiveMode = true, Sandbox
	return saveSettings(tx, settings)
}

// resealSecrets seals the secrets for this shop, but for those that it is to have of its own.
func (s *Shop) resealSecrets(tx *db.Tx, o AdoptCopy) error {
	if o.Sealer == nil {
		if _, err := tx.Exec(`DELETE FROM secrets`); err != nil {
			return fmt.Errorf("leave out secrets: %w", err)
		}
		return s.generateKeys(tx)
	}
	if !o.Clone {
		return OpenSecrets(tx, o.Sealer)
	}
	_, err := tx.Exec(`
		DELETE FROM secrets
		WHERE name = ? OR name >= ? AND name < ?`, macSecret, signingPrefix, signingEnd)
	if err != nil {
		return fmt.Errorf("leave out keys: %w", err)
	}
	err = eachSecret(tx, o.Sealer, func(name string, plain []byte) error { return s.reseal(tx, name, plain) })
	if err != nil {
		return err
	}
	return s.generateKeys(tx)
}

// CheckSecrets opens every secret of the shop and forgets it again. The error is ErrSealed when the
// data folder's key does not open them all.
func (s *Shop) CheckSecrets(ctx context.Context) error {
	return s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		return OpenSecrets(tx, s.sealer)
	})
}

// OpenSecrets opens every secret of a shop's file and forgets it again: a key that opens none of
// them, or not all, makes the file useless. The error names the first that it does not open.
func OpenSecrets(tx *db.Tx, sealer Sealer) error {
	return eachSecret(tx, sealer, func(string, []byte) error { return nil })
}

func eachSecret(tx *db.Tx, sealer Sealer, fn func(name string, plain []byte) error) error {
	rows, err := db.Query(tx, func(r db.Row) (v secretRow, err error) {
		err = r.Scan(&v.name, &v.sealed)
		return v, err
	}, `
		SELECT name, sealed
		FROM secrets
		ORDER BY name`)
	if err != nil {
		return fmt.Errorf("find secrets: %w", err)
	}
	for _, r := range rows {
		plain, err := sealer.Open(r.name, r.sealed)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrSealed, r.name, err)
		}
		if err := fn(r.name, plain); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shop) reseal(tx *db.Tx, name string, plain []byte) error {
	sealed, err := s.sealer.Seal(name, plain)
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

// disableInClone takes from a twin what only one of the two may do: let programs administer it,
// and ask gateways about payments, which could take or give back the same money a second time.
func disableInClone(tx *db.Tx) error {
	for _, query := range []string{
		`DELETE FROM admin_tokens`,
		`UPDATE payment_checks
		SET due_at = NULL, refunding = 0, claimed_at = NULL
		WHERE due_at IS NOT NULL OR refunding = 1 OR claimed_at IS NOT NULL`,
		`UPDATE payment_attempts
		SET status = 'expired'
		WHERE status IN ('initiated', 'pending')`,
	} {
		if _, err := tx.Exec(query); err != nil {
			return fmt.Errorf("leave to the original: %w", err)
		}
	}
	return nil
}
