package db

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ExportHeader is the first line of an export.
type ExportHeader struct {
	ID     ID  // of the exported tenant
	Schema int // schema version
}

// ReadExportHeader reads the header of an export from r. It also returns a reader of the complete
// export, header included.
func ReadExportHeader(r io.Reader) (h ExportHeader, all io.Reader, err error) {
	in := bufio.NewReader(r)
	line, err := in.ReadSlice('\n')
	var head exportLine
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	if err != nil || head.Format != exportFormat {
		return h, nil, errNotExport
	}
	h.Schema = head.Schema
	if h.ID, err = ParseID(head.Tenant); err != nil {
		return h, nil, fmt.Errorf("read the export's tenant: %w", err)
	}
	return h, io.MultiReader(bytes.NewReader(bytes.Clone(line)), in), nil
}

var errNotExport = errors.New("not an export of this program")

// Import creates the tenant id from an export of the same schema version. If after is not nil, it
// runs on the imported data before the tenant appears, to write what exports omit, such as search
// indexes. Errors: [ErrExists], [ErrNewer], [ErrOlder], [ErrConstraint], and after's own.
func (s *Store) Import(ctx context.Context, id ID, r io.Reader, after func(ctx context.Context, tx *Tx) error) error {
	if err := errors.Join(id.Check(), CheckContext(ctx)); err != nil {
		return fmt.Errorf("import tenant: %w", err)
	}
	load := func(session Session) error { return ImportRows(ctx, session, r, s.engine.Schema()) }
	if err := s.engine.Import(ctx, id, load, s.builder(ctx, after)); err != nil {
		return fmt.Errorf("import tenant %s: %w", id, err)
	}
	return nil
}

// ImportRows imports the rows of an export of that schema version into a tenant that is being
// built. Errors: [ErrNewer], [ErrOlder], [ErrConstraint].
func ImportRows(ctx context.Context, session Session, r io.Reader, schema int) error {
	tables, err := session.Tables()
	if err != nil {
		return err
	}
	im := importer{ctx: ctx, session: session, in: json.NewDecoder(bufio.NewReader(r)), tables: tables}
	for _, t := range tables { // rows that the schema itself inserts
		if err := im.exec("DELETE FROM "+quoteName(t.Name), nil); err != nil {
			return err
		}
	}
	im.in.UseNumber()
	return im.load(schema)
}

type importer struct {
	ctx     context.Context
	session Session
	in      *json.Decoder
	tables  []Table

	table *Table // of the following rows
	add   func(row []Value) error
	rows  int64
	width int
}

func (im *importer) exec(query string, args []Value) error { return execute(im.session, query, args) }

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
			return fmt.Errorf("the export is truncated or damaged after row %d: %w", im.rows, err)
		}
		end, err := im.line(raw)
		if err != nil {
			return fmt.Errorf("after row %d: %w", im.rows, err)
		}
		if !end {
			continue
		}
		// The end of the stream has the checksum of a compressed one.
		if _, err := im.in.Token(); err != io.EOF {
			return fmt.Errorf("the export is damaged after its end: %w", cmp.Or(err, errNotExport))
		}
		return nil
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
			return false, fmt.Errorf("its last line counts %d", l.Rows)
		}
		return true, nil
	}
	return false, im.begin(l)
}

// begin starts the next table.
func (im *importer) begin(l exportLine) error {
	i := slices.IndexFunc(im.tables, func(t Table) bool { return t.Name == l.Table })
	if i < 0 {
		return fmt.Errorf("unknown table %q", l.Table)
	}
	im.table = &im.tables[i]
	for _, column := range l.Columns {
		if !slices.Contains(im.table.Columns, column) {
			return fmt.Errorf("table %s has no column %q", l.Table, column)
		}
	}
	im.width = len(l.Columns)
	var err error
	im.add, err = im.table.adder(im.session, l.Columns)
	return err
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
		return fmt.Errorf("table %s: %d values for %d columns", im.table.Name, len(values), im.width)
	}
	args := make([]Value, len(values))
	for i, v := range values {
		value, err := importValue(v)
		if err != nil {
			return fmt.Errorf("table %s: %w", im.table.Name, err)
		}
		args[i] = value
	}
	if err := im.add(args); err != nil {
		return fmt.Errorf("table %s: %w", im.table.Name, err)
	}
	im.rows++
	return nil
}

func importValue(v any) (Value, error) {
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
