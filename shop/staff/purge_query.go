package staff

import (
	"fmt"
	"time"

	"storefront/db"
)

// accessPurges are the conditions of the rows that [Staff.PurgeAccess] deletes, by table, with the
// column and age that select them. A session is deleted only once it cannot be in use; the newest
// of a staff member stays, since it has the time of the last use.
var accessPurges = []struct {
	table, column, condition string
	age                      time.Duration
}{
	{"staff_sessions", "created_at", `EXISTS (
		SELECT 1 FROM staff_sessions n WHERE n.staff_id = staff_sessions.staff_id AND n.created_at > staff_sessions.created_at)`, sessionLifetime},
	{"staff_links", "expires_at", "1 = 1", 0},
	{"staff_codes", "created_at", "1 = 1", textCodeRetention},
	{"staff_requests", "created_at", "1 = 1", requestTTL},
}

// findNextPurge returns the time at which the next row is to be deleted; a zero time means that
// there is none.
func findNextPurge(tx *db.Tx) (next time.Time, err error) {
	for _, p := range accessPurges {
		var oldest *int64
		err := tx.QueryRow(`
			SELECT min(` + p.column + `)
			FROM ` + p.table + `
			WHERE ` + p.condition).Scan(&oldest)
		if err != nil {
			return time.Time{}, fmt.Errorf("find oldest of %s: %w", p.table, err)
		}
		if oldest == nil {
			continue
		}
		if due := db.FromMillis(*oldest).Add(p.age); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next, nil
}

func purgeAccess(tx *db.Tx) error {
	for _, p := range accessPurges {
		_, err := tx.Exec(`
			DELETE FROM `+p.table+`
			WHERE `+p.column+` <= ? AND `+p.condition, db.Millis(tx.Now().Add(-p.age)))
		if err != nil {
			return fmt.Errorf("purge %s: %w", p.table, err)
		}
	}
	return nil
}
