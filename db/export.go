package db

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// exportFormat identifies an export, which is lines of JSON that any engine can import:
//
//	{"format":"storefront-export","schema":3,"tenant":"demo"}
//	{"table":"items","columns":["id","stock"]}   tables in foreign-key order,
//	["a",100]                                    each followed by its rows
//	["b",{"base64":"AAEC"}]                      a blob
//	{"end":true,"rows":2}                        an export without this line is truncated
const exportFormat = "storefront-export"

// exportLine is a line of an export that is not a row.
type exportLine struct {
	Format  string   `json:"format,omitempty"`
	Schema  int      `json:"schema,omitempty"`
	Tenant  string   `json:"tenant,omitempty"`
	Table   string   `json:"table,omitempty"`
	Columns []string `json:"columns,omitempty"`
	End     bool     `json:"end,omitempty"`
	Rows    int64    `json:"rows,omitempty"`
}

type exportBlob struct {
	Base64 string `json:"base64"`
}

// Export writes a consistent snapshot of a tenant's data to w, in a format that does not depend on
// the engine. Derived data, such as search indexes, is omitted.
func (s *Store) Export(ctx context.Context, id ID, w io.Writer) error {
	if err := CheckContext(ctx); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	err := s.ViewMany(ctx, id, func(_ context.Context, tx *Tx) error { return s.ExportTx(tx, id, w, s.opts.Derived) })
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// ExportTx is [Store.Export] within a transaction, without the omitted tables.
func (s *Store) ExportTx(tx *Tx, id ID, w io.Writer, omitted []string) error {
	return s.exportTx(tx, id, w, func(table string) bool { return !slices.Contains(omitted, table) })
}

// ExportTables is [Store.ExportTx] of these tables only.
func (s *Store) ExportTables(tx *Tx, id ID, w io.Writer, tables []string) error {
	return s.exportTx(tx, id, w, func(table string) bool { return slices.Contains(tables, table) })
}

func (s *Store) exportTx(tx *Tx, id ID, w io.Writer, includes func(table string) bool) error {
	out := bufio.NewWriter(w)
	e := exporter{out: out, enc: json.NewEncoder(out), tx: tx, includes: includes}
	e.enc.SetEscapeHTML(false)
	return e.export(exportLine{Format: exportFormat, Schema: s.engine.Schema(), Tenant: string(id)})
}

type exporter struct {
	out      *bufio.Writer
	enc      *json.Encoder // ends each value with a line feed
	tx       *Tx
	includes func(table string) bool
	rows     int64
}

func (e *exporter) export(head exportLine) error {
	if err := e.line(head); err != nil {
		return err
	}
	tables, err := e.tx.session.Tables()
	if err != nil {
		return err
	}
	for _, t := range tables {
		if !e.includes(t.Name) {
			continue
		}
		if err := e.table(t); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	if err := e.line(exportLine{End: true, Rows: e.rows}); err != nil {
		return err
	}
	return e.out.Flush()
}

func (e *exporter) table(t Table) error {
	if err := e.line(exportLine{Table: t.Name, Columns: t.Columns}); err != nil {
		return err
	}
	values := make([]any, len(t.Columns))
	return e.tx.read(t.selectAll(), nil, func(r *row) (bool, error) {
		for i, v := range r.values {
			var err error
			if values[i], err = exportValue(v); err != nil {
				return false, fmt.Errorf("column %s: %w", t.Columns[i], err)
			}
		}
		e.rows++
		return true, e.line(values)
	})
}

func (e *exporter) line(v any) error { return e.enc.Encode(v) }

func exportValue(v Value) (any, error) {
	switch v := v.(type) {
	case nil, int64:
		return v, nil
	case float64:
		if math.IsInf(v, 0) {
			return nil, errors.New("an infinite number cannot be exported")
		}
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, errors.New("text that is not valid UTF-8 cannot be exported")
		}
		return v, nil
	case []byte:
		return exportBlob{base64.StdEncoding.EncodeToString(v)}, nil
	}
	return nil, fmt.Errorf("a %T cannot be exported", v)
}
