package db

// Stats contains a store's metrics.
type Stats struct {
	EngineStats

	// Counters since the store was opened.
	Commits uint64 // commits that wrote data
	Updates uint64 // updates that shared those commits
	// Statements counts statements of views and updates, without the store's own.
	Statements uint64
}

// EngineStats contains an engine's metrics.
type EngineStats struct {
	Open    int // open tenants
	Idle    int // open tenants that are not in use
	Closing int // open tenants that close when they are no longer in use
	Readers int // reading sessions that are open and free
	Queued  int // updates that wait for a writer

	// Counters since the store was opened.
	Opened  uint64 // tenants opened
	Evicted uint64 // tenants closed to make room for others
	Removed uint64 // tenants with open files that were removed or replaced by hand
	Trips   uint64 // requests to a database server with a wait for the response
}

// Add adds the metrics of another engine.
func (st *EngineStats) Add(other EngineStats) {
	st.Open += other.Open
	st.Idle += other.Idle
	st.Closing += other.Closing
	st.Readers += other.Readers
	st.Queued += other.Queued
	st.Opened += other.Opened
	st.Evicted += other.Evicted
	st.Removed += other.Removed
	st.Trips += other.Trips
}

// Stats returns the current metrics.
func (s *Store) Stats() Stats {
	return Stats{
		EngineStats: s.engine.Stats(),
		Commits:     s.commits.Load(), Updates: s.updates.Load(), Statements: s.statements.Load(),
	}
}
