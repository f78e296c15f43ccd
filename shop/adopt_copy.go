package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/input"
	"storefront/shop/secret"
)

// AdoptCopy is how a copy of a shop's file becomes the file of a shop.
type AdoptCopy struct {
	// Sealer is the sealer of the original shop. If it is nil, the copy's secrets are dropped, and its API
	// keys and sessions with them: everyone must sign in again, and the providers must be configured again.
	Sealer secret.Sealer
	// Clone makes the copy another shop beside the original: suspended, in sandbox mode, with keys of its
	// own, without API keys and without scheduled queries of gateways.
	Clone bool
}

// AdoptCopy makes the file that tx writes to the file of this shop. It must be called before the file is
// served. HTML is sanitized again, because the file may come from anywhere. The error names a secret that
// cannot be opened.
func (s *Shop) AdoptCopy(ctx context.Context, tx *db.Tx, o AdoptCopy) error {
	if err := s.secrets.Adopt(tx, o.Sealer, o.Clone); err != nil {
		return err
	}
	if o.Sealer == nil || o.Clone {
		if err := deleteCredentials(tx); err != nil {
			return err
		}
	}
	if err := catalogue.SanitizeCopy(ctx, tx); err != nil {
		return err
	}
	settings, err := findSettings(tx)
	if err != nil {
		return err
	}
	changed := o.Clone
	for i := range settings.LegalPolicies {
		body := &settings.LegalPolicies[i].BodyHTML
		if clean := input.SanitizeHTML(*body); clean != *body {
			*body, changed = clean, true
		}
	}
	if o.Clone {
		if err := disableInClone(tx); err != nil {
			return err
		}
		settings.Suspended, settings.ActiveMode = true, Sandbox
	}
	if !changed {
		return nil
	}
	return saveSettings(tx, settings)
}

// deleteCredentials deletes what lets somebody in without a password: API keys. Customers' access tokens,
// order tokens and one-time codes end with the keys that signed them.
func deleteCredentials(tx *db.Tx) error {
	if _, err := tx.Exec(`DELETE FROM admin_tokens`); err != nil {
		return fmt.Errorf("delete credentials: %w", err)
	}
	return nil
}

// CheckSecrets opens every secret of the shop. The error is [secret.ErrSealed] if the data folder's
// key does not open them all.
func (s *Shop) CheckSecrets(ctx context.Context) error { return s.secrets.Check(ctx) }

// disableInClone disables in a clone what only the original may do: query gateways about payments, which
// could capture or refund the same money twice, and couriers about shipments.
func disableInClone(tx *db.Tx) error {
	for _, query := range []string{
		`UPDATE payment_checks
		SET due_at = NULL, claimed_at = NULL
		WHERE due_at IS NOT NULL OR claimed_at IS NOT NULL`,
		`UPDATE refunds
		SET status = 'unclear', due_at = NULL
		WHERE status IN ('requested', 'processing')`,
		`UPDATE payment_attempts
		SET status = 'expired'
		WHERE status IN ('initiated', 'pending')`,
		fmt.Sprintf(`UPDATE shipments
		SET checks = %d
		WHERE status NOT IN ('delivered', 'returned', 'cancelled', 'exchanged')`, maxShipmentChecks),
	} {
		if _, err := tx.Exec(query); err != nil {
			return fmt.Errorf("disable in clone: %w", err)
		}
	}
	return nil
}
