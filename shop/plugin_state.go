package shop

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/plugin"
)

// pluginState is the [plugin.State] of one plugin in one mode.
type pluginState struct {
	shop     *Shop
	provider plugin.Provider
	mode     plugin.Mode
}

// name returns the name of the secret, which does not collide with the plugin's settings.
func (m pluginState) name() string { return pluginStateName(m.provider, m.mode) }

func pluginStateName(provider plugin.Provider, mode plugin.Mode) string {
	return "memory:" + string(provider) + ":" + string(mode)
}

// Load returns the saved value; nil means none.
func (m pluginState) Load(ctx context.Context) (value []byte, err error) {
	err = m.shop.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		value, err = m.shop.secrets.Find(tx, m.name())
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load state of %s: %w", m.provider, err)
	}
	return value, nil
}

// Save replaces the saved value.
func (m pluginState) Save(ctx context.Context, value []byte) error {
	return m.shop.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		return m.shop.secrets.Save(tx, m.name(), value)
	})
}

// clearPluginState deletes the states of a plugin for both modes.
func (s *Shop) clearPluginState(tx *db.Tx, provider plugin.Provider) error {
	for _, mode := range []plugin.Mode{plugin.Live, plugin.Sandbox} {
		if err := s.secrets.Delete(tx, pluginStateName(provider, mode)); err != nil {
			return err
		}
	}
	return nil
}
