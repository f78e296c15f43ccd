package queue

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
)

// Store stores the tables of one shop.
type Store interface {
	View(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error
	Update(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error
}

// Purge deletes rows past the retention, in several transactions, and returns the time at which the
// next one is. A zero time means that there is none.
func (q *Table) Purge(ctx context.Context, in Store) (next time.Time, err error) {
	for {
		isOld := false
		err := in.View(ctx, func(_ context.Context, tx *db.Tx) error {
			var oldest *time.Time
			err := tx.QueryRow(`
				SELECT MIN(` + q.Age + `)
				FROM ` + q.Name + `
				WHERE ` + q.Done).Scan(&oldest)
			if next = (time.Time{}); oldest != nil {
				next = oldest.Add(q.Retention)
			}
			isOld = oldest != nil && next.Before(tx.Now())
			return err
		})
		if err != nil {
			return time.Time{}, fmt.Errorf("find oldest of %s: %w", q.Name, err)
		}
		if !isOld {
			return next, nil
		}
		err = in.Update(ctx, func(_ context.Context, tx *db.Tx) error {
			return tx.Do(`
				DELETE FROM `+q.Name+`
				WHERE (`+q.Key+`) IN (
					SELECT `+q.Key+`
					FROM `+q.Name+`
					WHERE `+q.Age+` < ? AND `+q.Done+`
					ORDER BY `+q.Age+`
					LIMIT ?)`, db.Millis(tx.Now().Add(-q.Retention)), q.Batch)
		})
		if err != nil {
			return time.Time{}, fmt.Errorf("purge %s: %w", q.Name, err)
		}
	}
}
