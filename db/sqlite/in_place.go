package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"storefront/db"
)

// A process with a tenant's open files does not notice when somebody removes or replaces them by
// hand. It continues to commit to files without a name, and these commits are lost when the process
// ends. So the writer compares the names with the open files before and after each commit, and
// [Files.CheckFiles] does so for tenants without commits.

// errNotInPlace means that a name of the tenant's files no longer belongs to the open file.
var errNotInPlace = errors.New("the tenant's open files were removed or replaced")

// recordFiles records which files the connections have open besides the data file.
func (t *tenant) recordFiles() {
	t.log, t.index = statOrNil(t.path+"-wal"), statOrNil(t.path+"-shm")
}

func statOrNil(path string) os.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

// inPlace reports whether the names of the tenant's files still belong to the open files.
func (t *tenant) inPlace() bool {
	return isNameOf(t.path, t.file) && isNameOf(t.path+"-wal", t.log) && isNameOf(t.path+"-shm", t.index)
}

// isNameOf reports whether the name path belongs to a file, as far as that can be determined.
func isNameOf(path string, file os.FileInfo) bool {
	if file == nil {
		return true
	}
	now, err := os.Stat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(now, file)
}

// checkInPlace returns errNotInPlace if the tenant's files were removed or replaced by hand, and
// errMoved if another process has dropped or restored the tenant, which marks the file first.
func (w *writer) checkInPlace() error {
	if w.t.inPlace() {
		return nil
	}
	mark, err := w.number("PRAGMA application_id")
	if err == nil && mark == appID {
		return errNotInPlace
	}
	return errMoved // a damaged file is replaced without the mark
}

// saveFiles saves the data of a tenant whose files are not in place, reports that, and returns the
// error for the tenant's users: errMoved, so that the tenant's current file is opened, or
// [db.ErrFilesRemoved] if the data could not be saved and the files must stay open. No transaction
// is running.
func (w *writer) saveFiles() error {
	if w.saved {
		return errMoved
	}
	t, s := w.t, w.t.files
	here := isNameOf(t.path, t.file)
	w.intact = here && !w.hasForeignLog() && w.checkpoint()
	copied, err := "", error(nil)
	if !w.intact {
		copied, err = w.copyToTrash()
	}
	if err == nil && here && !w.intact {
		err = s.stop(t, copied)
	}
	if err != nil {
		if time.Since(w.alarmed) > alarmInterval {
			w.alarmed = time.Now()
			s.log().Error("files of an open shop were removed or replaced, and its orders are not saved: free space in the data folder, "+
				"do not stop the server", "tenant", t.id, "err", err)
		}
		return fmt.Errorf("%w: %w", db.ErrFilesRemoved, err)
	}
	w.saved = true
	s.counters.removed.Add(1)
	switch {
	case w.intact:
		s.pause(t)
		s.log().Error("the log of an open shop was removed or replaced: its orders were saved in the shop's file, and the shop is stopped; "+
			"find out which program changes the data folder", "tenant", t.id, "stopped_for", removedPause)
		return errMoved
	case here:
		s.log().Error("the log of an open shop was removed or replaced: its orders were saved in a copy, and the shop is stopped until that is "+
			"restored; find out which program changes the data folder", "tenant", t.id, "copy", copied)
		return errMoved
	}
	s.log().Error("files of an open shop were removed or replaced: its orders were saved in a copy, restore that; find out who changes the data folder",
		"tenant", t.id, "copy", copied)
	return errMoved
}

// alarmInterval is the minimum interval between alarms about one tenant's files.
const alarmInterval = time.Minute

// hasForeignLog reports whether another process has written to a new log of the tenant's file.
func (w *writer) hasForeignLog() bool {
	info, err := os.Stat(w.t.path + "-wal")
	return err == nil && info.Size() > 0 && w.t.log != nil && !os.SameFile(info, w.t.log)
}

// checkpointPatience limits the time that checkpoint waits for readers. Until it has ended, a kill
// loses the log.
const checkpointPatience = 200 * time.Millisecond

// checkpoint moves the log's content to the data file and reports whether that is complete. Readers
// of an earlier state prevent it: the replica's, or another process's.
func (w *writer) checkpoint() (complete bool) {
	w.setBusyTimeout(checkpointPatience)
	defer w.setBusyTimeout(w.t.files.busyTimeout)
	err := w.each("PRAGMA wal_checkpoint(FULL)", func(v []driver.Value) error {
		busy, _ := v[0].(int64)
		log, _ := v[1].(int64)
		done, _ := v[2].(int64)
		complete = busy == 0 && log == done
		return nil
	})
	return complete && err == nil // otherwise a copy is written
}

