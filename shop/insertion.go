package shop

import (
	"strings"

	"storefront/db"
)

// insertSizes are the numbers of rows that one INSERT has: few sizes, few statements to prepare.
var insertSizes = [...]int{8, 4, 2, 1}

// insertion inserts rows into a table, several by one statement.
type insertion struct {
	columns    int
	statements [len(insertSizes)]string // one for each of insertSizes
}

// newInsertion takes the table with its columns, as INSERT INTO has them.
func newInsertion(into string) insertion {
	in := insertion{columns: strings.Count(into, ",") + 1}
	row := "(?" + strings.Repeat(", ?", in.columns-1) + ")"
	for i, size := range insertSizes {
		in.statements[i] = "INSERT INTO " + into + " VALUES " + row + strings.Repeat(", "+row, size-1)
	}
	return in
}

// run inserts rows, whose values are given one row after the other.
func (in *insertion) run(tx *db.Tx, values []any) error {
	for i, size := range insertSizes {
		for n := size * in.columns; len(values) >= n; values = values[n:] {
			if _, err := tx.Exec(in.statements[i], values[:n]...); err != nil {
				return err
			}
		}
	}
	return nil
}
