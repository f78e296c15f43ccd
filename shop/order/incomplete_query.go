package order

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/page"
)

const incompleteColumns = `i.id, i.session, i.status, i.step, i.phone, i.name, i.address, i.city, i.items, i.delivery_charge_id,
			i.coupon_code, i.landing_page, i.language, i.day, i.order_number, i.recovered, i.created_at, i.updated_at, i.closed_at`

const selectIncomplete = `
		SELECT ` + incompleteColumns + `, (SELECT o.id FROM orders o WHERE o.number = i.order_number)
		FROM incomplete_orders i`

func scanIncomplete(row db.Row) (r incompleteRow, err error) {
	var session []byte
	err = row.Scan(&r.id, &session, &r.status, &r.step, &r.phone, &r.name, &r.address, &r.city, &r.items, &r.deliveryChargeID,
		&r.coupon, &r.landing, &r.language, &r.day, &r.orderNumber, &r.recovered, &r.createdAt, &r.updatedAt, &r.closedAt, &r.orderID)
	r.session = string(session)
	return r, err
}

// findOpenIncomplete returns the open row of a session. The error is db.ErrNotFound if there is
// none.
func findOpenIncomplete(tx *db.Tx, session string) (*incompleteRow, error) {
	r, err := scanIncomplete(tx.QueryRow(selectIncomplete+`
		WHERE i.session = ? AND i.status = 'open'`, []byte(session)))
	if err != nil {
		return nil, fmt.Errorf("find incomplete order: %w", err)
	}
	return &r, nil
}

// requireIncomplete returns a row by its ID. Codes: not_found.
func requireIncomplete(tx *db.Tx, id string) (*incompleteRow, error) {
	r, err := scanIncomplete(tx.QueryRow(selectIncomplete+`
		WHERE i.id = ?`, id))
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(fault.CodeNotFound, "No incomplete order has this ID. They are stored for %d days.", IncompleteDays)
	}
	if err != nil {
		return nil, fmt.Errorf("find incomplete order: %w", err)
	}
	return &r, nil
}

func insertIncomplete(tx *db.Tx, r *incompleteRow) error {
	err := tx.Do(`
		INSERT INTO incomplete_orders (id, session, status, step, phone, name, address, city, items, delivery_charge_id, coupon_code,
			landing_page, language, day, created_at, updated_at)
		VALUES (?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.id, []byte(r.session), string(r.step), r.phone, r.name, r.address, r.city, r.items, r.deliveryChargeID, r.coupon,
		r.landing, string(r.language), r.day, r.createdAt, r.updatedAt)
	if err != nil {
		return fmt.Errorf("insert incomplete order: %w", err)
	}
	return nil
}

// updateIncomplete replaces what the buyer has typed.
func updateIncomplete(tx *db.Tx, r *incompleteRow) error {
	err := tx.Do(`
		UPDATE incomplete_orders
		SET step = ?, phone = ?, name = ?, address = ?, city = ?, items = ?, delivery_charge_id = ?, coupon_code = ?, landing_page = ?,
			language = ?, updated_at = ?
		WHERE id = ?`,
		string(r.step), r.phone, r.name, r.address, r.city, r.items, r.deliveryChargeID, r.coupon, r.landing,
		string(r.language), r.updatedAt, r.id)
	if err != nil {
		return fmt.Errorf("update incomplete order: %w", err)
	}
	return nil
}

// setIncompleteStatus saves the status of a row, and the order that closed it.
func setIncompleteStatus(tx *db.Tx, r *incompleteRow) error {
	err := tx.Do(`
		UPDATE incomplete_orders
		SET status = ?, order_number = ?, recovered = ?, closed_at = ?
		WHERE id = ?`, string(r.status), r.orderNumber, db.BoolInt(r.recovered), r.closedAt, r.id)
	if err != nil {
		return fmt.Errorf("set status of incomplete order: %w", err)
	}
	return nil
}

func deleteOpenIncomplete(tx *db.Tx, session string) error {
	err := tx.Do(`
		DELETE FROM incomplete_orders
		WHERE session = ? AND status = 'open'`, []byte(session))
	if err != nil {
		return fmt.Errorf("delete incomplete order of the session: %w", err)
	}
	return nil
}

func deleteIncomplete(tx *db.Tx, id string) error {
	err := tx.Do(`
		DELETE FROM incomplete_orders
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("delete incomplete order: %w", err)
	}
	return nil
}

