package sender

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/secret"
)

const (
	// sendTimeout limits one call of an adapter, which has a shorter timeout of its own.
	sendTimeout = 40 * time.Second
	// maxSending limits the messages of one kind that a shop sends concurrently, so that a provider
	// that does not respond blocks no more requests than that.
	maxSending = 32
	// retrySeconds is the Retry-After of a message that was not sent.
	retrySeconds = 30
)

// channel sends messages of one kind by adapters of type T, which it creates from the stored
// configuration.
type channel[T any] struct {
	kind[T]
	Config
	slots chan struct{} // one element for each message being sent
	last  atomic.Pointer[cached[T]]
}

// kind has the differences between text messages and e-mails.
type kind[T any] struct {
	name    string             // in errors
	secret  string             // name of the configuration in the table secrets
	subject access.SubjectKind // in the audit log

	toConfigure, toRead, toTest access.UseCase
	limitTests                  bool // because a message costs money

	// create creates an adapter from the configuration, nil if there is none, and a setting of the
	// shop. nil means that nothing is sent.
	create  func(config []byte, setting string) (T, error)
	setting func(set Settings) string

	notConfigured error      // that the shop has no configuration
	unknown       error      // that the message may have been sent
	busy          error      // that too many messages are being sent
	code          fault.Code // of a message that was not sent
	message       string     // of the same

	observe func(outcome Outcome)

	of func(s *Sender) *channel[T] // the channel of this kind
}

// cached is an adapter with the state of the secrets and the setting that it was created from.
type cached[T any] struct {
	key     cacheKey
	adapter T
	err     error // why there is none
}

type cacheKey struct {
	secrets, inherited secret.State
	from               *Sender // nil means that nothing is inherited
	locked             bool
	setting            string
}

func newChannel[T any](cfg Config, k kind[T]) *channel[T] {
	if cfg.OfInstallation {
		k.toConfigure, k.toRead = access.ToSetDefaults, access.ToFindDefaults
	}
	return &channel[T]{kind: k, Config: cfg, slots: make(chan struct{}, maxSending)}
}

// configure replaces the configuration, which is stored sealed; nil removes it.
func (c *channel[T]) configure(ctx context.Context, caller access.Caller, config []byte) error {
	who, err := c.Data.Authorize(ctx, caller, c.toConfigure)
	if err != nil {
		return err
	}
	_, locked, err := c.Inherited(ctx, c.secret)
	if err != nil {
		return err
	}
	if locked && config != nil {
		return errLocked(c.secret)
	}
	if config != nil && c.create != nil {
		set, err := c.Settings(ctx)
		if err != nil {
			return err
		}
		if _, err := c.create(config, c.setting(set)); err != nil {
			return fmt.Errorf("configure %s: %w", c.name, err)
		}
	}
	return c.Secrets.Replace(ctx, c.secret, config, func(tx *db.Tx) error {
		if err := who.Check(tx); err != nil {
			return err
		}
		if err := c.Replaced(tx, c.secret); err != nil {
			return err
		}
		change := access.Set("config", nil)
		if config != nil {
			change.After = access.Secret
		}
		err := outbox.Append(tx, outbox.Event{Type: outbox.SettingsChanged, Subject: c.secret})
		if err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: c.subject}, change)
	})
}

// config returns the configuration. The error is notConfigured if there is none.
func (c *channel[T]) config(ctx context.Context, caller access.Caller) ([]byte, error) {
	return access.Read(
		ctx,
		c.Data,
		caller,
		c.toRead,
		func(tx *db.Tx, _ access.Staff) ([]byte, error) {
			config, err := c.Secrets.Find(tx, c.secret)
			if errors.Is(err, db.ErrNotFound) {
				return nil, c.notConfigured
			}
			return config, err
		},
	)
}

