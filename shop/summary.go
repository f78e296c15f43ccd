package shop

import (
	"context"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/plan"
	"storefront/shop/sales"
	"storefront/shop/timezone"
)

// ShopSummary is the first page for staff: the open work, and today's sales. Parts that the caller
// may not view are null or empty.
type ShopSummary struct {
	Today  *TodaySales     `json:"today" doc:"Null without the permission analytics.read"`
	Last14 []DaySales      `json:"last14" nullable:"false" doc:"The last 14 days including today, oldest first; empty without analytics.read"`
	Todo   Todo            `json:"todo"`
	Cash   []cash.HeldBy   `json:"cash" doc:"The couriers that hold the shop's cash; empty without cash.read, null until all shipments are counted"`
	Health []HealthFinding `json:"health" nullable:"false" doc:"Problems that need attention, as in getHealth; empty without settings.read"`
	// Plan has no limits of a shop without one.
	Plan  []plan.LimitUse `json:"plan" nullable:"false" doc:"Limits of its plan that are used to 80 per cent; empty without settings.read"`
	Setup []SetupTask     `json:"setup" nullable:"false" doc:"Steps of setting up the shop; empty if all are done or hidden, or without settings.write"`
}

// TodaySales are the sales since midnight in the shop's time zone, counted as in a [SalesReport].
type TodaySales struct {
	Orders     int         `json:"orders"`
	Sales      money.Money `json:"sales"`
	LastWeek   money.Money `json:"lastWeek" doc:"Sales of the same weekday a week ago until the same time"`
	VsLastWeek *int64      `json:"vsLastWeek" doc:"Change in tenths of a per cent; null if there were no sales"`
}

// DaySales are the sales of a day in the shop's time zone.
type DaySales struct {
	Day    string      `json:"day" doc:"Day such as 2026-03-01"`
	Orders int         `json:"orders"`
	Sales  money.Money `json:"sales"`
}

// Todo counts the open work. Counts that the caller may not view are null.
type Todo struct {
	ToConfirm         *int `json:"toConfirm"`
	CallsDue          *int `json:"callsDue" doc:"Orders with a due call to the buyer"`
	Incomplete        *int `json:"incomplete" doc:"Incomplete orders that their buyers have left; null without orders.write"`
	ToPack            *int `json:"toPack"`
	ToHandOver        *int `json:"toHandOver"`
	Late              *int `json:"late" doc:"Orders that have waited in the shop for over two days"`
	Problems          *int `json:"problems"`
	Returning         *int `json:"returning"`
	ReturnedToday     *int `json:"returnedToday" doc:"Orders that came back since midnight in the shop's time zone"`
	ToRefund          *int `json:"toRefund"`
	Review            *int `json:"review" doc:"Payments that staff must decide"`
	LowStock          *int `json:"lowStock" doc:"Variants with low stock"`
	OutOfStock        *int `json:"outOfStock" doc:"Sold-out variants"`
	WebhooksUnmatched *int `json:"webhooksUnmatched" doc:"Webhooks of providers that match no record"`
}

const (
	// lateAfter is the age at which an order that has not left the shop becomes late.
	lateAfter = 48 * time.Hour
	// summaryDays are the days of a summary, today included.
	summaryDays = 14
)

// FindSummary returns the open work and today's sales, as far as the caller may view them. Codes:
// unauthenticated, forbidden.
func (s *Shop) FindSummary(ctx context.Context, caller access.Caller) (*ShopSummary, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToFindSummary)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	summary := &ShopSummary{Last14: []DaySales{}, Cash: []cash.HeldBy{}, Health: []HealthFinding{}, Setup: []SetupTask{}, Plan: []plan.LimitUse{}}
	err = s.data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		if err := summary.Todo.find(tx, who, set.zone); err != nil {
			return err
		}
		if err := summary.findPlan(tx, who, set); err != nil {
			return err
		}
		if !who.Permits(access.AnalyticsRead) {
			return nil
		}
		return summary.findSales(tx, set.money, set.zone)
	})
	if err == nil && who.Permits(access.CashRead) {
		summary.Cash, err = s.Cash.FindHeld(ctx, who)
	}
	if err != nil {
		return nil, err
	}
	if who.Permits(access.SettingsRead) {
		backlog, err := s.FindBacklog(ctx, caller)
		if err != nil {
			return nil, err
		}
		summary.Health = backlog.Findings()
	}
	if who.Permits(access.SettingsWrite) {
		setup, err := s.findSetup(ctx, who)
		if err != nil {
			return nil, err
		}
		summary.Setup = db.OrEmpty(setup)
	}
	return summary, nil
}

