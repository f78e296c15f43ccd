package db

import "sync/atomic"

type counters struct {
	opened, evicted, commits, updates, statements atomic.Uint64
	lastCommit                                    atomic.Int64 // a Store.elapsed; 0 means none
}

// Stats contains a store's metrics.
type Stats struct {
	Open    int // open tenants' files
	Idle    int // open files that are not in use
	Closing int // open files that close when they are no longer in use
	Readers int // reading connections that are open and free
	Queued  int // updates that wait for a writer

	// Counters since the store was opened.
	Opened  uint64 // files opened
	Evicted uint64 // files closed to make room for others
	Commits uint64 // commits that wrote data
	Updates uint64 // updates that shared those commits
	// Statements counts those run by views and updates, without the store's own.
	Statements uint64
}

// Stats returns the current metrics.
func (s *Store) Stats() Stats {
	st := Stats{
		Opened:  s.counters.opened.Load(),
		Evicted: s.counters.evicted.Load(),
		Commits: s.counters.commits.Load(),
		Updates: s.counters.updates.Load(),

		Statements: s.counters.statements.Load(),
	}
	s.mu.Lock()
	st.Open, st.Idle, st.Closing = len(s.tenants), s.idle.Len(), s.closing
	s.mu.Unlock()
	s.live.Range(func(_, v any) bool {
		t := v.(*tenant)
		t.readers.mu.Lock()
		st.Readers += len(t.readers.free)
		t.readers.mu.Unlock()
		t.writer.mu.Lock()
		st.Queued += len(t.writer.queue)
		t.writer.mu.Unlock()
		return true
	})
	return st
}
