package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"storefront/db"
)

// fileTenantID returns the tenant of a file by its name. The pending file of a replacement counts
// too, since the tenant's own may be missing for a moment.
func fileTenantID(name string) (db.ID, bool) {
	if id, is := pendingID(name); is {
		return id, id.IsValid()
	}
	name, is := strings.CutSuffix(name, suffix)
	return db.ID(name), is && db.ID(name).IsValid()
}

// list returns the tenants' UIDs, sorted.
func (s *Files) list(ctx context.Context) ([]db.ID, error) {
	ids := []db.ID{}
	err := s.eachFile(func(e os.DirEntry) bool {
		if id, is := fileTenantID(e.Name()); is && e.Type().IsRegular() {
			ids = append(ids, id)
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	slices.Sort(ids)
	return slices.Compact(ids), ctx.Err()
}

// HasTenants reports whether the store has a tenant. It stops at the first one that it finds.
func (s *Files) HasTenants() (has bool, err error) {
	err = s.eachFile(func(e os.DirEntry) bool {
		_, is := fileTenantID(e.Name())
		has = is && e.Type().IsRegular()
		return !has
	})
	if err != nil {
		return false, fmt.Errorf("find tenants: %w", err)
	}
	return has, nil
}

// eachFile calls fn with each entry of the tenants' folder until fn returns false. The entries are
// unsorted, since sorting many takes as long as reading them.
func (s *Files) eachFile(fn func(os.DirEntry) (more bool)) error {
	const batch = 256
	dir, err := os.Open(filepath.Join(s.dir, tenantsDir))
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(batch)
		for _, e := range entries {
			if !fn(e) {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Prefixes of names in the data folder that belong to a process's unfinished work.
const (
	restorePrefix = ".restore-" // folders, see [Files.RestoreFolder]
	lockPrefix    = ".lock-"
)

// RestoreFolder creates a folder for a file to restore, on the disk of the data folder. The caller
// removes it; [Files.Tidy] removes the folders of killed processes.
func (s *Files) RestoreFolder() (string, error) {
	dir, err := os.MkdirTemp(s.dir, restorePrefix)
	if err != nil {
		return "", err
	}
	return dir, s.SetOwner(dir)
}

// Tidy deletes unfinished files that are older than a day and finishes interrupted replacements.
// Opening a tenant finishes its own replacement; Tidy is for tenants that have not been opened
// since. It reads the whole folder, so that [Open] need not.
func (s *Files) Tidy(ctx context.Context) error {
	var scratch []string
	var pending []db.ID
	err := s.eachFile(func(e os.DirEntry) bool {
		if strings.HasPrefix(e.Name(), scratchPrefix) {
			scratch = append(scratch, filepath.Join(s.dir, tenantsDir, e.Name()))
		} else if id, is := pendingID(e.Name()); is && id.IsValid() {
			pending = append(pending, id)
		}
		return true
	})
	if err == nil {
		for _, prefix := range []string{restorePrefix, lockPrefix} {
			left, _ := filepath.Glob(filepath.Join(s.dir, prefix+"*")) // the pattern is valid
			scratch = append(scratch, left...)
		}
		err = errors.Join(removeStale(scratch), s.TidySteps())
	}
	if err != nil {
		return fmt.Errorf("tidy the tenants' folder: %w", err)
	}
	for _, id := range pending {
		if _, err := s.finishReplace(id); err != nil {
			s.log().Warn("interrupted restore not finished", "tenant", id, "err", err)
		}
	}
	return ctx.Err()
}

// removeStale deletes the files that are too old to be still in progress.
func removeStale(paths []string) error {
	const old = 24 * time.Hour
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && time.Since(info.ModTime()) > old {
			err = os.RemoveAll(path)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
