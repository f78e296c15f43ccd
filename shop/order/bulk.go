package order

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/job"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// BulkChange is an action on many orders, selected either by their invoice UIDs or by a filter.
type BulkChange struct {
	Action  BulkAction
	IDs     []string    // 1 to job.MaxIDs; duplicates count once
	Filter  *ListFilter // at most job.MaxItems orders match; its page and its order are not used
	Options BulkOptions
	DryRun  bool // only return a preview
}

// ChangeOrders starts a job that executes an action on many orders, each in a transaction of its
// own, or, with DryRun, returns a preview of the job. Codes: validation_failed, job_limit,
// unauthenticated, forbidden.
func (s *Orders) ChangeOrders(ctx context.Context, caller access.Caller, in BulkChange) (*job.Job, error) {
	if _, err := s.data.Authorize(ctx, caller, access.ToChangeOrders); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	action, ok := bulkActions[in.Action]
	if !ok {
		bad.Add("action", fault.CodeInvalidValue, "Must be one of %s.", input.JoinValues(BulkActions()))
		return nil, bad.Err()
	}
	who, err := s.data.Authorize(ctx, caller, action.use)
	if err != nil {
		return nil, err
	}
	in.Options.Undo = caller.Undo
	action.checkOptions(&in.Options, &bad)
	ids := job.UniqueIDs(&bad, in.IDs, in.Filter != nil, func(id string) string {
		if uid, err := requireInvoiceUID(id); err == nil {
			return uid
		}
		return id
	})
	if err := bad.Err(); err != nil {
		return nil, err
	}
	targets, err := s.orderTargets(ctx, who, ids, in.Filter)
	if err != nil {
		return nil, err
	}
	if in.DryRun {
		names, err := s.findNames(ctx, who, targets)
		if err != nil {
			return nil, err
		}
		plan, err := job.Preview{
			Kind: job.Kind(in.Action), Targets: targets, Now: s.now(), Names: names,
			Check: func(ctx context.Context, part []string) ([]error, error) {
				return s.checkOrders(ctx, who, action, part, in.Options)
			},
		}.Run(ctx, who)
		if err == nil && in.Action == BulkBook {
			err = s.addWeights(ctx, who, plan)
		}
		return plan, err
	}
	if err := checkUndoMany(in.Options.Undo, len(targets)); err != nil {
		return nil, err
	}
	return s.cfg.CreateJob(ctx, caller, job.Request{
		Kind: job.Kind(in.Action), Options: in.Options, Targets: targets, Use: access.ToChangeOrders,
	})
}

// orderTargets returns the selected orders with their numbers. Orders that do not exist are
// returned too: each of them gets a result.
func (s *Orders) orderTargets(ctx context.Context, who access.Staff, ids []string, filter *ListFilter) (targets []job.Target, err error) {
	if filter != nil {
		if ids, err = s.findFiltered(ctx, who, *filter); err != nil {
			return nil, err
		}
	}
	numbers := map[string]int64{}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		for part := range db.Chunks(ids) {
			if err := findOrderNumbers(tx, part, numbers); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		t := job.Target{Subject: id}
		if number, ok := numbers[id]; ok {
			t.Label = strconv.FormatInt(number, 10)
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// findFiltered returns the invoice UIDs of the orders that a filter selects, the oldest first, as
// people work on them. Codes: validation_failed (none, or too many).
func (s *Orders) findFiltered(ctx context.Context, who access.Staff, filter ListFilter) (ids []string, err error) {
	var bad fault.Invalid
	filter.SortBy, filter.Sort = SortPlaced, page.Ascending
	query := filter.query(&bad, s.now())
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if query.search != nil {
		if _, err := s.updateOrderSearch(ctx, allBatches); err != nil {
			return nil, err
		}
	}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if err := filter.require(tx, who); err != nil {
			return err
		}
		if err := query.prepare(tx); err != nil {
			return err
		}
		ids, err = query.findIDs(tx, page.Window{Page: 1, Limit: job.MaxItems + 1})
		return err
	})
	if err != nil {
		return nil, err
	}
	return ids, job.CheckMatches(len(ids))
}

// findOrderNumbers adds the numbers of the orders with these invoice UIDs.
func findOrderNumbers(tx *db.Tx, ids []string, numbers map[string]int64) error {
	list, args := db.InList(ids)
	err := tx.Each(`
		SELECT id, number
		FROM orders
		WHERE id IN `+list, args, func(r db.Row) error {
		var id string
		var number int64
		err := r.Scan(&id, &number)
		numbers[id] = number
		return err
	})
	if err != nil {
		return fmt.Errorf("find order numbers: %w", err)
	}
	return nil
}

// findBuyerNames adds the buyers' names of the orders with these invoice UIDs.
func findBuyerNames(tx *db.Tx, ids []string, names map[string]string) error {
	list, args := db.InList(ids)
	err := tx.Each(`
		SELECT id, customer_name
		FROM orders
		WHERE id IN `+list, args, func(r db.Row) error {
		var id, name string
		err := r.Scan(&id, &name)
		names[id] = name
		return err
	})
	if err != nil {
		return fmt.Errorf("find buyers' names: %w", err)
	}
	return nil
}

// checkOrders returns for each order the reason why the action would not change it; nil if it
// would.
func (s *Orders) checkOrders(ctx context.Context, who access.Staff, action bulkAction, ids []string, in BulkOptions) (rules []error, err error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	refuse := func(*db.Tx, *orderRow) error { return nil }
	if in.Provider != "" {
		refuse = s.courierRefusals(ctx, in.booking(""), set.Currency)
	}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		rules = make([]error, len(ids))
		rows, err := findOrderRows(tx, ids)
		if err != nil {
			return err
		}
		found := map[string]*orderRow{}
		for _, o := range rows {
			found[o.id] = o
		}
		for i, id := range ids {
			o := found[id]
			if o == nil {
				rules[i] = errNoOrder()
				continue
			}
			if rules[i] = action.rule(tx, o, in); rules[i] == nil {
				rules[i] = refuse(tx, o)
			}
		}
		return nil
	})
	return rules, err
}

