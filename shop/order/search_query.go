package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/fulltext"
	"storefront/shop/outbox"
	"storefront/shop/page"
)

// The SQL of the full-text index differs between the engines; all of it is in this file.

// maxSearch limits the orders that words find, the newest first.
const maxSearch = page.MaxCount + 1

// orderSearchSQL is the SQL that differs between the engines.
type orderSearchSQL struct {
	newest                string // numbers of the orders that match
	list                  string // the numbers of a JSON array
	insert, remove, empty string
	expression            func(words []string) any // the text that newest matches
	entry                 func(text string) any    // the text that insert inserts
}

func orderSearchOn(tx *db.Tx) *orderSearchSQL {
	if tx.Dialect() == db.Postgres {
		return &postgresOrderSearch
	}
	return &sqliteOrderSearch
}

var sqliteOrderSearch = orderSearchSQL{
	newest: `
		SELECT rowid
		FROM (
			SELECT rowid
			FROM order_search
			WHERE order_search MATCH ?
			ORDER BY rowid DESC
			LIMIT ?) newest`,
	list: "SELECT value FROM json_each(?)",
	insert: `
		INSERT INTO order_search (rowid, text)
		VALUES (?, ?)`,
	remove: `
		DELETE FROM order_search
		WHERE rowid = ?`,
	empty: `
		INSERT INTO order_search (order_search)
		VALUES ('delete-all')`,
	expression: func(words []string) any {
		quoted := make([]string, len(words))
		for i, word := range words {
			quoted[i] = `"` + word + `"`
			if beginsWords(word) {
				quoted[i] += "*"
			}
		}
		return strings.Join(quoted, " ")
	},
	entry: func(text string) any { return text },
}

var postgresOrderSearch = orderSearchSQL{
	newest: `
		SELECT newest.number
		FROM (
			SELECT f.number
			FROM order_search f
			WHERE f.doc @@ ?::tsquery
			ORDER BY f.number DESC
			LIMIT ?) newest`,
	list: "SELECT json_array_elements_text(?::json)::bigint",
	insert: `
		INSERT INTO order_search (number, doc)
		VALUES (?, ?::tsvector)`,
	remove: `
		DELETE FROM order_search
		WHERE number = ?`,
	empty: `
		DELETE FROM order_search`,
	expression: func(words []string) any {
		phrases := make([]string, len(words))
		for i, word := range words {
			phrases[i] = fulltext.Phrase(word, "", beginsWords(word))
		}
		return db.ScopedText(strings.Join(phrases, " & "))
	},
	entry: func(text string) any {
		var doc fulltext.Document
		doc.Add(text, 'A')
		return doc.Text()
	},
}

// beginsWords reports whether a word of a search also matches words that begin with it. Too many
// words begin with a single letter.
func beginsWords(word string) bool { return len([]rune(word)) > 1 }

// foundOrders is a query of order numbers, such as those that a search has found.
type foundOrders struct {
	query   string
	args    []any
	numbers []int64 // ascending
}

// find finds the orders of a search.
func (q *Search) find(tx *db.Tx) error {
	sql := orderSearchOn(tx)
	scan := func(r db.Row) (number int64, err error) { return number, r.Scan(&number) }
	numbers, err := db.Query(tx, scan, sql.newest, sql.expression(q.words), maxSearch)
	if err != nil {
		return fmt.Errorf("search orders: %w", err)
	}
	if q.phone != "" && !slices.Equal(q.words, []string{q.phone}) {
		grouped, err := db.Query(tx, scan, sql.newest, sql.expression([]string{q.phone}), maxSearch)
		if err != nil {
			return fmt.Errorf("search orders by phone number: %w", err)
		}
		numbers = append(numbers, grouped...)
	}
	exact, err := db.Query(tx, scan, `
		SELECT number
		FROM orders
		WHERE number = ? OR id = ?
		ORDER BY number = ? DESC`, q.number, q.id, q.number)
	if err != nil {
		return fmt.Errorf("find order by number: %w", err)
	}
	if len(exact) > 0 {
		q.exact = exact[0]
	}
	numbers = append(numbers, exact...)
	slices.Sort(numbers) // the engine builds a set of ascending numbers faster
	numbers = slices.Compact(numbers)
	q.found, err = numberList(tx, numbers)
	return err
}

