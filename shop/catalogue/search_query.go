package catalogue

import (
	"context"
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/fulltext"
)

// searchSQL is the engine-specific SQL of the full-text index. All of it is in this file.
type searchSQL struct {
	// filter, after the column of a product's number, selects the products that match.
	filter string
	// from joins the matches, selected by match, to products p. The index can return them in the order
	// of number, which is the product's.
	from, match, number string
	// table has only the matches.
	table string
	// numbers selects the numbers of the matches, at most its second parameter.
	numbers string
	// list selects the numbers of a JSON array.
	list string
	// remove deletes the entry of a product, empty deletes all.
	insert, remove, empty string
	// expression returns the value of the parameter of match.
	expression func(e searchExpression, v searchView) any
	// document returns the values of a product's entry.
	document func(d *searchDocument) []any
}

// searchOn returns the SQL of an engine.
func searchOn(dialect db.Dialect) *searchSQL {
	if dialect == db.Postgres {
		return &postgresSearch
	}
	return &sqliteSearch
}

// sqliteSearch is the full-text index of SQLite, FTS5.
var sqliteSearch = searchSQL{
	filter: ` IN (
			SELECT rowid
			FROM product_search
			WHERE product_search MATCH ?)`,
	from: `product_search
		CROSS JOIN products p ON p.number = product_search.rowid`,
	table:  `product_search`,
	match:  `product_search MATCH ?`,
	number: `product_search.rowid`,
	numbers: `
		SELECT rowid
		FROM product_search
		WHERE product_search MATCH ?
		LIMIT ?`,
	list: "SELECT value FROM json_each(?)",
	insert: `
		INSERT INTO product_search (rowid, title, tags, vendor, type, skus, description)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
	remove: `
		DELETE FROM product_search
		WHERE rowid = ?`,
	empty: `
		INSERT INTO product_search (product_search)
		VALUES ('delete-all')`,
	expression: fts5Expression,
	document: func(d *searchDocument) []any {
		return []any{d.title, d.tags, d.vendor, d.kind, d.skus, d.description}
	},
}

// postgresSearch is the full-text search of PostgreSQL. The weight of a word identifies its field.
var postgresSearch = searchSQL{
	filter: ` IN (
			SELECT number
			FROM product_search
			WHERE doc @@ ?::tsquery)`,
	table: `product_search f`,
	from: `product_search f
		JOIN products p ON p.number = f.number`,
	match:  `f.doc @@ ?::tsquery`,
	number: `f.number`,
	numbers: `
		SELECT number
		FROM product_search
		WHERE doc @@ ?::tsquery
		LIMIT ?`,
	list: "SELECT json_array_elements_text(?::json)::bigint",
	insert: `
		INSERT INTO product_search (number, doc)
		VALUES (?, ?::tsvector)`,
	remove: `
		DELETE FROM product_search
		WHERE number = ?`,
	empty: `
		DELETE FROM product_search`,
	expression: tsqueryExpression,
	document: func(d *searchDocument) []any {
		var doc fulltext.Document
		doc.Add(d.title, 'A')
		for _, field := range []string{d.tags, d.vendor, d.kind, d.skus} {
			doc.Add(field, 'B')
		}
		doc.Add(d.description, 'D')
		return []any{doc.Text()}
	},
}

// fts5Columns are the column filters of FTS5.
var fts5Columns = [...]string{inTitle: "{title} : ", inFields: "- {description} : "}

// fts5Expression returns an expression of FTS5. Text in double quotes is not parsed as syntax; one
// with several words matches them as a phrase.
func fts5Expression(e searchExpression, v searchView) any {
	and := func(phrases []searchPhrase) string {
		parts := make([]string, len(phrases))
		for i, p := range phrases {
			parts[i] = `"` + strings.ReplaceAll(p.text, `"`, `""`) + `"`
			switch {
			case v.whole || p.prefix == notPrefix:
			case p.prefix == shortPrefix:
				parts[i] = "(" + parts[i] + " OR " + fts5Columns[inFields] + parts[i] + "*)"
			default:
				parts[i] += "*"
			}
		}
		return strings.Join(parts, " AND ")
	}
	units := make([]string, len(e))
	for i, u := range e {
		units[i] = and(u.typed)
		if len(u.others) > 0 && !v.typed {
			alternatives := []string{units[i]}
			for _, other := range u.others {
				alternatives = append(alternatives, and(other))
			}
			units[i] = "((" + strings.Join(alternatives, ") OR (") + "))"
		}
	}
	all := strings.Join(units, " AND ")
	switch {
	case v.any:
		return all + " AND " + fts5Columns[v.columns] + "((" + strings.Join(units, ") OR (") + "))"
	case v.columns != inAll:
		return fts5Columns[v.columns] + "(" + all + ")"
	}
	return all
}

