package shoptest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// Schema returns the project's schema.sql, which main.go embeds.
func Schema(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(root(tb), "schema.sql"))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// root returns the project's folder.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd() // tests run in the folder of their package
	if err != nil {
		tb.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, "schema.sql"))
		if err == nil {
			return dir
		}
		if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			tb.Fatal(err)
		}
	}
}

// laterSteps are the schema steps of later versions. The first adds a table with a row for each
// order, the second a column to it.
var laterSteps = []struct{ sqlite, postgres, table string }{
	{`-- labels of orders

CREATE TABLE order_labels (
    order_number INTEGER NOT NULL PRIMARY KEY REFERENCES orders (number),
    label        TEXT    NOT NULL
) STRICT;
INSERT INTO order_labels (order_number, label) SELECT number, 'order ' || number FROM orders;
`, `-- labels of orders

CREATE TABLE order_labels (
    shop         bigint           NOT NULL,
    order_number bigint           NOT NULL,
    label        text COLLATE "C" NOT NULL,
    PRIMARY KEY (shop, order_number),
    FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE
);
INSERT INTO order_labels (shop, order_number, label)
SELECT shop, number, 'order ' || number FROM orders;
`, `
CREATE TABLE order_labels (
    order_number INTEGER NOT NULL PRIMARY KEY REFERENCES orders (number),
    label        TEXT    NOT NULL
) STRICT;
`},
	{`-- cities of labels

ALTER TABLE order_labels ADD COLUMN city TEXT NOT NULL DEFAULT '';
UPDATE order_labels SET city = (SELECT city FROM orders WHERE number = order_number);
`, `-- cities of labels

ALTER TABLE order_labels ADD COLUMN city text COLLATE "C" NOT NULL DEFAULT '';
UPDATE order_labels l
SET city = (SELECT city FROM orders o WHERE o.shop = l.shop AND number = order_number);
`, `
CREATE TABLE order_labels (
    order_number INTEGER NOT NULL PRIMARY KEY REFERENCES orders (number),
    label        TEXT    NOT NULL,
    city         TEXT    NOT NULL DEFAULT ''
) STRICT;
`},
}

// LaterSchema returns the schema.sql of a later version of the program, and its schema steps: the
// steps of this version and one or two more.
func LaterSchema(tb testing.TB, more int) (schema string, steps fstest.MapFS) {
	tb.Helper()
	schema, steps = Schema(tb), fstest.MapFS{}
	steps["01.sql"] = &fstest.MapFile{Data: []byte(schema)} // unless there are steps already
	if err := addFiles(steps, filepath.Join(root(tb), "tenants", "steps")); err != nil {
		tb.Fatal(err)
	}
	file := func(version int) string { return fmt.Sprintf("%02d.sql", version) }
	ofPostgres := func(version int) string { return fmt.Sprintf("%02d.postgres.sql", version) }
	newest := 1
	for steps[file(newest+1)] != nil || steps[ofPostgres(newest+1)] != nil {
		newest++
	}
	for _, step := range laterSteps[:more] {
		newest++
		steps[file(newest)] = &fstest.MapFile{Data: []byte(step.sqlite)}
		steps[ofPostgres(newest)] = &fstest.MapFile{Data: []byte(step.postgres)}
	}
	return schema + laterSteps[more-1].table, steps
}

// addFiles adds the files of a folder.
func addFiles(to fstest.MapFS, dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	for _, name := range names {
		text, readErr := os.ReadFile(name)
		to[filepath.Base(name)] = &fstest.MapFile{Data: text}
		err = errors.Join(err, readErr)
	}
	return err
}
