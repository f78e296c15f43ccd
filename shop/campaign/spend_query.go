package campaign

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/page"
)

// days returns the first and the last day of a filter as compared with stored days.
func (f SpendFilter) days() (first, last string) {
	if last = f.To; last == "" {
		last = "9999-12-31"
	}
	return f.From, last
}

func countSpend(tx *db.Tx, f SpendFilter) (count page.Count, err error) {
	first, last := f.days()
	if err := tx.QueryRow("SELECT COUNT(*) FROM campaign_spend WHERE day >= ? AND day <= ?", first, last).Scan(&count.Total); err != nil {
		return count, fmt.Errorf("count spend: %w", err)
	}
	return count, nil
}

func findSpend(tx *db.Tx, f SpendFilter, w page.Window) ([]spendRow, error) {
	first, last := f.days()
	query, args := `
		SELECT day, kind, key, name, amount
		FROM campaign_spend
		WHERE day >= ? AND day <= ?
		ORDER BY day DESC, kind, key`, []any{first, last}
	if w.Limit != page.NoLimit {
		query, args = query+" LIMIT ? OFFSET ?", append(args, w.Limit, w.Offset())
	}
	rows, err := db.Query(tx, func(r db.Row) (s spendRow, err error) {
		return s, r.Scan(&s.day, &s.kind, &s.key, &s.name, &s.amount)
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find spend: %w", err)
	}
	return rows, nil
}

// findSpendAmount returns the stored amount of a row's day and name, 0 if there is none.
func findSpendAmount(tx *db.Tx, r spendRow) (amount int64, err error) {
	err = tx.QueryRow("SELECT amount FROM campaign_spend WHERE day = ? AND kind = ? AND key = ?", r.day, string(r.kind), r.key).Scan(&amount)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, fmt.Errorf("find spend of a day: %w", err)
	}
	return amount, nil
}

func saveSpendRow(tx *db.Tx, r spendRow) error {
	err := tx.Do(`
		INSERT INTO campaign_spend (day, kind, key, name, amount)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (day, kind, key) DO UPDATE SET name = excluded.name, amount = excluded.amount`,
		r.day, string(r.kind), r.key, r.name, r.amount)
	if err != nil {
		return fmt.Errorf("save spend: %w", err)
	}
	return nil
}

func deleteSpend(tx *db.Tx, r spendRow) error {
	if err := tx.Do("DELETE FROM campaign_spend WHERE day = ? AND kind = ? AND key = ?", r.day, string(r.kind), r.key); err != nil {
		return fmt.Errorf("delete spend: %w", err)
	}
	return nil
}
