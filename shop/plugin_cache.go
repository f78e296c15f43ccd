package shop

import (
	"context"
	"strings"

	"storefront/db"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// cachedPlugins are the plugins' settings with the state of the file from which they were read.
type cachedPlugins struct {
	key    settingsKey
	values pluginValues
	// err is the reason why the plugins' settings could not be opened. Only use cases that need them
	// fail.
	err error
	// online holds the gateways that are ready, each with a function that reports whether it accepts
	// an amount in minor units.
	online map[status.PaymentMethod]func(amount int64) bool
}

// pluginValues are the settings of all plugins, by provider and by the name in [plugin.Key.names].
type pluginValues map[plugin.Provider]map[string]string

// checkoutSettings returns the settings that orders are priced and paid with.
func (s *Shop) checkoutSettings(ctx context.Context) (order.CheckoutSettings, error) {
	set, plugins, err := s.loadPlugins(ctx)
	if err != nil {
		return order.CheckoutSettings{}, err
	}
	return order.CheckoutSettings{Settings: set.orders, Online: plugins.online}, nil
}

// loadPluginValues returns the shop's settings and those of its plugins. The error is
// secret.ErrSealed if the plugins' settings cannot be opened.
func (s *Shop) loadPluginValues(ctx context.Context) (*cachedSettings, pluginValues, error) {
	set, plugins, err := s.loadPlugins(ctx)
	if err == nil {
		err = plugins.err
	}
	if err != nil {
		return nil, nil, err
	}
	return set, plugins.values, nil
}

func (s *Shop) loadPlugins(ctx context.Context) (*cachedSettings, *cachedPlugins, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, nil, err
	}
	if c := s.pluginCache.Load(); c != nil && c.key == set.key {
		return set, c, nil
	}
	c := &cachedPlugins{key: set.key}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		c.values, c.err = s.findPluginValues(tx)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	c.online = s.onlineMethods(set, c.values)
	s.pluginCache.Store(c)
	return set, c, nil
}

// onlineMethods returns the gateways by which the shop can be paid in its active mode.
func (s *Shop) onlineMethods(set *cachedSettings, values pluginValues) map[status.PaymentMethod]func(amount int64) bool {
	online := map[status.PaymentMethod]func(int64) bool{}
	for i := range s.plugins {
		adapter := &s.plugins[i]
		missing, ok := adapter.Missing(plugin.CanPay, set.ActiveMode, values[adapter.Provider])
		isPractice := adapter.Practises(plugin.CanPay, set.ActiveMode, values[adapter.Provider])
		if !ok || len(missing) > 0 && !isPractice || adapter.Gateway == nil {
			continue
		}
		online[status.PaymentMethod(adapter.Provider)] = func(amount int64) bool {
			return adapter.Accepts == nil || adapter.Accepts(amount, set.money)
		}
	}
	return online
}

// pluginSecret returns the name of a plugin's setting in the table secrets.
func pluginSecret(provider plugin.Provider, name string) string { return string(provider) + "." + name }

// findPluginValues reads and decrypts the settings of all plugins.
func (s *Shop) findPluginValues(tx *db.Tx) (pluginValues, error) {
	values := pluginValues{}
	for _, plugin := range s.plugins {
		found, err := s.secrets.List(tx, pluginSecret(plugin.Provider, ""))
		if err != nil {
			return nil, err
		}
		for _, value := range found {
			if values[plugin.Provider] == nil {
				values[plugin.Provider] = map[string]string{}
			}
			values[plugin.Provider][strings.TrimPrefix(value.Name, pluginSecret(plugin.Provider, ""))] = string(value.Plain)
		}
	}
	return values, nil
}
