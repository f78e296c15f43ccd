package plan

import (
	"context"
	"fmt"

	"storefront/db"
)

// Requests are the requests to a shop in a month.
type Requests struct {
	UID          string
	Month        string // such as 2026-11, in the shop's time zone
	Requests     int64
	Milliseconds int64 // from the first byte of each to the end of its response
	// CPUMilliseconds is an estimate of the CPU time, from a sample of the requests.
	CPUMilliseconds int64
}

// AddRequests adds requests to the sums of their months.
func (p *Plans) AddRequests(ctx context.Context, all []Requests) error {
	return p.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		for _, r := range all {
			err := tx.Do(`
				INSERT INTO shop_requests (month, uid, requests, milliseconds, cpu)
				VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (month, uid) DO UPDATE SET requests = shop_requests.requests + excluded.requests,
					milliseconds = shop_requests.milliseconds + excluded.milliseconds,
					cpu = shop_requests.cpu + excluded.cpu`,
				r.Month, r.UID, r.Requests, r.Milliseconds, r.CPUMilliseconds)
			if err != nil {
				return fmt.Errorf("add requests: %w", err)
			}
		}
		return nil
	})
}

// FindRequests returns the requests to a shop in a month.
func (p *Plans) FindRequests(ctx context.Context, uid, month string) (r Requests, err error) {
	r = Requests{UID: uid, Month: month}
	err = p.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`
			SELECT COALESCE(SUM(requests), 0), COALESCE(SUM(milliseconds), 0), COALESCE(SUM(cpu), 0)
			FROM shop_requests
			WHERE month = ? AND uid = ?`, month, uid).Scan(&r.Requests, &r.Milliseconds, &r.CPUMilliseconds)
	})
	if err != nil {
		return r, fmt.Errorf("find requests: %w", err)
	}
	return r, nil
}