// numberList returns the query of these order numbers.
func numberList(tx *db.Tx, numbers []int64) (foundOrders, error) {
	list, err := json.Marshal(db.OrEmpty(numbers))
	if err != nil {
		return foundOrders{}, fmt.Errorf("encode order numbers: %w", err)
	}
	return foundOrders{orderSearchOn(tx).list, []any{string(list)}, numbers}, nil
}

// without returns the search without the order that it names.
func (q *Search) without(tx *db.Tx) (*Search, error) {
	others := slices.DeleteFunc(slices.Clone(q.found.numbers), func(n int64) bool { return n == q.exact })
	found, err := numberList(tx, others)
	return &Search{found: found}, err
}

// saveOrderText creates or replaces the index entry of an order.
func saveOrderText(tx *db.Tx, number int64, text string) error {
	err := unindexOrder(tx, number)
	if err == nil {
		sql := orderSearchOn(tx)
		err = tx.Do(sql.insert, number, sql.entry(text))
	}
	if err != nil {
		return fmt.Errorf("index order: %w", err)
	}
	return nil
}

func unindexOrder(tx *db.Tx, number int64) error {
	return tx.Do(orderSearchOn(tx).remove, number)
}

// ResetSearch empties the search index of orders. An export of a shop's tables does not
// include it. The next search or background work fills it again.
func ResetSearch(tx *db.Tx) error {
	if err := tx.Do(orderSearchOn(tx).empty); err != nil {
		return fmt.Errorf("empty the search index of orders: %w", err)
	}
	return errors.Join(outbox.DeleteCursor(tx, searchConsumer), outbox.DeleteCursor(tx, searchBackfill))
}

// unindexedOrders is what the search index of orders lacks.
type unindexedOrders struct {
	events int       // not yet processed
	since  time.Time // of the oldest of them
	older  int       // orders older than the index, at most
}

func (u unindexedOrders) total() int { return u.events + u.older }

// findUnindexed returns what the search index lacks.
func findUnindexed(tx *db.Tx) (rest unindexedOrders, err error) {
	seq, err := outbox.Cursor(tx, searchConsumer)
	if errors.Is(err, db.ErrNotFound) { // the index has not begun
		exist, err := anyOrders(tx)
		if err == nil && exist {
			rest.older, err = countOrdersToLast(tx)
		}
		return rest, err
	}
	if err != nil {
		return rest, err
	}
	events, err := outbox.After(tx, seq, 1)
	if err != nil {
		return rest, err
	}
	if len(events) > 0 {
		last, err := outbox.Last(tx)
		if err != nil {
			return rest, err
		}
		rest.events, rest.since = int(last-seq), events[0].At
	}
	from, err := outbox.Cursor(tx, searchBackfill)
	if errors.Is(err, db.ErrNotFound) {
		return rest, nil
	}
	if err == nil {
		rest.older, err = countOrdersTo(tx, from)
	}
	return rest, err
}

func countOrdersToLast(tx *db.Tx) (count int, err error) {
	last, err := LastNumber(tx)
	if err != nil {
		return 0, err
	}
	return countOrdersTo(tx, last)
}

// countOrdersTo returns the number of orders up to a number, as if no number was missing, and at
// least 1.
func countOrdersTo(tx *db.Tx, number int64) (count int, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(? - MIN(number) + 1, 0)
		FROM orders`, number).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count orders to index: %w", err)
	}
	return max(1, count), nil
}

// findOrdersBelow returns the IDs of at most limit orders up to a number, and the number from which
// to continue; 0 if there are no more.
func findOrdersBelow(tx *db.Tx, from int64, limit int) (ids []string, next int64, err error) {
	err = tx.Each(`
		SELECT id, number
		FROM orders
		WHERE number <= ?
		ORDER BY number DESC
		LIMIT ?`, []any{from, limit}, func(r db.Row) error {
		var id string
		if err := r.Scan(&id, &next); err != nil {
			return err
		}
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("find orders to index: %w", err)
	}
	if len(ids) < limit {
		return ids, 0, nil
	}
	return ids, next - 1, nil
}
