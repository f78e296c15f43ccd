package tenants

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// ShopState is the state of a shop in the list of all shops.
//
//api:enum ShopState
type ShopState string

// The states of a shop.
const (
	ShopOpen      ShopState = "open"      // open to buyers
	ShopClosed    ShopState = "closed"    // closed by its staff members
	ShopSuspended ShopState = "suspended" // suspended by an operator
	ShopFailing   ShopState = "failing"   // its data cannot be read
)

// ShopStates returns the states of a shop.
func ShopStates() []ShopState {
	return []ShopState{ShopOpen, ShopClosed, ShopSuspended, ShopFailing}
}

// ShopRow is a shop in the list of all shops.
type ShopRow struct {
	UID      string      `json:"uid"`
	Name     string      `json:"name"`
	State    ShopState   `json:"state"`
	Mode     plugin.Mode `json:"mode"`
	Currency string      `json:"currency"`
	Country  string      `json:"country"`
	Domains  []string    `json:"domains" nullable:"false"`
	Place    Place       `json:"place"`
	Bytes    *int64      `json:"bytes" doc:"Size of its file; null in PostgreSQL"`
	// LastWriteAt is zero of no shop: creating it was a write.
	LastWriteAt time.Time `json:"lastWriteAt"`
	Problem     *string   `json:"problem" doc:"Why it cannot be served; null if it can"`
	// DeleteAt is as in [shop.Suspension].
	DeleteAt    *time.Time `json:"deleteAt" doc:"When it will be deleted; null if it will not be"`
	Plan        *string    `json:"plan" doc:"null if it has none"`
	PlanPercent int        `json:"planPercent" doc:"Highest part of a limit of its plan at which it was warned this month: 0, 80 or 100 per cent"`
	Orders      int64      `json:"orders" doc:"Orders of the last seven days in UTC, without cancelled, expired, unpaid and test orders"`
	Findings    int        `json:"findings" doc:"Kinds of work that need attention, as of its last write"`
	// BackupAt is nil in a server that makes no backups by schedule.
	BackupAt *time.Time `json:"backupAt" doc:"When it was last backed up by schedule; null if never"`

	folded string // for searches
}

// ShopFilter selects shops. The zero value is the first page of all.
type ShopFilter struct {
	page.Request
	Search string      `query:"search" doc:"Part of the name, the UID or a domain"`
	State  []ShopState `query:"state" doc:"Only shops in one of these states"`
	Plan   []string    `query:"plan" doc:"Only shops with one of these plans; - for shops without one"`
	Work   bool        `query:"work" doc:"true: only shops with work that needs attention"`
	Near   bool        `query:"nearLimit" doc:"true: only shops that were warned of a limit of their plan this month"`
}

// overview caches the list of all shops for operators, who page and search in it.
type overview struct {
	mu   sync.Mutex // held while the list is built
	rows []ShopRow  // never changed
	at   time.Time  // zero: they must be built
}

// overviewAge is the time for which the list of all shops is used.
const overviewAge = 2 * time.Second

// expire makes the next list contain a change that was just made.
func (o *overview) expire() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at = time.Time{}
}

