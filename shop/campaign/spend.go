package campaign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/status"
)

const (
	// MaxSpend is the maximum number of amounts of one request.
	MaxSpend = 1000
	// maxSpendAmount is the largest amount of a day, in minor units.
	maxSpendAmount = 1_000_000_000_000
)

// SpendInput is what was spent on a campaign on a day.
type SpendInput struct {
	Day    string `json:"day" doc:"Such as 2026-03-01"`
	Kind   Kind   `json:"kind,omitempty" enum:"campaign,source,staff,direct" default:"campaign" doc:"Kind of the report's row"`
	Name   string `json:"name" doc:"Name of the report's row, such as the campaign's in utm_campaign; capitals do not count"`
	Amount int64  `json:"amount" minimum:"0" doc:"Minor units of the shop's currency; 0 removes the day's amount"`
}

// Spend is what was spent on a campaign on a day.
type Spend struct {
	Day    string      `json:"day" doc:"Such as 2026-03-01"`
	Kind   Kind        `json:"kind"`
	Name   string      `json:"name"`
	Amount money.Money `json:"amount"`
}

// SpendSaved counts saved amounts.
type SpendSaved struct {
	DryRun    bool        `json:"dryRun"`
	Saved     int         `json:"saved" doc:"Amounts that are new or have changed"`
	Removed   int         `json:"removed" doc:"Amounts that were removed"`
	Unchanged int         `json:"unchanged"`
	Total     money.Money `json:"total" doc:"Sum of all amounts sent"`
}

// SpendFilter selects amounts. The zero value is the first page of all.
type SpendFilter struct {
	page.Request
	From string `query:"from" doc:"First day" example:"2026-03-01"`
	To   string `query:"to" doc:"Last day" example:"2026-03-31"`
}

// spendRow is an amount in its stored form.
type spendRow struct {
	day    string
	kind   Kind
	key    string
	name   string
	amount int64
}

// id identifies the row.
func (r spendRow) id() [3]string { return [3]string{r.day, string(r.kind), r.key} }

func checkDay(bad *fault.Invalid, field, day string) {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		bad.Add(field, fault.CodeInvalidValue, "Must be a day such as 2026-03-01.")
	}
}

// check returns an amount in its stored form. path begins the fields of its problems.
func (in SpendInput) check(bad *fault.Invalid, path string) spendRow {
	checkDay(bad, path+"day", in.Day)
	r := spendRow{day: in.Day, kind: in.Kind, name: line(&in.Name), amount: in.Amount}
	if r.kind == "" {
		r.kind = KindCampaign
	}
	switch r.kind {
	case KindCampaign, KindSource:
		if r.name == "" {
			bad.Add(path+"name", fault.CodeRequired, "The name of the campaign or the source is required.")
		}
	case KindStaff:
		input.CheckValues(bad, path+"name", []status.Source{status.Source(r.name)}, status.Sources())
	case KindDirect:
		r.name = ""
	default:
		bad.Add(path+"kind", fault.CodeInvalidValue, "The kind must be campaign, source, staff or direct.")
	}
	r.key = Fold(r.name)
	if r.amount < 0 || r.amount > maxSpendAmount {
		bad.Add(path+"amount", fault.CodeInvalidValue, "The amount must be between 0 and %d minor units.", int64(maxSpendAmount))
	}
	return r
}

