package sqlite

import (
	"slices"
	"testing"
)

func TestSQLTokens(t *testing.T) {
	t.Parallel()
	const want = "CREATE TABLE orders (id INTEGER NOT NULL, note TEXT CHECK (note <> '-- \"x\"'))"
	for _, same := range []string{
		want,
		"CREATE TABLE \"orders\" (\n\tid INTEGER NOT NULL, -- a comment, with a ' in it\n\t\"note\" TEXT CHECK (note<>'-- \"x\"'))",
		"CREATE/* a comment */TABLE orders(id INTEGER NOT NULL,note TEXT CHECK(note<>'-- \"x\"'))",
	} {
		if !slices.Equal(sqlTokens(same), sqlTokens(want)) {
			t.Errorf("%s: got %q, want %q", same, sqlTokens(same), sqlTokens(want))
		}
	}
	for _, other := range []string{
		"", "CREATE TABLE orders (id INTEGER NOT NULL, note TEXT CHECK (note <> '--'))",
		`CREATE TABLE orders (id INTEGER "NOT" NULL, note TEXT CHECK (note <> '-- "x"'))`,
		`CREATE TABLE orders (id INTEGER "not" NULL, note TEXT CHECK (note <> '-- "x"'))`,
		`CREATE TABLE orders (id INTEGER NOT NULL, note TEXT -- CHECK (note <> '-- "x"'))`,
		`CREATE TABLE orders (id INTEGER NOT NULL, note TEXT CHECK (note <> '-- "x"')) STRICT`,
		`CREATE TABLE [orders] (id INTEGER NOT NULL, note TEXT CHECK (note <> '-- "x"')`,
		`CREATE TABLE orders (id INTEGER NOT NULL, note TEXT CHECK (note <> '-- "x"`, "'", `"`, "[", "/*", "--",
	} {
		if slices.Equal(sqlTokens(other), sqlTokens(want)) {
			t.Errorf("%s: got the tokens of the other statement", other)
		}
	}
}
