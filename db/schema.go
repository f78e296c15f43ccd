package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// The application_id of a tenant's file: "SFdb", so that no other SQLite file
// is mistaken for one, and "SFmv" for a file that is no tenant's any more. The
// latter is the mark that tells other processes to let go of it.
const (
	appID   = 0x53466462
	movedID = 0x53466d76
)

// copyBeforeSteps is the name of a copy made before a schema step: UID, version
// and time.
var copyBeforeSteps = regexp.MustCompile(`^(.+)-v\d+-\d{8}T\d{6}\.\d{3}Z(?:-\d+)?\.db$`)

// Step takes a tenant's file from one version of the schema to the next.
type Step struct {
	Name string // for logs and errors
	SQL  string // one or more statements, without BEGIN and COMMIT
}

// newest is the schema version of this program.
func (s *Store) newest() int { return len(s.opts.Steps) + 1 }

// Upgrade tells which schema a tenant's file had and has.
type Upgrade struct {
	From, To int    // schema versions; equal: there was nothing to do
	Copy     string // path of the copy made first; "": none was made
}

// Upgrade brings a tenant's file to the newest schema, as opening it for any
// other reason does, and tells what was done when this process opened it.
// Errors: [ErrNoTenant], [ErrNewer], [ErrFull].
func (s *Store) Upgrade(ctx context.Context, id ID) (up Upgrade, err error) {
	if err := checkContext(ctx); err != nil {
		return Upgrade{}, fmt.Errorf("upgrade: %w", err)
	}
	err = s.with(ctx, id, func(t *tenant) error {
		up = t.upgraded
		return nil
	})
	return up, err
}

// upgrade brings a tenant's file to the newest schema. A copy of it is made
// first. The steps share one transaction: when one fails, the file is as it
// was, so that the older program can still use it.
func (t *tenant) upgrade() (up Upgrade, err error) {
	s := t.store
	// Tables that others refer to are rebuilt with foreign keys off; they are
	// checked at the end instead.
	c, err := t.connect(withPragma(commonPragmas, "foreign_keys", "OFF"))
	if err != nil {
		return up, fmt.Errorf("upgrade: %w", err)
	}
	defer func() { err = errors.Join(err, c.close()) }()

	have, err := s.schemaVersion(c)
	up = Upgrade{From: have, To: s.newest()}
	if err != nil || have == s.newest() {
		return up, err
	}
	saved, err := s.saveBeforeSteps(c, t.id, have)
	if err != nil {
		return up, fmt.Errorf("upgrade: copy first: %w", err)
	}
	did, err := s.applySteps(c)
	if err == nil && did {
		s.log.Info("schema upgraded", "tenant", t.id, "from", have, "to", s.newest(), "copy", saved)
		s.removeEarlierCopies(t.id, saved)
		up.Copy = saved
		return up, nil
	}
	// The file is as it was, or another process was faster and has a copy.
	return up, errors.Join(err, removeIfThere(saved))
}

// schemaVersion reads the schema version and refuses one of a newer program.
func (s *Store) schemaVersion(c *conn) (int, error) {
	have, err := c.number("PRAGMA user_version")
	switch {
	case err != nil:
		return 0, err
	case have > int64(s.newest()):
		return 0, fmt.Errorf("schema version %d, this program knows %d: %w", have, s.newest(), ErrNewer)
	case have < 1:
		return 0, fmt.Errorf("schema version %d: %w", have, ErrNotTenantFile)
	}
	return int(have), nil
}

// saveBeforeSteps makes a copy of a file that the steps are about to change.
func (s *Store) saveBeforeSteps(c *conn, id ID, have int) (string, error) {
	dir := filepath.Join(s.dir, stepsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for {
		path, err := unusedName(dir, fmt.Sprintf("%s-v%d-%s", id, have, s.stamp()))
		if err != nil {
			return "", err
		}
		// Another process may take the name in between.
		if err := c.copyTo(context.Background(), path); !errors.Is(err, ErrExists) {
			return path, err
		}
	}
}

// removeEarlierCopies deletes the copies that were made before earlier steps: a
// tenant has one, so that upgrades do not fill the disk over the years.
func (s *Store) removeEarlierCopies(id ID, saved string) {
	names, err := filepath.Glob(filepath.Join(s.dir, stepsDir, string(id)+"-v*"+suffix))
	for _, name := range names {
		of := copyBeforeSteps.FindStringSubmatch(filepath.Base(name))
		if of != nil && of[1] == string(id) && name != saved {
			err = errors.Join(err, removeIfThere(name))
		}
	}
	if err != nil {
		s.log.Warn("copies of earlier upgrades were not deleted", "tenant", id, "err", err)
	}
}

// applySteps reports whether there was still something to do under the lock. A step may put another
// table in the place of one that others refer to: references are checked when all steps are done.
func (s *Store) applySteps(c *conn) (did bool, err error) {
	if err := c.setNumber("foreign_keys", 0); err != nil { // would have no effect in a transaction
		return false, fmt.Errorf("upgrade: %w", err)
	}
	defer func() { err = errors.Join(err, c.setNumber("foreign_keys", 1)) }()
	if err := c.run("BEGIN IMMEDIATE"); err != nil {
		return false, fmt.Errorf("upgrade: %w", err)
	}
	defer func() {
		if err != nil || !did {
			if rerr := c.run("ROLLBACK"); rerr != nil && !isNoTransaction(rerr) {
				err = errors.Join(err, rerr)
			}
		}
	}()
	have, err := s.schemaVersion(c) // another process may have been faster
	if err != nil || have == s.newest() {
		return false, err
	}
	for i := have; i < s.newest(); i++ {
		step := s.opts.Steps[i-1]
		if err := c.script(context.Background(), step.SQL); err != nil {
			return false, fmt.Errorf("schema step %d (%s): %w", i+1, step.Name, err)
		}
	}
	if err := checkForeignKeys(c); err != nil {
		return false, fmt.Errorf("after the schema steps: %w", err)
	}
	if err := c.setNumber("user_version", int64(s.newest())); err != nil {
		return false, err
	}
	return true, c.run("COMMIT")
}
