package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"storefront/db"
)

// CheckResult is the result of checking a tenant's file.
type CheckResult struct {
	// Schema is the version of the file's schema, and Newest this program's.
	Schema, Newest int
	Faults         []string // one line per fault; empty if the file is sound
	// Foreign has a line for each difference between the file's schema and this program's. For an
	// older file only the views and triggers are compared.
	Foreign []string
}

// Check verifies the integrity of a tenant's file and does not change its data: no schema step is
// applied. It reads the whole file, without blocking updates. Errors: [db.ErrNoTenant], and
// [db.ErrCorrupt] or [db.ErrNotTenantFile] if the file is not a tenant's database.
func (s *Files) Check(ctx context.Context, id db.ID) (result CheckResult, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("check tenant: %w", err)
		}
	}()
	if err := errors.Join(id.Check(), db.CheckContext(ctx)); err != nil {
		return result, err
	}
	c, err := s.connectAside(ctx, id, readerPragmas)
	if err != nil {
		return result, err
	}
	defer func() {
		if cerr := c.close(); err == nil { // closing a damaged file repeats the error
			err = cerr
		}
	}()
	defer c.interruptAfter(ctx)() // before the connection is closed
	version, err := c.number("PRAGMA user_version")
	if err != nil {
		return result, err
	}
	result.Schema, result.Newest = int(version), s.newest()
	if result.Faults, err = findFaults(c); err != nil {
		return result, orContext(ctx, err)
	}
	result.Foreign, err = s.findForeign(c)
	return result, err
}

// connectAside connects to a tenant's file without opening the tenant, to read it unchanged. It
// holds the layout lock so that file names do not change. Otherwise the name of the log's index
// could belong to another open file of this process, and closing it would release the locks on that
// file.
func (s *Files) connectAside(ctx context.Context, id db.ID, pragmas []pragma) (*conn, error) {
	unlock, err := s.lockLayout(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.finishReplaceLocked(id); err != nil {
		return nil, err
	}
	if there, err := s.fileExists(id); !there {
		return nil, cmp.Or(err, db.ErrNoTenant)
	}
	c, err := connectTenant(s.tenantPath(id), pragmas)
	if err != nil {
		return nil, err
	}
	if err := checkMark(c); err != nil {
		if err = errors.Join(err, c.close()); errors.Is(err, errMoved) {
			err = cmp.Or(s.finishDropLocked(id), db.ErrNoTenant)
		}
		return nil, err
	}
	return c, nil
}

// orContext returns the error of ctx instead of the statement's if ctx has interrupted it.
func orContext(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil && errors.Is(err, db.ErrInterrupted) {
		return cause
	}
	return err
}

func findFaults(c *conn) ([]string, error) {
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

// checkForeignKeys returns [db.ErrForeignKey] for the first row that refers to a missing row.
func checkForeignKeys(c *conn) error {
	return c.each("PRAGMA foreign_key_check", func(v []driver.Value) error {
		return fmt.Errorf("%w: a row of %v refers to a missing row of %v", db.ErrForeignKey, v[0], v[2])
	})
}
