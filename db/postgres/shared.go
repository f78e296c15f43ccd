package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
)

// Statements of the values and locks that the servers of an installation share. Times are read from
// the database's clock.
const (
	clockMillis = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

	putValue = `INSERT INTO shared_values (space, name, value, stored_at) VALUES ($1, $2, $3, ` + clockMillis + `)
		ON CONFLICT (space, name) DO UPDATE SET value = excluded.value, stored_at = excluded.stored_at`
	getValue     = `SELECT value, stored_at FROM shared_values WHERE space = $1 AND name = $2`
	listValues   = `SELECT name FROM shared_values WHERE space = $1 AND starts_with(name, $2) ORDER BY name`
	deleteValues = `DELETE FROM shared_values WHERE space = $1 AND (name = $2 OR starts_with(name, $3))`

	acquireLock = `INSERT INTO shared_locks (space, name, holder, until) VALUES ($1, $2, $3, ` + clockMillis + ` + $4)
		ON CONFLICT (space, name) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE shared_locks.until < ` + clockMillis + ` OR shared_locks.holder = excluded.holder
		RETURNING until`
	dropLock = `DELETE FROM shared_locks WHERE space = $1 AND name = $2 AND holder = $3`
)

const (
	// lockLease is the time for which a shared lock is held without renewal.
	lockLease = 30 * time.Second
	// lockRenewal is the interval of its renewals.
	lockRenewal = lockLease / 3
	// lockPoll is the interval of attempts to acquire a lock that another process holds.
	lockPoll = 500 * time.Millisecond
)

// PutValue stores a value that all servers of the installation share, or replaces it.
func (e *Engine) PutValue(ctx context.Context, name string, value []byte) error {
	value = append([]byte{}, value...) // nil would be NULL
	err := e.repeat(ctx, func() error {
		return e.transaction(ctx, func(s *session) error { return s.change(putValue, e.opts.Space, name, value) })
	})
	if err != nil {
		return fmt.Errorf("store shared value: %w", err)
	}
	return nil
}

// Value returns a shared value and the time at which it was stored. Errors: [db.ErrNotFound].
func (e *Engine) Value(ctx context.Context, name string) (value []byte, storedAt time.Time, err error) {
	found := false
	err = e.rowsAs(ctx, reading, getValue, []db.Value{e.opts.Space, name}, func(row []db.Value) error {
		stored, _ := row[0].([]byte)
		millis, _ := row[1].(int64)
		value, storedAt, found = slices.Clone(stored), db.FromMillis(millis), true
		return nil
	})
	if err == nil && !found {
		err = db.ErrNotFound
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("find shared value: %w", err)
	}
	return value, storedAt, nil
}

// ValueNames returns the names of the shared values that begin with a prefix, in their order.
func (e *Engine) ValueNames(ctx context.Context, prefix string) (names []string, err error) {
	err = e.rowsAs(ctx, reading, listValues, []db.Value{e.opts.Space, prefix}, func(row []db.Value) error {
		name, _ := row[0].(string)
		names = append(names, strings.Clone(name))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list shared values: %w", err)
	}
	return names, nil
}

// DeleteValues deletes the shared value of that name and all with names that begin with a prefix.
func (e *Engine) DeleteValues(ctx context.Context, name, prefix string) error {
	err := e.repeat(ctx, func() error {
		return e.transaction(ctx, func(s *session) error { return s.change(deleteValues, e.opts.Space, name, prefix) })
	})
	if err != nil {
		return fmt.Errorf("delete shared values: %w", err)
	}
	return nil
}

// repeat runs fn again, which may have taken effect, while the connection to the database is lost.
func (e *Engine) repeat(ctx context.Context, fn func() error) error {
	for deadline := time.Now().Add(lostTimeout); ; {
		err := fn()
		if !isLost(err) || isRefusal(err) || e.pool.inLongOutage() || time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(maxPause):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// LockShared waits until no other process of the installation holds the lock of that name. A lock
// that was not renewed for half a minute counts as free, since its holder has ended. The lock uses
// no connection. unlock must be called once.
func (e *Engine) LockShared(ctx context.Context, name string) (unlock func() error, err error) {
	holder := rand.Text()
	for {
		held, err := e.HoldLock(ctx, name, holder)
		if err != nil && (!isLost(err) || isRefusal(err) || e.pool.inLongOutage()) {
			return nil, fmt.Errorf("lock %s: %w", name, errors.Join(ctx.Err(), err))
		}
		if held && err == nil {
			break
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(lockRenewal)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			// After a failure the lease may pass to another process: the locked work is repeatable.
			if _, err := e.HoldLock(ctx, name, holder); err != nil && ctx.Err() == nil {
				e.store.Logger().Warn("lock not renewed", "lock", name, "error", err)
			}
		}
	}()
	return func() error {
		stop()
		<-ended
		return e.ReleaseLock(context.WithoutCancel(ctx), name, holder)
	}, nil
}

// HoldLock acquires or renews a lock for half a minute, and reports whether the holder has it.
// Processes with the same holder have it together. It does not wait.
func (e *Engine) HoldLock(ctx context.Context, name, holder string) (held bool, err error) {
	err = e.transaction(ctx, func(s *session) (err error) {
		_, held, err = s.number(acquireLock, e.opts.Space, name, holder, lockLease.Milliseconds())
		return err
	})
	if err != nil {
		return false, fmt.Errorf("hold lock %s: %w", name, err)
	}
	return held, nil
}

// ReleaseLock releases a lock that a holder has.
func (e *Engine) ReleaseLock(ctx context.Context, name, holder string) error {
	err := e.transaction(ctx, func(s *session) error { return s.change(dropLock, e.opts.Space, name, holder) })
	if err != nil {
		return fmt.Errorf("release lock %s: %w", name, err)
	}
	return nil
}
