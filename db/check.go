package db

import (
	"context"
	"database/sql/driver"
	"fmt"
)

// Check examines a tenant's file and returns what is wrong with it, in words;
// nothing if it is sound. Reading the whole file takes its time; sales go on.
func (s *Store) Check(ctx context.Context, id ID) ([]string, error) {
	if err := refuse(ctx); err != nil {
		return nil, fmt.Errorf("check tenant: %w", err)
	}
	var faults []string
	err := s.with(ctx, id, func(t *tenant) error {
		return t.view(ctx, func(_ context.Context, tx *Tx) (err error) {
			faults, err = faultsOf(tx.conn)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("check tenant: %w", err)
	}
	return faults, nil
}

func faultsOf(c *conn) ([]string, error) {
	var faults []string
	err := c.each("PRAGMA integrity_check", func(v []driver.Value) error {
		if text := fmt.Sprint(v[0]); text != "ok" {
			faults = append(faults, text)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = c.each("PRAGMA foreign_key_check", func(v []driver.Value) error {
		faults = append(faults, fmt.Sprintf("a row of %v refers to a missing row of %v", v[0], v[2]))
		return nil
	})
	return faults, err
}

// checkForeignKeys finds rows that refer to nothing.
func checkForeignKeys(c *conn) error {
	return c.each("PRAGMA foreign_key_check", func(v []driver.Value) error {
		return fmt.Errorf("%w: a row of %v refers to a missing row of %v", ErrForeignKey, v[0], v[2])
	})
}
