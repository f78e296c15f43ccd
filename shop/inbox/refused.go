package inbox

import (
	"context"
	"fmt"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/plugin"
	"storefront/shop/sequence"
)

// Refused webhooks are recorded in a ring of refusedSlots rows for each provider, at most one row
// each refusedPause, so that a flood of forgeries neither fills the file nor occupies its writer.
const (
	refusedSlots = 50
	refusedPause = time.Second
)

// RefusedWebhook records requests that were not authentic webhooks of a provider. Neither body nor
// headers are stored.
type RefusedWebhook struct {
	Provider plugin.Provider `json:"provider"`
	Reason   string          `json:"reason"` // of the last one
	Received int             `json:"calls"`  // number since the previous record
	At       time.Time       `json:"at"`     // of the last one
}

// refusals counts the refused webhooks that are not recorded yet.
type refusals struct {
	mu         sync.Mutex
	recordedAt map[plugin.Provider]time.Time
	pending    map[plugin.Provider]int
}

// count counts a refused webhook and returns how many to record now; 0 means that it is too soon.
func (r *refusals) count(provider plugin.Provider, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recordedAt == nil {
		r.recordedAt, r.pending = map[plugin.Provider]time.Time{}, map[plugin.Provider]int{}
	}
	r.pending[provider]++
	if last, ok := r.recordedAt[provider]; ok && now.Sub(last) < refusedPause {
		return 0
	}
	count := r.pending[provider]
	r.recordedAt[provider], r.pending[provider] = now, 0
	return count
}

// RecordRefused records a request that is not an authentic webhook. reason must not contain any
// part of the request.
func (b *Inbox) RecordRefused(ctx context.Context, provider plugin.Provider, reason string) error {
	b.observer.WebhookHandled(provider, VerdictRefused)
	count := b.refused.count(provider, b.now())
	if count == 0 {
		return nil
	}
	return b.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		number, err := sequence.RaiseCounter(tx, "refused:"+string(provider), 1, 0)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`
			INSERT INTO refused_webhooks (provider, slot, reason, received, at)
			VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (provider, slot) DO UPDATE SET reason = excluded.reason, received = excluded.received, at = excluded.at`,
			provider, number%refusedSlots, reason, count, db.Millis(tx.Now()))
		if err != nil {
			return fmt.Errorf("record refused webhook: %w", err)
		}
		return nil
	})
}

// ListRefusedWebhooks returns the records of refused webhooks, newest first. A provider "" means
// all. Codes: validation_failed, unauthenticated, forbidden.
func (b *Inbox) ListRefusedWebhooks(
	ctx context.Context, caller access.Caller, provider plugin.Provider,
) ([]RefusedWebhook, error) {
	return access.Read(ctx, b.data, caller, access.ToListRefusedWebhooks,
		func(tx *db.Tx, _ access.Staff) ([]RefusedWebhook, error) {
			if provider != "" {
				var bad fault.Invalid
				input.CheckValues(&bad, "provider", []plugin.Provider{provider}, plugin.Providers())
				if err := bad.Err(); err != nil {
					return nil, err
				}
			}
			list, err := db.Query(tx, func(r db.Row) (c RefusedWebhook, err error) {
				err = r.Scan(&c.Provider, &c.Reason, &c.Received, &c.At)
				return c, err
			}, `
				SELECT provider, reason, received, at
				FROM refused_webhooks
				WHERE ? = '' OR provider = ?
				ORDER BY at DESC, provider, slot DESC`, provider, provider)
			if err != nil {
				return nil, fmt.Errorf("list refused webhooks: %w", err)
			}
			return list, nil
		})
}
