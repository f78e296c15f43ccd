package plan

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
)

// Warn warns the shop once a month of each limit that it uses to four fifths, and once more of each
// that it has reached. Its owners are notified of the warning's event.
func Warn(tx *db.Tx, uses []LimitUse, zone *time.Location) error {
	month := monthOf(tx, zone)
	warned, err := findWarned(tx, month)
	if err != nil {
		return err
	}
	if err := tx.Do(`
		DELETE FROM plan_warnings
		WHERE month <> ?`, month); err != nil {
		return fmt.Errorf("delete warnings of earlier months: %w", err)
	}
	for i := range uses {
		u := &uses[i]
		percent := u.percent()
		if percent <= warned[u.Limit] {
			continue
		}
		err := tx.Do(`
			INSERT INTO plan_warnings (month, subject, percent)
			VALUES (?, ?, ?)
			ON CONFLICT (month, subject) DO UPDATE SET percent = excluded.percent`, month, string(u.Limit), percent)
		if err != nil {
			return fmt.Errorf("save warning: %w", err)
		}
		event := outbox.Event{Type: outbox.PlanWarning, Subject: string(u.Limit)}
		event.Data.Status, event.Data.Actor = fmt.Sprint(percent), outbox.Shop()
		if err := outbox.Append(tx, event); err != nil {
			return err
		}
	}
	return nil
}

// IsDue reports whether a warning of one of the uses is due.
func IsDue(tx *db.Tx, uses []LimitUse, zone *time.Location) (bool, error) {
	warned, err := findWarned(tx, monthOf(tx, zone))
	for i := range uses {
		if uses[i].percent() > warned[uses[i].Limit] {
			return true, err
		}
	}
	return false, err
}

// Warned returns the highest part of a limit, in per cent, at which the shop was warned this month:
// 0, 80 or 100.
func Warned(tx *db.Tx, zone *time.Location) (percent int, err error) {
	warned, err := findWarned(tx, monthOf(tx, zone))
	for _, p := range warned {
		percent = max(percent, p)
	}
	return percent, err
}

func monthOf(tx *db.Tx, zone *time.Location) string { return tx.Now().In(zone).Format("2006-01") }

// findWarned returns the parts at which the shop was warned in a month, by limit.
func findWarned(tx *db.Tx, month string) (map[Limit]int, error) {
	warned := map[Limit]int{}
	err := tx.Each(`
		SELECT subject, percent
		FROM plan_warnings
		WHERE month = ?`, []any{month}, func(r db.Row) error {
		var limit string
		var percent int
		err := r.Scan(&limit, &percent)
		warned[Limit(limit)] = percent
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find warnings: %w", err)
	}
	return warned, nil
}

// ClearWarnings makes the shop be warned of its limits again, after they have changed.
func ClearWarnings(tx *db.Tx) error {
	if _, err := tx.Exec(`DELETE FROM plan_warnings`); err != nil {
		return fmt.Errorf("delete warnings: %w", err)
	}
	return nil
}
