package sqlite

import (
	"fmt"
	"time"

	"storefront/db"
)

// SetMaxPages limits the files that are opened from now on to n pages.
func (s *Files) SetMaxPages(n int) {
	s.writerPragmas = withPragma(commonPragmas, "max_page_count", fmt.Sprint(n))
}

// SetBusyTimeout sets how long files that are opened from now on wait for another process.
func (s *Files) SetBusyTimeout(ms int) {
	s.writerPragmas = withPragma(commonPragmas, "busy_timeout", fmt.Sprint(ms))
	s.busyTimeout = time.Duration(ms) * time.Millisecond
}

// EndRemovedPause ends the pause of a tenant that is stopped.
func (s *Files) EndRemovedPause(id db.ID) {
	if v, ok := s.stopped.Load(id); ok {
		if found := v.(stopped); found.end > 0 {
			found.end = s.store.Elapsed()
			s.stopped.Store(id, found)
		}
	}
}

// SetCommitFault makes the store call fault instead of each COMMIT. fault may call commit.
func (s *Files) SetCommitFault(fault func(commit func() error) error) { s.commitFault = fault }

// FakeError is an error of the engine with any code.
type FakeError int

func (e FakeError) Error() string { return fmt.Sprintf("fake error %d", int(e)) }
func (e FakeError) Code() int     { return int(e) }

// MarkMoved does the first step of Drop.
func MarkMoved(path string) error { return markMoved(path) }
