package shop

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// CashStatement is a courier's statement that was reconciled.
type CashStatement struct {
	ID          string           `json:"_id"`
	Provider    *plugin.Provider `json:"provider" doc:"Null: not recorded"`
	At          time.Time        `json:"at"`
	Complete    bool             `json:"complete" doc:"False: recorded in part; the same file completes it. The sums are those of a complete one"`
	Shipments   int              `json:"shipments" doc:"Rows of the file that match a shipment"`
	Collected   money.Money      `json:"collected"`
	Fees        money.Money      `json:"fees"`
	PaidOut     money.Money      `json:"paidOut"`
	Differences *int             `json:"differences" doc:"How many were found; null: not recorded"`
}

// StatementRecord is a statement with what was found in it.
type StatementRecord struct {
	CashStatement
	Found []CashDifference `json:"found" nullable:"false" doc:"The first 1,000 differences as they were then; none if they were not stored"`
}

// errNoStatement is the error of a statement that does not exist.
func errNoStatement() error { return fault.Errorf(fault.CodeNotFound, "No statement has this ID.") }

// FindStatement returns a statement that was reconciled with the differences that were found then,
// whatever has become of them since. Codes: not_found.
func (s *Shop) FindStatement(ctx context.Context, caller access.Caller, id string) (*StatementRecord, error) {
	who, err := s.requireStaff(ctx, caller, access.ToFindStatement)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var record *StatementRecord
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		record, err = requireStatement(tx, set.money, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return record, nil
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
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
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
