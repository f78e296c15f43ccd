package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"storefront/db"
)

// modTimes returns the time of the last write to each tenant's data, by any process, according to
// the file system. It opens no tenant's file, so that thousands of idle ones cost little. A time
// may be too late, because checkpoints modify a file too, but never too early. Reading changes
// none.
func (s *Files) modTimes(ctx context.Context) (map[db.ID]time.Time, error) {
	times, err := s.fileTimes(ctx)
	if err != nil {
		return nil, err
	}
	modified := make(map[db.ID]time.Time, len(times))
	for id, at := range times {
		modified[id] = at.data
		// The commits of an empty log are in the file, and every close modifies the log.
		if !at.emptyLog && at.log.After(at.data) {
			modified[id] = at.log
		}
	}
	return modified, nil
}

// fileTime has the modification times of a tenant's file and its log; zero for a missing one.
type fileTime struct {
	data, log time.Time
	emptyLog  bool
}

func (s *Files) fileTimes(ctx context.Context) (map[db.ID]fileTime, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, tenantsDir))
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	times := make(map[db.ID]fileTime)
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// Commits go to the log first. The tenant exists if its data file does.
		name, isLog := strings.CutSuffix(e.Name(), suffix+"-wal")
		if !isLog {
			name, _ = strings.CutSuffix(e.Name(), suffix)
		}
		id := db.ID(name)
		if name == e.Name() || !id.IsValid() || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed in the meantime
		case err != nil:
			return nil, fmt.Errorf("list tenants: %w", err)
		default:
			at := times[id]
			if isLog {
				at.log, at.emptyLog = info.ModTime(), info.Size() == 0
			} else {
				at.data = info.ModTime()
			}
			times[id] = at
		}
	}
	return times, nil
}

// Size returns the size of a tenant's file and its log in bytes. A copy is not larger. Errors:
// [db.ErrNoTenant].
func (s *Files) Size(ctx context.Context, id db.ID) (int64, error) {
	if err := id.Check(); err != nil {
		return 0, err
	}
	size := int64(0)
	for _, path := range []string{s.tenantPath(id), s.tenantPath(id) + "-wal"} {
		info, err := os.Lstat(path)
		switch {
		case err == nil:
			size += info.Size()
		case !errors.Is(err, fs.ErrNotExist):
			return 0, fmt.Errorf("size of tenant: %w", err)
		case path == s.tenantPath(id):
			return 0, db.ErrNoTenant
		}
	}
	return size, ctx.Err()
}
