package cash

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// Statement is a reconciled statement of a courier.
type Statement struct {
	ID        string           `json:"_id"`
	Provider  *plugin.Provider `json:"provider" doc:"Null if not recorded"`
	At        time.Time        `json:"at"`
	Complete  bool             `json:"complete" doc:"False if recorded in part: the same file completes it. The sums belong to a complete statement"`
	Shipments int              `json:"shipments" doc:"Rows of the file that match a shipment"`
	StatementSums
	Differences *int `json:"differences" doc:"Number of differences found; null if not recorded"`
}

// StatementRecord is a statement with its differences.
type StatementRecord struct {
	Statement
	Found []Difference `json:"found" nullable:"false" doc:"The first 1,000 differences at that time; empty if they were not stored"`
}

// errNoStatement is the error of a missing statement.
func errNoStatement() error { return fault.Errorf(fault.CodeNotFound, "No statement has this ID.") }

// FindStatement returns a reconciled statement with the differences found at that time. Codes:
// not_found.
func (c *Ledger) FindStatement(
	ctx context.Context, caller access.Caller, id string,
) (*StatementRecord, error) {
	return access.Read(ctx, c.cfg.Data, caller, access.ToFindStatement,
		func(tx *db.Tx, _ access.Staff) (*StatementRecord, error) {
			currency, err := c.cfg.CurrencyIn(tx)
			if err != nil {
				return nil, err
			}
			return requireStatement(tx, currency, id)
		})
}

// ListStatements returns one page of the couriers' statements, newest first. Codes:
// validation_failed.
func (c *Ledger) ListStatements(
	ctx context.Context, caller access.Caller, in page.Request,
) (*page.List[Statement], error) {
	return access.ReadMany(ctx, c.cfg.Data, caller, access.ToListStatements,
		func(tx *db.Tx, _ access.Staff) (*page.List[Statement], error) {
			var bad fault.Invalid
			w := in.Window(&bad)
			if err := bad.Err(); err != nil {
				return nil, err
			}
			currency, err := c.cfg.CurrencyIn(tx)
			if err != nil {
				return nil, err
			}
			statements, total, err := listStatements(tx, currency, w)
			if err != nil {
				return nil, err
			}
			meta := w.ListMetaFor(page.Count{Total: total}, len(statements))
			return &page.List[Statement]{Meta: meta, Nodes: statements}, nil
		})
}
