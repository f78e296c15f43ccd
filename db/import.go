package db

import (
	"bufio"
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// ReadExportHeader reads the header of an export from r. It returns the exported tenant's UID and a
// reader of the complete export, header included.
func ReadExportHeader(r io.Reader) (id ID, all io.Reader, err error) {
	in := bufio.NewReader(r)
	line, err := in.ReadSlice('\n')
	var head exportLine
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	if err != nil || head.Format != exportFormat {
		return "", nil, errNotExport
	}
	if id, err = ParseID(head.Tenant); err != nil {
		return "", nil, fmt.Errorf("read the export's tenant: %w", err)
	}
	return id, io.MultiReader(bytes.NewReader(bytes.Clone(line)), in), nil
}

var errNotExport = errors.New("not an export of this program")

// Import creates the tenant id from an export of the same schema version. If after is not nil, it
// runs on the imported data before the tenant appears, to write what exports omit, such as search
// indexes. Errors: [ErrExists], [ErrNewer], [ErrOlder], [ErrConstraint], and after's own.
func (s *Store) Import(ctx context.Context, id ID, r io.Reader, after func(ctx context.Context, tx *Tx) error) error {
	if err := errors.Join(id.check(), checkContext(ctx)); err != nil {
		return fmt.Errorf("import tenant: %w", err)
	}
	err := s.create(ctx, id, func(path string) error {
		blank, err := s.template.fill(ctx, s, nil)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, blank, 0o600); err != nil {
			return err
		}
		if err := s.importRows(ctx, path, r); err != nil {
			return err
		}
		return s.fill(ctx, path, after)
	})
	if err != nil {
		return fmt.Errorf("import tenant %s: %w", id, err)
	}
	return nil
}

// importRows imports the rows of an export into the file at path. Foreign keys are checked at the
// end, since rows of one table may refer to each other.
func (s *Store) importRows(ctx context.Context, path string, r io.Reader) (err error) {
	c, err := connect(path, "rw", scratchPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.run("BEGIN"); err != nil {
		return err
	}
	tables, err := listTables(c)
	if err != nil {
		return err
	}
	for _, t := range tables { // rows that the schema itself inserts
		if err := c.run("DELETE FROM " + quoteName(t.name)); err != nil {
			return err
		}
	}
	im := importer{ctx: ctx, conn: c, in: json.NewDecoder(bufio.NewReader(r)), tables: tables}
	im.in.UseNumber()
	if err := im.load(s.newest()); err != nil {
		return err
	}
	if err := checkForeignKeys(c); err != nil {
		return err
	}
	return c.run("COMMIT")
}

type importer struct {
	ctx    context.Context
	conn   *conn
	in     *json.Decoder
	tables []*table

	table *table // whose rows follow
	rows  int64
	query string
	width int
}

func (im *importer) load(newest int) error {
	var head exportLine
	if err := im.in.Decode(&head); err != nil || head.Format != exportFormat {
		return errNotExport
	}
	switch {
	case head.Schema > newest:
		return fmt.Errorf("schema version %d, this program supports %d: %w", head.Schema, newest, ErrNewer)
	case head.Schema < newest:
		return fmt.Errorf("schema version %d, this program has %d: %w", head.Schema, newest, ErrOlder)
	}
	for {
		if err := im.ctx.Err(); err != nil {
			return err
		}
		var raw json.RawMessage
		if err := im.in.Decode(&raw); err != nil {
			return fmt.Errorf("the export is truncated or damaged after %d rows: %w", im.rows, err)
		}
		end, err := im.line(raw)
		if err != nil {
			return fmt.Errorf("after %d rows: %w", im.rows, err)
		}
		if end {
			return nil
		}
	}
}

func (im *importer) line(raw json.RawMessage) (end bool, err error) {
	if bytes.HasPrefix(raw, []byte("[")) {
		return false, im.row(raw)
	}
	var l exportLine
	if err := json.Unmarshal(raw, &l); err != nil {
		return false, err
	}
	if l.End {
		if l.Rows != im.rows {
			return false, fmt.Errorf("%d rows were expected", l.Rows)
		}
		return true, nil
	}
	return false, im.begin(l)
}

// begin starts the next table.
func (im *importer) begin(l exportLine) error {
	i := slices.IndexFunc(im.tables, func(t *table) bool { return t.name == l.Table })
	if i < 0 {
		return fmt.Errorf("unknown table %q", l.Table)
	}
	im.table = im.tables[i]
	for _, column := range l.Columns {
		if !slices.Contains(im.table.columns, column) {
			return fmt.Errorf("table %s has no column %q", l.Table, column)
		}
	}
	im.query, im.width = im.table.insert(l.Columns), len(l.Columns)
	return nil
}

func (im *importer) row(raw json.RawMessage) error {
	if im.table == nil {
		return errors.New("a row before its table")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var values []any
	if err := dec.Decode(&values); err != nil {
		return err
	}
	if len(values) != im.width {
		return fmt.Errorf("table %s: %d values for %d columns", im.table.name, len(values), im.width)
	}
	args := make([]driver.NamedValue, len(values))
	for i, v := range values {
		value, err := importValue(v)
		if err != nil {
			return fmt.Errorf("table %s: %w", im.table.name, err)
		}
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	st, err := im.conn.statement(im.query)
	if err != nil {
		return err
	}
	if _, err := st.exec.ExecContext(context.Background(), args); err != nil {
		return fmt.Errorf("table %s: %w", im.table.name, translate(err))
	}
	im.rows++
	return nil
}

func importValue(v any) (driver.Value, error) {
	switch v := v.(type) {
	case nil, string:
		return v, nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return v.Float64()
		}
		return v.Int64()
	case map[string]any:
		if text, ok := v["base64"].(string); ok && len(v) == 1 {
			return base64.StdEncoding.DecodeString(text)
		}
	}
	return nil, errors.New("a value must be a string, a number, null or a blob")
}
