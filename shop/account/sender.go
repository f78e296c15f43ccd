package account

import (
	"context"
	"errors"
	"sync/atomic"

	"storefront/db"
	"storefront/shop/secret"
)

// senderCache holds the shop's sender of one kind of message.
type senderCache[T any] struct {
	last atomic.Pointer[cachedSender[T]]
}

// cachedSender is a sender with the state of the secrets and the setting that it was created from.
type cachedSender[T any] struct {
	key    senderKey
	sender T
	err    error // why there is none
}

type senderKey struct {
	secrets secret.State
	setting string // on which the sender depends, besides its configuration
}

// load returns the sender of the configuration that is stored as a secret. create receives nil if
// there is none. missing is create's error.
func (c *senderCache[T]) load(
	ctx context.Context, a *Accounts, name, setting string, create func(config []byte) (T, error),
) (sender T, missing, err error) {
	secrets, err := a.cfg.Secrets.State(ctx)
	if err != nil {
		return sender, nil, err
	}
	key := senderKey{secrets, setting}
	cached := c.last.Load()
	if cached == nil || cached.key != key {
		config, err := a.findConfig(ctx, name)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return sender, nil, err
		}
		cached = &cachedSender[T]{key: key}
		cached.sender, cached.err = create(config)
		c.last.Store(cached)
	}
	return cached.sender, cached.err, nil
}

// findConfig returns a configuration that is stored as a secret. The error is db.ErrNotFound if
// there is none.
func (a *Accounts) findConfig(ctx context.Context, name string) (config []byte, err error) {
	err = a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		config, err = a.cfg.Secrets.Find(tx, name)
		return err
	})
	return config, err
}

// acquireSlot returns a function that releases a slot for sending a message, or false if all are in
// use.
func acquireSlot(slots chan struct{}) (release func(), ok bool) {
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, true
	default:
		return nil, false
	}
}