// eraseIncomplete deletes the rows of a phone number.
func eraseIncomplete(tx *db.Tx, phone string) error {
	err := tx.Do(`
		DELETE FROM incomplete_orders
		WHERE phone = ?`, phone)
	if err != nil {
		return fmt.Errorf("erase incomplete orders: %w", err)
	}
	return nil
}

// isIncompleteClosed reports whether a session continues what staff have closed lately, or what was
// ordered: a request of the browser can arrive after its order.
func isIncompleteClosed(tx *db.Tx, session, phone string, now time.Time) (closed bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM incomplete_orders
			WHERE phone = ? AND session = ? AND status IN ('done', 'blocked') AND closed_at > ?
		) OR EXISTS (
			SELECT 1
			FROM orders
			WHERE customer_phone = ? AND placed_at > ?)`,
		phone, []byte(session), db.Millis(now.Add(-doneFor)), phone, db.Millis(now.Add(-leftAfter))).Scan(&closed)
	if err != nil {
		return false, fmt.Errorf("find closed incomplete order: %w", err)
	}
	return closed, nil
}

// countOpenIncomplete counts the open rows of a phone number, and of all.
func countOpenIncomplete(tx *db.Tx, phone string) (ofPhone, all int, err error) {
	err = tx.QueryRow(`
		SELECT (SELECT COUNT(*) FROM incomplete_orders WHERE phone = ? AND status = 'open'),
			(SELECT COUNT(*) FROM incomplete_orders WHERE status = 'open')`, phone).Scan(&ofPhone, &all)
	if err != nil {
		return 0, 0, fmt.Errorf("count incomplete orders: %w", err)
	}
	return ofPhone, all, nil
}

// CountOpenIncomplete counts the incomplete orders that their buyers have left.
func CountOpenIncomplete(tx *db.Tx) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM incomplete_orders
		WHERE status = 'open' AND updated_at <= ?`, db.Millis(tx.Now().Add(-leftAfter))).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count incomplete orders: %w", err)
	}
	return n, nil
}

// conditions returns the conditions of a filter. search is as staff typed it, phone the digits in
// it.
func (f *IncompleteFilter) conditions(search, phone string) (where string, args []any) {
	conditions, args := db.WhereIn([]string{"1 = 1"}, nil, "i.status", f.Status)
	if search != "" {
		escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
		like := `(lower(i.name) LIKE ? ESCAPE '\'`
		args = append(args, "%"+escape.Replace(strings.ToLower(search))+"%")
		if phone != "" {
			like += ` OR lower(i.phone) LIKE ? ESCAPE '\'`
			args = append(args, "%"+phone+"%")
		}
		conditions = append(conditions, like+")")
	}
	return strings.Join(conditions, " AND "), args
}

func countIncompleteIn(tx *db.Tx, where string, args []any) (count page.Count, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM incomplete_orders i WHERE `+where+` LIMIT ?) found`,
		append(slices.Clone(args), page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return count, fmt.Errorf("count incomplete orders: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	return count, nil
}

// listIncompleteIn returns one page of rows, the latest typed first.
func listIncompleteIn(tx *db.Tx, where string, args []any, w page.Window) ([]incompleteRow, error) {
	query := selectIncomplete + `
		WHERE ` + where + `
		ORDER BY i.updated_at DESC, i.id DESC`
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(slices.Clone(args), w.Limit, w.Offset())
	}
	rows, err := db.Query(tx, scanIncomplete, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list incomplete orders: %w", err)
	}
	return rows, nil
}

// findIncompleteOfPhone returns the rows of a phone number with a status, or with any.
func findIncompleteOfPhone(tx *db.Tx, phone string, statuses ...IncompleteStatus) ([]incompleteRow, error) {
	conditions, args := db.WhereIn([]string{"i.phone = ?"}, []any{phone}, "i.status", statuses)
	return listIncompleteIn(tx, strings.Join(conditions, " AND "), args, page.Window{Page: 1, Limit: page.NoLimit})
}

// orderedIncomplete is an open row with the first order of its number since it began.
type orderedIncomplete struct {
	row      incompleteRow
	number   int64
	placedAt int64
}

// sinceIncomplete selects the orders of a row's number since it began.
const sinceIncomplete = `
				FROM orders o
				WHERE o.customer_phone = i.phone AND o.placed_at >= i.created_at`

// findOrderedIncomplete returns open rows with an order of their number since they began, at most
// limit; the row with an ID if it is not "".
func findOrderedIncomplete(tx *db.Tx, id string, limit int) ([]orderedIncomplete, error) {
	condition, args := "i.status = 'open'", []any{}
	if id != "" {
		condition, args = condition+" AND i.id = ?", append(args, id)
	}
	type pair struct {
		id     string
		number int64
	}
	pairs, err := db.Query(tx, func(r db.Row) (p pair, err error) { return p, r.Scan(&p.id, &p.number) }, `
		SELECT id, number
		FROM (
			SELECT i.id AS id, (SELECT MIN(o.number)`+sinceIncomplete+`) AS number
			FROM incomplete_orders i
			WHERE `+condition+`) found
		WHERE number IS NOT NULL
		ORDER BY id
		LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("find ordered incomplete orders: %w", err)
	}
	var found []orderedIncomplete
	for _, p := range pairs {
		row, err := requireIncomplete(tx, p.id)
		if err != nil {
			return nil, err
		}
		one := orderedIncomplete{row: *row, number: p.number}
		err = tx.QueryRow(`
			SELECT placed_at
			FROM orders
			WHERE number = ?`, p.number).Scan(&one.placedAt)
		if err != nil {
			return nil, fmt.Errorf("find order of incomplete order: %w", err)
		}
		found = append(found, one)
	}
	return found, nil
}

