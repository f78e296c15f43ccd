package db

import (
	"strings"
)

// insertSizes are the numbers of rows of one INSERT. There are few, so that there are few different
// statements.
var insertSizes = [...]int{8, 4, 3, 2, 1}

// Insertion inserts rows into a table, several per statement.
type Insertion struct {
	Columns    int                      // number of columns of a row
	statements [len(insertSizes)]string // parallel to insertSizes
}

// NewInsertion returns the Insertion for a table and its columns, written as "table (column, …)".
func NewInsertion(into string) Insertion { return newInsertion(into, "") }

// NewUpsertion returns the Insertion that replaces a row with the same key. The key is the table's
// first column.
func NewUpsertion(into string) Insertion {
	_, columns, _ := strings.Cut(strings.TrimSuffix(into, ")"), "(")
	key, others, _ := strings.Cut(columns, ", ")
	replaced := strings.Split(others, ", ")
	for i, column := range replaced {
		replaced[i] = column + " = excluded." + column
	}
	return newInsertion(into, " ON CONFLICT ("+key+") DO UPDATE SET "+strings.Join(replaced, ", "))
}

func newInsertion(into, onConflict string) Insertion {
	in := Insertion{Columns: strings.Count(into, ",") + 1}
	row := "(?" + strings.Repeat(", ?", in.Columns-1) + ")"
	for i, size := range insertSizes {
		in.statements[i] = "INSERT INTO " + into + " VALUES " + row + strings.Repeat(", "+row, size-1) + onConflict
	}
	return in
}

// Run inserts rows. values contains the columns of all rows, one row after the other.
func (in *Insertion) Run(tx *Tx, values []any) error {
	for i, size := range insertSizes {
		for n := size * in.Columns; len(values) >= n; values = values[n:] {
			if err := tx.Do(in.statements[i], values[:n]...); err != nil {
				return err
			}
		}
	}
	return nil
}
