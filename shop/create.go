package shop

import (
	"context"
	"encoding/json"

	"storefront/db"
)

// Create creates the shop's file with keys of its own and with the given settings, atomically. The error is
// db.ErrExists if the shop exists.
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
