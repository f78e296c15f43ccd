package order

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/plugin"
)

// Couriers stop sending a webhook after a few minutes, or send it once. The sweep queries them for
// open shipments without new events.
const (
	// checkAfter is the time after its last event at which a shipment is queried. It is also the first
	// interval of queries, which doubles up to maxShipmentPause.
	checkAfter       = 24 * time.Hour
	maxShipmentPause = 7 * 24 * time.Hour
	// MaxShipmentChecks is the number of queries without a new event after which they end.
	MaxShipmentChecks = 20
	// shipmentBatch limits the queries to one courier in one sweep, and courierPause is the time
	// between two sweeps with a courier. Shipments that the courier has paid out do not wait for it.
	shipmentBatch = 20
	courierPause  = 4 * time.Hour
)

// courierSweeps holds the times at which a sweep may query each courier again. It is empty after a
// start.
type courierSweeps struct {
	mu sync.Mutex
	at map[plugin.Provider]time.Time
}

func (c *courierSweeps) next(provider plugin.Provider) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at[provider]
}

func (c *courierSweeps) set(provider plugin.Provider, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[plugin.Provider]time.Time{}
	}
	c.at[provider] = at
}

// dueShipment is a shipment to be queried.
type dueShipment struct {
	*shipmentRow
	mode plugin.Mode
}

// SweepShipments queries the couriers for open shipments without an event for a day, to make up for
// lost webhooks. next is the next due time; a zero time means that nothing is due. A courier that
// does not respond or refuses is not an error: it is not queried again before the next sweep.
func (s *Orders) SweepShipments(ctx context.Context) (next time.Time, err error) {
	for _, provider := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		ready, err := s.readyModes(ctx, provider)
		if err != nil {
			return time.Time{}, err
		}
		if ready == (sweepModes{}) {
			continue // its settings will change the shop's data
		}
		at, err := s.sweepCourier(ctx, provider, ready)
		if err != nil {
			return time.Time{}, err
		}
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next, nil
}

// sweepModes are the modes in which a courier can be queried.
type sweepModes struct{ live, sandbox bool }

func (s *Orders) readyModes(ctx context.Context, provider plugin.Provider) (ready sweepModes, err error) {
	if _, _, ready.live, err = s.cfg.Plugin(ctx, provider, plugin.CanBook, plugin.Live); err != nil {
		return ready, err
	}
	_, _, ready.sandbox, err = s.cfg.Plugin(ctx, provider, plugin.CanBook, plugin.Sandbox)
	return ready, err
}

// sweepCourier queries one courier. next is its next due time; a zero time means never.
func (s *Orders) sweepCourier(ctx context.Context, provider plugin.Provider, ready sweepModes) (next time.Time, err error) {
	paused := s.courierSweeps.next(provider).After(s.now())
	var due []dueShipment
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		due, err = findDueShipments(tx, provider, ready, paused)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	if len(due) > 0 && !paused {
		s.courierSweeps.set(provider, s.now().Add(courierPause))
	}
	start := time.Now()
	for _, shipment := range due {
		if ctx.Err() != nil {
			return time.Time{}, ctx.Err()
		}
		if time.Since(start) > sweepTime {
			break
		}
		goOn, err := s.sweepShipment(ctx, shipment)
		if err != nil {
			return time.Time{}, fmt.Errorf("sweep shipment %s: %w", shipment.id, err)
		}
		if !goOn {
			break
		}
	}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		at, err := findNextShipmentCheck(tx, provider, ready)
		if err == nil && at != nil {
			next = db.FromMillis(*at)
		}
		return err
	})
	if allowed := s.courierSweeps.next(provider); !next.IsZero() && next.Before(allowed) {
		next = allowed
	}
	return next, err
}

