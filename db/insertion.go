package db

import (
	"strings"
)

// insertSizes are the numbers of rows that one INSERT has: few sizes, few statements to prepare.
var insertSizes = [...]int{8, 4, 2, 1}

// insertion inserts rows into a table, several by one statement.
type Insertion struct {
	Columns    int
	statements [len(insertSizes)]string // one for each of insertSizes
}

// newInsertion takes the table with its columns, as INSERT INTO has them.
func NewInsertion(into string) Insertion {
	in := Insertion{Columns: strings.Count(into, ",") + 1}
	row := "(?" + strings.Repeat(", ?", in.Columns-1) + ")"
	for i, size := range insertSizes {
		in.statements[i] = "INSERT INTO " + into + " VALUES " + row + strings.Repeat(", "+row, size-1)
	}
	return in
}

// run inserts rows, whose values are given one row after the other.
func (in *Insertion) Run(tx *Tx, values []any) error {
	for i, size := range insertSizes {
		for n := size * in.Columns; len(values) >= n; values = values[n:] {
			if _, err := tx.Exec(in.statements[i], values[:n]...); err != nil {
				return err
			}
		}
	}
	return nil
}
