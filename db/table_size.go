package db

import (
	"context"
	"fmt"
	"strings"
)

// TableSize is the number and the size of a tenant's rows in a table.
type TableSize struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"` // of the values as text, without indexes
	Error string `json:"error,omitempty"`
}

// TableSizes returns the size of each table of a tenant, in the order of [Session.Tables]. Each
// table is read by itself, so that a damaged one does not hide the others: its error is in its row.
// Errors: as [Store.View].
func (s *Store) TableSizes(ctx context.Context, id ID) ([]TableSize, error) {
	var tables []Table
	err := s.View(ctx, id, func(_ context.Context, tx *Tx) (err error) {
		tables, err = tx.session.Tables()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	sizes := make([]TableSize, len(tables))
	for i := range tables {
		sizes[i].Table = tables[i].Name
		err := s.ViewMany(ctx, id, func(_ context.Context, tx *Tx) error {
			return tx.QueryRow(tables[i].selectSize()).Scan(&sizes[i].Rows, &sizes[i].Bytes)
		})
		if ctx.Err() != nil {
			return nil, fmt.Errorf("table %s: %w", tables[i].Name, err)
		}
		if err != nil {
			sizes[i].Error = err.Error()
		}
	}
	return sizes, nil
}

// selectSize returns the statement that counts the rows and their bytes.
func (t *Table) selectSize() string {
	columns := make([]string, len(t.Columns))
	for i, name := range t.Columns {
		columns[i] = "COALESCE(SUM(octet_length(CAST(" + quoteName(name) + " AS TEXT))), 0)"
	}
	return "SELECT COUNT(*), " + strings.Join(columns, " + ") + " FROM " + quoteName(t.Name)
}
