package shop

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
)

// pluginMemory is the [PluginState] of one plugin in one mode.
type pluginMemory struct {
	shop     *Shop
	provider Provider
	mode     Mode
}

// name keeps the memory apart from the plugin's settings.
func (m pluginMemory) name() string { return memoryName(m.provider, m.mode) }

func memoryName(provider Provider, mode Mode) string {
	return "memory:" + string(provider) + ":" + string(mode)
}

// Load gives what was saved.
func (m pluginMemory) Load(ctx context.Context) ([]byte, error) {
	var sealed []byte
	err := m.shop.view(ctx, func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`
			SELECT sealed
			FROM secrets
			WHERE name = ?`, m.name()).Scan(&sealed)
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load memory of %s: %w", m.provider, err)
	}
	plain, err := m.shop.sealer.Open(m.name(), sealed)
	if err != nil {
		return nil, fmt.Errorf("open memory of %s: %w", m.provider, err)
	}
	return plain, nil
}

// Save replaces what was saved.
func (m pluginMemory) Save(ctx context.Context, value []byte) error {
	return m.shop.update(ctx, func(_ context.Context, tx *db.Tx) error {
		return m.shop.saveSecret(tx, m.name(), value)
	})
}

// forgetPlugin forgets what a plugin keeps, in both modes.
func forgetPlugin(tx *db.Tx, provider Provider) error {
	for _, mode := range []Mode{Live, Sandbox} {
		if err := deleteSecret(tx, memoryName(provider, mode)); err != nil {
			return err
		}
	}
	return nil
}
