package certificate

import (
	"maps"
	"slices"
	"time"
)

// State is the state of the certificate of a name. At most one of its times is set. If none is set,
// the first handshake requests a certificate.
type State struct {
	NotAfter    time.Time // expiry of the valid certificate
	NextAttempt time.Time // the earliest time, after a failure
	Err         error     // of the failed attempt, with NextAttempt
}

// State returns the state of the certificate of a host name. It sends no request.
func (m *Manager) State(name string) State {
	name = CanonicalHost(name)
	end := m.notAfter(name)
	if end.IsZero() && m.shared == nil { // perhaps stored, and not requested since the start
		end = storedUntil(m.cfg.Dir, name)
	}
	if time.Now().Before(end) {
		return State{NotAfter: end}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.names[name]; n != nil && n.failures > 0 {
		return State{NextAttempt: n.retryAfter, Err: n.err}
	}
	return State{}
}

// Missing returns the states of names without a valid certificate: the server's own ones, and names
// of shops for which an attempt failed.
func (m *Manager) Missing() map[string]State {
	missing := map[string]State{}
	for _, name := range m.cfg.Names {
		missing[name] = m.State(name)
	}
	m.mu.Lock()
	requested := slices.Collect(maps.Keys(m.names))
	m.mu.Unlock()
	for _, name := range requested {
		if state := m.State(name); !state.NextAttempt.IsZero() && m.Ownership(name) == Owned {
			missing[name] = state
		}
	}
	maps.DeleteFunc(missing, func(_ string, s State) bool { return !s.NotAfter.IsZero() })
	return missing
}
