package shop

import (
	"context"
	"fmt"
	"strconv"

	"storefront/db"
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

// saveCashRate saves the share that a courier's price reports, unless the setting has a value.
func (s *Shop) saveCashRate(ctx context.Context, provider Provider, rate int64) error {
	_, values, err := s.loadPluginValues(ctx)
	if err != nil || values[provider][CashRateKey] != "" {
		return err
	}
	text := strconv.FormatInt(rate, 10)
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		return s.savePluginValue(tx, pluginSecret(provider, CashRateKey), &text)
	})
	if err == nil {
		s.revision.Add(1)
	}
	return err
}
