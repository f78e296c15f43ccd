package cash

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// statementColumnList has the columns of a [.Statement].
const statementColumnList = "name, courier, at, complete, shipments, collected, fees, paid_out, arrived, differences"

// scanStatement reads a row of statementColumnList.
func scanStatement(currency money.Currency) func(db.Row) (Statement, error) {
	return func(r db.Row) (c Statement, err error) {
		var courier string
		var collected, fees, arrived *int64
		var paid int64
		err = r.Scan(&c.ID, &courier, &c.At, &c.Complete, &c.Shipments, &collected, &fees, &paid, &arrived, &c.Differences)
		if courier != "" {
			c.Provider = new(plugin.Provider(courier))
		}
		c.StatementSums = StatementSums{
			Collected: optionalMoney(currency, collected), Fees: optionalMoney(currency, fees),
			PaidOut: currency.Money(paid), Arrived: optionalMoney(currency, arrived),
		}
		return c, err
	}
}

// listStatements returns one page of the statements, and their number.
func listStatements(tx *db.Tx, currency money.Currency, w page.Window) (list []Statement, total int, err error) {
	if err := tx.QueryRow("SELECT COUNT(*) FROM cash_statements").Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count statements: %w", err)
	}
	query, args := `
		SELECT `+statementColumnList+`
		FROM cash_statements
		ORDER BY at DESC, name DESC`, []any(nil)
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ?
		OFFSET ?`, []any{w.Limit, w.Offset()}
	}
	list, err = db.Query(tx, scanStatement(currency), query, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list statements: %w", err)
	}
	return list, total, nil
}

// findStatementRecord returns a statement with its differences, or [db.ErrNotFound].
func findStatementRecord(tx *db.Tx, currency money.Currency, name string) (*StatementRecord, error) {
	statements, err := db.Query(tx, scanStatement(currency), `
		SELECT `+statementColumnList+`
		FROM cash_statements
		WHERE name = ?`, name)
	if err != nil {
		return nil, fmt.Errorf("find statement: %w", err)
	}
	if len(statements) == 0 {
		return nil, db.ErrNotFound
	}
	record := &StatementRecord{Statement: statements[0]}
	found, err := db.Query(tx, func(r db.Row) (d Difference, err error) {
		var expected, reported *int64
		err = r.Scan(&d.ConsignmentID, &d.OrderID, &d.OrderNumber, &d.Problem, &expected, &reported)
		if record.Provider != nil {
			d.Provider = *record.Provider
		}
		d.Expected, d.Reported = optionalMoney(currency, expected), optionalMoney(currency, reported)
		return d, err
	}, `
		SELECT d.consignment_id, d.order_id, o.number, d.problem, d.expected, d.reported
		FROM cash_statement_differences d
			LEFT JOIN orders o ON o.id = d.order_id
		WHERE d.statement = ?
		ORDER BY d.position`, name)
	if err != nil {
		return nil, fmt.Errorf("find differences of statement: %w", err)
	}
	record.Found = db.OrEmpty(found)
	return record, nil
}

// saveStatementResult stores the sums of a complete statement and the first of its differences.
func saveStatementResult(tx *db.Tx, name string, r *Reconciliation) error {
	_, err := tx.Exec(`
		UPDATE cash_statements
		SET courier = ?, shipments = ?, collected = ?, fees = ?, paid_out = ?, arrived = ?, differences = ?
		WHERE name = ?`,
		r.Provider, r.Shipments, minor(r.Collected), minor(r.Fees), r.PaidOut.Amount, minor(r.Arrived), len(r.Differences), name)
	if err != nil {
		return fmt.Errorf("save sums of statement: %w", err)
	}
	for position, d := range r.Differences[:min(len(r.Differences), maxDifferences)] {
		_, err := tx.Exec(`
			INSERT INTO cash_statement_differences (statement, position, consignment_id, order_id, problem, expected, reported)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, name, position, d.ConsignmentID, d.OrderID, d.Problem, minor(d.Expected), minor(d.Reported))
		if err != nil {
			return fmt.Errorf("save differences of statement: %w", err)
		}
	}
	return nil
}

// requireStatement is findStatementRecord for a statement that must exist. Codes: not_found.
func requireStatement(tx *db.Tx, currency money.Currency, name string) (*StatementRecord, error) {
	record, err := findStatementRecord(tx, currency, name)
	if errors.Is(err, db.ErrNotFound) {
		return nil, errNoStatement()
	}
	return record, err
}

// optionalMoney returns an amount; nil for nil.
func optionalMoney(currency money.Currency, minor *int64) *money.Money {
	if minor == nil {
		return nil
	}
	return new(currency.Money(*minor))
}

// minor returns the minor units of an amount; nil for nil.
func minor(m *money.Money) *int64 {
	if m == nil {
		return nil
	}
	return &m.Amount
}

// maxHeaders limits the headers of a shop with saved columns.
const maxHeaders = 100

// findStatementColumns returns what staff have specified of columns, by header; with a courier only
// of its statements.
func findStatementColumns(tx *db.Tx, courier plugin.Provider) (map[string][]ColumnKind, error) {
	saved := map[string][]ColumnKind{}
	err := tx.Each(`
		SELECT header, kinds
		FROM cash_statement_columns
		WHERE ? IN ('', courier)
		ORDER BY at`, []any{courier}, func(r db.Row) error {
		var header, kinds string
		err := r.Scan(&header, &kinds)
		saved[header] = ParseColumns(kinds)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find columns of statements: %w", err)
	}
	return saved, nil
}

// saveStatementColumns saves what the columns of a courier's statements have. The oldest headers of
// a shop are deleted.
func saveStatementColumns(tx *db.Tx, courier plugin.Provider, header string, columns []ColumnKind) error {
	_, err := tx.Exec(`
		INSERT INTO cash_statement_columns (courier, header, kinds, at)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (courier, header) DO UPDATE SET kinds = excluded.kinds, at = excluded.at`,
		courier, header, formatColumns(columns), db.Millis(tx.Now()))
	if err == nil {
		_, err = tx.Exec(`
			DELETE FROM cash_statement_columns
			WHERE (courier, header) NOT IN (SELECT courier, header FROM cash_statement_columns ORDER BY at DESC LIMIT ?)`, maxHeaders)
	}
	if err != nil {
		return fmt.Errorf("save columns of statement: %w", err)
	}
	return nil
}
