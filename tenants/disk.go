package tenants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Disk is the space of a file system, in bytes.
type Disk struct {
	Free uint64 // available to this user
	Size uint64
}

// Disk returns the space of the data folder's file system. Errors: errors.ErrUnsupported, on
// systems that do not report it.
func (t *Tenants) Disk() (Disk, error) { return DiskOf(t.dir) }

// MinFree is the free space that readiness requires, in bytes: room for the write-ahead logs of
// some shops and for copies before schema steps, so that the operator is alerted before a sale
// fails.
const MinFree = 64 << 20

// readiness caches the last disk check, so that frequent health checks do not write each time.
type readiness struct {
	mu   sync.Mutex
	at   time.Time
	last error
}

// readyFor is the time for which the result of a disk check is cached.
const readyFor = time.Second

// Ready returns an error while the shops cannot be served: it describes a full or read-only disk
// and the remedy. Changes are logged.
func (t *Tenants) Ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.ready.mu.Lock()
	defer t.ready.mu.Unlock()
	now := t.now()
	if !t.ready.at.IsZero() && now.Sub(t.ready.at).Abs() < readyFor { // Abs: the clock may be set back
		return t.ready.last
	}
	before := t.ready.last
	t.ready.at, t.ready.last = now, Probe(t.dir)
	switch {
	case t.ready.last != nil && before == nil:
		t.log.Error("the shops cannot be served", "error", t.ready.last)
	case t.ready.last == nil && before != nil:
		t.log.Info("the shops can be served again")
	}
	return t.ready.last
}

// Probe checks the free space of a data folder, then writes one page beside the shops' files.
func Probe(dir string) error {
	disk, err := DiskOf(dir)
	if err == nil && disk.Free < MinFree {
		return fmt.Errorf("only %d MiB are free on the disk of %s, %d MiB are required: free some space", disk.Free>>20, dir, MinFree>>20)
	}
	f, err := os.CreateTemp(filepath.Join(dir, "tenants"), ".ready-*")
	if err != nil {
		return fmt.Errorf("the data folder is not writable: check its permissions and its disk: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, os.Getpagesize()))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("the data folder is not writable: free some space on its disk: %w", err)
	}
	return nil
}
