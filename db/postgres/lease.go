package postgres

import (
	"context"
	"fmt"
	"strconv"

	"storefront/db"
)

// Lease is a lock that one of several processes holds, until it ends or loses its connection.
type Lease struct{ link *link }

// AcquireLease acquires the lease of that name, or returns nil if another process holds it.
func (e *Engine) AcquireLease(ctx context.Context, name string) (*Lease, error) {
	l, err := e.pool.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("lease %s: %w", name, err)
	}
	key := strconv.FormatInt(lockKey(e.opts.Namespace, e.opts.Space, "lease "+name), 10)
	free, err := l.number(ctx, "SELECT pg_try_advisory_lock("+key+")")
	if err == nil && free == 1 {
		return &Lease{l}, nil
	}
	l.close()
	if err != nil {
		return nil, fmt.Errorf("lease %s: %w", name, err)
	}
	return nil, nil
}

// IsHeld reports whether the lease is still held. It queries the server, so a lost connection is
// noticed.
func (l *Lease) IsHeld(ctx context.Context) bool {
	_, err := l.link.number(ctx, "SELECT 1")
	if err != nil {
		l.link.close()
	}
	return err == nil
}

// End releases the lease.
func (l *Lease) End() { l.link.close() }

// Statements of [Engine.Register].
const (
	insertOwner = `INSERT INTO installations (space, owner) VALUES ($1, $2) ON CONFLICT (space) DO NOTHING`
	findOwner   = `SELECT owner FROM installations WHERE space = $1`
)

// Owner returns the text that [Engine.Register] recorded, "" if it was not called yet.
func (e *Engine) Owner(ctx context.Context) (owner string, err error) {
	err = e.rows(ctx, findOwner, []db.Value{e.opts.Space}, func(row []db.Value) error {
		owner, _ = row[0].(string)
		return nil
	})
	return owner, err
}

// Register records the owner of the installation, unless there is one, and returns the recorded
// owner.
func (e *Engine) Register(ctx context.Context, owner string) (registered string, err error) {
	registered, err = e.Owner(ctx)
	if err != nil {
		return "", err
	}
	if registered != "" {
		return registered, nil
	}
	err = e.transaction(ctx, func(s *session) error { return s.change(insertOwner, e.opts.Space, owner) })
	if err != nil {
		return "", fmt.Errorf("register installation: %w", err)
	}
	return e.Owner(ctx)
}