// sweepShipment queries the courier for one shipment. goOn is false if the courier should be left
// alone for now.
func (s *Orders) sweepShipment(ctx context.Context, shipment dueShipment) (goOn bool, err error) {
	failure := s.trackShipment(ctx, nil, shipment.shipmentRow, shipment.mode)
	missing := errors.Is(failure, plugin.ErrCourierNotFound)
	switch {
	case failure == nil, missing:
		goOn = true
	case errors.Is(failure, plugin.ErrCourierUnknown), errors.Is(failure, plugin.ErrCourierRefused), fault.HasCode(failure, fault.CodeStateConflict):
	default:
		return false, failure
	}
	return goOn, s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		if err := recordShipmentCheck(tx, shipment.shipmentRow); err != nil {
			return err
		}
		if !missing {
			return nil
		}
		order, err := findOrderRow(tx, shipment.orderID)
		if err != nil {
			return fmt.Errorf("find order of shipment: %w", err)
		}
		c := s.changeOrder(tx, order, ByShop)
		c.raise(shipment.id, flag{FlagMissingAtCourier, fmt.Sprintf("%s has no shipment %s: if it was deleted in the courier's panel, "+
			"cancel the shipment and book another one.", shipment.provider, db.TextOf(shipment.consignmentID))})
		return c.save()
	})
}

// shipmentPause returns the time until the next query after a number of queries without a new
// event.
func shipmentPause(checks int) time.Duration {
	pause := checkAfter
	for range checks {
		pause = min(2*pause, maxShipmentPause)
	}
	return pause
}

// recordShipmentCheck counts a query that brought no new event, and schedules the next one.
func recordShipmentCheck(tx *db.Tx, shipment *shipmentRow) error {
	_, err := tx.Exec(`
		UPDATE shipments
		SET checks = ?, check_at = ?
		WHERE id = ? AND updated_at = ?`,
		shipment.checks+1, db.Millis(tx.Now().Add(shipmentPause(shipment.checks))), shipment.id, shipment.updatedAt)
	if err != nil {
		return fmt.Errorf("record shipment check: %w", err)
	}
	return nil
}

// openShipmentsWhere selects a courier's open shipments that are queried. Its arguments are the
// provider, MaxShipmentChecks, and whether live and test orders are included (0 or 1).
const openShipmentsWhere = `p.status NOT IN ('delivered', 'returned', 'cancelled', 'exchanged')
			AND p.provider = ? AND p.consignment_id IS NOT NULL AND p.checks < ?
			AND (o.test = 0 AND ? = 1 OR o.test = 1 AND ? = 1)`

// findDueShipments returns the shipments to be queried now, the longest due first. During a
// courier's pause they are those that their last event has made due.
func findDueShipments(tx *db.Tx, provider plugin.Provider, ready sweepModes, paused bool) ([]dueShipment, error) {
	due, err := db.Query(tx, func(r db.Row) (dueShipment, error) {
		shipment := dueShipment{shipmentRow: new(shipmentRow), mode: plugin.Live}
		var returnID *string
		var test bool
		err := r.Scan(append(shipment.columns(&returnID), &test)...)
		if shipment.returnID = db.TextOf(returnID); test {
			shipment.mode = plugin.Sandbox
		}
		return shipment, err
	}, `
		SELECT p.id, p.order_id, p.provider, p.consignment_id, p.tracking_code, p.status, p.moved_at, p.created_at, p.updated_at,
			p.return_id, p.checks, p.check_at, o.test
		FROM shipments p
		JOIN orders o ON o.id = p.order_id
		WHERE `+openShipmentsWhere+` AND COALESCE(p.check_at, p.updated_at + ?) <= ?
			AND (? = 0 OR p.check_at <= p.updated_at)
		ORDER BY COALESCE(p.check_at, p.updated_at + ?), p.id
		LIMIT ?`, provider, MaxShipmentChecks, db.BoolInt(ready.live), db.BoolInt(ready.sandbox),
		checkAfter.Milliseconds(), db.Millis(tx.Now()), db.BoolInt(paused), checkAfter.Milliseconds(), shipmentBatch)
	if err != nil {
		return nil, fmt.Errorf("find due shipments: %w", err)
	}
	return due, nil
}

// findNextShipmentCheck returns the due time of the next query to a courier, nil if there is none.
func findNextShipmentCheck(tx *db.Tx, provider plugin.Provider, ready sweepModes) (at *int64, err error) {
	err = tx.QueryRow(`
		SELECT MIN(COALESCE(p.check_at, p.updated_at + ?))
		FROM shipments p
		JOIN orders o ON o.id = p.order_id
		WHERE `+openShipmentsWhere, checkAfter.Milliseconds(), provider, MaxShipmentChecks, db.BoolInt(ready.live), db.BoolInt(ready.sandbox)).Scan(&at)
	if err != nil {
		return nil, fmt.Errorf("find next shipment check: %w", err)
	}
	return at, nil
}
