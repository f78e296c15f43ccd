package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"storefront/db"
)

// Shipper copies writes to tenants' files to another place, asynchronously. Its methods must be
// safe for concurrent use. While the other place is unreachable, the shipper must buffer the
// changes: no work on a tenant waits for it.
type Shipper interface {
	// Attach is called before this process opens a tenant's file, and only while it has no
	// connection to it. After an error the tenant is opened without being shipped, until it has
	// been closed and opened again.
	Attach(id db.ID, path string) error
	// Changed is called after a commit to an attached file by this or another process.
	Changed(id db.ID)
	// Detach is called after this process has closed an attached file. The shipper's last
	// connection must close after the store's, since closing any handle of a file releases the
	// process's locks on it.
	Detach(id db.ID)
	// Shipped returns the modification time of the newest write to a file that has certainly been
	// copied. A zero time means that no copied write is known.
	Shipped(id db.ID, path string) time.Time
}

// ShippingDir returns the folder for a shipper's state of the tenant's file at path.
func ShippingDir(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"-litestream")
}

// ShippingMark is the name of a file in a [ShippingDir]. Without it the rest of the folder is
// invalid. The store removes it when another file replaces the tenant's.
const ShippingMark = "generation"

// shipSlots limits the number of files that are opened concurrently only for shipping.
const shipSlots = 2

// attach attaches the tenant's file to the shipper, if there is one and the file is a tenant's.
func (t *tenant) attach() {
	shipper := t.files.opts.Shipper
	if shipper == nil || !isTenantFile(t.path) {
		t.attached = false
		return
	}
	err := t.attachTo(shipper)
	if err != nil {
		t.files.log().Warn("tenant open but not replicated, retrying when it is idle", "tenant", t.id, "err", err)
	}
	t.attached = err == nil
}

// attachTo holds the layout lock, since the shipper opens the files by name and writes to them.
func (t *tenant) attachTo(shipper Shipper) error {
	unlock, err := t.files.lockLayout(context.Background())
	if err != nil {
		return err
	}
	defer unlock()
	return shipper.Attach(t.id, t.path)
}

func (t *tenant) detach() {
	if t.attached {
		t.files.opts.Shipper.Detach(t.id)
	}
}

// ship notifies the shipper of a commit.
func (t *tenant) ship() {
	if t.attached {
		t.files.opts.Shipper.Changed(t.id)
	}
}

// writerPragmas returns the pragmas of the writer's connection. A shipper must read every page in
// the log before it is moved to the file, so the shipper does the checkpoints.
func (t *tenant) writerPragmas() []pragma {
	if t.attached {
		return withPragma(t.files.writerPragmas, "wal_autocheckpoint", "0")
	}
	return t.files.writerPragmas
}

// isTenantFile reports whether the file has the application_id of a tenant's file. A shipper writes
// into the files that it ships, so it must not receive another program's database. No connection to
// the file may be open.
func isTenantFile(path string) bool {
	const offset = 68 // of application_id in the database header
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var mark [4]byte
	_, err = f.ReadAt(mark[:], offset)
	return err == nil && binary.BigEndian.Uint32(mark[:]) == appID
}

// Ship ships writes to tenants' files without a notification of the shipper: by other processes, or
// before the last server stopped. It checks all files by modification time and opens only those
// with unshipped writes.
func (s *Files) Ship(ctx context.Context) error {
	shipper := s.opts.Shipper
	if shipper == nil {
		return nil
	}
	times, err := s.fileTimes(ctx)
	if err != nil {
		return fmt.Errorf("ship: %w", err)
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, shipSlots)
	for id, at := range times {
		if ctx.Err() != nil {
			break
		}
		if at.data.IsZero() || !at.written().After(shipper.Shipped(id, s.tenantPath(id))) {
			continue
		}
		if t := s.opened(id); t != nil && !t.attached {
			s.retire(t)
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			err := s.with(ctx, id, func(t *tenant) error {
				defer t.ship()
				return t.Refresh(ctx) // the file may have been replaced
			})
			if err != nil && ctx.Err() == nil && !errors.Is(err, db.ErrNoTenant) {
				s.log().Warn("tenant not opened for replication", "tenant", id, "err", err)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// written returns the time of the last commit to a tenant's data. All commits go to the log; the
// data file is also modified by checkpoints, which change no data.
func (f fileTime) written() time.Time {
	if f.log.IsZero() {
		return f.data
	}
	return f.log
}

// WrittenAt returns the time of the last commit to the tenant's file at path, according to the file
// system. It does not open the file.
func WrittenAt(path string) (time.Time, error) {
	info, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(path)
	}
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// resetShipping makes the shipper start again with the next file of that name.
func (s *Files) resetShipping(id db.ID) error {
	return removeIfThere(filepath.Join(ShippingDir(s.tenantPath(id)), ShippingMark))
}