// tsqueryWeights are the weights of the columns.
var tsqueryWeights = [...]string{inAll: "", inTitle: "A", inFields: "AB"}

// tsqueryExpression returns a query of PostgreSQL.
func tsqueryExpression(e searchExpression, v searchView) any {
	weights := tsqueryWeights[v.columns]
	if v.any {
		units, inColumns := tsqueryUnits(e, v, ""), tsqueryUnits(e, v, weights)
		return db.ScopedText(strings.Join(append(units, "("+strings.Join(inColumns, " | ")+")"), " & "))
	}
	return db.ScopedText(strings.Join(tsqueryUnits(e, v, weights), " & "))
}

// tsqueryUnits returns the query of each unit.
func tsqueryUnits(e searchExpression, v searchView, weights string) (units []string) {
	for _, u := range e {
		alternatives := []string{tsqueryAnd(u.typed, v, weights)}
		if !v.typed {
			for _, other := range u.others {
				alternatives = append(alternatives, tsqueryAnd(other, v, weights))
			}
		}
		units = append(units, "("+strings.Join(alternatives, " | ")+")")
	}
	return units
}

// tsqueryAnd returns a query that matches all phrases.
func tsqueryAnd(phrases []searchPhrase, v searchView, weights string) string {
	parts := make([]string, len(phrases))
	for i, p := range phrases {
		switch {
		case v.whole || p.prefix == notPrefix:
			parts[i] = fulltext.Phrase(p.text, weights, false)
		case p.prefix == shortPrefix:
			parts[i] = "(" + fulltext.Phrase(p.text, weights, false) + " | " +
				fulltext.Phrase(p.text, narrower(weights, tsqueryWeights[inFields]), true) + ")"
		default:
			parts[i] = fulltext.Phrase(p.text, weights, true)
		}
	}
	return "(" + strings.Join(parts, " & ") + ")"
}

// narrower returns the weights in both.
func narrower(a, b string) string {
	if a == "" || len(b) < len(a) {
		return b
	}
	return a
}

// findMatches returns the numbers of products that match, visible or not. ok is false if there are
// more than limit.
func findMatches(tx *db.Tx, sql *searchSQL, match any, limit int) (numbers []int64, ok bool, err error) {
	numbers, err = db.Query(tx, scanNumber, sql.numbers, match, limit+1)
	if err != nil {
		return nil, false, fmt.Errorf("find matches: %w", err)
	}
	return numbers, len(numbers) <= limit, nil
}

func scanNumber(r db.Row) (n int64, err error) { return n, r.Scan(&n) }

// anyMatches reports whether any product p that meets a condition matches.
func anyMatches(tx *db.Tx, sql *searchSQL, match any, visible string, args []any) (found bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM `+sql.from+`
			WHERE `+sql.match+` AND `+visible+`)`, append([]any{match}, args...)...).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("find a match: %w", err)
	}
	return found, nil
}

// indexProduct inserts the index entry of a product. It must not exist.
func indexProduct(tx *db.Tx, number int64, d *searchDocument) error {
	sql := searchOn(tx.Dialect())
	if err := tx.Do(sql.insert, append([]any{number}, sql.document(d)...)...); err != nil {
		return fmt.Errorf("index product: %w", err)
	}
	return nil
}

// unindexProduct deletes the index entry of a product.
func unindexProduct(tx *db.Tx, number int64) error {
	if err := tx.Do(searchOn(tx.Dialect()).remove, number); err != nil {
		return fmt.Errorf("unindex product: %w", err)
	}
	return nil
}

// DerivedTables returns the tables that RebuildSearch writes, besides the index itself.
func DerivedTables() []string { return []string{"search_words"} }

// RebuildSearch rebuilds the search index, and the words for its corrections, from the products. An
// export of a shop's tables does not include them, so an import must call RebuildSearch in its
// transaction.
func RebuildSearch(ctx context.Context, tx *db.Tx) error {
	if err := tx.Do(searchOn(tx.Dialect()).empty); err != nil {
		return fmt.Errorf("empty the search index: %w", err)
	}
	if err := tx.Do(`DELETE FROM search_words`); err != nil {
		return fmt.Errorf("empty the words of the search index: %w", err)
	}
	ids, err := findAllProductIDs(tx, "1 = 1")
	if err != nil {
		return err
	}
	var words wordSet
	for chunk := range db.Chunks(ids) {
		products, err := findProductRows(tx, chunk)
		if err == nil {
			err = loadTranslations(tx, products)
		}
		if err != nil {
			return err
		}
		for _, p := range products {
			d := p.searchDocument()
			if err := indexProduct(tx, p.number, &d); err != nil {
				return err
			}
			if err := insertWords(tx, words.add(&d)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}
