package postgres

import (
	"context"
	"strings"

	"storefront/db"
)

// Explain returns the lines of the plan by which the database runs a statement of a tenant, for any
// arguments. Errors: [db.ErrStatement].
func (e *Engine) Explain(ctx context.Context, query string) (plan []string, err error) {
	sc, err := e.translate(query)
	if err != nil {
		return nil, err
	}
	l, err := e.pool.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	types := strings.Repeat("unknown, ", sc.params) + "bigint"
	nulls := strings.Repeat("NULL, ", sc.params) + "0"
	if err := l.run(ctx, []string{"PREPARE explained (" + types + ") AS " + sc.text}); err != nil {
		return nil, err
	}
	r, err := l.trip(ctx, []*op{{text: "EXPLAIN EXECUTE explained (" + nulls + ")", bare: true}}, true)
	if err != nil {
		return nil, err
	}
	return plan, each(r, func(row []db.Value) error {
		line, _ := row[0].(string)
		plan = append(plan, line)
		return nil
	})
}
