package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/secret"
)

// AdoptCopy says how a copy of a shop's file becomes the file of a shop.
type AdoptCopy struct {
	// Sealer is the one of the shop that the file is a copy of; nil: its secrets are left out, so that
	// everyone signs in anew and the providers have to be configured anew.
	Sealer secret.Sealer
	// Clone makes another shop of it, beside the one that it is a copy of: suspended, in sandbox mode,
	// with keys of its own, without administrators' tokens, and with nothing left to ask of gateways.
	Clone bool
}

// AdoptCopy makes the file that tx writes to this shop's own. It is called before the file appears.
// The error says which of the secrets can not be opened.
func (s *Shop) AdoptCopy(_ context.Context, tx *db.Tx, o AdoptCopy) error {
	if err := s.secrets.Adopt(tx, o.Sealer, o.Clone); err != nil {
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

// CheckSecrets opens every secret of the shop. The error is [secret.ErrSealed] if the data folder's
// key does not open them all.
func (s *Shop) CheckSecrets(ctx context.Context) error { return s.secrets.Check(ctx) }

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
