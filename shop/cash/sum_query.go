package cash

import (
	"fmt"

	"storefront/db"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// storedUpsertion writes many rows of shipment_cash.
var storedUpsertion = db.NewUpsertion(
	"shipment_cash (shipment_id, courier, status, different, moved_at, expected, held, fees, payable, paid_out)")

// findSums returns the stored sums of the couriers, without the oldest shipments.
func findSums(tx *db.Tx) (sums courierSums, err error) {
	sums = courierSums{}
	err = tx.Each(`
		SELECT courier, rate, under_way, expected, holding, held, fees, payable, paid_out
		FROM cash_sums`, nil, func(r db.Row) error {
		var courier plugin.Provider
		var c courierSum
		err := r.Scan(&courier, &c.rate, &c.underWay, &c.expected, &c.holding, &c.held, &c.fees, &c.payable, &c.paidOut)
		if c.counting = c.rate < 0; c.counting {
			c.rate = -1 - c.rate
		}
		sums[courier] = c
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find sums of the ledger: %w", err)
	}
	return sums, nil
}

// findOldestHeld returns the time of the oldest shipment with cash that the courier holds.
func findOldestHeld(tx *db.Tx, courier plugin.Provider) (movedAt int64, err error) {
	err = tx.QueryRow("SELECT COALESCE(MIN(moved_at), 0) FROM shipment_cash WHERE courier = ? AND status = 'held'", courier).Scan(&movedAt)
	if err != nil {
		return 0, fmt.Errorf("find oldest cash held: %w", err)
	}
	return movedAt, nil
}

// countShipments counts the shipments up to a limit.
func countShipments(tx *db.Tx, limit int) (count int, err error) {
	err = tx.QueryRow("SELECT COUNT(*) FROM (SELECT 1 FROM shipments LIMIT ?) found", limit).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count shipments: %w", err)
	}
	return count, nil
}

// findShipmentsAfter returns the last ID of at most limit shipments after a given ID; "" if there
// are none.
func findShipmentsAfter(tx *db.Tx, id string, limit int) (last string, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(MAX(id), '')
		FROM (SELECT id FROM shipments WHERE id > ? ORDER BY id LIMIT ?) found`, id, limit).Scan(&last)
	if err != nil {
		return "", fmt.Errorf("find shipments to count: %w", err)
	}
	return last, nil
}

// saveSum creates the sum of a courier, or updates the share of an existing one.
func saveSum(tx *db.Tx, courier plugin.Provider, c courierSum) error {
	if c.counting {
		c.rate = -1 - c.rate
	}
	_, err := tx.Exec(`
		INSERT INTO cash_sums (courier, rate, under_way, expected, holding, held, fees, payable, paid_out)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (courier) DO UPDATE SET rate = excluded.rate`,
		courier, c.rate, c.underWay, c.expected, c.holding, c.held, c.fees, c.payable, c.paidOut)
	if err != nil {
		return fmt.Errorf("save sum of the ledger: %w", err)
	}
	return nil
}

// ledgerCash returns the query of the columns of shipment_cash according to the ledger, for the
// shipments that a condition selects. Its first parameters are the currency's scale, twice, and the
// rates of [plugin.CourierA] and [plugin.CourierB].
func ledgerCash(condition string) string {
	const collected = "paid_out = 0 AND cash IS NOT NULL" // of it a fee may be due without cash
	when := func(condition, then string) string { return "CASE WHEN " + condition + " THEN " + then + " ELSE 0 END" }
	return `
		SELECT id, provider,
			CASE WHEN ` + ledgerConditions[PaidOut] + ` THEN 'paid'
				WHEN ` + ledgerConditions[Held] + ` THEN 'held'
				WHEN ` + ledgerConditions[UnderWay] + ` THEN 'underWay' ELSE '' END AS cash_status,
			` + when(ledgerConditions[Different], "1") + ` AS different,
			moved_at,
			` + when(ledgerConditions[UnderWay], "due") + ` AS expected,
			` + when(collected, "cash") + ` AS held,
			` + when(collected, "fee + share") + ` AS fees,
			` + when(collected, "outstanding") + ` AS payable,
			` + when("paid_out = 1", "COALESCE(remitted, outstanding)") + ` AS paid
		FROM ` + ledgerAmounts(condition)
}

// ledgerCashArgs returns the first parameters of ledgerCash.
func ledgerCashArgs(currency money.Currency, sums courierSums) []any {
	unit := int64(currency.Scale())
	return []any{unit, unit, sums[plugin.CourierA].rate, sums[plugin.CourierB].rate}
}

// findLedgerCash returns the cash according to the ledger of the shipments that a condition
// selects.
func findLedgerCash(
	tx *db.Tx, currency money.Currency, sums courierSums, condition string, args []any,
) ([]storedCash, error) {
	args = append(ledgerCashArgs(currency, sums), args...)
	rows, err := db.Query(tx, scanStoredCash, ledgerCash(condition), args...)
	if err != nil {
		return nil, fmt.Errorf("find cash of shipments: %w", err)
	}
	return rows, nil
}

// findStoredCash returns the stored cash of the shipments that a condition selects, by ID.
func findStoredCash(tx *db.Tx, condition string, args []any) (map[string]storedCash, error) {
	rows, err := db.Query(tx, scanStoredCash, `
		SELECT c.shipment_id, c.courier, c.status, c.different, c.moved_at, c.expected, c.held, c.fees, c.payable, c.paid_out
		FROM shipments p
		JOIN shipment_cash c ON c.shipment_id = p.id
		WHERE `+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("find stored cash of shipments: %w", err)
	}
	byID := make(map[string]storedCash, len(rows))
	for _, p := range rows {
		byID[p.shipmentID] = p
	}
	return byID, nil
}

func scanStoredCash(r db.Row) (p storedCash, err error) {
	err = r.Scan(&p.shipmentID, &p.courier, &p.status, &p.different, &p.movedAt, &p.expected, &p.held, &p.fees, &p.payable, &p.paidOut)
	return p, err
}

// saveStoredCash stores the cash of shipments, and adds the changes to the sums of their couriers.
func saveStoredCash(tx *db.Tx, rows []storedCash, changes courierSums) error {
	values := make([]any, 0, len(rows)*storedUpsertion.Columns)
	for _, p := range rows {
		values = append(values, p.shipmentID, p.courier, p.status, db.BoolInt(p.different), p.movedAt, p.expected, p.held, p.fees, p.payable, p.paidOut)
	}
	if err := storedUpsertion.Run(tx, values); err != nil {
		return fmt.Errorf("save cash of shipments: %w", err)
	}
	for courier, c := range changes {
		if c == (courierSum{}) {
			continue
		}
		_, err := tx.Exec(`
			UPDATE cash_sums
			SET under_way = under_way + ?, expected = expected + ?, holding = holding + ?, held = held + ?, fees = fees + ?,
				payable = payable + ?, paid_out = paid_out + ?
			WHERE courier = ?`, c.underWay, c.expected, c.holding, c.held, c.fees, c.payable, c.paidOut, courier)
		if err != nil {
			return fmt.Errorf("update sums of the ledger: %w", err)
		}
	}
	return nil
}

func deleteStoredCash(tx *db.Tx, shipmentID string) error {
	if _, err := tx.Exec("DELETE FROM shipment_cash WHERE shipment_id = ?", shipmentID); err != nil {
		return fmt.Errorf("delete cash of a shipment: %w", err)
	}
	return nil
}

// CountWrong returns the number of shipments with a stored cash that differs from the ledger, and
// the number of couriers with sums that differ from their shipments. Couriers that were never
// counted have neither. For couriers that are being counted, only the sums are compared.
func CountWrong(tx *db.Tx, currency money.Currency) (wrong int64, err error) {
	sums, err := findSums(tx)
	if err != nil {
		return 0, err
	}
	for query, args := range map[string][]any{
		wrongShipmentsQuery: ledgerCashArgs(currency, sums), superfluousQuery: nil, wrongSumsQuery: nil,
	} {
		var n int64
		if err := tx.QueryRow(query, args...).Scan(&n); err != nil {
			return 0, fmt.Errorf("compare cash of shipments: %w", err)
		}
		wrong += n
	}
	return wrong, nil
}

// The queries of what is stored wrongly.
var (
	wrongShipmentsQuery = `
		SELECT COUNT(*)
		FROM (` + ledgerCash("p.provider IN (SELECT courier FROM cash_sums WHERE rate >= 0)") + `) l
		LEFT JOIN shipment_cash c ON c.shipment_id = l.id
		WHERE c.shipment_id IS NULL OR c.courier <> l.provider OR c.status <> l.cash_status
			OR c.different <> l.different OR c.moved_at <> l.moved_at OR c.expected <> l.expected
			OR c.held <> l.held OR c.fees <> l.fees OR c.payable <> l.payable OR c.paid_out <> l.paid`
	superfluousQuery = `
		SELECT COUNT(*)
		FROM shipment_cash
		WHERE courier NOT IN (SELECT courier FROM cash_sums)`
	wrongSumsQuery = `
		SELECT COUNT(*)
		FROM cash_sums s
		LEFT JOIN (
			SELECT courier, COUNT(*) FILTER (WHERE status = 'underWay') AS under_way,
				COUNT(*) FILTER (WHERE status = 'held') AS holding, SUM(expected) AS expected,
				SUM(held) AS held, SUM(fees) AS fees, SUM(payable) AS payable, SUM(paid_out) AS paid_out
			FROM shipment_cash
			GROUP BY courier) c ON c.courier = s.courier
		WHERE s.under_way <> COALESCE(c.under_way, 0) OR s.holding <> COALESCE(c.holding, 0)
			OR s.expected <> COALESCE(c.expected, 0) OR s.held <> COALESCE(c.held, 0)
			OR s.fees <> COALESCE(c.fees, 0) OR s.payable <> COALESCE(c.payable, 0)
			OR s.paid_out <> COALESCE(c.paid_out, 0)`
)
