package db

import "fmt"

// The calls that a fault may hit; see [Store.InjectFaults].
const (
	CallStatement = "statement"
	CallCommit    = "commit"    // which then stores nothing
	CallCommitted = "committed" // the transaction is stored, and its caller gets an error
)

// InjectFaults makes calls of the store return the error of fault, if it has one. It is for tests,
// and must be called before other goroutines use the store.
func (s *Store) InjectFaults(fault func(call string) error) { s.fault = fault }

func (s *Store) faultAt(call string) error {
	if s.fault == nil {
		return nil
	}
	return s.fault(call)
}

// commitWriter commits a writer's transaction.
func (s *Store) commitWriter(w Writer) error {
	if err := s.faultAt(CallCommit); err != nil {
		w.Rollback()
		return err
	}
	err := w.Commit()
	if err == nil {
		if err := s.faultAt(CallCommitted); err != nil {
			return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
		}
	}
	return err
}
