package cash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// ledgerQuery selects shipments of the COD ledger. Its conditions are equivalent to the methods of
// [Row]; a test compares them.
type ledgerQuery struct {
	couriers []plugin.Provider // empty means any
	status   Status            // "": any
	from     time.Time         // created at this time or later
	before   time.Time         // created before this time; zero means any
	search   OrderFinder       // nil means any

	found    string // the query of the numbers of the orders that search finds
	args     []any  // of found
	rates    Rates
	currency money.Currency
}

// ledgerAmounts returns the shipments that a condition selects, with the amounts of [Row]:
// due, cash (collectedAmount), share (cashShare) and outstanding. Orders placed in sandbox mode
// have none. Its first parameters are the rates of [plugin.CourierA] and [plugin.CourierB].
func ledgerAmounts(condition string) string {
	const columns = "id, order_id, provider, status, moved_at, due, collected, fee, fee_whole, paid_out, remitted, reconciled"
	return `(
		SELECT ` + columns + `, cash, share, COALESCE(cash, 0) - fee - share AS outstanding
		FROM (
			SELECT ` + columns + `, cash,
				CASE WHEN fee_whole = 1 OR rate = 0 OR cash IS NULL OR cash > ` + fmt.Sprint(money.MaxAmount) + ` THEN 0
				ELSE cash / 10000 * rate + cash % 10000 * rate / 10000 END AS share
			FROM (
				SELECT ` + columns + `, rate,
					CASE WHEN collected IS NOT NULL THEN collected
						WHEN status <> 'delivered' OR due <= 0 OR due_elsewhere >= whole THEN NULL
						WHEN whole - due_elsewhere < due THEN whole - due_elsewhere ELSE due END AS cash
				FROM (
					SELECT ` + columns + `, rate, CASE WHEN due > total THEN due ELSE total END AS whole,
						CASE WHEN collected IS NULL AND status = 'delivered' THEN ` + cashElsewhere + ` ELSE 0 END AS due_elsewhere
					FROM (
						SELECT p.id, p.order_id, p.provider, p.status, p.moved_at,
							CASE WHEN o.test = 1 THEN 0 ELSE ` + cashDue("p", "l", "o") + ` END AS due,
							CASE WHEN o.test = 1 THEN 0 ELSE ` + cashTotal("o") + ` END AS total,
							l.collected, COALESCE(l.fee, 0) AS fee, COALESCE(l.fee_whole, 0) AS fee_whole, COALESCE(l.paid_out, 0) AS paid_out,
							l.remitted, COALESCE(l.reconciled, 0) AS reconciled,
							CASE p.provider WHEN 'courier_a' THEN ? WHEN 'courier_b' THEN ? ELSE 0 END AS rate
						FROM shipments p
						JOIN orders o ON o.id = p.order_id
						LEFT JOIN cash_lines l ON l.shipment_id = p.id AND o.test = 0
						WHERE ` + condition + `) dues` + computeOnce + `) reported) counted) shared) amounts`
}

// computeOnce ends a subquery whose columns are computed once per row. Without it SQLite copies
// their expressions to each use, in these queries thousands of times.
const computeOnce = " LIMIT 9223372036854775807 OFFSET 0"

// cashTotal returns the expression for Row.Total of an order.
func cashTotal(order string) string {
	net := order + ".total - " + order + ".advance - " + order + ".prepaid - " + order + ".uncollected"
	return "CASE WHEN " + order + ".payment_method <> 'cod' OR " + net + " < 0 THEN 0 ELSE " + net + " END"
}

// cashDue returns the expression for Row.Due of a shipment with its line and its order.
func cashDue(shipment, line, order string) string {
	return `CASE
			WHEN ` + shipment + `.status = 'cancelled' THEN 0
			WHEN ` + line + `.due IS NOT NULL AND (` + order + `.payment_method <> 'cod' OR ` + order + `.uncollected = 0
				OR ` + line + `.due < ` + cashTotal(order) + `) THEN ` + line + `.due
			WHEN ` + line + `.due IS NOT NULL THEN ` + cashTotal(order) + `
			WHEN EXISTS (SELECT 1 FROM shipments earlier
				WHERE earlier.order_id = ` + shipment + `.order_id AND earlier.id < ` + shipment + `.id
					AND earlier.status NOT IN ('returning', 'returned', 'cancelled')) THEN 0
			ELSE ` + cashTotal(order) + ` END`
}

// cashElsewhere is the expression for Row.elsewhere of a shipment of dues.
var cashElsewhere = `(
	SELECT CAST(COALESCE(SUM(CASE
		WHEN el.collected IS NOT NULL THEN el.collected
		WHEN e.id < dues.id AND e.status = 'delivered' THEN ` + cashDue("e", "el", "eo") + `
		ELSE 0 END), 0) AS BIGINT)
	FROM shipments e
	JOIN orders eo ON eo.id = e.order_id
	LEFT JOIN cash_lines el ON el.shipment_id = e.id
	WHERE e.order_id = dues.order_id AND e.id <> dues.id)`

