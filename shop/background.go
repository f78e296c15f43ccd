package shop

import (
	"context"
	"time"
)

// Work is background work on a shop. Run returns the time at which it is due again; a zero time
// means not before the shop's data changes.
type Work struct {
	Name string
	Run  func(s *Shop, ctx context.Context) (next time.Time, err error)
	// Tidies marks work that commits do not make urgent.
	Tidies bool
	// Announces marks work that waits for no provider. It follows a commit immediately, and starts
	// when it is due, while other work of any shop is under way.
	Announces bool
}

// BackgroundWork returns the background work of every shop, in the order in which it runs.
func BackgroundWork() []Work {
	return []Work{
		{Name: "sweep payments", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Orders.SweepPayments(ctx)
		}}, // first: a paid order does not expire
		{Name: "expire orders", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Orders.ExpireOrders(ctx)
		}},
		{Name: "sweep shipments", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Orders.SweepShipments(ctx)
		}},
		{Name: "record bookings without a response", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Orders.SweepBookings(ctx)
		}},
		{Name: "close incomplete orders", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Orders.CloseOrderedIncomplete(ctx)
		}},
		{Name: "purge incomplete orders", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Orders.PurgeIncomplete(ctx)
		}},
		{Name: "purge webhooks", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Inbox.PurgeWebhooks(ctx)
		}},
		{Name: "purge the audit log", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Staff.PurgeAudit(ctx)
		}},
		{Name: "purge sessions and links", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Staff.PurgeAccess(ctx)
		}},
		{Name: "send messages to buyers", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Messages.SendDue(ctx)
		}},
		{Name: "notify staff members", Announces: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Notify.Continue(ctx)
		}},
		{Name: "purge notifications", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Notify.Purge(ctx)
		}},
		{Name: "send webhooks", Announces: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Endpoints.Continue(ctx)
		}},
		{Name: "send events to advertisers", Announces: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Conversions.Continue(ctx)
		}},
		{Name: "purge events to advertisers", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Conversions.Purge(ctx)
		}},
		{Name: "purge deliveries of webhooks", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Endpoints.Purge(ctx)
		}},
		{Name: "end abandoned imports", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Catalogue.EndAbandonedImport(ctx)
		}},
		{Name: "check connections", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.CheckConnections(ctx)
		}},
		{Name: "look up buyers at couriers", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Orders.LookUpBuyers(ctx)
		}},
		{Name: "post orders", Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return time.Time{}, s.Orders.PostOrders(ctx)
		}},
		{Name: "index orders", Run: func(s *Shop, ctx context.Context) (time.Time, error) { return s.Orders.IndexOrders(ctx) }},
		{Name: "count days", Run: func(s *Shop, ctx context.Context) (time.Time, error) { return s.Sales.CountDays(ctx) }},
		{Name: "count cash", Run: func(s *Shop, ctx context.Context) (time.Time, error) { return s.Cash.CountCash(ctx) }},
		{Name: "continue jobs", Run: func(s *Shop, ctx context.Context) (time.Time, error) { return s.Jobs.Continue(ctx) }},
		{Name: "sweep images", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) {
			return s.Catalogue.SweepMedia(ctx)
		}},
		{Name: "warn of the plan's limits", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) { return s.WarnOfPlan(ctx) }},
		{Name: "purge jobs", Tidies: true, Run: func(s *Shop, ctx context.Context) (time.Time, error) { return s.Jobs.Purge(ctx) }},
	}
}
