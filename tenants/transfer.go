package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"storefront/db"
	"storefront/shop"
)

// Export writes a snapshot of all of a shop's tables as lines of JSON, which other programs can
// read. Secrets stay sealed. Codes: tenant_not_found.
func (t *Tenants) Export(ctx context.Context, uid string, w io.Writer) error {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return err
	}
	err = t.store.Export(ctx, id, w)
	if errors.Is(err, db.ErrNoTenant) {
		return notFound()
	}
	return err
}

// exportToTrash exports what a session reads of a shop to the folder "trash".
func (t *Tenants) exportToTrash(ctx context.Context, id db.ID, session db.Session) (err error) {
	name := string(id) + "-" + t.now().UTC().Format(stampLayout) + exportSuffix
	f, err := os.CreateTemp(t.dir, ".export-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	err = t.store.ExportSession(ctx, session, id, f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(t.dir, "trash", name))
}

const exportSuffix = ".jsonl"

// ImportOptions is the input of [Tenants.Import].
type ImportOptions struct {
	From io.Reader
	// As and DropSecrets are as in [RestoreOptions]. The UID must not be in use.
	As          string
	DropSecrets bool
}

// Import creates a shop from an export of the same schema version, completely or not at all.
// Errors: db.ErrExists, db.ErrNewer, db.ErrOlder, ErrOtherKey. Codes: validation_failed (malformed
// UID).
func (t *Tenants) Import(ctx context.Context, o ImportOptions) (*Restored, error) {
	of, from, err := db.ReadExportHeader(o.From)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	id, err := parseUID(cmp.Or(o.As, string(of)))
	if err != nil {
		return nil, err
	}
	done := Restored{UID: string(id), Of: string(of)}
	adopt := t.adoptCopy(&done, o.DropSecrets, shop.Numbers{Keep: true})
	err = t.store.Import(ctx, id, from, func(ctx context.Context, tx *db.Tx) error {
		if err := rebuildIndexes(ctx, tx); err != nil {
			return err
		}
		return adopt(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	t.shops.remove(id)
	t.domains.addCreated(id, done.settings)
	return &done, nil
}
