package plugin

import (
	"fmt"
	"strconv"
)

// CashRateKey is the name of a courier's setting for its share of the collected cash, in basis
// points: 100 is 1 %.
const CashRateKey = "cod_basis_points"

// MaxCashRate is 100 % in basis points.
const MaxCashRate = 10_000

// CheckCashRate checks a value of [CashRateKey].
func CheckCashRate(value string) error {
	if rate, err := strconv.Atoi(value); err != nil || rate < 0 || rate > MaxCashRate {
		return fmt.Errorf("must be a number of basis points from 0 to %d; 100 is 1 %%", MaxCashRate)
	}
	return nil
}
