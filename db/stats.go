package db

import "sync/atomic"

type counters struct {
	opened, evicted, commits, updates, statements atomic.Uint64
	lastCommit                                    atomic.Int64 // Store.elapsed then; 0: none
}

// Stats is what a store is doing, for metrics.
type Stats struct {
	Open    int // tenants' files that are open
	Idle    int // of them, those that nobody uses
	Closing int // of them, those that close when their last user is done
	Readers int // reading connections that are open and free
	Queued  int // updates that wait for a writer

	// Counted since the store was opened.
	Opened  uint64 // openings of files
	Evicted uint64 // files closed to make room for others
	Commits uint64 // commits that wrote something
	Updates uint64 // updates that shared those commits
	// Statements that views and updates have run; not the store's own.
	Statements uint64
}

// Stats returns the figures of this moment.
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
