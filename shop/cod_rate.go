package shop

import (
	"context"
	"fmt"
	"strconv"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/outbox"
)

// CashRateKey is the name of a courier's setting for its share of the collected cash, in basis
// points: 100 is 1 %.
const CashRateKey = "cod_basis_points"

// maxCashRate is 100 % in basis points.
const maxCashRate = 10_000

// CheckCashRate checks a value of [CashRateKey].
func CheckCashRate(value string) error {
	if rate, err := strconv.Atoi(value); err != nil || rate < 0 || rate > maxCashRate {
		return fmt.Errorf("must be a number of basis points from 0 to %d; 100 is 1 %%", maxCashRate)
	}
	return nil
}

// cashRates are the couriers' shares of the collected cash, in basis points.
type cashRates map[Provider]int64

// cashRates returns the shares as the couriers' settings have them; 0 if they are not set.
func (s *Shop) cashRates(ctx context.Context) (cashRates, error) {
	_, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	rates := cashRates{}
	for _, provider := range []Provider{CourierA, CourierB} {
		if rate, err := strconv.ParseInt(values[provider][CashRateKey], 10, 64); err == nil && rate >= 0 && rate <= maxCashRate {
			rates[provider] = rate
		}
	}
	return rates, nil
}

func (r cashRates) apply(rows []*ledgerRow) {
	for _, l := range rows {
		l.rate = r[l.shipment.provider]
	}
}

// saveCashRate saves the share that a courier's price reports to a staff member, unless the setting
// has a value.
func (s *Shop) saveCashRate(ctx context.Context, caller access.Caller, provider Provider, rate int64) error {
	_, values, err := s.loadPluginValues(ctx)
	if err != nil || values[provider][CashRateKey] != "" {
		return err
	}
	who, err := s.requireStaff(ctx, caller, access.ToSaveCashRate)
	if err != nil {
		return err
	}
	name, text := pluginSecret(provider, CashRateKey), strconv.FormatInt(rate, 10)
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		if saved, err := s.findPluginValue(tx, name); err != nil || saved != nil {
			return err
		}
		if err := s.savePluginValue(tx, name, &text); err != nil {
			return err
		}
		if err := outbox.Append(tx, outbox.Event{Type: outbox.SettingsChanged, Subject: string(provider)}); err != nil {
			return err
		}
		return who.Audit(tx, providerSubject(provider), access.Set(CashRateKey, text))
	})
	if err == nil {
		s.revision.Add(1)
	}
	return err
}
