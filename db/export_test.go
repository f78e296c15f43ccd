package db

import "fmt"

// SetMaxPages makes files that are opened from now on full at n pages.
func (s *Store) SetMaxPages(n int) {
	s.writerPragmas = withPragma(commonPragmas, "max_page_count", fmt.Sprint(n))
}

// SetBusyTimeout makes files that are opened from now on wait that long for
// another process.
func (s *Store) SetBusyTimeout(ms int) {
	s.writerPragmas = withPragma(commonPragmas, "busy_timeout", fmt.Sprint(ms))
}

// SetCommitFault has fault called instead of each COMMIT; it may call commit.
func (s *Store) SetCommitFault(fault func(commit func() error) error) { s.commitFault = fault }

// FakeError is an error of the engine with a code of the test's choice.
type FakeError int

func (e FakeError) Error() string { return fmt.Sprintf("fake error %d", int(e)) }
func (e FakeError) Code() int     { return int(e) }

// MarkMoved does the first half of Drop.
func MarkMoved(path string) error { return markMoved(path) }
