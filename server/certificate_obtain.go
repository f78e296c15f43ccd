package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"github.com/caddyserver/certmagic"
)

const (
	// handshakeWait is how long a client waits for the first certificate of a name. It ends before
	// net/http's own bound of a handshake, which closes without a word.
	handshakeWait = readHeaderTimeout - time.Second
	// obtainTimeout bounds the work on one certificate.
	obtainTimeout = 3 * time.Minute
	// maxWaiters bounds the clients that wait, of all names: each holds a connection.
	maxWaiters = 256
	// maxObtains bounds the certificates that are asked for at once.
	maxObtains = 8
	// The pause after a failure, doubled by each that follows: Let's Encrypt allows a name five
	// failures an hour.
	minBackoff = 5 * time.Minute
	maxBackoff = 20 * time.Minute
	// ensureInterval is how often the server's own names are seen to have certificates.
	ensureInterval = 15 * time.Second
	// What expired stays for a while, and is looked for once a day.
	expiredRetention = 30 * 24 * time.Hour
	cleanInterval    = 24 * time.Hour
)

// The events of certmagic that we hear of.
const (
	eventObtaining = "cert_obtaining"
	eventObtained  = "cert_obtained"
)

// nameState is the way of one name to its certificate.
type nameState struct {
	done       chan struct{} // closed when the work ends; nil: nobody works on it
	failures   int           // since the last success
	retryAfter time.Time     // no further try before
}

// Run looks after the certificates until ctx ends: the server's own are had from the start, all are
// renewed in time.
func (c *Certificates) Run(ctx context.Context) {
	c.mu.Lock()
	c.ctx = ctx
	c.mu.Unlock()
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

// dropUnowned lets go of the names that nobody owns any more: no failure of theirs is remembered, and no
// certificate renewed.
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

// clean deletes certificates that expired long ago.
func (c *Certificates) clean(ctx context.Context) {
	if time.Since(c.cleaned) < cleanInterval {
		return
	}
	c.cleaned = time.Now()
	err := certmagic.CleanStorage(ctx, c.magic.Storage, certmagic.CleanStorageOptions{
		Logger: c.zap, Interval: cleanInterval, OCSPStaples: true, ExpiredCerts: true, ExpiredCertGracePeriod: expiredRetention,
	})
	if err != nil && ctx.Err() == nil {
		c.log.Warn("expired certificates could not be deleted", "error", err)
	}
}

// wait has a name's certificate fetched and waits for it.
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

// obtain has one goroutine work on a name and gives what is closed when that ends; nil: a failure is
// too fresh.
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

// finishObtain notes how the work on a name went.
func (c *Certificates) finishObtain(ctx context.Context, name string, n *nameState, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(n.done)
	n.done = nil
	switch {
	case err == nil:
		n.failures = 0
	case errors.Is(err, errNotOwned), ctx.Err() != nil: // nobody was asked
	default:
		pause := min(minBackoff<<min(n.failures, 2), maxBackoff)
		n.failures++
		n.retryAfter = time.Now().Add(pause)
		c.log.Warn("no certificate: see that DNS leads here and that ports 80 and 443 are reached", "domain", name, "error", err, "nextTry", pause.String())
	}
}

// load brings a name's certificate into memory: from the disk, else from the authority.
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
	mayAsk := c.ownership(name) == Owned
	switch {
	case err == nil && (!cert.Expired() || !mayAsk):
		return nil // what is about to expire is renewed by the regular check
	case err == nil:
		err = c.magic.RenewCertSync(ctx, name, false)
	case errors.Is(err, fs.ErrNotExist) && mayAsk:
		err = c.magic.ObtainCertSync(ctx, name)
	case errors.Is(err, fs.ErrNotExist):
		err = errNotOwned
	}
	if err != nil {
		return err
	}
	if _, err := c.magic.CacheManagedCertificate(ctx, name); err != nil {
		return fmt.Errorf("load the certificate: %w", err)
	}
	return nil
}

// onEvent is told what happens to certificates, and stands between every order and the authority.
func (c *Certificates) onEvent(_ context.Context, event string, data map[string]any) error {
	name, _ := data["identifier"].(string)
	renewal, _ := data["renewal"].(bool)
	switch event {
	case eventObtaining:
		if c.ownership(name) != Owned {
			return errNotOwned
		}
	case eventObtained:
		c.log.Info("certificate obtained", "domain", name, "renewal", renewal)
	}
	return nil
}

// handleChallenge answers the authority's question over HTTP, and reports whether it was one that we wait
// for: strangers' guesses touch no disk.
func (c *Certificates) handleChallenge(w http.ResponseWriter, r *http.Request) bool {
	if !certmagic.LooksLikeHTTPChallenge(r) {
		return false
	}
	if _, asked := certmagic.GetACMEChallenge(requestHost(r)); !asked {
		return false
	}
	return c.issuer.HandleHTTPChallenge(w, r)
}
