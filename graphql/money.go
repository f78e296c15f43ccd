package graphql

import (
	"storefront/shop/money"
)

type moneyValue struct {
	Amount    Long
	Currency  string
	Formatted string
}

func newMoney(m *money.Money) moneyValue {
	return moneyValue{Amount: Long(m.Amount), Currency: m.Currency, Formatted: m.Formatted}
}