// findOldestIncomplete returns the time of the oldest row; nil if there is none.
func findOldestIncomplete(tx *db.Tx) (oldest *int64, err error) {
	err = tx.QueryRow(`
		SELECT MIN(updated_at)
		FROM incomplete_orders`).Scan(&oldest)
	if err != nil {
		return nil, fmt.Errorf("find oldest incomplete order: %w", err)
	}
	return oldest, nil
}

func purgeIncomplete(tx *db.Tx, before time.Time, limit int) error {
	err := tx.Do(`
		DELETE FROM incomplete_orders
		WHERE id IN (SELECT id FROM incomplete_orders WHERE updated_at <= ? ORDER BY updated_at LIMIT ?)`, db.Millis(before), limit)
	if err != nil {
		return fmt.Errorf("purge incomplete orders: %w", err)
	}
	return nil
}

// incompleteCounts are counts of incomplete orders.
type incompleteCounts struct{ started, completed, recovered int64 }

// countStarted counts a new row on its day.
func countStarted(tx *db.Tx, day string) error {
	err := tx.Do(`
		INSERT INTO incomplete_order_days (day, started, completed, recovered)
		VALUES (?, 1, 0, 0)
		ON CONFLICT (day) DO UPDATE SET started = incomplete_order_days.started + 1`, day)
	if err != nil {
		return fmt.Errorf("count incomplete orders of the day: %w", err)
	}
	return nil
}

// countOrdered counts a row that an order has closed on the day on which it began.
func countOrdered(tx *db.Tx, day string, recovered bool) error {
	column := "completed"
	if recovered {
		column = "recovered"
	}
	err := tx.Do(`
		UPDATE incomplete_order_days
		SET `+column+` = `+column+` + 1
		WHERE day = ?`, day)
	if err != nil {
		return fmt.Errorf("count incomplete orders of the day: %w", err)
	}
	return nil
}

// findIncompleteDays returns the counts of the days of a period, and how many buyers of each day
// are still typing.
func findIncompleteDays(tx *db.Tx, from, to string) (map[string]incompleteCounts, map[string]int64, error) {
	days, typing := map[string]incompleteCounts{}, map[string]int64{}
	err := tx.Each(`
		SELECT day, started, completed, recovered
		FROM incomplete_order_days
		WHERE day BETWEEN ? AND ?`, []any{from, to}, func(r db.Row) error {
		var day string
		var c incompleteCounts
		err := r.Scan(&day, &c.started, &c.completed, &c.recovered)
		days[day] = c
		return err
	})
	if err == nil {
		err = tx.Each(`
			SELECT day, COUNT(*)
			FROM incomplete_orders
			WHERE status = 'open' AND updated_at > ?
			GROUP BY day`, []any{db.Millis(tx.Now().Add(-leftAfter))}, func(r db.Row) error {
			var day string
			var n int64
			err := r.Scan(&day, &n)
			typing[day] = n
			return err
		})
	}
	if err != nil {
		return nil, nil, fmt.Errorf("find days of incomplete orders: %w", err)
	}
	return days, typing, nil
}
