package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/secret"
)

// AdoptCopy is how a copy of a shop's file becomes the file of a shop.
type AdoptCopy struct {
	// Sealer is the sealer of the original shop. If it is nil, the copy's secrets are dropped: everyone must
	// sign in again, and the providers must be configured again.
	Sealer secret.Sealer
	// Clone makes the copy another shop beside the original: suspended, in sandbox mode, with keys of its
	// own, without API keys and without scheduled queries of gateways.
	Clone bool
}

// AdoptCopy makes the file that tx writes to the file of this shop. It must be called before the file is
// served. The error names a secret that cannot be opened.
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

// disableInClone disables in a clone what only the original may do: accept its API keys, and query gateways
// about payments, which could capture or refund the same money twice.
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
			return fmt.Errorf("disable in clone: %w", err)
		}
	}
	return nil
}
