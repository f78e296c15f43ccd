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
	// obtainWait is how long a client waits for the first certificate of a name. It ends before
	// net/http's own bound of a handshake, which closes without a word.
	obtainWait = readHeaderTimeout - time.Second
	// obtainTimeout bounds the work on one certificate.
	obtainTimeout = 3 * time.Minute
	// maxWaiting bounds the clients that wait, of all names: each holds a connection.
	maxWaiting = 256
	// maxObtaining bounds the certificates that are asked for at once.
	maxObtaining = 8
	// The pause after a failure, doubled by each that follows: Let's Encrypt allows a name five
	// failures an hour.
	firstPause = 5 * time.Minute
	maxPause   = 20 * time.Minute
	// keepEvery is how often the server's own names are seen to have certificates.
	keepEvery = 15 * time.Second
	// What expired stays for a while, and is looked for once a day.
	keepExpired = 30 * 24 * time.Hour
	cleanEvery  = 24 * time.Hour
)

// The events of certmagic that we hear of.
const (
	eventObtaining = "cert_obtaining"
	eventObtained  = "cert_obtained"
)

// naming is the way of one name to its certificate.
type naming struct {
	done     chan struct{} // closed when the work ends; nil: nobody works on it
	failures int           // since the last success
	until    time.Time     // no further try before
}

// Run looks after the certificates until ctx ends: the server's own are had from the start, all are
// renewed in time.
func (c *Certificates) Run(ctx context.Context) {
	c.mu.Lock()
	c.ctx = ctx
	c.mu.Unlock()
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		for _, name := range c.cfg.Names {
			if !c.has(name) {
				c.obtain(name)
			}
		}
		c.forget()
		c.clean(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	c.mu.Lock()
	c.ctx = nil
	c.mu.Unlock()
	c.work.Wait()
	c.cache.Stop()
}

// forget lets go of the names that nobody owns any more: no failure of theirs is remembered, and no
// certificate renewed.
func (c *Certificates) forget() {
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
	if time.Since(c.cleaned) < cleanEvery {
		return
	}
	c.cleaned = time.Now()
	err := certmagic.CleanStorage(ctx, c.magic.Storage, certmagic.CleanStorageOptions{
		Logger: c.zap, Interval: cleanEvery, OCSPStaples: true, ExpiredCerts: true, ExpiredCertGracePeriod: keepExpired,
	})
	if err != nil && ctx.Err() == nil {
		c.log.Warn("expired certificates could not be deleted", "error", err)
	}
}

// wait has a name's certificate fetched and waits for it.
func (c *Certificates) wait(ctx context.Context, name string) error {
	select {
	case c.waiting <- struct{}{}:
		defer func() { <-c.waiting }()
	default:
		return errNotReady
	}
	done := c.obtain(name)
	if done == nil {
		return errNotReady
	}
	ctx, cancel := context.WithTimeout(ctx, obtainWait)
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
		n = &naming{}
		c.names[name] = n
	}
	if n.done != nil {
		return n.done
	}
	if c.ctx == nil || time.Now().Before(n.until) {
		return nil
	}
	n.done = make(chan struct{})
	ctx := c.ctx
	c.work.Go(func() { c.end(ctx, name, n, c.load(ctx, name)) })
	return n.done
}

// end notes how the work on a name went.
func (c *Certificates) end(ctx context.Context, name string, n *naming, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(n.done)
	n.done = nil
	switch {
	case err == nil:
		n.failures = 0
	case errors.Is(err, errClosedShop), ctx.Err() != nil: // nobody was asked
	default:
		pause := min(firstPause<<min(n.failures, 2), maxPause)
		n.failures++
		n.until = time.Now().Add(pause)
		c.log.Warn("no certificate: see that DNS leads here and that ports 80 and 443 are reached", "domain", name, "error", err, "nextTry", pause.String())
	}
}

// load brings a name's certificate into memory: from the disk, else from the authority.
func (c *Certificates) load(ctx context.Context, name string) error {
	select {
	case c.obtaining <- struct{}{}:
		defer func() { <-c.obtaining }()
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
		err = errClosedShop
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
			return errClosedShop
		}
	case eventObtained:
		c.log.Info("certificate obtained", "domain", name, "renewal", renewal)
	}
	return nil
}

// challenge answers the authority's question over HTTP, and reports whether it was one that we wait
// for: strangers' guesses touch no disk.
func (c *Certificates) challenge(w http.ResponseWriter, r *http.Request) bool {
	if !certmagic.LooksLikeHTTPChallenge(r) {
		return false
	}
	if _, asked := certmagic.GetACMEChallenge(requestHost(r)); !asked {
		return false
	}
	return c.issuer.HandleHTTPChallenge(w, r)
}
