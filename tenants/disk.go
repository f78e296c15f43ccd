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

// Disk is the room of a disk, in bytes.
type Disk struct {
	Free uint64 // what this user may still take
	Size uint64
}

// Disk looks at the disk of the data folder. The error is errors.ErrUnsupported where the system
// does not tell.
func (t *Tenants) Disk() (Disk, error) { return diskOf(t.dir) }

// MinFree is how many bytes have to be free for the shops to be ready: room for the logs of some
// shops and for copies before a change of schema, so that the disk is looked after before a sale fails.
const MinFree = 64 << 20

// readiness remembers the last look at the disk, so that a flood of questions does not write.
type readiness struct {
	mu   sync.Mutex
	at   time.Time
	last error
}

const readyFor = time.Second

// Ready says whether the shops can be served: a full or read-only disk is an error that says what to
// do. It becomes nil again by itself. What it finds is logged when it changes.
func (t *Tenants) Ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.ready.mu.Lock()
	defer t.ready.mu.Unlock()
	now := t.now()
	if !t.ready.at.IsZero() && now.Sub(t.ready.at).Abs() < readyFor { // Abs: the clock may have been set back
		return t.ready.last
	}
	before := t.ready.last
	t.ready.at, t.ready.last = now, probe(t.dir)
	switch {
	case t.ready.last != nil && before == nil:
		t.log.Error("the shops can not be served", "error", t.ready.last)
	case t.ready.last == nil && before != nil:
		t.log.Info("the shops can be served again")
	}
	return t.ready.last
}

// probe looks whether there is room in a data folder, then writes a page where the shops' files are.
func probe(dir string) error {
	disk, err := diskOf(dir)
	if err == nil && disk.Free < MinFree {
		return fmt.Errorf("only %d MiB are free on the disk of %s, and %d are needed: make room there", disk.Free>>20, dir, MinFree>>20)
	}
	f, err := os.CreateTemp(filepath.Join(dir, "tenants"), ".ready-*")
	if err != nil {
		return fmt.Errorf("the data folder can not be written to: make it writable, and its disk: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, os.Getpagesize()))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("the data folder can not be written to: make room on its disk: %w", err)
	}
	return nil
}