// ListShops returns one page of the list of all shops, sorted by name. It opens only the files that
// were written after the last list. Codes: validation_failed, unauthenticated, forbidden.
func (t *Tenants) ListShops(ctx context.Context, caller access.Caller, filter ShopFilter) (*page.Page[ShopRow], error) {
	if err := t.permit(ctx, caller, access.ToListShops); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	for _, state := range filter.State {
		if !slices.Contains(ShopStates(), state) {
			bad.Add("state", fault.CodeInvalidValue, "Must be open, closed, suspended or failing.")
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	rows, err := t.shopRows(ctx)
	if err != nil {
		return nil, err
	}
	search, from, until := strings.ToLower(strings.TrimSpace(filter.Search)), w.Offset(), w.Offset()+w.Limit
	list := &page.Page[ShopRow]{Nodes: []ShopRow{}}
	count := 0
	for i := range rows {
		row := &rows[i]
		if !filter.accepts(row) || !strings.Contains(row.folded, search) {
			continue
		}
		if count >= from && (count < until || w.Limit == page.NoLimit) {
			list.Nodes = append(list.Nodes, t.measured(ctx, *row))
		}
		count++
	}
	list.Meta = w.MetaFor(count)
	return list, nil
}

// accepts reports whether the filter selects a row, apart from its search.
func (f *ShopFilter) accepts(row *ShopRow) bool {
	return (len(f.State) == 0 || slices.Contains(f.State, row.State)) &&
		(len(f.Plan) == 0 || slices.Contains(f.Plan, cmp.Or(db.TextOf(row.Plan), noPlan))) &&
		(!f.Near || row.PlanPercent > 0) && (!f.Work || row.Findings > 0)
}

// noPlan selects the shops without a plan.
const noPlan = "-"

// measured returns a row with the size of its shop's file.
func (t *Tenants) measured(ctx context.Context, row ShopRow) ShopRow {
	if row.Place == InFiles {
		if size, err := t.files.Size(ctx, db.ID(row.UID)); err == nil {
			row.Bytes = &size
		}
	}
	return row
}

// shopRows returns the rows of all shops, sorted by name. They must not be changed.
func (t *Tenants) shopRows(ctx context.Context) ([]ShopRow, error) {
	t.overview.mu.Lock()
	defer t.overview.mu.Unlock()
	if !t.overview.at.IsZero() && time.Since(t.overview.at) < overviewAge {
		return t.overview.rows, nil
	}
	rows, err := t.readShopRows(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	t.overview.rows, t.overview.at = rows, time.Now()
	return rows, nil
}

func (t *Tenants) readShopRows(ctx context.Context) ([]ShopRow, error) {
	modified, err := t.store.ModTimes(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]db.ID, 0, len(modified))
	for id := range modified {
		if id != Installation {
			ids = append(ids, id)
		}
	}
	indexed, err := t.domains.list(ctx, ids)
	if err != nil {
		return nil, err
	}
	placeOf, err := t.listFiles(ctx)
	if err != nil {
		return nil, err
	}
	failing := map[string]string{}
	for _, f := range t.Failing() {
		failing[f.UID] = f.Error
	}
	backups := t.BackupStatus().last
	rows := make([]ShopRow, 0, len(ids))
	for _, id := range ids {
		entry, ok := indexed[id]
		if !ok || entry.Name == "" && entry.unread == nil { // deleted in the meantime
			continue
		}
		row := ShopRow{
			UID: string(id), Name: entry.Name, State: entry.state(), Mode: cmp.Or(entry.Mode, plugin.Live), Currency: entry.Currency,
			Country: entry.Country, Domains: db.OrEmpty(entry.Domains), Place: placeOf(id), LastWriteAt: modified[id].UTC(),
			Plan: db.NullText(entry.Plan), PlanPercent: entry.planPercent(t.now()),
			Orders: entry.Activity.Orders(t.now()), Findings: entry.Activity.Findings,
		}
		if at, ok := backups[id]; ok {
			row.BackupAt = &at
		}
		if !entry.DeleteAt.IsZero() {
			row.DeleteAt = &entry.DeleteAt
		}
		problem, isFailing := failing[row.UID]
		if entry.unread != nil {
			problem, isFailing = entry.unread.Error(), true
		}
		if isFailing {
			row.State, row.Problem = ShopFailing, &problem
		}
		row.folded = strings.ToLower(row.Name + "\n" + row.UID + "\n" + strings.Join(row.Domains, "\n"))
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b ShopRow) int { return cmp.Or(cmp.Compare(a.folded, b.folded), cmp.Compare(a.UID, b.UID)) })
	return rows, nil
}

// state returns the state of an indexed shop.
func (e *indexedShop) state() ShopState {
	switch {
	case e.Held:
		return ShopSuspended
	case e.Suspended:
		return ShopClosed
	}
	return ShopOpen
}
