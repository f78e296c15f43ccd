package shop

import (
	"context"
	"encoding/json"

	"storefront/db"
)

// Create makes the shop's file with its own keys and with the settings that changes names; either
// all of it is there afterwards or nothing. The error is db.ErrExists when there is such a shop.
// Codes: validation_failed.
func Create(ctx context.Context, cfg Config, changes map[string]json.RawMessage) error {
	s := New(cfg)
	var settings Settings
	if err := settings.apply(changes); err != nil {
		return err
	}
	return s.store.Create(ctx, s.id, func(ctx context.Context, tx *db.Tx) error {
		if err := saveSettings(tx, settings); err != nil {
			return err
		}
		return s.secrets.GenerateKeys(tx)
	})
}
