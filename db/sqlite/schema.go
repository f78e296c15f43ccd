package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"storefront/db"
)

// Values of application_id in a tenant's file: "SFdb" distinguishes it from other SQLite files, and
// "SFmv", the moved mark, makes other processes close a file that no longer belongs to a tenant.
// "SFaw" means that the tenant has moved to another engine, see [db.Move].
const (
	appID   = 0x53466462
	movedID = 0x53466d76
	awayID  = 0x53466177
)

// copyBeforeSteps matches the name of a copy created before a schema step: UID, version and time.
var copyBeforeSteps = regexp.MustCompile(`^(.+)-v\d+-(\d{8}T\d{6}\.\d{3}Z(?:-\d+)?)\.db$`)

// newest returns the schema version of this program.
func (s *Files) newest() int { return len(s.opts.Steps) + 1 }

// Upgrade is the result of upgrading a tenant's file.
type Upgrade struct {
	From, To int    // schema versions; equal if there was nothing to do
	Copy     string // path of the copy created first; "" if none was needed
}

// Upgrade opens a tenant, which upgrades its file to the newest schema, and returns the result of
// that upgrade. It may run beside a server of the same schema. Errors: [db.ErrNoTenant],
// [db.ErrNewer], [db.ErrFull], [db.ErrOtherServer].
func (s *Files) Upgrade(ctx context.Context, id db.ID) (up Upgrade, err error) {
	if err := db.CheckContext(ctx); err != nil {
		return Upgrade{}, fmt.Errorf("upgrade: %w", err)
	}
	if err := s.TidySteps(); err != nil {
		return Upgrade{}, fmt.Errorf("upgrade: %w", err)
	}
	s.upgrades.Store(id, true)
	defer s.upgrades.Delete(id)
	err = s.with(ctx, id, func(t *tenant) error {
		up = t.upgraded
		return nil
	})
	return up, err
}

// upgrade upgrades a tenant's file to the newest schema, after copying it. The steps share one
// transaction: if one fails, the file is unchanged and the older program can still use it.
func (t *tenant) upgrade() (up Upgrade, err error) {
	s := t.files
	release, err := s.excludeOtherServers()
	if err != nil {
		return up, fmt.Errorf("upgrade: %w", err)
	}
	defer release()
	// Rebuilding a table that others refer to needs foreign keys off. They are checked at the end.
	c, err := t.connect(withPragma(commonPragmas, "foreign_keys", "OFF"))
	if err != nil {
		return up, fmt.Errorf("upgrade: %w", err)
	}
	defer func() { err = errors.Join(err, c.close()) }()

	have, err := s.schemaVersion(c)
	up = Upgrade{From: have, To: s.newest()}
	if err != nil {
		return up, err
	}
	if have == s.newest() {
		return up, nil
	}
	if _, requested := s.upgrades.Load(t.id); s.opts.Command && !requested {
		return up, fmt.Errorf("schema version %d, this program's is %d: %w", have, s.newest(), db.ErrOutdated)
	}
	unlock, err := s.lockSteps()
	if err != nil {
		return up, fmt.Errorf("upgrade: %w", err)
	}
	defer unlock()
	saved, err := s.saveBeforeSteps(c, t.id, have)
	if err != nil {
		return up, fmt.Errorf("upgrade: copy first: %w", err)
	}
	did, err := s.applySteps(c, func() error {
		c.setBusyTimeout(0)
		defer c.setBusyTimeout(s.busyTimeout)
		return s.waitTurn(t.id, func() error { return c.run(beginImmediate) }, func() bool { return true })
	})
	if err == nil && did {
		s.log().Info("schema upgraded", "tenant", t.id, "from", have, "to", s.newest(), "copy", saved)
		s.removeEarlierCopies(t.id, saved)
		up.Copy = saved
		return up, nil
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", db.ErrUpgrade, err)
	}
	// The file is unchanged, or another process has upgraded it and has created a copy.
	return up, errors.Join(err, removeIfThere(saved))
}

// schemaVersion reads the schema version and refuses a version of a newer program.
func (s *Files) schemaVersion(c *conn) (int, error) {
	have, err := c.number("PRAGMA user_version")
	switch {
	case err != nil:
		return 0, err
	case have > int64(s.newest()):
		return 0, fmt.Errorf("schema version %d, this program supports %d: %w", have, s.newest(), db.ErrNewer)
	case have < 1:
		return 0, fmt.Errorf("schema version %d: %w", have, db.ErrNotTenantFile)
	}
	return int(have), nil
}

