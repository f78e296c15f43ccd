package shop

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
)

// Activity describes how a shop does, for the list of all shops.
type Activity struct {
	Days     []DayOrders `json:"days,omitempty"` // of the last week, without days that have none
	Findings int         `json:"findings,omitempty"`
}

// DayOrders counts the orders of a day in UTC, without cancelled, expired, unpaid and test orders.
type DayOrders struct {
	Day    int64 `json:"day"` // since 1970
	Orders int64 `json:"orders"`
}

// activityDays is the number of days in [Activity], today included.
const activityDays = 7

// dayOf returns the number of the day of a time in UTC, since 1970.
func dayOf(at time.Time) int64 { return db.Millis(at) / (24 * time.Hour).Milliseconds() }

// Orders returns the orders of the last seven days, today included.
func (a *Activity) Orders(now time.Time) (count int64) {
	for _, d := range a.Days {
		if d.Day > dayOf(now)-activityDays {
			count += d.Orders
		}
	}
	return count
}

func scanDayOrders(r db.Row) (d DayOrders, err error) {
	err = r.Scan(&d.Day, &d.Orders)
	return d, err
}

// FindActivity returns the activity of the shop, for the server itself.
func (s *Shop) FindActivity(ctx context.Context) (*Activity, error) {
	backlog, err := s.FindBacklog(ctx, access.Operator())
	if err != nil {
		return nil, err
	}
	found := &Activity{Findings: len(backlog.Findings())}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		const day = int64(24 * time.Hour / time.Millisecond)
		found.Days, err = db.Query(tx, scanDayOrders, `
			SELECT placed_at / ?, COUNT(*) FROM orders
			WHERE placed_at >= ? AND test = 0 AND status NOT IN ('cancelled', 'expired', 'pending_payment')
			GROUP BY 1 ORDER BY 1`, day, (dayOf(tx.Now())-activityDays+1)*day)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count orders: %w", err)
	}
	return found, nil
}
