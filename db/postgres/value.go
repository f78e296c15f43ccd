package postgres

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"storefront/db"
)

// object identifiers of types.
const (
	oidBool    = 16
	oidBytea   = 17
	oidInt8    = 20
	oidInt2    = 21
	oidInt4    = 23
	oidFloat4  = 700
	oidFloat8  = 701
	oidNumeric = 1700
)

const (
	textFormat   = 0
	binaryFormat = 1
)

// argument is a value of a statement's parameter in its form for sending.
type argument struct {
	kind   byte // 'n' null, 'i' integer, 's' text, 'b' bytes, 'f' number
	format int16
	value  []byte // nil for NULL
}

func (a argument) equal(b argument) bool { return a.kind == b.kind && bytes.Equal(a.value, b.value) }

// oid returns the declared type of the parameter. The server derives the type of others from the
// statement.
func oid(kind byte) uint32 {
	switch kind {
	case 'i':
		return oidInt8
	case 'b':
		return oidBytea
	case 'f':
		return oidFloat8
	}
	return 0
}

// suits reports whether an argument may be sent for a parameter of a type.
func (a argument) suits(oid uint32) bool {
	switch a.kind {
	case 'n':
		return true
	case 'i':
		return oid == oidInt8
	case 'b':
		return oid == oidBytea
	case 'f':
		return oid == oidFloat8
	}
	switch oid {
	case oidBool, oidBytea, oidInt8, oidInt2, oidInt4, oidFloat4, oidFloat8, oidNumeric:
		return false
	}
	return true
}

var errText = errors.New("text must be UTF-8 without NUL")

// encode returns the argument for a value. Text that PostgreSQL cannot store is refused in changes.
// In other statements U+FFFD replaces invalid characters: no text in a table equals the result.
func encode(v db.Value, changes bool) (argument, error) {
	switch v := v.(type) {
	case nil:
		return argument{kind: 'n'}, nil
	case int64:
		return argument{kind: 'i', format: binaryFormat, value: binary.BigEndian.AppendUint64(nil, uint64(v))}, nil
	case bool:
		n := int64(0)
		if v {
			n = 1
		}
		return encode(n, changes)
	case string:
		if strings.IndexByte(v, 0) >= 0 || !utf8.ValidString(v) {
			if changes {
				return argument{}, &db.Error{Kind: db.ErrConstraint, Err: errText}
			}
			v = strings.ReplaceAll(strings.ToValidUTF8(v, "\uFFFD"), "\x00", "\uFFFD")
		}
		return argument{kind: 's', value: []byte(v)}, nil
	case []byte:
		if v == nil {
			return argument{kind: 'n'}, nil
		}
		return argument{kind: 'b', format: binaryFormat, value: append([]byte{}, v...)}, nil
	case float64:
		return argument{kind: 'f', value: strconv.AppendFloat(nil, v, 'g', -1, 64)}, nil
	}
	return argument{}, fmt.Errorf("a %T cannot be sent", v)
}

// formats returns the formats in which the columns of a result are requested.
func formats(fields []pgconn.FieldDescription) []int16 {
	all := make([]int16, len(fields))
	for i, f := range fields {
		switch f.DataTypeOID {
		case oidBool, oidBytea, oidInt8, oidInt4, oidInt2, oidFloat8:
			all[i] = binaryFormat
		}
	}
	return all
}

// decode returns the value of a column. A boolean is 0 or 1, as in SQLite.
func decode(f *pgconn.FieldDescription, raw []byte) (db.Value, error) {
	if raw == nil {
		return nil, nil
	}
	if f.Format == binaryFormat {
		return decodeBinary(f.DataTypeOID, raw)
	}
	s := string(raw)
	switch f.DataTypeOID {
	case oidBool:
		return boolInt(s == "t"), nil
	case oidInt8, oidInt4, oidInt2:
		return strconv.ParseInt(s, 10, 64)
	case oidBytea:
		return hex.DecodeString(strings.TrimPrefix(s, `\x`))
	case oidFloat8, oidFloat4:
		return strconv.ParseFloat(s, 64)
	case oidNumeric: // a sum of integers, or an average
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, nil
		}
		return strconv.ParseFloat(s, 64)
	}
	return s, nil
}

func decodeBinary(oid uint32, raw []byte) (db.Value, error) {
	switch {
	case oid == oidBool && len(raw) == 1:
		return boolInt(raw[0] != 0), nil
	case oid == oidBytea:
		return raw, nil
	case oid == oidInt8 && len(raw) == 8:
		return int64(binary.BigEndian.Uint64(raw)), nil
	case oid == oidInt4 && len(raw) == 4:
		return int64(int32(binary.BigEndian.Uint32(raw))), nil
	case oid == oidInt2 && len(raw) == 2:
		return int64(int16(binary.BigEndian.Uint16(raw))), nil
	case oid == oidFloat8 && len(raw) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(raw)), nil
	}
	return nil, fmt.Errorf("a column of type %d cannot be decoded", oid)
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