// load returns the adapter. It is created again if the configuration or the setting has changed.
// Codes: the kind's.
func (c *channel[T]) load(ctx context.Context) (adapter T, err error) {
	set, err := c.Settings(ctx)
	if err != nil {
		return adapter, err
	}
	secrets, err := c.Secrets.State(ctx)
	if err != nil {
		return adapter, err
	}
	key := cacheKey{secrets: secrets, setting: c.setting(set)}
	if key.from, key.locked, err = c.Inherited(ctx, c.secret); err != nil {
		return adapter, err
	}
	if key.from != nil {
		if key.inherited, err = c.of(key.from).Secrets.State(ctx); err != nil {
			return adapter, err
		}
	}
	last := c.last.Load()
	if last == nil || last.key != key {
		config, err := c.findEffective(ctx, key)
		if err != nil {
			return adapter, err
		}
		last = &cached[T]{key: key, err: c.notConfigured}
		if c.create != nil {
			last.adapter, last.err = c.create(config, key.setting)
		}
		c.last.Store(last)
	}
	if last.err != nil {
		return adapter, c.unavailable(last.err)
	}
	return last.adapter, nil
}

// check is [Sender.Check].
func (c *channel[T]) check(ctx context.Context) (proved, ok bool, err error) {
	adapter, err := c.load(ctx)
	if fault.HasCode(err, c.code) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	checker, ok := any(adapter).(Checker)
	if !ok {
		return false, false, nil
	}
	proved, err = checker.Check(ctx)
	return proved, true, err
}

// findEffective returns the configuration that is used, the shop's own or an inherited one; nil if
// there is none.
func (c *channel[T]) findEffective(ctx context.Context, key cacheKey) ([]byte, error) {
	if !key.locked {
		config, err := c.findConfig(ctx)
		if err != nil {
			return nil, err
		}
		if config != nil {
			return config, nil
		}
	}
	if key.from == nil {
		return nil, nil
	}
	return c.of(key.from).findConfig(ctx)
}

// inherits reports whether a configuration can be inherited, and whether no other one is possible.
func (c *channel[T]) inherits(ctx context.Context) (has, locked bool, err error) {
	from, locked, err := c.Inherited(ctx, c.secret)
	return from != nil, locked, err
}

// errLocked returns the error about a channel that the operator has locked. Codes: setting_locked.
func errLocked(name string) error {
	return &fault.Error{
		Code: fault.CodeSettingLocked, Message: "The operator of this server sends the messages of all shops, and has locked the setting.",
		Details: map[string]any{"key": name},
	}
}

// findConfig returns the configuration, nil if there is none.
func (c *channel[T]) findConfig(ctx context.Context) (config []byte, err error) {
	err = c.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		config, err = c.Secrets.Find(tx, c.secret)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	return config, err
}

// send calls fn, which sends one message. It continues if ctx is cancelled, so that the outcome
// becomes known. The error is unknown or, if nothing was sent, one of the kind's code.
func (c *channel[T]) send(
	ctx context.Context, isTest bool, fn func(ctx context.Context) (messageID string, err error),
) (messageID string, err error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	default:
		c.observe(Refused)
		return "", c.unavailable(c.busy)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	messageID, err = fn(ctx)
	c.Record(ctx, c.secret, isTest, err)
	switch {
	case err == nil:
		c.observe(Accepted)
	case errors.Is(err, c.unknown):
		c.observe(Unknown)
	default:
		c.observe(Refused)
		return "", c.unavailable(err)
	}
	return messageID, err
}

// sendTest sends a test message to the recipient that check returns, by fn.
func (c *channel[T]) sendTest(
	ctx context.Context,
	caller access.Caller,
	check func(bad *fault.Invalid, set Settings) (to string),
	fn func(ctx context.Context, adapter T, to string, set Settings) (messageID string, err error),
) (messageID string, err error) {
	who, err := c.Data.Authorize(ctx, caller, c.toTest)
	if err != nil {
		return "", err
	}
	set, err := c.Settings(ctx)
	if err != nil {
		return "", err
	}
	var bad fault.Invalid
	to := check(&bad, set)
	if err := bad.Err(); err != nil {
		return "", err
	}
	adapter, err := c.load(ctx)
	if err != nil {
		return "", err
	}
	err = c.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		if c.limitTests {
			if err := LimitTests(tx, c.toTest); err != nil {
				return err
			}
		}
		return who.Audit(tx, access.Subject{Kind: c.subject})
	})
	if err != nil {
		return "", err
	}
	return c.send(ctx, true,
		func(ctx context.Context) (string, error) { return fn(ctx, adapter, to, set) },
	)
}

// unavailable returns the error of a message that was not sent.
func (c *channel[T]) unavailable(cause error) error {
	return &fault.Error{Code: c.code, Err: cause, RetryAfter: retrySeconds, Message: c.message}
}
