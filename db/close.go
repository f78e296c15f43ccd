package db

import (
	"context"
	"fmt"
)

// Close lets running work end, closes all files, and refuses new work with
// [ErrClosed]. If ctx ends first, what is still in use stays open until that
// work ends; Close may be called again to wait for it.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.isClosed() {
		close(s.closed)
	}
	open := make([]*tenant, 0, len(s.tenants))
	for _, t := range s.tenants {
		open = append(open, t)
		s.retireLocked(t)
	}
	s.mu.Unlock()
	for _, t := range open {
		if err := wait(ctx, t.gone); err != nil {
			return fmt.Errorf("close store: tenant %s is in use: %w", t.id, err)
		}
	}
	if err := s.template.close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}
