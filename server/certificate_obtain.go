package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/caddyserver/certmagic"
)

const (
	// handshakeWait is how long a handshake waits for the first certificate of a name. It is
	// shorter than net/http's timeout of a handshake, after which the connection closes without an
	// alert.
	handshakeWait = readHeaderTimeout - time.Second
	// obtainTimeout limits the work on one certificate.
	obtainTimeout = 3 * time.Minute
	// maxWaiters limits the handshakes that wait, of all names: each holds a connection.
	maxWaiters = 256
	// maxObtains limits the certificates that are obtained at the same time.
	maxObtains = 8
	// The pause after a failure doubles from minBackoff to maxBackoff: Let's Encrypt allows five
	// failures per name and hour.
	minBackoff = 5 * time.Minute
	maxBackoff = 20 * time.Minute
	// ensureInterval is how often missing certificates of the server's own names are obtained.
	ensureInterval = 15 * time.Second
	// Expired certificates are deleted after expiredRetention, once every cleanInterval.
	expiredRetention = 30 * 24 * time.Hour
	cleanInterval    = 24 * time.Hour
)

// The events of certmagic that are handled.
const (
	eventObtaining = "cert_obtaining"
	eventObtained  = "cert_obtained"
	eventFailed    = "cert_failed"
)

// nameState is the progress of obtaining one name's certificate.
type nameState struct {
	done       chan struct{} // closed when the attempt ends; nil unless one is running
	failures   int           // since the last success
	retryAfter time.Time     // earliest time of the next attempt
}

// Run obtains the certificates of the server's own names and renews all certificates until ctx
// ends.
func (c *Certificates) Run(ctx context.Context) {
	c.mu.Lock()
	c.ctx = ctx
	c.mu.Unlock()
	if c.shared != nil {
		if err := c.shared.adoptCopies(ctx); err != nil && ctx.Err() == nil {
			c.log.Warn("certificates of this server not stored for all servers", "error", err)
		}
	}
	tick := time.NewTicker(ensureInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		for _, name := range c.cfg.Names {
			if !c.has(name) {
				c.obtain(name)
			}
		}
		c.dropUnowned()
		c.clean(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	c.mu.Lock()
	c.ctx = nil
	c.mu.Unlock()
	c.workers.Wait()
	c.cache.Stop()
}

// Reload loads the certificates in memory again from where they are stored: another process or the
// operator may have replaced them.
func (c *Certificates) Reload(ctx context.Context) error {
	c.mu.Lock()
	names := slices.Concat(c.cfg.Names, slices.Collect(maps.Keys(c.names)))
	c.mu.Unlock()
	slices.Sort(names)
	var failed error
	for _, name := range slices.Compact(names) {
		if !c.has(name) {
			continue
		}
		c.cache.RemoveManaged([]certmagic.SubjectIssuer{{Subject: name}})
		if err := c.load(ctx, name); err != nil {
			failed = errors.Join(failed, fmt.Errorf("reload the certificate of %s: %w", name, err))
		}
	}
	return failed
}

// dropUnowned removes the names that nobody owns any more, so that their certificates are not
// renewed.
func (c *Certificates) dropUnowned() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, n := range c.names {
		if n.done == nil && c.ownership(name) == Unowned {
			c.cache.RemoveManaged([]certmagic.SubjectIssuer{{Subject: name}})
			delete(c.names, name)
		}
	}
}

// clean deletes certificates that expired more than expiredRetention ago.
func (c *Certificates) clean(ctx context.Context) {
	if time.Since(c.cleaned) < cleanInterval {
		return
	}
	c.cleaned = time.Now()
	opts := certmagic.CleanStorageOptions{
		Logger: c.zap, Interval: cleanInterval, OCSPStaples: true, ExpiredCerts: true, ExpiredCertGracePeriod: expiredRetention,
	}
	err := certmagic.CleanStorage(ctx, c.magic.Storage, opts)
	if c.shared != nil {
		err = errors.Join(err, certmagic.CleanStorage(ctx, c.shared.copies, opts), c.shared.cleanAttempts(ctx, time.Now().Add(-expiredRetention)))
	}
	if err != nil && ctx.Err() == nil {
		c.log.Warn("expired certificates not deleted", "error", err)
	}
}

// wait obtains a name's certificate and waits until the attempt ends.
func (c *Certificates) wait(ctx context.Context, name string) error {
	select {
	case c.waiters <- struct{}{}:
		defer func() { <-c.waiters }()
	default:
		return errNotReady
	}
	done := c.obtain(name)
	if done == nil {
		return errNotReady
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeWait)
	defer cancel()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errNotReady
	}
}

