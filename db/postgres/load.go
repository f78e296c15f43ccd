package postgres

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"storefront/db"
)

// loading are rows that wait to be stored by one COPY, before the waiting statements. It takes a
// fifth of the time of as many INSERTs.
type loading struct {
	text string // of the COPY
	rows []byte // in its text format
}

// Load implements [db.Loader].
func (s *session) Load(name string, columns []string) (func(row []db.Value) error, error) {
	t := s.engine.schema.tables[name]
	if t == nil {
		return nil, fmt.Errorf("%w: unknown table %q", db.ErrStatement, name)
	}
	quoted := []string{shopColumn}
	for _, c := range columns {
		if !slices.Contains(t.columns, c) {
			return nil, fmt.Errorf("%w: table %s has no column %q", db.ErrStatement, name, c)
		}
		quoted = append(quoted, `"`+c+`"`)
	}
	text := `COPY "` + name + `" (` + strings.Join(quoted, ", ") + `) FROM STDIN`
	return func(row []db.Value) error {
		if len(row) != len(columns) {
			return errParams
		}
		if s.loading.text != text && len(s.loading.rows) > 0 || len(s.waiting) > 0 {
			if _, err := s.trip(nil, false); err != nil {
				return err
			}
		}
		s.loading.text = text
		rows := strconv.AppendInt(s.loading.rows, s.shop, 10)
		for _, v := range row {
			var err error
			if rows, err = appendCopied(append(rows, '\t'), v); err != nil {
				return err
			}
		}
		s.loading.rows = append(rows, '\n')
		if len(s.loading.rows) < maxWaitingBytes {
			return nil
		}
		return s.store()
	}, nil
}

// store stores the loaded rows.
func (s *session) store() error {
	if len(s.loading.rows) == 0 {
		return nil
	}
	if err := s.analyzeGrown(); err != nil {
		return err
	}
	stored, err := s.link.copyIn(s.ctx, s.loading.text, s.loading.rows)
	s.loading.rows = s.loading.rows[:0]
	if err != nil {
		return err
	}
	s.done = true
	s.count([]*op{{rows: stored}})
	return nil
}

// copyIn runs a COPY of those rows in a trip of its own.
func (l *link) copyIn(ctx context.Context, text string, rows []byte) (stored int64, err error) {
	if err := l.readLate(); err != nil {
		return 0, err
	}
	l.trips.Add(1)
	if err := l.conn.Conn().SetDeadline(time.Now().Add(cmp.Or(l.timeout, tripTimeout))); err != nil {
		return 0, l.failure(ctx, err)
	}
	tag, err := l.conn.CopyFrom(ctx, bytes.NewReader(rows), text)
	return tag.RowsAffected(), l.failure(ctx, err)
}

var copyEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// appendCopied appends a value in the text format of COPY.
func appendCopied(to []byte, v db.Value) ([]byte, error) {
	a, err := encode(v, true)
	if err != nil {
		return nil, err
	}
	switch a.kind {
	case 'i':
		return strconv.AppendInt(to, int64(binary.BigEndian.Uint64(a.value)), 10), nil
	case 'n':
		return append(to, `\N`...), nil
	case 'b':
		return hex.AppendEncode(append(to, `\\x`...), a.value), nil
	}
	return append(to, copyEscapes.Replace(string(a.value))...), nil
}