// courierRefusals returns a function that returns the reason why a courier cannot carry a shipment
// of an order: its settings are missing, or it would refuse the shipment. It calls no courier.
func (s *Orders) courierRefusals(ctx context.Context, in BookingInput, currency money.Currency) func(tx *db.Tx, o *orderRow) error {
	type courier struct {
		plugin *plugin.Plugin
		err    error // the reason why it cannot book
	}
	couriers := map[plugin.Mode]courier{}
	for _, mode := range []plugin.Mode{plugin.Live, plugin.Sandbox} {
		plugin, _, err := s.courierFor(ctx, in.Provider, mode)
		couriers[mode] = courier{plugin, err}
	}
	return func(tx *db.Tx, o *orderRow) error {
		booking := o.newBooking(in.Provider, 1)
		c := couriers[booking.mode]
		if c.err != nil {
			return c.err
		}
		request, err := o.shipmentRequest(tx, booking, in, currency)
		if err != nil {
			return err
		}
		problems := c.plugin.Courier.Refusals(request)
		if err := plugin.RefuseShipment(problems); err != nil {
			refused := fault.Errorf(fault.CodeStateConflict, "The courier would refuse the shipment: %s.", plugin.CourierWords(err))
			refused.Details = map[string]any{job.FieldDetail: problems[0].Field}
			return refused
		}
		return nil
	}
}

// addWeights adds the weights of the orders to the results of a plan to book their shipments.
func (s *Orders) addWeights(ctx context.Context, who access.Staff, plan *job.Job) error {
	weights := map[string]int64{}
	err := s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		for part := range slices.Chunk(plan.Results, db.MaxList) {
			ids := make([]string, len(part))
			for i, result := range part {
				ids[i] = result.Subject
			}
			if err := findOrderWeights(tx, ids, weights); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range plan.Results {
		if grams := weights[plan.Results[i].Subject]; grams > 0 {
			plan.Results[i].WeightGrams = &grams
		}
	}
	return err
}

// findNames returns the names of the buyers of orders, for callers who may read orders.
func (s *Orders) findNames(ctx context.Context, who access.Staff, targets []job.Target) (map[string]string, error) {
	names := map[string]string{}
	if !who.Permits(access.OrdersRead) {
		return names, nil
	}
	ids := make([]string, len(targets))
	for i, t := range targets {
		ids[i] = t.Subject
	}
	err := s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		for part := range db.Chunks(ids) {
			if err := findBuyerNames(tx, part, names); err != nil {
				return err
			}
		}
		return nil
	})
	return names, err
}