// obtain starts an attempt for a name unless one is running, and returns a channel that is closed
// when it ends. It returns nil if a failure was too recent.
func (c *Certificates) obtain(name string) (done <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.names[name]
	if n == nil {
		n = &nameState{}
		c.names[name] = n
	}
	if n.done != nil {
		return n.done
	}
	if c.ctx == nil || time.Now().Before(n.retryAfter) {
		return nil
	}
	n.done = make(chan struct{})
	ctx := c.ctx
	c.workers.Go(func() { c.finishObtain(ctx, name, n, c.load(ctx, name)) })
	return n.done
}

// finishObtain records the result of an attempt.
func (c *Certificates) finishObtain(ctx context.Context, name string, n *nameState, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(n.done)
	n.done = nil
	var early *tooEarlyError
	switch {
	case err == nil:
		n.failures = 0
	case errors.As(err, &early):
		n.failures, n.retryAfter = early.Failures, early.RetryAfter
		c.log.Info("certificate not requested: an attempt of a server with the same database failed",
			"domain", name, "nextTry", time.Until(early.RetryAfter).Round(time.Second).String())
	case errors.Is(err, errNotOwned), ctx.Err() != nil: // the authority was not contacted
	case c.shared != nil && c.shared.failed.Load():
		n.retryAfter = time.Now().Add(storagePause)
		c.log.Warn("certificate not obtained: the database with the certificates cannot be used", "domain", name, "error", err)
	default:
		pause := retryPause(n.failures)
		n.failures++
		n.retryAfter = time.Now().Add(pause)
		c.log.Warn("certificate not obtained: check that DNS points to this server and that ports 80 and 443 are reachable",
			"domain", name, "error", err, "nextTry", pause.String())
	}
}

// load brings a name's certificate into memory, from the disk or from the authority.
func (c *Certificates) load(ctx context.Context, name string) error {
	select {
	case c.obtainSlots <- struct{}{}:
		defer func() { <-c.obtainSlots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, obtainTimeout)
	defer cancel()
	cert, err := c.magic.CacheManagedCertificate(ctx, name)
	mayObtain := c.ownership(name) == Owned
	switch {
	case err == nil && (!cert.Expired() || !mayObtain):
		return nil // a certificate close to its expiry is renewed by the regular check
	case err == nil:
		err = c.magic.RenewCertSync(ctx, name, false)
	case errors.Is(err, fs.ErrNotExist) && mayObtain:
		err = c.magic.ObtainCertSync(ctx, name)
	case errors.Is(err, fs.ErrNotExist):
		err = errNotOwned
	}
	if err != nil {
		return err
	}
	if _, err := c.magic.CacheManagedCertificate(ctx, name); err != nil {
		return fmt.Errorf("load certificate: %w", err)
	}
	return nil
}

// onEvent handles certmagic's events, during which the lock of the name's certificate is held. Its
// error stops an order to the authority.
func (c *Certificates) onEvent(ctx context.Context, event string, data map[string]any) error {
	name, _ := data["identifier"].(string)
	renewal, _ := data["renewal"].(bool)
	switch event {
	case eventObtaining:
		if c.ownership(name) != Owned {
			return errNotOwned
		}
		if c.shared != nil {
			return c.shared.checkAttempts(ctx, name)
		}
	case eventObtained:
		c.log.Info("certificate obtained", "domain", name, "renewal", renewal)
		if c.shared != nil {
			if err := c.shared.clearFailures(ctx, name); err != nil {
				c.log.Warn("failed attempts at the certificate not cleared", "domain", name, "error", err)
			}
		}
	case eventFailed:
		c.countFailure(ctx, name)
	}
	return nil
}

// countFailure counts a failed attempt for all servers with the same store. One that ended with the
// server or that failed because of the store is none.
func (c *Certificates) countFailure(ctx context.Context, name string) {
	c.mu.Lock()
	isRunning := c.ctx != nil && c.ctx.Err() == nil
	c.mu.Unlock()
	if c.shared == nil || c.shared.failed.Load() || !isRunning {
		return
	}
	before, err := c.shared.countFailure(context.WithoutCancel(ctx), name) // also after obtainTimeout
	if err != nil {
		c.log.Warn("failed attempt at the certificate not counted for all servers", "domain", name, "error", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.names[name]; n != nil {
		n.failures = before
	}
}

// handleChallenge responds to the authority's HTTP challenge. It returns false unless a challenge
// for the host is pending, so that guessed requests cause no disk access.
func (c *Certificates) handleChallenge(w http.ResponseWriter, r *http.Request) bool {
	if !certmagic.LooksLikeHTTPChallenge(r) {
		return false
	}
	if !c.isChallenged(r.Context(), requestHost(r)) {
		return false
	}
	return c.issuer.HandleHTTPChallenge(w, r)
}
