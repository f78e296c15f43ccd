package certificate

// certmagic could obtain certificates during handshakes by itself (OnDemandConfig). Manager does it
// instead for four reasons. certmagic's handshake waits up to three minutes, without a limit on the
// connections that wait, although net/http closes them after ten seconds. certmagic repeats a
// failed attempt after one minute and after two, without saving them: clients can use up the
// authority's five failures per name and hour, and its pauses between renewals end with the
// process. It does not limit the certificates that are obtained at the same time. And it does not
// report the time of the next attempt, which the dashboard shows.

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
	// HandshakeWait is the time that a handshake waits for the first certificate of a name. The
	// server's timeout of a handshake must be longer: after it the connection closes without an alert.
	HandshakeWait = 9 * time.Second
	// obtainTimeout limits the work on one certificate.
	obtainTimeout = 3 * time.Minute
	// maxWaiters limits the waiting handshakes of all names: each holds a connection.
	maxWaiters = 256
	// maxObtains limits the certificates that are obtained at the same time.
	maxObtains = 8
	// The pause after a failure doubles from minBackoff to maxBackoff: Let's Encrypt allows five
	// failures per name and hour.
	minBackoff = 5 * time.Minute
	maxBackoff = 20 * time.Minute
	// ensureInterval is the interval of attempts to obtain missing certificates of the server's own
	// names.
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
	err        error         // of the last attempt; nil after a success
}

