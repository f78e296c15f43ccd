package replica

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/benbjohnson/litestream"
	"github.com/benbjohnson/litestream/file"
	"github.com/superfly/ltx"
)

// client is Litestream's client of the current generation, which can be changed.
type client struct {
	litestream.ReplicaClient // for the methods that do not depend on the generation: Type, SetLogger
	current                  atomic.Pointer[litestream.ReplicaClient]
}

func newClient(c litestream.ReplicaClient) *client {
	w := &client{ReplicaClient: c}
	w.useGeneration(c)
	return w
}

func (c *client) useGeneration(next litestream.ReplicaClient) { c.current.Store(&next) }

func (c *client) generation() litestream.ReplicaClient { return *c.current.Load() }

type localKey struct{}

// local returns the context for Litestream's work on the tenant's file. Connecting to the file ends
// with a request to the target, which checks whether the target is ahead of the file. In this
// context the request only calls opened: a generation has one writer, so the target is never ahead.
// Thus opening a tenant needs no target, and does not fail halfway if it is unreachable.
func local(ctx context.Context, opened func()) context.Context {
	return context.WithValue(ctx, localKey{}, opened)
}

func (c *client) LTXFiles(ctx context.Context, level int, seek ltx.TXID, useMetadata bool) (ltx.FileIterator, error) {
	if opened, ok := ctx.Value(localKey{}).(func()); ok {
		opened()
		return ltx.NewFileInfoSliceIterator(nil), nil
	}
	return c.generation().LTXFiles(ctx, level, seek, useMetadata)
}

func (c *client) Init(ctx context.Context) error { return c.generation().Init(ctx) }

func (c *client) OpenLTXFile(ctx context.Context, level int, minTXID, maxTXID ltx.TXID, offset, size int64) (io.ReadCloser, error) {
	return c.generation().OpenLTXFile(ctx, level, minTXID, maxTXID, offset, size)
}

func (c *client) WriteLTXFile(ctx context.Context, level int, minTXID, maxTXID ltx.TXID, r io.Reader) (*ltx.FileInfo, error) {
	return c.generation().WriteLTXFile(ctx, level, minTXID, maxTXID, r)
}

func (c *client) DeleteLTXFiles(ctx context.Context, files []*ltx.FileInfo) error {
	return c.generation().DeleteLTXFiles(ctx, files)
}

func (c *client) DeleteAll(ctx context.Context) error { return c.generation().DeleteAll(ctx) }

// folderClient writes to a folder only while it exists, see [folder.check].
type folderClient struct {
	*file.ReplicaClient
	root folder
}

func (c folderClient) WriteLTXFile(ctx context.Context, level int, minTXID, maxTXID ltx.TXID, r io.Reader) (*ltx.FileInfo, error) {
	if err := c.root.check(ctx); err != nil {
		return nil, err
	}
	return c.ReplicaClient.WriteLTXFile(ctx, level, minTXID, maxTXID, r)
}

// quietLogger returns a logger for Litestream that discards records below the level of a warning.
func quietLogger(log *slog.Logger) *slog.Logger { return slog.New(quiet{log.Handler()}) }

type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }
func (q quiet) WithGroup(name string) slog.Handler       { return quiet{q.Handler.WithGroup(name)} }
