package sales

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
	"storefront/shop/timezone"
)

const (
	// statsConsumer is the name of the consumer of the outbox that counts days.
	statsConsumer = "day_stats"
	// statsDelay is the time for which an event waits until the sums of its order's day are counted
	// again. Until then a report reads that day's orders.
	statsDelay = 15 * time.Second
	// statsBatch limits the days that one transaction counts, so that orders do not wait for it.
	statsBatch = 8
)

// CountDays recomputes past days with orders that changed more than statsDelay ago, and computes
// days that have no sums yet. Today is not stored, because it changes with each order. next is the
// time at which it is due again; a zero time means not before the shop's data changes. It is called
// in the background.
func (r *Reports) CountDays(ctx context.Context) (next time.Time, err error) {
	set, err := r.cfg.Settings(ctx)
	if err != nil {
		return time.Time{}, err
	}
	var waiting *time.Time
	var missing bool
	err = r.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if waiting, err = findUncounted(tx); err != nil {
			return err
		}
		if waiting != nil {
			return nil
		}
		days, err := findMissingDays(tx, set.Zone, 1)
		missing = len(days) > 0
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	if waiting != nil {
		if due := waiting.Add(statsDelay); due.After(r.cfg.Now()) {
			return due, nil
		}
		if err := r.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return r.deleteChangedDays(tx) }); err != nil {
			return time.Time{}, err
		}
		missing = true
	}
	for missing {
		err := r.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			missing, err = r.countMissingDays(tx, statsBatch)
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, nil
}

// deleteChangedDays deletes the sums of the days with orders that have changed since its last call.
func (r *Reports) deleteChangedDays(tx *db.Tx) error {
	zone, err := r.cfg.ZoneIn(tx)
	if err != nil {
		return err
	}
	last, err := outbox.Last(tx)
	if err != nil {
		return err
	}
	switch seq, err := outbox.Cursor(tx, statsConsumer); {
	case errors.Is(err, db.ErrNotFound): // no sums are useful without the events since then
		if err := DeleteDays(tx); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		changed, err := findChangedDays(tx, seq, zone)
		if err != nil {
			return err
		}
		for day := range changed {
			if err := deleteDay(tx, day); err != nil {
				return err
			}
		}
	}
	return outbox.Advance(tx, statsConsumer, last)
}

// countMissingDays stores the missing sums of at most limit past days, newest first. more reports
// whether others are missing.
func (r *Reports) countMissingDays(tx *db.Tx, limit int) (more bool, err error) {
	zone, err := r.cfg.ZoneIn(tx)
	if err != nil {
		return false, err
	}
	days, err := findMissingDays(tx, zone, limit+1)
	if err != nil {
		return false, err
	}
	if len(days) == 0 {
		return false, nil
	}
	products, err := findProductNumbers(tx)
	if err != nil {
		return false, err
	}
	for _, day := range days[:min(limit, len(days))] {
		if err := countDay(tx, day, products); err != nil {
			return false, err
		}
	}
	return len(days) > limit, products.save(tx)
}

// countDay stores the sums of a day.
func countDay(tx *db.Tx, day time.Time, products *productNumbers) error {
	counted, err := countSales(tx, day, timezone.StartOfDay(day, 1))
	if err != nil {
		return err
	}
	for _, by := range append(Groupings(), storedAlone...) {
		packed := counted[by].pack()
		if by == ByProduct {
			packed = products.pack(counted[by])
		}
		if err := saveSums(tx, by.kind(), db.Millis(day), packed); err != nil {
			return err
		}
	}
	return nil
}

// findMissingDays returns at most limit past days with orders and without stored sums, the newest
// first.
func findMissingDays(tx *db.Tx, zone *time.Location, limit int) (missing []time.Time, err error) {
	day := timezone.StartOfDay(tx.Now().In(zone), 0)
	stored, err := findStoredDays(tx, time.UnixMilli(0), day)
	for err == nil && len(missing) < limit {
		var placed *time.Time
		if placed, err = findPlacedBefore(tx, day); placed == nil {
			break
		}
		day = timezone.StartOfDay(placed.In(zone), 0)
		if !stored[db.Millis(day)] {
			missing = append(missing, day)
		}
	}
	return missing, err
}

// findCountedDays reports for each day whether its stored sums match its orders. Days without
// orders have none. The last of days is the end of the period.
func findCountedDays(tx *db.Tx, days []time.Time) (counted []bool, err error) {
	end := len(days) - 1
	counted = make([]bool, end)
	seq, err := outbox.Cursor(tx, statsConsumer)
	if errors.Is(err, db.ErrNotFound) {
		return counted, nil
	}
	if err != nil {
		return nil, err
	}
	stored, err := findStoredDays(tx, days[0], days[end])
	if err != nil {
		return nil, err
	}
	changed, err := findChangedDays(tx, seq, days[0].Location())
	if err != nil {
		return nil, err
	}
	of := 0
	for i, day := range days[:end] {
		at := db.Millis(day)
		if stored[at] {
			of++
		}
		counted[i] = stored[at] && !changed[at]
	}
	if of < len(stored) { // days in another time zone
		clear(counted)
	}
	return counted, nil
}
