package shop

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/conversion"
	"storefront/shop/input"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/plan"
	"storefront/shop/plugin"
	"storefront/shop/secret"
	"storefront/shop/staff"
)

// AdoptCopy is the input of [Shop.AdoptCopy].
type AdoptCopy struct {
	// Sealer is the sealer of the original shop. If it is nil, the copy's secrets are dropped, and
	// its API keys and sessions with them: everyone must sign in again, staff members must be
	// invited again, and the providers must be configured again.
	Sealer secret.Sealer
	// Reseal seals the secrets again: Sealer belongs to another server.
	Reseal bool
	// KeepSessions retains the sessions of staff members: the shop moves, and they continue here.
	KeepSessions bool
	// Clone makes the copy another shop beside the original: suspended, in sandbox mode, with keys
	// of its own, without domains, API keys, sessions and scheduled queries of gateways. Its staff
	// members must be invited again.
	Clone bool
	// Ended is the access that has ended in the file that the copy replaces, from
	// [staff.ReadEndedAccess]. nil means unknown.
	Ended []access.Subject
	// Revoked are the revoked credentials of customers in that file; nil means unknown.
	Revoked *account.Revocations
	// SigningKeys are the signing keys of that file; empty means unknown.
	SigningKeys secret.SealedKeys
	// Operator is the operator's word in that file; nil means unknown.
	Operator *OperatorWord
	// Defaults are the server's for its shops; nil means none. They replace the copy's, which may
	// be of another server.
	Defaults *Defaults
}

// OperatorWord is what only the operator of the server decides about a shop. A restore retains
// it, regardless of the copy.
type OperatorWord struct {
	Suspension       *Suspension
	Plan             *plan.Plan
	ConfirmedDomains []string
}

// FindOperatorWord returns the operator's word in the file that tx reads.
func FindOperatorWord(tx *db.Tx) (*OperatorWord, error) {
	set, err := findSettings(tx)
	if err != nil {
		return nil, err
	}
	return &OperatorWord{set.Suspension, set.Plan, set.ConfirmedDomains}, nil
}

// apply changes the settings of a copy.
func (w *OperatorWord) apply(set *Settings) {
	set.Suspension, set.Plan = w.Suspension, w.Plan
	set.ConfirmedDomains = slices.DeleteFunc(
		slices.Clone(w.ConfirmedDomains),
		func(name string) bool {
			return !slices.Contains(set.Domains, name)
		},
	)
}

// AdoptCopy makes the file that tx writes to the file of this shop. It must be called before the
// file is served. HTML is sanitized again, because the file may come from anywhere. It returns the
// resulting settings, and the changes of its staff members' and API keys' access. The error
// contains a secret that cannot be opened.
func (s *Shop) AdoptCopy(
	ctx context.Context,
	tx *db.Tx,
	o AdoptCopy,
) (*Settings, *staff.CopyAccess, error) {
	who, err := s.adoptSecrets(tx, &o)
	if err != nil {
		return nil, nil, err
	}
	if err := o.Revoked.Apply(tx); err != nil {
		return nil, nil, err
	}
	if err := catalogue.SanitizeCopy(ctx, tx); err != nil {
		return nil, nil, err
	}
	if err := catalogue.RenewCursors(tx); err != nil {
		return nil, nil, err
	}
	if err := job.CancelAll(tx); err != nil {
		return nil, nil, err
	}
	settings, err := findSettings(tx)
	if err != nil {
		return nil, nil, err
	}
	if err := conversion.EndAll(tx, "Not sent: the shop is a copy, whose original may have sent it."); err != nil {
		return nil, nil, err
	}
	changed := o.Clone || o.Operator != nil
	if !s.cfg.Operators && settings.Defaults.Hash() != o.Defaults.Hash() {
		settings.Defaults, changed = o.Defaults, true
	}
	for _, text := range settings.texts() {
		if clean := input.SanitizeHTML(text.BodyHTML); clean != text.BodyHTML {
			text.BodyHTML, changed = clean, true
		}
	}
	if o.Clone {
		if err := disableInClone(tx); err != nil {
			return nil, nil, err
		}
		if err := s.Endpoints.AdoptClone(tx); err != nil {
			return nil, nil, err
		}
		settings.Suspended, settings.Suspension, settings.ActiveMode = true, nil, plugin.Sandbox
		settings.Advertising = conversion.Settings{}
		settings.Domains, settings.ConfirmedDomains = []string{}, []string{} // of the original
	} else if o.Operator != nil {
		o.Operator.apply(&settings)
	}
	if changed {
		err = saveSettings(tx, settings)
	}
	return &settings, who, err
}

