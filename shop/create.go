package shop

import (
	"context"
	"encoding/json"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/staff"
)

// CheckSettings checks the settings of a new shop. Codes: validation_failed.
func CheckSettings(changes map[string]json.RawMessage) error {
	var settings Settings
	return settings.apply(changes)
}

// Create creates the shop's file with keys of its own and with the given settings, atomically, and
// returns all settings. The error is db.ErrExists if the shop exists. Codes: validation_failed.
func Create(ctx context.Context, cfg Config, changes map[string]json.RawMessage) (*Settings, error) {
	return create(ctx, cfg, changes, func(*Shop, *Settings) (func(tx *db.Tx) error, error) {
		return func(*db.Tx) error { return nil }, nil
	})
}

// CreateWithOwner is [Create] with the shop's first owner, who is signed in. Codes:
// validation_failed, password_rejected, rate_limited.
func CreateWithOwner(
	ctx context.Context, caller access.Caller, cfg Config, changes map[string]json.RawMessage, owner staff.FirstOwner,
) (settings *Settings, session *staff.SignedIn, err error) {
	settings, err = create(ctx, cfg, changes, func(s *Shop, set *Settings) (func(tx *db.Tx) error, error) {
		createOwner, err := s.Staff.PrepareOwner(ctx, caller, owner, set.forStaff())
		return func(tx *db.Tx) (err error) {
			session, err = createOwner(tx)
			return err
		}, err
	})
	if err != nil {
		return nil, nil, err
	}
	return settings, session, nil
}

// create creates a shop. prepare returns a function for the same transaction.
func create(
	ctx context.Context, cfg Config, changes map[string]json.RawMessage, prepare func(*Shop, *Settings) (func(tx *db.Tx) error, error),
) (*Settings, error) {
	s := New(cfg)
	var settings Settings
	if err := settings.apply(changes); err != nil {
		return nil, err
	}
	also, err := prepare(s, &settings)
	if err != nil {
		return nil, err
	}
	err = s.data.Store.Create(ctx, s.data.ID, func(ctx context.Context, tx *db.Tx) error {
		if err := useLogo(tx, &settings); err != nil {
			return err
		}
		if err := saveSettings(tx, settings); err != nil {
			return err
		}
		if err := s.secrets.GenerateKeys(tx); err != nil {
			return err
		}
		return also(tx)
	})
	if err != nil {
		return nil, err
	}
	return &settings, nil
}
