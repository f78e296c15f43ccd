package shop

import (
	"context"
	"strconv"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
)

// cashRates returns the shares in the couriers' settings; 0 if they are not set.
func (s *Shop) cashRates(ctx context.Context) (cash.Rates, error) {
	_, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	return ratesOf(values), nil
}

// findCashRates is cashRates in a transaction. It returns nil if the couriers' settings cannot be
// read: orders can be handled all the same.
func (s *Shop) findCashRates(tx *db.Tx) cash.Rates {
	if values, err := s.findPluginValues(tx); err == nil {
		return ratesOf(values)
	}
	return nil
}

func ratesOf(values pluginValues) cash.Rates {
	rates := cash.Rates{}
	for _, provider := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		rate, err := strconv.ParseInt(values[provider][plugin.CashRateKey], 10, 64)
		if err == nil && rate >= 0 && rate <= plugin.MaxCashRate {
			rates[provider] = rate
		}
	}
	return rates
}

// saveCashRate saves the share in a courier's price for a staff member, unless the setting has a
// value.
func (s *Shop) saveCashRate(
	ctx context.Context, caller access.Caller, provider plugin.Provider, rate int64,
) error {
	_, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return err
	}
	if values[provider][plugin.CashRateKey] != "" {
		return nil
	}
	name, text := pluginSecret(provider, plugin.CashRateKey), strconv.FormatInt(rate, 10)
	err = access.Do(ctx, s.data, caller, access.ToSaveCashRate,
		func(tx *db.Tx, who access.Staff) error {
			saved, err := s.findPluginValue(tx, name)
			if err != nil {
				return err
			}
			if saved != nil {
				return nil
			}
			if err := s.savePluginValue(tx, name, &text); err != nil {
				return err
			}
			if err := outbox.Append(tx, outbox.Event{Type: outbox.SettingsChanged, Subject: string(provider)}); err != nil {
				return err
			}
			return who.Audit(tx, providerSubject(provider), access.Set(plugin.CashRateKey, text))
		})
	if err != nil {
		return err
	}
	s.revision.Add(1)
	return nil
}