// ledgerConditions are the conditions of the statuses on the columns of ledgerAmounts. The
// condition of [Different] has the currency's scale as a parameter twice.
var ledgerConditions = map[Status]string{
	UnderWay: "paid_out = 0 AND cash IS NULL AND due > 0 AND status IN (" + quoted(collectingStatuses()) + ")",
	Held:     "paid_out = 0 AND cash > 0",
	PaidOut:  "paid_out = 1",
	Different: `(collected IS NULL AND status = 'exchanged' AND due > 0
			OR collected <> due AND status IN (` + doneStatuses + `)
			OR collected > 0 AND status NOT IN (` + doneStatuses + `)
			OR paid_out = 1 AND remitted <> outstanding
				AND (share = 0 OR remitted - outstanding <= -1 * ? OR remitted - outstanding >= ?)
			OR paid_out = 1 AND reconciled = 0 AND status NOT IN (` + doneStatuses + `, 'returned', 'returning')
			OR paid_out = 1 AND reconciled = 0 AND outstanding < 0
			OR EXISTS (SELECT 1 FROM order_flags f
				WHERE f.order_id = amounts.order_id AND f.shipment_id = amounts.id AND f.code = 'contradicted' AND f.resolved_at IS NULL))`,
}

const doneStatuses = "'delivered', 'partially_delivered', 'exchanged'"

// collectingStatuses returns the statuses of shipments whose cash is due while none is reported.
func collectingStatuses() (all []status.Shipment) {
	for _, status := range slices.Sorted(maps.Keys(status.ShipmentTransitions)) {
		if status.MayBeDue() {
			all = append(all, status)
		}
	}
	return all
}

// quoted returns a list of SQL strings.
func quoted(statuses []status.Shipment) string {
	all := make([]string, len(statuses))
	for i, status := range statuses {
		all[i] = "'" + string(status) + "'"
	}
	return strings.Join(all, ", ")
}

// shipments returns the condition that selects shipments by their own columns.
func (q ledgerQuery) shipments() (condition string, args []any) {
	all := []string{"1 = 1"}
	all, args = db.WhereIn(all, args, "p.provider", q.couriers)
	if !q.from.IsZero() {
		all, args = append(all, "p.created_at >= ?"), append(args, db.Millis(q.from))
	}
	if !q.before.IsZero() {
		all, args = append(all, "p.created_at < ?"), append(args, db.Millis(q.before))
	}
	if q.search != nil {
		all = append(all, "p.order_id IN (SELECT id FROM orders WHERE number IN ("+q.found+"))")
		args = append(args, q.args...)
	}
	return strings.Join(all, " AND "), args
}

// notTest excludes the shipments of orders that were placed in sandbox mode. They have no cash, so
// that no status has them.
const notTest = " AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = p.order_id AND o.test = 1)"

// ids returns the query of the selected shipments' IDs. A status is compared with shipment_cash.
func (q ledgerQuery) ids() (query string, args []any) {
	condition, of := q.shipments()
	if q.status == "" {
		return "SELECT p.id FROM shipments p WHERE " + condition + notTest, of
	}
	query = "SELECT c.shipment_id AS id FROM shipment_cash c"
	where := "c.different = 1"
	if q.status != Different {
		where, args = "c.status = ?", []any{q.status}
	}
	if q.search == nil && q.from.IsZero() && q.before.IsZero() { // the index contains all columns
		all, args := db.WhereIn([]string{where}, args, "c.courier", q.couriers)
		return query + " WHERE " + strings.Join(all, " AND "), args
	}
	return query + " JOIN shipments p ON p.id = c.shipment_id WHERE " + where + " AND " + condition, append(args, of...)
}

// page returns the query of one page of shipments' IDs, newest first.
func (q ledgerQuery) page(w page.Window) (query string, args []any) {
	query, args = q.ids()
	query += " ORDER BY id DESC"
	if w.Limit != page.NoLimit {
		query, args = query+" LIMIT ? OFFSET ?", append(args, w.Limit, w.Offset())
	}
	return query, args
}

// find returns one page of the ledger and the count of the list, which is exact or bounded.
func (q ledgerQuery) find(tx *db.Tx, w page.Window) (rows []*Row, count page.Count, err error) {
	if q.search != nil {
		if q.found, q.args, err = q.search(tx); err != nil {
			return nil, count, err
		}
	}
	query, args := q.page(w)
	ids, err := db.Query(tx, db.ScanText, query, args...)
	if err != nil {
		return nil, count, fmt.Errorf("find shipments of the ledger: %w", err)
	}
	if rows, err = q.load(tx, ids); err != nil {
		return nil, count, err
	}
	seen := w.Offset() + len(ids)
	if w.Limit == page.NoLimit || len(ids) < w.Limit && (len(ids) > 0 || seen == 0) {
		return rows, page.Count{Total: seen}, nil
	}
	count, err = q.count(tx)
	return rows, count, err
}

// load returns the ledger's rows of shipments, in the order of their IDs.
func (q ledgerQuery) load(tx *db.Tx, ids []string) ([]*Row, error) {
	byID := make(map[string]*Row, len(ids))
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		part, err := findRowsOf(tx, "WHERE p.order_id IN (SELECT order_id FROM shipments WHERE id IN "+list+")", args)
		if err != nil {
			return nil, err
		}
		q.rates.apply(part)
		for _, l := range part {
			byID[l.Shipment.ID] = l
		}
	}
	rows := make([]*Row, len(ids))
	for i, id := range ids {
		rows[i] = byID[id]
	}
	return rows, nil
}

// count counts the selected shipments up to the bound of lists.
func (q ledgerQuery) count(tx *db.Tx) (count page.Count, err error) {
	query, args := q.ids()
	err = tx.QueryRow("SELECT COUNT(*) FROM ("+query+" LIMIT ?) found", append(args, page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return page.Count{}, fmt.Errorf("count shipments of the ledger: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	return count, nil
}
