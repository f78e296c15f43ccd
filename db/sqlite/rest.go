package sqlite

import (
	"context"
	"time"

	"storefront/db"
)

// An open tenant costs mostly its connections: each retains the parsed schema. So they are closed
// when nobody needs them.
const (
	readerRest = time.Minute     // after which an unused reader is closed
	tenantRest = 5 * time.Minute // after which an unused tenant is closed
)

type brieflyKey struct{}

// Briefly runs do with a context for work that visits many tenants, such as backups. A tenant that
// was used with such contexts alone is closed afterwards.
func (s *Files) Briefly(ctx context.Context, id db.ID, do func(ctx context.Context)) {
	do(context.WithValue(ctx, brieflyKey{}, true))
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tenants[id]; t != nil && t.idle != nil && !t.kept {
		s.retireLocked(t)
	}
}

// keep records a use by somebody who may return.
func (t *tenant) keep() { t.kept, t.used = true, t.files.store.Elapsed() }

// CloseUnused closes the readers and tenants that were not used for some minutes. It must be called
// regularly.
func (s *Files) CloseUnused() {
	now := s.store.Elapsed()
	var resting []*tenant
	s.mu.Lock()
	for e := s.idle.Front(); e != nil; {
		t := e.Value.(*tenant)
		e = e.Next()
		switch unused := now - t.used; {
		case unused >= tenantRest:
			s.retireLocked(t)
		case unused >= readerRest && t.readers.opened():
			t.refs++ // its file must not be replaced while a reader has it open
			s.updateIdle(t)
			resting = append(resting, t)
		}
	}
	s.mu.Unlock()
	for _, t := range resting {
		t.closeReaders()
		s.release(t)
	}
}
