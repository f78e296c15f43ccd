package db

import (
	"context"
	"fmt"
)

// Close waits for running work, closes all files, and makes new work fail with [ErrClosed]. If ctx
// ends first, files in use stay open until their work ends; Close may be called again to wait.
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
