package sqlite

import (
	"sync/atomic"

	"storefront/db"
)

type counters struct {
	opened, evicted, removed atomic.Uint64
	lastCommit               atomic.Int64 // a [db.Store.Elapsed]; 0 means none
}

func (s *Files) stats() db.EngineStats {
	st := db.EngineStats{
		Opened:  s.counters.opened.Load(),
		Evicted: s.counters.evicted.Load(),
		Removed: s.counters.removed.Load(),
	}
	s.mu.Lock()
	st.Open, st.Idle, st.Closing = len(s.tenants), s.idle.Len(), s.closing
	s.mu.Unlock()
	s.live.Range(func(_, v any) bool {
		t := v.(*tenant)
		t.readers.mu.Lock()
		st.Readers += len(t.readers.free)
		t.readers.mu.Unlock()
		st.Queued += t.committer.Queued()
		return true
	})
	return st
}