// ListSpend returns one page of the amounts spent, the newest day first. Codes: validation_failed,
// unauthenticated, forbidden.
func (c *Campaigns) ListSpend(ctx context.Context, caller access.Caller, filter SpendFilter) (*page.List[Spend], error) {
	var bad fault.Invalid
	for field, day := range map[string]string{"from": filter.From, "to": filter.To} {
		if day != "" {
			checkDay(&bad, field, day)
		}
	}
	return access.ReadMany(ctx, c.data, caller, access.ToListSpend, func(tx *db.Tx, _ access.Staff) (*page.List[Spend], error) {
		w := filter.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		currency, err := c.cfg.CurrencyIn(tx)
		if err != nil {
			return nil, err
		}
		count, err := countSpend(tx, filter)
		if err != nil {
			return nil, err
		}
		rows, err := findSpend(tx, filter, w)
		if err != nil {
			return nil, err
		}
		found := make([]Spend, len(rows))
		for i, r := range rows {
			found[i] = Spend{r.day, r.kind, r.name, currency.Money(r.amount)}
		}
		return &page.List[Spend]{Nodes: found, Meta: w.ListMetaFor(count, len(found))}, nil
	})
}

// SaveSpend saves what was spent on campaigns on days: an amount replaces the earlier one of its
// day and campaign. All are saved or, if one has a problem, none. Codes: validation_failed,
// unauthenticated, forbidden.
func (c *Campaigns) SaveSpend(ctx context.Context, caller access.Caller, all []SpendInput) (*SpendSaved, error) {
	var bad fault.Invalid
	if len(all) == 0 || len(all) > MaxSpend {
		bad.Add("spend", fault.CodeInvalidValue, "There must be 1 to %d amounts.", MaxSpend)
		return nil, bad.Err()
	}
	rows := make([]spendRow, len(all))
	seen := map[[3]string]bool{}
	for i, in := range all {
		path := fmt.Sprintf("spend[%d].", i)
		rows[i] = in.check(&bad, path)
		if seen[rows[i].id()] {
			bad.Add(path+"name", fault.CodeInvalidValue, "Another amount is for this day and campaign too.")
		}
		seen[rows[i].id()] = true
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return access.WriteAlone(ctx, c.data, caller, access.ToSaveSpend, func(tx *db.Tx, who access.Staff) (*SpendSaved, error) {
		return c.saveSpend(tx, who, rows)
	})
}

// saveSpend saves amounts and records it in the audit log.
func (c *Campaigns) saveSpend(tx *db.Tx, who access.Staff, rows []spendRow) (*SpendSaved, error) {
	currency, err := c.cfg.CurrencyIn(tx)
	if err != nil {
		return nil, err
	}
	saved, total := &SpendSaved{}, int64(0)
	for _, r := range rows {
		total += r.amount
		before, err := findSpendAmount(tx, r)
		if err != nil {
			return nil, err
		}
		switch {
		case before == r.amount:
			saved.Unchanged++
			continue
		case r.amount == 0:
			saved.Removed++
			err = deleteSpend(tx, r)
		default:
			saved.Saved++
			err = saveSpendRow(tx, r)
		}
		if err != nil {
			return nil, err
		}
	}
	saved.Total = currency.Money(total)
	if saved.Saved+saved.Removed == 0 {
		return saved, nil
	}
	return saved, who.Audit(tx, access.Subject{Kind: access.SubjectSpend}, slices.Concat(
		access.Changed("saved", 0, saved.Saved), access.Changed("removed", 0, saved.Removed), access.Changed("total", 0, total))...)
}

// DeleteSpend removes what was spent on a campaign on a day. Codes: not_found, validation_failed,
// unauthenticated, forbidden.
func (c *Campaigns) DeleteSpend(ctx context.Context, caller access.Caller, in SpendInput) error {
	var bad fault.Invalid
	in.Amount = 0
	r := in.check(&bad, "")
	if err := bad.Err(); err != nil {
		return err
	}
	return access.Do(ctx, c.data, caller, access.ToDeleteSpend, func(tx *db.Tx, who access.Staff) error {
		amount, err := findSpendAmount(tx, r)
		if err != nil {
			return err
		}
		if amount == 0 {
			return fault.Errorf(fault.CodeNotFound, "No amount is stored for this day and campaign.")
		}
		if err := deleteSpend(tx, r); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectSpend, Label: r.day + " " + r.name}, access.Changed("amount", amount, 0)...)
	})
}
