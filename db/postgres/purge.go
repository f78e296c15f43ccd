package postgres

import (
	"context"

	"storefront/db"
)

const findDropped = `SELECT s.number FROM shops s JOIN engine_state e ON e.shop = s.number
	WHERE s.space = $1 AND s.uid = $2 AND e.state = 'dropped'`

// purge deletes the rows of a dropped tenant, and reports whether it did. Rows that remain after a
// failure are invisible, and deleted before the UID is used again.
func (e *Engine) purge(ctx context.Context, id db.ID) (purged bool) {
	row, err := e.numbers(ctx, findDropped, e.opts.Space, string(id))
	if err == nil && row != nil {
		err = e.deleteRows(context.WithoutCancel(ctx), row[0])
		purged = err == nil
	}
	if err != nil {
		e.store.Logger().Warn("rows of a shop that was deleted from the database remain", "tenant", id, "error", err)
	}
	return purged
}

// deleteRows deletes a tenant's rows in all tables, with a transaction for each table: otherwise
// the checks of foreign keys would read the rows that their own transaction has deleted.
func (e *Engine) deleteRows(ctx context.Context, number int64) error {
	order := e.schema.order
	for i := len(order) - 1; i >= 0; i-- {
		query := "DELETE FROM " + order[i].name + " WHERE " + shopColumn + " = $1"
		if err := e.slowly(ctx, func(s *session) error { return s.change(query, number) }); err != nil {
			return err
		}
	}
	return e.transaction(ctx, func(s *session) error {
		if err := s.change(deleteState, number); err != nil {
			return err
		}
		return s.change(deleteShop, number)
	})
}

// slowly is transaction for a statement that changes many rows.
func (e *Engine) slowly(ctx context.Context, fn func(s *session) error) error {
	return e.transaction(ctx, func(s *session) error {
		s.link.timeout = installTimeout
		defer func() { s.link.timeout = 0 }()
		if err := fn(s); err != nil {
			return err
		}
		_, err := s.trip(nil, false)
		return err
	})
}
