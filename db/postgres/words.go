package postgres

import "strings"

// keywords are words of the subset that are not names.
var keywords = set(`
	all and any as asc between by case cast check conflict cross current default delete desc distinct do else end
	except exists explain filter first following from full group having in inner insert intersect into is
	join last left like escape limit materialized natural not nothing null nulls offset on or order outer over partition
	preceding range recursive references returning right row rows select set some table then unbounded
	union unique update using values when where window with`)

// functions may be called: they read no table and do not depend on the session.
var functions = set(`
	abs avg coalesce count greatest least length lower max min nullif octet_length replace row_number round substr sum trim upper
	json_array_elements_text to_tsvector`)

// castTypes may follow the operator ::, which only statements for PostgreSQL contain.
var castTypes = set(`bigint bytea json text tsquery tsvector`)

// refusedWords could refer to a table, lock rows, or read the session, in the middle of a
// statement.
var refusedWords = set(`
	current_catalog current_role current_schema current_user delete execute explain fetch for insert into lateral merge
	natural only rowid session_user table tablesample update user using with`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// isKeyword reports whether the token is a keyword.
func (t token) isKeyword() bool { return t.kind == word && !t.quoted && keywords[t.text] }
