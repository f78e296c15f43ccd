package order

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// claimRecord stores that a lookup begins, unless one began after a time.
func claimRecord(tx *db.Tx, l *recordLookup, after int64) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO courier_records (phone, test, provider, looked_up_at, shipments, reports)
		VALUES (?, ?, ?, ?, '', 0)
		ON CONFLICT (phone, test) DO UPDATE SET looked_up_at = excluded.looked_up_at
		WHERE courier_records.looked_up_at <= ?`, l.phone, db.BoolInt(l.mode == plugin.Sandbox), l.adapter.Provider, l.began, after)
	if err != nil {
		return false, fmt.Errorf("begin lookup of a phone number: %w", err)
	}
	return n > 0, nil
}

// postponeRecord stores that a lookup has failed. The courier's earlier record stays.
func postponeRecord(tx *db.Tx, l *recordLookup, lookedUpAt int64) error {
	err := tx.Do(`
		UPDATE courier_records
		SET looked_up_at = ?
		WHERE phone = ? AND test = ? AND looked_up_at = ?`, lookedUpAt, l.phone, db.BoolInt(l.mode == plugin.Sandbox), l.began)
	if err != nil {
		return fmt.Errorf("postpone lookup of a phone number: %w", err)
	}
	return nil
}

// saveRecord stores the result of a lookup, unless the buyer was erased in the meantime.
func saveRecord(tx *db.Tx, l *recordLookup, record *plugin.PhoneRecord, now int64) error {
	err := tx.Do(`
		UPDATE courier_records
		SET provider = ?, answered_at = ?, delivered = ?, cancelled = ?, returned = ?, shipments = ?, reports = ?
		WHERE phone = ? AND test = ?`, l.adapter.Provider, now, record.Delivered, record.Cancelled, record.Returned, record.Shipments,
		record.Reports, l.phone, db.BoolInt(l.mode == plugin.Sandbox))
	if err != nil {
		return fmt.Errorf("save a courier's record: %w", err)
	}
	return nil
}

// findCourierRecord returns a courier's record of a phone number; its zero value if there is none.
func findCourierRecord(tx *db.Tx, phone string, test int64) (r courierRecordRow, err error) {
	err = tx.QueryRow(`
		SELECT provider, answered_at, delivered, cancelled, returned, shipments, reports
		FROM courier_records
		WHERE phone = ? AND test = ?`, phone, test).Scan(
		&r.provider, &r.answeredAt, &r.Delivered, &r.Cancelled, &r.Returned, &r.Shipments, &r.Reports)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return r, fmt.Errorf("find a courier's record: %w", err)
	}
	return r, nil
}

func eraseCourierRecords(tx *db.Tx, phone string) error {
	err := tx.Do(`
		DELETE FROM courier_records
		WHERE phone = ?`, phone)
	if err != nil {
		return fmt.Errorf("erase couriers' records: %w", err)
	}
	return nil
}

// lookedUpCounter has the number of the newest order with a lookup.
const lookedUpCounter = "looked_up_order"

// newCashOrder is a cash order without a lookup.
type newCashOrder struct {
	number int64
	phone  string
	mode   plugin.Mode
}

// findNewCashOrders returns the oldest cash orders after a time without a lookup.
func findNewCashOrders(tx *db.Tx, after int64, limit int) ([]newCashOrder, error) {
	orders, err := db.Query(tx, func(r db.Row) (o newCashOrder, err error) {
		var test int64
		err = r.Scan(&o.number, &o.phone, &test)
		if o.mode = plugin.Live; test != 0 {
			o.mode = plugin.Sandbox
		}
		return o, err
	}, `
		SELECT number, customer_phone, test
		FROM orders
		WHERE placed_at > ? AND number > COALESCE((SELECT value FROM counters WHERE name = '`+lookedUpCounter+`'), 0)
			AND payment_method = ? AND customer_phone <> '' AND status NOT IN ('cancelled', 'expired')
		ORDER BY placed_at, number
		LIMIT ?`, after, status.PayCOD, limit)
	if err != nil {
		return nil, fmt.Errorf("find orders to look up: %w", err)
	}
	return orders, nil
}

func saveLookedUp(tx *db.Tx, number int64) error {
	err := tx.Do(`
		INSERT INTO counters (name, value)
		VALUES ('`+lookedUpCounter+`', ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, number)
	if err != nil {
		return fmt.Errorf("save looked up orders: %w", err)
	}
	return nil
}
