package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"storefront/db"
	"storefront/media"
	"storefront/shop/order"
	"storefront/tenants/album"
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

// ImportOptions is the input of [Tenants.Import].
type ImportOptions struct {
	From io.Reader
	// As and DropSecrets are as in [RestoreOptions]. The UID must not be in use.
	As          string
	DropSecrets bool
	// Images is a folder from [Tenants.ExportImages]; "" if there is none.
	Images string
}

// Import creates a shop from an export of the same schema version, which may be compressed,
// completely or not at all.
// Errors: db.ErrExists, db.ErrNewer, db.ErrOlder, ErrOtherKey. Codes: validation_failed (malformed
// UID).
func (t *Tenants) Import(ctx context.Context, o ImportOptions) (*Restored, error) {
	plain, _, err := decompress(o.From)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	head, from, err := db.ReadExportHeader(plain)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	of := head.ID
	id, err := parseUID(cmp.Or(o.As, string(of)))
	if err != nil {
		return nil, err
	}
	done := Restored{UID: string(id), Of: string(of)}
	var images []album.Album
	if o.Images != "" {
		images = []album.Album{{Store: media.NewFolder(o.Images, nil), Shop: string(of)}}
	}
	adopt := t.adoptCopy(ctx, &done, copiedSecrets{drop: o.DropSecrets}, replacedFile{numbers: order.Numbers{NoGap: true}}, images, nil)
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
	return &done, done.imagesErr
}
