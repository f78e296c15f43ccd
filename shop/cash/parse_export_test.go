package cash

import "storefront/shop/money"

// StatementRow is a row of a courier's statement, with the amounts that it has.
type StatementRow struct {
	Consignment string
	Amounts     map[string]int64
}

// ParseStatement parses a courier's statement.
func ParseStatement(text string, currency money.Currency) ([]StatementRow, error) {
	statement, err := parseStatement([]byte(text), statementFormat{currency: currency})
	if err != nil {
		return nil, err
	}
	parsed := make([]StatementRow, len(statement.rows))
	for i, row := range statement.rows {
		amounts := map[ColumnKind]int64{}
		row.addTo(amounts)
		parsed[i] = StatementRow{row.consignment, map[string]int64{}}
		for kind, amount := range amounts {
			parsed[i].Amounts[string(kind)] = amount
		}
	}
	return parsed, nil
}
