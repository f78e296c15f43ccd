package certificate

import "time"

// State is the state of the certificate of a name. At most one of its times is set; none
// means that the first handshake requests a certificate.
type State struct {
	NotAfter    time.Time // when a valid certificate expires
	NextAttempt time.Time // the earliest time, after a failure
}

// State returns the state of the certificate of a host name. It contacts nobody.
func (m *Manager) State(name string) State {
	name = CanonicalHost(name)
	end := m.notAfter(name)
	if end.IsZero() && m.shared == nil { // perhaps stored, and not requested since the start
		stored, _ := Stored(m.cfg.Dir) // what cannot be read is reported where it is used
		for _, one := range stored {
			if one.Name == name {
				end = one.NotAfter
			}
		}
	}
	if time.Now().Before(end) {
		return State{NotAfter: end}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.names[name]; n != nil && n.failures > 0 {
		return State{NextAttempt: n.retryAfter}
	}
	return State{}
}
