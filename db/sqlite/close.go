package sqlite

import (
	"context"
	"fmt"
)

// close waits for running work and closes all files. If ctx ends first, files in use stay open
// until their work ends.
func (s *Files) close(ctx context.Context) error {
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
			return fmt.Errorf("tenant %s is in use: %w", t.id, err)
		}
	}
	return nil
}
