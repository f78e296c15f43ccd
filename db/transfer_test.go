package db_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"storefront/db"
)

// awkwardSchema has what is difficult to export: a table that refers to itself and to one that
// sorts after it, blobs, a generated column, rows inserted by the schema, and a search index.
const awkwardSchema = `
CREATE TABLE b_children (
	id     INTEGER PRIMARY KEY,
	boss   INTEGER REFERENCES b_children (id),
	owner  TEXT NOT NULL REFERENCES z_parents (id),
	data   BLOB,
	ratio  REAL,
	double INTEGER GENERATED ALWAYS AS (id * 2) STORED
) STRICT;
CREATE TABLE z_parents (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
INSERT INTO counters VALUES ('orders', 0);
CREATE VIRTUAL TABLE search USING fts5 (title);
`

func TestExportImport(t *testing.T) {
	t.Parallel()
	s := open(t, options{schema: awkwardSchema})
	err := s.Create(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		for _, q := range []string{
			`INSERT INTO z_parents VALUES ('রহিম <&> "x"'), ('b')`,
			`INSERT INTO b_children (id, owner, data, ratio) VALUES (2, 'b', x'', 1.0), (9007199254740993, 'b', NULL, 0.1)`,
			`INSERT INTO b_children (id, boss, owner, data) VALUES (1, 2, 'রহিম <&> "x"', x'00ff')`,
			`UPDATE counters SET value = 7`,
			indexText(tx, `SELECT id FROM z_parents`),
		} {
			if _, err := tx.Exec(q); err != nil {
				return err
			}
		}
		_, err := tx.Exec(`INSERT INTO z_parents VALUES (?)`, "\\N\t\\.\r\n\\x41\\") // special to COPY
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.Export(t.Context(), shop, &out); err != nil {
		t.Fatal(err)
	}
	const want = `{"format":"storefront-export","schema":1,"tenant":"demo"}
{"table":"z_parents","columns":["id"]}
["\\N\t\\.\r\n\\x41\\"]
["b"]
["রহিম <&> \"x\""]
{"table":"b_children","columns":["id","boss","owner","data","ratio"]}
[1,2,"রহিম <&> \"x\"",{"base64":"AP8="},null]
[2,null,"b",{"base64":""},1]
[9007199254740993,null,"b",null,0.1]
{"table":"counters","columns":["name","value"]}
["orders",7]
{"end":true,"rows":7}
`
	if got := out.String(); got != want {
		t.Errorf("export: got\n%s\nwant:\n%s", got, want)
	}

	var searched int64
	err = s.Import(t.Context(), "copy", strings.NewReader(want), func(_ context.Context, tx *db.Tx) error {
		if _, err := tx.Exec(indexText(tx, `SELECT id FROM z_parents`)); err != nil {
			return err
		}
		return tx.QueryRow(`SELECT count(*) FROM search`).Scan(&searched)
	})
	if err != nil || searched != 3 {
		t.Fatalf("import: got %v, %d rows in the search index, want 3", err, searched)
	}
	out.Reset()
	if err := s.Export(t.Context(), "copy", &out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Replace(out.String(), `"copy"`, `"demo"`, 1); got != want {
		t.Errorf("second export: got\n%s\nwant:\n%s", got, want)
	}
	if err := s.Import(t.Context(), "copy", strings.NewReader(want), nil); !errors.Is(err, db.ErrExists) {
		t.Errorf("import again: got %v, want ErrExists", err)
	}
}

func TestImport_Invalid(t *testing.T) {
	t.Parallel()
	s := open(t, options{schema: awkwardSchema, steps: []db.Step{{}, {}}})
	const head = `{"format":"storefront-export","schema":3}` + "\n"
	const parents = `{"table":"z_parents","columns":["id"]}` + "\n"
	for name, c := range map[string]struct {
		in   string
		want error // nil: any
	}{
		"nothing":          {"", nil},
		"something else":   {`{"hello":1}`, nil},
		"newer":            {`{"format":"storefront-export","schema":4}`, db.ErrNewer},
		"older":            {`{"format":"storefront-export","schema":2}`, db.ErrOlder},
		"truncated":        {head + parents + `["a"]`, nil},
		"rows missing":     {head + parents + `["a"]` + `{"end":true,"rows":2}`, nil},
		"unknown table":    {head + `{"table":"sqlite_master","columns":["sql"]}`, nil},
		"unknown column":   {head + `{"table":"z_parents","columns":["id\") --"]}`, nil},
		"too many values":  {head + parents + `["a","b"]`, nil},
		"row before table": {head + `["a"]`, nil},
		"wrong type":       {head + `{"table":"counters","columns":["name","value"]}["a","many"]`, db.ErrConstraint},
		"object":           {head + parents + `[{"x":1}]`, nil},
		"twice":            {head + parents + `["a"]["a"]`, db.ErrUnique},
		"broken reference": {head + `{"table":"b_children","columns":["id","owner"]}[1,"nobody"]{"end":true,"rows":1}`, db.ErrForeignKey},
	} {
		err := s.Import(t.Context(), shop, strings.NewReader(c.in), nil)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if ids, err := s.List(t.Context()); err != nil || len(ids) != 0 {
		t.Errorf("list: got %v, %v, want no tenants", ids, err)
	}
}
