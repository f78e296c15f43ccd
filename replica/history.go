package replica

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/benbjohnson/litestream"
	"github.com/superfly/ltx"

	"storefront/db/sqlite"
)

// busyTimeout is how long Litestream waits for a lock of SQLite.
const busyTimeout = 5 * time.Second

// history replicates one generation of a tenant's file, by Litestream.
type history struct {
	began      time.Time
	db         *litestream.DB
	replica    *litestream.Replica
	client     *client
	maintained map[int]time.Time // by level: time of the last maintenance
	begun      chan struct{}     // closed when the first capture of the connection has ended
	interrupt  context.CancelFunc
}

func (s *stream) newHistory(m mark) *history {
	d := litestream.NewDB(s.path)
	d.SetMetaPath(sqlite.ShippingDir(s.path))
	d.MonitorInterval = 0     // stream schedules the captures
	d.CheckpointInterval = 0  // by size alone: a checkpoint writes, and would wake idle tenants
	d.ShutdownSyncTimeout = 0 // stream schedules the uploads too
	d.BusyTimeout = busyTimeout
	d.L0Retention = s.r.lite.L0Retention
	h := &history{began: m.began, db: d, client: newClient(s.generationClient(m)), maintained: map[int]time.Time{}}
	h.replica = litestream.NewReplicaWithClient(d, h.client)
	h.replica.MonitorEnabled = false
	d.Replica = h.replica
	d.SetLogger(quietLogger(s.r.log).With("tenant", string(s.id)))
	return h
}

// connect opens Litestream's connection. It does not wait for the snapshot that Litestream may
// start.
func (h *history) connect(ctx context.Context) error {
	if err := h.db.Open(); err != nil {
		return err
	}
	opened, begun := make(chan struct{}), make(chan struct{})
	first, interrupt := context.WithCancel(local(ctx, sync.OnceFunc(func() { close(opened) })))
	h.begun, h.interrupt = begun, interrupt
	done := make(chan error, 1)
	go func() {
		defer close(begun)
		done <- h.db.Sync(first)
	}()
	select {
	case <-opened: // the next capture returns any later failure again
		return nil
	case err := <-done:
		if err != nil {
			return errors.Join(err, h.disconnect(ctx))
		}
		return nil
	}
}

// restart continues as another generation, which is still empty.
func (h *history) restart(ctx context.Context, m mark, client litestream.ReplicaClient) error {
	h.began, h.maintained = m.began, map[int]time.Time{}
	h.client.useGeneration(client)
	h.replica.SetPos(ltx.Pos{})
	return h.db.ResetLocalState(ctx)
}

// disconnect closes Litestream's connection, after a last capture unless ctx has ended.
func (h *history) disconnect(ctx context.Context) error {
	if h.begun != nil { // Litestream's first capture reads the state changed here
		select {
		case <-h.begun:
		case <-ctx.Done():
		}
		h.interrupt()
		<-h.begun
	}
	h.db.Replica = nil // otherwise closing would upload
	err := h.db.Close(local(ctx, func() {}))
	h.db.Replica = h.replica
	return err
}

// capture copies the log into the shipping folder.
func (h *history) capture(ctx context.Context) error {
	if err := h.db.Sync(local(ctx, func() {})); err != nil {
		return fmt.Errorf("capture changes: %w", err)
	}
	return nil
}

// captured returns the number of captures.
func (h *history) captured() uint64 {
	pos, err := h.db.Pos()
	if err != nil {
		return 0
	}
	return uint64(pos.TXID)
}

// upload copies the captured changes to the target.
func (h *history) upload(ctx context.Context) error {
	pos, err := h.db.Pos()
	if err != nil {
		return err
	}
	if pos.IsZero() {
		return nil
	}
	if err := h.replica.Sync(ctx); err != nil {
		return fmt.Errorf("upload changes: %w", err)
	}
	if h.replica.Pos().TXID > pos.TXID {
		// The shipping folder has lost its newest files, for example in a power cut.
		return fmt.Errorf("upload changes: the target is ahead: %w", litestream.ErrLTXMissing)
	}
	return nil
}

// backlogSize returns the size in bytes of the captured changes that are not merged yet.
func (h *history) backlogSize() (size int64) {
	entries, err := os.ReadDir(filepath.Join(h.db.LTXDir(), "0"))
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// isLost reports whether err means that captured changes are damaged or missing.
func isLost(err error) bool {
	var damaged *litestream.LTXError
	return errors.Is(err, litestream.ErrLTXMissing) || errors.As(err, &damaged) && damaged.IsAutoRecoverable()
}

// maintain merges changes on the target and deletes old ones. It reports whether it created a
// snapshot. The file is open.
func (h *history) maintain(ctx context.Context, lite *litestream.Store) (snapshot bool, err error) {
	for _, level := range append(levels[1:len(levels):len(levels)], lite.SnapshotLevel()) {
		last := h.maintained[level.Level]
		if last.IsZero() {
			last = h.began
		}
		now := time.Now()
		if !level.PrevCompactionAt(now).After(last) {
			continue
		}
		_, err := lite.CompactDB(ctx, h.db, level)
		switch {
		case errors.Is(err, litestream.ErrNoCompaction), errors.Is(err, litestream.ErrCompactionTooEarly):
		case err != nil:
			return false, fmt.Errorf("merge changes (level %d): %w", level.Level, err)
		case level.Level == litestream.SnapshotLevel:
			if err := lite.EnforceSnapshotRetention(ctx, h.db); err != nil {
				return false, fmt.Errorf("delete old snapshots: %w", err)
			}
			snapshot = true
		}
		h.maintained[level.Level] = now
	}
	return snapshot, nil
}