// copyToTrash writes a copy of the tenant's data to the trash and returns its path.
func (w *writer) copyToTrash() (string, error) {
	trash := filepath.Join(w.t.files.dir, trashDir)
	dest, err := unusedName(trash, string(w.t.id)+"-"+w.t.files.stamp())
	if err != nil {
		return "", err
	}
	return dest, w.copyTo(context.Background(), dest)
}

// stopped is a tenant whose file must not be opened.
type stopped struct {
	file os.FileInfo   // as long as this is the tenant's file
	end  time.Duration // Store.elapsed when it may be opened, if it is sound; 0 means never
	err  error
}

// removedPause is the time for which a tenant is stopped after its log was removed, although its
// data is saved: more files may be about to be removed.
const removedPause = 30 * time.Second

// pause refuses the tenant for a while.
func (s *Files) pause(t *tenant) {
	until := s.store.Now().Add(removedPause).Format(time.RFC3339)
	err := fmt.Errorf("%w: its orders are saved in the shop's file, which is checked and opened again after %s", db.ErrFilesRemoved, until)
	s.stopped.Store(t.id, stopped{statOrNil(t.path), s.store.Elapsed() + removedPause, err})
}

// stop refuses the tenant, in every process, until another file replaces the present one, which
// lacks some orders of the copy.
func (s *Files) stop(t *tenant, copied string) error {
	if err := s.recordStopped(t.id, copied); err != nil {
		return err
	}
	s.stopped.Store(t.id, stopped{statOrNil(t.path), 0, stoppedError(copied)})
	return nil
}

func stoppedError(copied string) error {
	return fmt.Errorf("%w: restore %s, which has every acknowledged order", db.ErrFilesRemoved, copied)
}

// stoppedSuffix ends the name of a file in the trash that contains the path of the copy of a
// stopped tenant's data. It is removed with the tenant's file.
const stoppedSuffix = ".stopped"

func (s *Files) stoppedPath(id db.ID) string {
	return filepath.Join(s.dir, trashDir, string(id)+stoppedSuffix)
}

// recordStopped records that a tenant is stopped, so that the next process does not use its file.
func (s *Files) recordStopped(id db.ID, copied string) error {
	path := s.stoppedPath(id)
	err := os.WriteFile(path, []byte(filepath.Base(copied)+"\n"), 0o600)
	if err == nil {
		err = errors.Join(s.SetOwner(path), syncFile(path), SyncDir(filepath.Dir(path)))
	}
	if err != nil {
		return fmt.Errorf("record that the shop is stopped: %w", err)
	}
	return nil
}

// checkRecordedStop returns the reason why a tenant is stopped, if one is recorded. Errors:
// [db.ErrFilesRemoved], [db.ErrTooManyFiles], [db.ErrIO].
func (s *Files) checkRecordedStop(id db.ID) error {
	path := s.stoppedPath(id)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) { // needs no file descriptor
		return nil
	}
	name, err := os.ReadFile(path)
	switch {
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%w: %w", db.ErrTooManyFiles, err)
	case err != nil:
		return fmt.Errorf("%w: %w", db.ErrIO, err)
	}
	return stoppedError(filepath.Join(s.dir, trashDir, strings.TrimSpace(string(name))))
}

// checkStopped returns the reason why the tenant's file must not be opened. paused reports that the
// stop has ended by time, so that its file must be checked.
func (s *Files) checkStopped(id db.ID, file os.FileInfo) (paused bool, err error) {
	v, ok := s.stopped.Load(id)
	if !ok {
		return false, s.checkRecordedStop(id)
	}
	found := v.(stopped)
	switch {
	case found.file == nil || !os.SameFile(file, found.file): // it was restored
		s.stopped.Delete(id)
		return false, s.checkRecordedStop(id)
	case found.end > 0 && s.store.Elapsed() >= found.end:
		return true, nil
	}
	return false, found.err
}

// resume ends the stop of a tenant whose file is sound.
func (s *Files) resume(id db.ID, c *conn) error {
	faults, err := findFaults(c)
	if err == nil && len(faults) > 0 {
		err = fmt.Errorf("%w: %s", db.ErrCorrupt, faults[0])
	}
	if err != nil {
		return fmt.Errorf("check the file after its log was removed: %w", err)
	}
	s.stopped.Delete(id)
	s.log().Warn("a shop that was stopped since its log was removed is open again: its file is sound", "tenant", id)
	return nil
}

// CheckFiles checks for all open tenants that nobody has removed or replaced their files, and
// otherwise saves their data, as the next commit would do.
func (s *Files) CheckFiles(ctx context.Context) {
	s.live.Range(func(key, v any) bool {
		if !v.(*tenant).inPlace() {
			// An error is logged there, or comes from opening the tenant again.
			_ = s.with(ctx, key.(db.ID), func(t *tenant) error { return t.recheck(ctx) })
		}
		return ctx.Err() == nil
	})
}
