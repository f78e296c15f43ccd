package shop

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
)

// CashStatement is a courier's statement that was reconciled.
type CashStatement struct {
	ID          string      `json:"_id"`
	Provider    *Provider   `json:"provider" doc:"Null: not recorded"`
	At          time.Time   `json:"at"`
	Complete    bool        `json:"complete" doc:"False: recorded in part; the same file completes it. The sums are those of a complete one"`
	Shipments   int         `json:"shipments" doc:"Rows of the file that match a shipment"`
	Collected   money.Money `json:"collected"`
	Fees        money.Money `json:"fees"`
	PaidOut     money.Money `json:"paidOut"`
	Differences *int        `json:"differences" doc:"How many were found; null: not recorded"`
}

// ListStatements returns one page of the couriers' statements, newest first. Codes:
// validation_failed.
func (s *Shop) ListStatements(ctx context.Context, caller access.Caller, in page.Request) (*page.List[CashStatement], error) {
	who, err := s.requireStaff(ctx, caller, access.ToListStatements)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := in.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	list := &page.List[CashStatement]{}
	err = s.viewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		var count page.Count
		if list.Nodes, count.Total, err = listStatements(tx, set.money, w); err == nil {
			list.Meta = w.ListMetaFor(count, len(list.Nodes))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// listStatements returns one page of the statements, and their number.
func listStatements(tx *db.Tx, currency money.Currency, w page.Window) (list []CashStatement, total int, err error) {
	if err := tx.QueryRow("SELECT COUNT(*) FROM cash_statements").Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count statements: %w", err)
	}
	query, args := `
		SELECT name, courier, at, complete, shipments, collected, fees, paid_out, differences
		FROM cash_statements
		ORDER BY at DESC, name DESC`, []any(nil)
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ?
		OFFSET ?`, []any{w.Limit, w.Offset()}
	}
	list, err = db.Query(tx, func(r db.Row) (c CashStatement, err error) {
		var courier string
		var collected, fees, paid int64
		err = r.Scan(&c.ID, &courier, &c.At, &c.Complete, &c.Shipments, &collected, &fees, &paid, &c.Differences)
		if courier != "" {
			c.Provider = new(Provider(courier))
		}
		c.Collected, c.Fees, c.PaidOut = currency.Money(collected), currency.Money(fees), currency.Money(paid)
		return c, err
	}, query, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list statements: %w", err)
	}
	return list, total, nil
}
