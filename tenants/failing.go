package tenants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"storefront/db"
)

// Cause is the kind of problem that prevents a shop from being served.
type Cause string

// The causes, in the order of the checks: an error may have several.
const (
	CauseRemoved    Cause = "removed"    // its open files were removed or replaced by hand
	CausePermission Cause = "permission" // its files belong to another user
	CauseDisk       Cause = "disk"       // the disk is full, read-only or broken
	CauseOpenFiles  Cause = "open_files" // the process has too many open files
	CauseDamaged    Cause = "damaged"    // the file is damaged, or does not belong to a shop
	CauseNewer      Cause = "newer"      // the file is of a newer version
	CauseMigration  Cause = "migration"  // a schema step failed
	CauseKey        Cause = "key"        // the data folder's key does not open its secrets
	CauseOther      Cause = "other"
)

// Causes returns all causes.
func Causes() []Cause {
	return []Cause{
		CauseRemoved, CausePermission, CauseDisk, CauseOpenFiles, CauseDamaged, CauseNewer, CauseMigration, CauseKey, CauseOther,
	}
}

// causeErrors are the errors that identify a cause.
var causeErrors = []struct {
	cause Cause
	kinds []error
}{
	{CauseRemoved, []error{db.ErrFilesRemoved}},
	{CausePermission, []error{fs.ErrPermission}},
	{CauseOpenFiles, []error{db.ErrTooManyFiles}},
	{CauseDamaged, []error{db.ErrCorrupt, db.ErrNotTenantFile, db.ErrForeignSchema}},
	{CauseNewer, []error{db.ErrNewer}},
	{CauseDisk, []error{db.ErrFull, db.ErrReadOnly, db.ErrIO}},
	{CauseMigration, []error{db.ErrUpgrade}},
	{CauseKey, []error{ErrOtherKey, errNoKey, errSealedChanged}},
}

func causeOf(err error) Cause {
	for _, c := range causeErrors {
		for _, kind := range c.kinds {
			if errors.Is(err, kind) {
				return c.cause
			}
		}
	}
	return CauseOther
}

// FailingShop is a shop that cannot be served, entirely or in use cases that need its secrets.
type FailingShop struct {
	UID   string    `json:"uid"`
	Cause Cause     `json:"cause"`
	Error string    `json:"error"`
	Since time.Time `json:"since"`
}

// Failing returns the shops that could not be served when they were last used, sorted by UID. The
// background work retries them, so that they leave the list without a request.
func (t *Tenants) Failing() []FailingShop {
	var all []FailingShop
	for _, f := range t.store.Failures() {
		all = append(all, FailingShop{string(f.ID), causeOf(f.Err), f.Err.Error(), f.Since})
	}
	for _, f := range t.sealed.list() {
		if exists, err := t.store.Exists(context.Background(), db.ID(f.UID)); exists || err != nil {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b FailingShop) int { return strings.Compare(a.UID, b.UID) })
	return slices.CompactFunc(all, func(a, b FailingShop) bool { return a.UID == b.UID })
}

// sealedShops are the shops with secrets that the key did not open at their last use.
type sealedShops struct {
	mu    sync.Mutex
	shops map[db.ID]FailingShop
}

// record records the result of opening a secret of a shop.
func (s *sealedShops) record(id db.ID, now time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.shops, id)
		return
	}
	if _, known := s.shops[id]; known {
		return
	}
	if s.shops == nil {
		s.shops = map[db.ID]FailingShop{}
	}
	s.shops[id] = FailingShop{string(id), causeOf(err), fmt.Sprintf("open a secret: %v", err), now}
}

// remove removes a deleted or replaced shop.
func (s *sealedShops) remove(id db.ID) { s.record(id, time.Time{}, nil) }

func (s *sealedShops) list() []FailingShop {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []FailingShop
	for _, f := range s.shops {
		all = append(all, f)
	}
	return all
}
