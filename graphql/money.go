package graphql

import "storefront/shop"

type money struct {
	Amount    Long
	Currency  string
	Formatted string
}

func newMoney(m *shop.Money) money {
	return money{Amount: Long(m.Amount), Currency: m.Currency, Formatted: m.Formatted}
}