// saveBeforeSteps copies a file before the steps change it, and returns the copy's path.
func (s *Files) saveBeforeSteps(c *conn, id db.ID, have int) (string, error) {
	dir := filepath.Join(s.dir, stepsDir)
	if err := s.createFolder(dir); err != nil {
		return "", err
	}
	for {
		path, err := unusedName(dir, fmt.Sprintf("%s-v%d-%s", id, have, s.stamp()))
		if err != nil {
			return "", err
		}
		// Another process may use the name in between.
		if err := c.copyTo(context.Background(), path); !errors.Is(err, db.ErrExists) {
			return path, err
		}
	}
}

// lockSteps prevents TidySteps in other processes and goroutines.
func (s *Files) lockSteps() (unlock func(), err error) {
	lock := s.lockFile(stepsLock)
	if err := lock.RLock(); err != nil {
		return nil, fmt.Errorf("lock the copies: %w", err)
	}
	return func() { s.unlock(lock) }, nil
}

const stepsLock = stepsDir + ".lock"

// TidySteps deletes the leftovers of killed upgrades in the folder of copies: unfinished copies,
// and all but the newest of each tenant. It does nothing while an upgrade is running.
func (s *Files) TidySteps() error {
	dir := filepath.Join(s.dir, stepsDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	newest := map[string]string{} // name by UID
	var drop []string
	for _, e := range entries {
		of := copyBeforeSteps.FindStringSubmatch(e.Name())
		switch {
		case strings.HasPrefix(e.Name(), copyPrefix):
			drop = append(drop, e.Name())
		case of == nil:
		case newest[of[1]] == "":
			newest[of[1]] = e.Name()
		default:
			older, newer := newest[of[1]], e.Name()
			if copiedAt(older) > copiedAt(newer) {
				older, newer = newer, older
			}
			newest[of[1]], drop = newer, append(drop, older)
		}
	}
	if err != nil {
		return err
	}
	if len(drop) == 0 {
		return nil
	}
	lock := s.lockFile(stepsLock)
	free, err := lock.TryLock()
	if err != nil {
		return err
	}
	if !free {
		return nil
	}
	defer s.unlock(lock)
	for _, name := range drop {
		err = errors.Join(err, removeIfThere(filepath.Join(dir, name)))
	}
	return err
}

// copiedAt returns the time in the name of a copy; its text sorts by time.
func copiedAt(name string) string { return copyBeforeSteps.FindStringSubmatch(name)[2] }

// removeEarlierCopies deletes the copies created before earlier steps. Each tenant has only one, so
// that upgrades do not fill the disk over the years.
func (s *Files) removeEarlierCopies(id db.ID, saved string) {
	names, err := filepath.Glob(filepath.Join(s.dir, stepsDir, string(id)+"-v*"+suffix))
	for _, name := range names {
		of := copyBeforeSteps.FindStringSubmatch(filepath.Base(name))
		if of != nil && of[1] == string(id) && name != saved {
			err = errors.Join(err, removeIfThere(name))
		}
	}
	if err != nil {
		s.log().Warn("copies of earlier upgrades not deleted", "tenant", id, "err", err)
	}
}

// applySteps applies the missing steps under the write lock, acquired by begin, and reports whether
// any was missing. A step may replace a table that others refer to, so references are checked after
// all steps.
func (s *Files) applySteps(c *conn, begin func() error) (did bool, err error) {
	if err := c.setNumber("foreign_keys", 0); err != nil { // has no effect inside a transaction
		return false, fmt.Errorf("upgrade: %w", err)
	}
	defer func() { err = errors.Join(err, c.setNumber("foreign_keys", 1)) }()
	if err := begin(); err != nil {
		return false, fmt.Errorf("upgrade: %w", err)
	}
	defer func() {
		if err != nil || !did {
			if rerr := c.run("ROLLBACK"); rerr != nil && !isNoTransaction(rerr) {
				err = errors.Join(err, rerr)
			}
		}
	}()
	have, err := s.schemaVersion(c) // another process may have upgraded the file since
	if err != nil {
		return false, err
	}
	if have == s.newest() {
		return false, nil
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