// Run obtains the certificates of the server's own names and renews all certificates until ctx
// ends.
func (m *Manager) Run(ctx context.Context) {
	m.mu.Lock()
	m.ctx = ctx
	m.mu.Unlock()
	if m.shared != nil {
		if err := m.shared.adoptCopies(ctx); err != nil && ctx.Err() == nil {
			m.log.Warn("certificates of this server not stored for all servers", "error", err)
		}
	}
	tick := time.NewTicker(ensureInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		for _, name := range m.cfg.Names {
			if !m.has(name) {
				m.obtain(name)
			}
		}
		m.dropUnowned()
		m.clean(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	m.mu.Lock()
	m.ctx = nil
	m.mu.Unlock()
	m.workers.Wait()
	m.cache.Stop()
}

// Reload loads the certificates in memory again from the storage: another process or the operator
// may have replaced them.
func (m *Manager) Reload(ctx context.Context) error {
	m.mu.Lock()
	names := slices.Concat(m.cfg.Names, slices.Collect(maps.Keys(m.names)))
	m.mu.Unlock()
	slices.Sort(names)
	var failed error
	if m.cfg.File != nil {
		failed = m.cfg.File.Reload()
	}
	for _, name := range slices.Compact(names) {
		if !m.has(name) {
			continue
		}
		m.cache.RemoveManaged([]certmagic.SubjectIssuer{{Subject: name}})
		if err := m.load(ctx, name); err != nil {
			failed = errors.Join(failed, fmt.Errorf("reload the certificate of %s: %w", name, err))
		}
	}
	return failed
}

// dropUnowned removes names without an owner, so that their certificates are not renewed.
func (m *Manager) dropUnowned() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, n := range m.names {
		if n.done == nil && m.Ownership(name) == Unowned {
			m.cache.RemoveManaged([]certmagic.SubjectIssuer{{Subject: name}})
			delete(m.names, name)
		}
	}
}

// clean deletes certificates that expired more than expiredRetention ago.
func (m *Manager) clean(ctx context.Context) {
	if time.Since(m.cleaned) < cleanInterval {
		return
	}
	m.cleaned = time.Now()
	opts := certmagic.CleanStorageOptions{
		Logger: m.zap, Interval: cleanInterval, OCSPStaples: true,
		ExpiredCerts: true, ExpiredCertGracePeriod: expiredRetention,
	}
	err := certmagic.CleanStorage(ctx, m.magic.Storage, opts)
	if m.shared != nil {
		err = errors.Join(
			err,
			certmagic.CleanStorage(ctx, m.shared.copies, opts),
			m.shared.cleanAttempts(ctx, time.Now().Add(-expiredRetention)),
		)
	}
	if err != nil && ctx.Err() == nil {
		m.log.Warn("expired certificates not deleted", "error", err)
	}
}

// wait obtains a name's certificate and waits until the attempt ends.
func (m *Manager) wait(ctx context.Context, name string) error {
	select {
	case m.waiters <- struct{}{}:
		defer func() { <-m.waiters }()
	default:
		return errNotReady
	}
	done := m.obtain(name)
	if done == nil {
		return errNotReady
	}
	ctx, cancel := context.WithTimeout(ctx, HandshakeWait)
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
func (m *Manager) obtain(name string) (done <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.names[name]
	if n == nil {
		n = &nameState{}
		m.names[name] = n
	}
	if n.done != nil {
		return n.done
	}
	if m.ctx == nil || time.Now().Before(n.retryAfter) {
		return nil
	}
	n.done = make(chan struct{})
	ctx := m.ctx
	m.workers.Go(func() { m.finishObtain(ctx, name, n, m.load(ctx, name)) })
	return n.done
}

// finishObtain records the result of an attempt.
func (m *Manager) finishObtain(ctx context.Context, name string, n *nameState, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(n.done)
	n.done, n.err = nil, err
	var early *tooEarlyError
	switch {
	case err == nil:
		n.failures = 0
	case errors.As(err, &early):
		n.failures, n.retryAfter = early.Failures, early.RetryAfter
		m.log.Info(
			"certificate not requested: an attempt of a server with the same database failed",
			"domain",
			name,
			"nextTry",
			time.Until(early.RetryAfter).Round(time.Second).String(),
		)
	case errors.Is(err, errNotOwned), ctx.Err() != nil: // the authority was not contacted
	case m.shared != nil && m.shared.failed.Load():
		n.retryAfter = time.Now().Add(storagePause)
		m.log.Warn(
			"certificate not obtained: the database with the certificates cannot be used",
			"domain",
			name,
			"error",
			err,
		)
	default:
		pause := retryPause(n.failures)
		n.failures++
		n.retryAfter = time.Now().Add(pause)
		m.log.Warn(
			"certificate not obtained: check that DNS points to this server and"+
				" that ports 80 and 443 are reachable",
			"domain",
			name,
			"error",
			err,
			"nextTry",
			pause.String(),
		)
	}
}

// load brings a name's certificate into memory, from the disk or from the authority.
func (m *Manager) load(ctx context.Context, name string) error {
	select {
	case m.obtainSlots <- struct{}{}:
		defer func() { <-m.obtainSlots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, obtainTimeout)
	defer cancel()
	cert, err := m.magic.CacheManagedCertificate(ctx, name)
	mayObtain := m.Ownership(name) == Owned
	switch {
	case err == nil && (!cert.Expired() || !mayObtain):
		return nil // a certificate close to its expiry is renewed by the regular check
	case err == nil:
		err = m.magic.RenewCertSync(ctx, name, false)
	case errors.Is(err, fs.ErrNotExist) && mayObtain:
		err = m.magic.ObtainCertSync(ctx, name)
	case errors.Is(err, fs.ErrNotExist):
		err = errNotOwned
	}
	if err != nil {
		return err
	}
	if _, err := m.magic.CacheManagedCertificate(ctx, name); err != nil {
		return fmt.Errorf("load certificate: %w", err)
	}
	return nil
}

// onEvent handles certmagic's events while the lock of the name's certificate is held. Its error
// stops an order to the authority.
func (m *Manager) onEvent(ctx context.Context, event string, data map[string]any) error {
	name, _ := data["identifier"].(string)
	renewal, _ := data["renewal"].(bool)
	switch event {
	case eventObtaining:
		if m.Ownership(name) != Owned {
			return errNotOwned
		}
		if m.shared != nil {
			return m.shared.checkAttempts(ctx, name)
		}
	case eventObtained:
		m.log.Info("certificate obtained", "domain", name, "renewal", renewal)
		if m.shared != nil {
			if err := m.shared.clearFailures(ctx, name); err != nil {
				m.log.Warn(
					"failed attempts at the certificate not cleared",
					"domain",
					name,
					"error",
					err,
				)
			}
		}
	case eventFailed:
		m.countFailure(ctx, name)
	}
	return nil
}

// countFailure counts a failed attempt for all servers with the same store. An attempt that ended
// with the server or failed because of the store does not count.
func (m *Manager) countFailure(ctx context.Context, name string) {
	m.mu.Lock()
	isRunning := m.ctx != nil && m.ctx.Err() == nil
	m.mu.Unlock()
	if m.shared == nil || m.shared.failed.Load() || !isRunning {
		return
	}
	before, err := m.shared.countFailure(
		context.WithoutCancel(ctx),
		name,
	) // also after obtainTimeout
	if err != nil {
		m.log.Warn(
			"failed attempt at the certificate not counted for all servers",
			"domain",
			name,
			"error",
			err,
		)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.names[name]; n != nil {
		n.failures = before
	}
}

// HandleChallenge responds to the authority's HTTP challenge. It returns false unless a challenge
// for the request's host, in canonical form, is pending, so that guessed requests cause no disk
// access.
func (m *Manager) HandleChallenge(w http.ResponseWriter, r *http.Request, host string) bool {
	if !certmagic.LooksLikeHTTPChallenge(r) || !m.isChallenged(r.Context(), host) {
		return false
	}
	return m.issuer.HandleHTTPChallenge(w, r)
}
