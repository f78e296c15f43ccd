package sqlite

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
)

// schemaObject is one row of sqlite_schema: a table, an index, a view or a trigger.
type schemaObject struct {
	kind, name string
	table      string // that it belongs to
	sql        string // "" for the index of a constraint
}

func (o schemaObject) String() string {
	if o.kind == "trigger" {
		return fmt.Sprintf("%s %s on %s", o.kind, o.name, o.table)
	}
	return o.kind + " " + o.name
}

// litestreamTables are the tables that the litestream program adds to a replicated file.
var litestreamTables = map[string]string{
	"_litestream_seq":  "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
	"_litestream_lock": "CREATE TABLE _litestream_lock (id INTEGER)",
}

// listObjects returns the schema of a file by kind and name.
func listObjects(c *conn) (map[string]schemaObject, error) {
	objects := map[string]schemaObject{}
	err := c.each("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema", func(v []driver.Value) error {
		o := schemaObject{fmt.Sprint(v[0]), fmt.Sprint(v[1]), fmt.Sprint(v[2]), fmt.Sprint(v[3])}
		if sql, ok := litestreamTables[o.name]; !ok || o.sql != sql {
			key := o.kind + " " + o.name
			for _, ok := objects[key]; ok; _, ok = objects[key] { // only in a forged file
				key += " "
			}
			objects[key] = o
		}
		return nil
	})
	return objects, err
}

// findForeign returns the differences between the schema of a file and this program's, one line per
// object, sorted. A file may come from anywhere, and its schema can run code with every query: a
// trigger could copy customers' data, and a table without its constraints could hold a negative
// stock. For an older version only the views and triggers are compared: its tables are complete
// after the schema steps. Integrity checks notice none of this.
func (s *Files) findForeign(c *conn) ([]string, error) {
	want, err := s.template().objects(s)
	if err != nil {
		return nil, err
	}
	have, err := listObjects(c)
	if err != nil {
		return nil, err
	}
	version, err := c.number("PRAGMA user_version")
	if err != nil {
		return nil, err
	}
	var foreign []string
	for key, o := range have {
		expected, ok := want[key]
		switch {
		case version != int64(s.newest()) && o.kind != "view" && o.kind != "trigger":
		case !ok:
			foreign = append(foreign, o.String()+" does not belong to this program")
		case o.table != expected.table || !slices.Equal(sqlTokens(o.sql), sqlTokens(expected.sql)):
			foreign = append(foreign, o.String()+" differs from this program's")
		}
	}
	if version == int64(s.newest()) {
		for key, o := range want {
			if _, ok := have[key]; !ok {
				foreign = append(foreign, o.String()+" is missing")
			}
		}
	}
	slices.Sort(foreign)
	return foreign, nil
}

// checkSchema returns [db.ErrForeignSchema] if the schema of a file is not this program's.
func (s *Files) checkSchema(c *conn) error {
	foreign, err := s.findForeign(c)
	if err != nil {
		return err
	}
	if len(foreign) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", db.ErrForeignSchema, strings.Join(foreign, "; "))
}

// objects returns the schema of a new file. The result must not be modified.
func (t *template) objects(s *Files) (map[string]schemaObject, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known != nil {
		return t.known, nil
	}
	if s.isClosed() {
		return nil, db.ErrClosed
	}
	c, err := s.connectTemplate() // not t.conn, which may be inside a transaction
	if err != nil {
		return nil, fmt.Errorf("apply the schema: %w", err)
	}
	known, err := listObjects(c)
	if err := cmp.Or(err, c.close()); err != nil {
		return nil, err
	}
	t.known = known
	return known, nil
}

// sqlTokens splits a statement of sqlite_schema into tokens, without comments. Two statements with
// equal tokens create the same object. Identifiers in double quotes, which ALTER TABLE writes,
// equal those without, but only in lower case: "NOT" would name a type where NOT is part of a
// constraint.
func sqlTokens(sql string) []string {
	var tokens []string
	for i := 0; i < len(sql); {
		end := i + 1
		switch b := sql[i]; {
		case strings.IndexByte(" \t\n\f\r", b) >= 0:
			i++
			continue
		case strings.HasPrefix(sql[i:], "--"):
			i = endOf(sql, i, "\n")
			continue
		case strings.HasPrefix(sql[i:], "/*"):
			i = endOf(sql, i+2, "*/")
			continue
		case b == '\'' || b == '"' || b == '`':
			end = endOfQuoted(sql, i)
		case b == '[':
			end = endOf(sql, i, "]")
		case isWordByte(b):
			for end < len(sql) && isWordByte(sql[end]) {
				end++
			}
		}
		token := sql[i:end]
		if name := strings.Trim(token, `"`); len(token) == len(name)+2 && token[0] == '"' && isPlainName(name) {
			token = name
		}
		tokens = append(tokens, token)
		i = end
	}
	return tokens
}

// endOf returns the index after the next mark in text from start on, or the length of text.
func endOf(text string, start int, mark string) int {
	if n := strings.Index(text[start:], mark); n >= 0 {
		return start + n + len(mark)
	}
	return len(text)
}

// endOfQuoted returns the index after the quoted text that begins at start. Inside, the quote is
// doubled.
func endOfQuoted(text string, start int) int {
	quote := text[start]
	for i := start + 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}

func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// isPlainName reports whether a name means the same with and without quotes in a schema with
// upper-case keywords.
func isPlainName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) &&
		(name[0] < '0' || name[0] > '9')
}