// findPlan finds the limits of the shop's plan that it comes close to.
func (s *ShopSummary) findPlan(tx *db.Tx, who access.Staff, set *cachedSettings) error {
	if set.Plan == nil || !who.Permits(access.SettingsRead) {
		return nil
	}
	uses, err := set.Plan.Used(tx, set.zone)
	s.Plan = slices.DeleteFunc(db.OrEmpty(uses), func(u plan.LimitUse) bool { return !u.IsNear() })
	return err
}

// find counts the work that the caller may view.
func (t *Todo) find(tx *db.Tx, who access.Staff, zone *time.Location) error {
	if who.Permits(access.OrdersRead) {
		if err := t.findOrders(tx); err != nil {
			return err
		}
		midnight := timezone.StartOfDay(tx.Now().In(zone), 0)
		returned, err := order.CountReturned(tx, midnight)
		if err != nil {
			return err
		}
		t.ReturnedToday = &returned
	}
	if who.Permits(access.OrdersWrite) {
		n, err := order.CountOpenIncomplete(tx)
		if err != nil {
			return err
		}
		t.Incomplete = &n
	}
	if who.Permits(access.PaymentsRead) {
		n, err := order.CountNeedReview(tx)
		if err != nil {
			return err
		}
		t.Review = &n
	}
	if who.Permits(access.ProductsRead) {
		low, out, err := catalogue.CountShortStock(tx)
		if err != nil {
			return err
		}
		t.LowStock, t.OutOfStock = &low, &out
	}
	if who.Permits(access.ProvidersRead) {
		n, err := countUnmatched(tx)
		if err != nil {
			return err
		}
		t.WebhooksUnmatched = &n
	}
	return nil
}

func (t *Todo) findOrders(tx *db.Tx) error {
	counts, err := order.CountOpenWork(tx)
	if err != nil {
		return err
	}
	for view, field := range map[order.WorkView]**int{
		order.ViewToConfirm: &t.ToConfirm, order.ViewToPack: &t.ToPack, order.ViewToHandOver: &t.ToHandOver, order.ViewProblems: &t.Problems,
		order.ViewReturning: &t.Returning, order.ViewToRefund: &t.ToRefund,
	} {
		*field = new(counts[view])
	}
	late, err := order.CountLate(tx, tx.Now().Add(-lateAfter))
	if err != nil {
		return err
	}
	due, err := order.CountCallsDue(tx)
	t.Late, t.CallsDue = &late, &due
	return err
}

// findSales finds the sales of the days until now.
func (s *ShopSummary) findSales(tx *db.Tx, currency money.Currency, zone *time.Location) error {
	now := tx.Now().In(zone)
	midnight := timezone.StartOfDay(now, 0)
	days := timezone.Days(timezone.StartOfDay(midnight, 1-summaryDays), midnight)
	sums, err := sales.FindDaySums(tx, days)
	if err != nil {
		return err
	}
	for i, sum := range sums {
		s.Last14 = append(s.Last14, DaySales{days[i].Format(time.DateOnly), sum.Orders, currency.Money(sum.Sales)})
	}
	until, err := sales.SumSold(tx, timezone.StartOfDay(midnight, -7), now.AddDate(0, 0, -7))
	if err != nil {
		return err
	}
	lastWeek := until.Sales
	today := s.Last14[summaryDays-1]
	s.Today = &TodaySales{Orders: today.Orders, Sales: today.Sales, LastWeek: currency.Money(lastWeek)}
	if lastWeek > 0 {
		s.Today.VsLastWeek = new((today.Sales.Amount - lastWeek) * 1000 / lastWeek)
	}
	return nil
}