// adoptSecrets adopts the secrets of a copy, and restricts the access to it.
func (s *Shop) adoptSecrets(tx *db.Tx, o *AdoptCopy) (*staff.CopyAccess, error) {
	if err := s.secrets.Adopt(tx, o.Sealer, o.Clone, o.Reseal); err != nil {
		return nil, err
	}
	if o.Reseal { // stored responses are sealed too, each by itself
		if _, err := tx.Exec(`DELETE FROM staff_requests`); err != nil {
			return nil, fmt.Errorf("delete stored responses: %w", err)
		}
	}
	if o.Sealer == nil || o.Clone {
		if err := deleteCredentials(tx); err != nil {
			return nil, err
		}
	} else if err := s.secrets.ContinueKeys(tx, o.SigningKeys); err != nil {
		return nil, err
	}
	if o.KeepSessions {
		return &staff.CopyAccess{EndedMembers: []string{}, EndedKeys: []string{}, CheckMembers: []string{}, CheckKeys: []string{}}, nil
	}
	return s.Staff.RestrictCopy(tx, o.Ended)
}

// deleteCredentials deletes the credentials for administering the shop: API keys, and the sessions,
// links, codes, passkeys and second factors of staff members, who must be invited again. It also
// deletes the secrets of webhook endpoints, which become inactive. Customers' access tokens, order
// tokens and one-time codes end with the keys that signed them.
func deleteCredentials(tx *db.Tx) error {
	for _, query := range []string{
		`DELETE FROM admin_tokens`,
		`DELETE FROM staff_sessions`,
		`DELETE FROM staff_links`,
		`DELETE FROM staff_codes`,
		`DELETE FROM staff_passkeys`,
		`DELETE FROM customer_passkeys`,
		`DELETE FROM staff_requests`,
		`DELETE FROM staff_recovery`,
		`DELETE FROM secrets
		WHERE name >= 'totp.' AND name < 'totp/'`,
		`DELETE FROM secrets
		WHERE name >= 'webhook.' AND name < 'webhook/'`,
		`DELETE FROM secrets
		WHERE name IN ('push', 'staff_messages')`,
		`DELETE FROM secrets
		WHERE name >= 'conversion.' AND name < 'conversion/'`,
		`DELETE FROM notifications`,
		`DELETE FROM push_devices`,
		`UPDATE staff_notify
		SET chat = '', chat_name = '', code_hash = NULL, code_expires = NULL`,
		`UPDATE webhook_endpoints
		SET active = 0, disabled_reason = 'The shop is a copy: replace the secret first.'`,
		`UPDATE webhook_deliveries
		SET status = 'failed', due_at = NULL, claim = NULL, claimed_until = NULL, error = 'The shop is a copy.'
		WHERE due_at IS NOT NULL`,
		`UPDATE staff
		SET status = 'off', password_hash = NULL, totp_step = NULL`,
	} {
		if _, err := tx.Exec(query); err != nil {
			return fmt.Errorf("delete credentials: %w", err)
		}
	}
	return nil
}

// CheckSecrets opens every secret of the shop. The error is [secret.ErrSealed] if the data folder's
// key does not open them all.
func (s *Shop) CheckSecrets(ctx context.Context) error { return s.secrets.Check(ctx) }

// endWork ends the work that reaches others: querying gateways about payments and couriers about
// shipments, and the messages to buyers, which are skipped for a reason.
func endWork(tx *db.Tx, reason string) error {
	_, err := tx.Exec(`
		UPDATE buyer_messages
		SET status = 'skipped', reason = ?, due_at = NULL, claim = NULL, claimed_until = NULL
		WHERE due_at IS NOT NULL`, reason)
	if err != nil {
		return fmt.Errorf("skip messages: %w", err)
	}
	for _, query := range []string{
		`UPDATE payment_checks
		SET due_at = NULL, claimed_at = NULL
		WHERE due_at IS NOT NULL OR claimed_at IS NOT NULL`,
		fmt.Sprintf(`UPDATE shipments
		SET checks = %d
		WHERE status NOT IN ('delivered', 'returned', 'cancelled', 'exchanged')`, order.MaxShipmentChecks),
	} {
		if _, err := tx.Exec(query); err != nil {
			return fmt.Errorf("end queries to providers: %w", err)
		}
	}
	return nil
}

// disableInClone disables the work in a clone that only the original may do: querying gateways
// about payments, which could capture or refund the same money twice, and couriers about shipments.
func disableInClone(tx *db.Tx) error {
	if err := endWork(tx, "The shop is a copy."); err != nil {
		return err
	}
	for _, query := range []string{
		`UPDATE refunds
		SET status = 'unclear', due_at = NULL
		WHERE status IN ('requested', 'processing')`,
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
