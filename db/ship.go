package db

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
)

// Shipper copies what is written to tenants' files to another place, moments later. It may be
// called from any number of goroutines. A place that is out of reach is its own affair: it
// remembers and catches up, and no work on a tenant waits for it.
type Shipper interface {
	// Attach is called before this process opens a tenant's file, and only while it has no
	// connection to it. After an error the tenant is opened all the same, and not shipped
	// before it has been closed and opened again.
	Attach(id ID, path string) error
	// Changed is called after a commit to an attached file, this process's or another's.
	Changed(id ID)
	// Detach is called after this process has closed an attached file: its last connection must
	// go after the store's, since closing any handle of a file drops the process's locks on it.
	Detach(id ID)
	// Shipped returns the time of the newest write to a file that has certainly been copied, as
	// the file system tells it; zero if none is known of.
	Shipped(id ID, path string) time.Time
}

// ShippingDir is the folder in which a shipper keeps what it knows about the tenant's file at path.
func ShippingDir(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"-litestream")
}

// ShippingMark is the file in a ShippingDir without which the rest of the folder means nothing. The
// store removes it when the tenant's name goes to another file.
const ShippingMark = "generation"

// shipSlots bounds the files that are opened at once only to be shipped.
const shipSlots = 2

// attach has the tenant's file shipped, if there is a shipper and the file is a tenant's.
func (t *tenant) attach() {
	shipper := t.store.opts.Shipper
	if shipper == nil || !isTenantFile(t.path) {
		t.attached = false
		return
	}
	err := t.attachTo(shipper)
	if err != nil {
		t.store.log.Warn("the shop is open but not replicated; this is tried again when it is idle", "tenant", t.id, "err", err)
	}
	t.attached = err == nil
}

// attachTo keeps the files' names in place meanwhile: the shipper opens them by name, and writes.
func (t *tenant) attachTo(shipper Shipper) error {
	unlock, err := t.store.lockLayout(context.Background())
	if err != nil {
		return err
	}
	defer unlock()
	return shipper.Attach(t.id, t.path)
}

func (t *tenant) detach() {
	if t.attached {
		t.store.opts.Shipper.Detach(t.id)
	}
}

// ship tells the shipper of a commit.
func (t *tenant) ship() {
	if t.attached {
		t.store.opts.Shipper.Changed(t.id)
	}
}

// writerPragmas are those of the writer's connection. A shipper must see every page in the log
// before it goes to the file, so it does the checkpoints.
func (t *tenant) writerPragmas() []pragma {
	if t.attached {
		return withPragma(t.store.writerPragmas, "wal_autocheckpoint", "0")
	}
	return t.store.writerPragmas
}

// isTenantFile reads the mark in the file's first page, so that a shipper, which writes into the
// files that it ships, never gets another program's database. No connection may be open.
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

// Ship looks at all files and has shipped what was written to them without the shipper's notice:
// by other processes, or before the last one was stopped. A file that needs nothing is not opened.
func (s *Store) Ship(ctx context.Context) error {
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
				return t.refresh(ctx) // the file may have been replaced
			})
			if err != nil && ctx.Err() == nil && !errors.Is(err, ErrNoTenant) {
				s.log.Warn("the shop could not be opened to be replicated", "tenant", id, "err", err)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// written is when a tenant's data was last committed to. All commits go to the log; the file itself
// is touched by checkpoints too, which change nothing that matters.
func (f fileTime) written() time.Time {
	if f.log.IsZero() {
		return f.data
	}
	return f.log
}

// WrittenAt is when something was last committed to the tenant's file at path, as the file system
// tells it. It opens nothing.
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

// endShipping makes the shipper begin anew with the next file of that name.
func (s *Store) resetShipping(id ID) error {
	return removeIfThere(filepath.Join(ShippingDir(s.tenantPath(id)), ShippingMark))
}
