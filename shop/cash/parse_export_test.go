package cash

import (
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// StatementRow is a row of a courier's statement, with the amounts that it has.
type StatementRow struct {
	Consignment string
	Amounts     map[string]int64
}

// ParseStatement parses a courier's statement.
func ParseStatement(text string, provider plugin.Provider, currency money.Currency) ([]StatementRow, error) {
	rows, _, err := parseStatement([]byte(text), provider, currency)
	parsed := make([]StatementRow, len(rows))
	for i, row := range rows {
		parsed[i] = StatementRow{row.consignment, map[string]int64{}}
		for kind, amount := range map[EntryKind]*int64{
			EntryCollected: row.collected, EntryFee: row.fee, cashShare: row.share, EntryRemitted: row.remitted,
		} {
			if amount != nil {
				parsed[i].Amounts[string(kind)] = *amount
			}
		}
	}
	return parsed, err
}
