package order

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
	"storefront/shop/phone"
	"storefront/shop/sales"
)

// IncompleteFilter selects incomplete orders. The zero value is the first page of all.
type IncompleteFilter struct {
	page.Request
	Status []IncompleteStatus `query:"status" doc:"Only in one of these statuses"`
	Search string             `query:"search" doc:"A part of the phone number or the name"`
}

// maxIncompleteSearch limits the characters of a search.
const maxIncompleteSearch = 100

// ListIncomplete returns one page of the incomplete orders, the latest typed first. Codes:
// validation_failed, unauthenticated, forbidden.
func (s *Orders) ListIncomplete(ctx context.Context, caller access.Caller, filter IncompleteFilter) (*page.List[IncompleteOrder], error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToListIncomplete,
		func(tx *db.Tx, _ access.Staff) (*page.List[IncompleteOrder], error) {
			var bad fault.Invalid
			w := filter.Window(&bad)
			input.CheckValues(&bad, "status", filter.Status, IncompleteStatuses())
			search := input.CheckLine(&bad, "search", filter.Search, maxIncompleteSearch)
			if err := bad.Err(); err != nil {
				return nil, err
			}
			where, args := filter.conditions(search, searchedDigits(search, set.Country))
			count, err := countIncompleteIn(tx, where, args)
			if err != nil {
				return nil, err
			}
			rows, err := listIncompleteIn(tx, where, args, w)
			if err != nil {
				return nil, err
			}
			list := &page.List[IncompleteOrder]{Nodes: []IncompleteOrder{}, Meta: w.ListMetaFor(count, len(rows))}
			for i := range rows {
				view, err := rows[i].view(set.Currency)
				if err != nil {
					return nil, err
				}
				list.Nodes = append(list.Nodes, view)
			}
			return list, nil
		})
}

// searchedDigits returns the digits of a phone number, or a part of one, as stored numbers contain
// them; "" if the text is none.
func searchedDigits(text, country string) string {
	if e164, ok := phone.Parse(text, country); ok {
		return e164
	}
	digits, ok := phone.Digits(text)
	if !ok {
		return ""
	}
	return digits
}

// FindIncomplete returns an incomplete order. Codes: not_found.
func (s *Orders) FindIncomplete(ctx context.Context, caller access.Caller, id string) (*IncompleteOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToFindIncomplete, func(tx *db.Tx, _ access.Staff) (*IncompleteOrder, error) {
		row, err := requireIncomplete(tx, id)
		if err != nil {
			return nil, err
		}
		view, err := row.view(set.Currency)
		return &view, err
	})
}

// IncompleteFigures are counts of incomplete orders by the day on which they began.
type IncompleteFigures struct {
	Started   int64 `json:"started" doc:"Buyers who began an order and agreed to the notice"`
	Completed int64 `json:"completed" doc:"Ordered before they had left"`
	Left      int64 `json:"left" doc:"Typed nothing for 30 minutes without ordering, whether or not they ordered later"`
	Recovered int64 `json:"recovered" doc:"Left, and ordered later by themselves or through staff"`
}

// IncompleteDay are the figures of a day.
type IncompleteDay struct {
	Day string `json:"day" doc:"Such as 2026-03-01"`
	IncompleteFigures
}

// IncompleteReport are the figures of a period.
type IncompleteReport struct {
	From  string            `json:"from" doc:"First day, such as 2026-03-01"`
	To    string            `json:"to" doc:"Last day"`
	Total IncompleteFigures `json:"total"`
	Days  []IncompleteDay   `json:"days" nullable:"false" doc:"Each day, oldest first"`
}

// ReportIncomplete returns how many buyers began, left and came back on the days of a period, by
// default the last 30 days. Codes: validation_failed.
func (s *Orders) ReportIncomplete(ctx context.Context, caller access.Caller, from, to string) (*IncompleteReport, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToReportIncomplete, func(tx *db.Tx, _ access.Staff) (*IncompleteReport, error) {
		days, err := (&sales.Filter{From: from, To: to}).Days(tx.Now().In(set.Zone))
		if err != nil {
			return nil, err
		}
		days = days[:len(days)-1] // without the end of the last
		first, last := days[0].Format(time.DateOnly), days[len(days)-1].Format(time.DateOnly)
		counts, typing, err := findIncompleteDays(tx, first, last)
		if err != nil {
			return nil, err
		}
		report := &IncompleteReport{From: first, To: last}
		for _, at := range days {
			day := IncompleteDay{Day: at.Format(time.DateOnly)}
			c := counts[day.Day]
			day.IncompleteFigures = IncompleteFigures{c.started, c.completed, max(0, c.started-c.completed-typing[day.Day]), c.recovered}
			report.Days = append(report.Days, day)
			report.Total.Started += day.Started
			report.Total.Completed += day.Completed
			report.Total.Left += day.Left
			report.Total.Recovered += day.Recovered
		}
		return report, nil
	})
}

// ExportIncomplete returns what a buyer typed without ordering, by their own phone number.
func ExportIncomplete(tx *db.Tx, buyer account.Account) ([]ExportedIncomplete, error) {
	exported := []ExportedIncomplete{}
	own := ownPhone(buyer)
	if own == "" {
		return exported, nil
	}
	rows, err := findIncompleteOfPhone(tx, own)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		titles, err := r.titles()
		if err != nil {
			return nil, err
		}
		exported = append(exported, ExportedIncomplete{
			PhoneNumber: r.phone, Name: r.name, Address: r.address, City: r.city, Items: titles,
			CreatedAt: db.FromMillis(r.createdAt), ExpiresAt: db.FromMillis(r.updatedAt).Add(incompleteRetention),
		})
	}
	return exported, nil
}

// HasIncomplete reports whether incomplete orders have a phone number.
func HasIncomplete(tx *db.Tx, phone string) (bool, error) {
	rows, err := findIncompleteOfPhone(tx, phone)
	return len(rows) > 0, err
}
