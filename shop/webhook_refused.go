package shop

import (
	"context"
	"fmt"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/sequence"
)

// Refused calls are noted in a ring, at most once in refusedPause for each provider, so that a flood
// of forgeries neither fills the file nor keeps its writer busy.
const (
	refusedSlots = 50
	refusedPause = time.Second
)

// RefusedWebhook is a note of calls that were not a provider's: no body and no header is kept.
type RefusedWebhook struct {
	Provider Provider  `json:"provider"`
	Reason   string    `json:"reason"` // of the last of them
	Calls    int       `json:"calls"`  // how many came since the note before
	At       time.Time `json:"at"`
}

// refusals counts the refused calls that are not noted yet.
type refusals struct {
	mu         sync.Mutex
	recordedAt map[Provider]time.Time
	pending    map[Provider]int
}

// count gives how many calls to note now; 0: it is too soon.
func (r *refusals) count(provider Provider, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recordedAt == nil {
		r.recordedAt, r.pending = map[Provider]time.Time{}, map[Provider]int{}
	}
	r.pending[provider]++
	if last, ok := r.recordedAt[provider]; ok && now.Sub(last) < refusedPause {
		return 0
	}
	calls := r.pending[provider]
	r.recordedAt[provider], r.pending[provider] = now, 0
	return calls
}

// recordRefused notes a call that is not the provider's. reason is in our words alone.
func (s *Shop) recordRefused(ctx context.Context, provider Provider, reason string) error {
	s.observer.WebhookHandled(provider, VerdictRefused)
	calls := s.refused.count(provider, s.now())
	if calls == 0 {
		return nil
	}
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		number, err := sequence.RaiseCounter(tx, "refused:"+string(provider), 1, 0)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`
			INSERT INTO refused_calls (provider, slot, reason, calls, at)
			VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (provider, slot) DO UPDATE SET reason = excluded.reason, calls = excluded.calls, at = excluded.at`,
			provider, number%refusedSlots, reason, calls, db.Millis(tx.Now()))
		if err != nil {
			return fmt.Errorf("note refused call: %w", err)
		}
		return nil
	})
}

// ListRefusedWebhooks gives the notes of refused calls, newest first, for the shop's staff. provider "":
// of all.
func (s *Shop) ListRefusedWebhooks(ctx context.Context, caller access.Caller, provider Provider) (list []RefusedWebhook, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		list, err = db.Query(tx, func(r db.Row) (c RefusedWebhook, err error) {
			err = r.Scan(&c.Provider, &c.Reason, &c.Calls, &c.At)
			return c, err
		}, `
			SELECT provider, reason, calls, at
			FROM refused_calls
			WHERE ? = '' OR provider = ?
			ORDER BY at DESC, provider, slot DESC`, provider, provider)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find refused calls: %w", err)
	}
	return list, nil
}
