package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"storefront/db"
	"storefront/shop"
)

// Export writes all of a shop's tables, of one moment, as lines of JSON that other programs can
// read. Its secrets stay sealed. Codes: tenant_not_found.
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

// Import is what an export is to become.
type Import struct {
	From io.Reader
	// As and DropSecrets are as in Restore; no shop may have the UID yet.
	As          string
	DropSecrets bool
}

// Import makes a shop of an export that a program of the same schema has written. It appears whole
// or not at all. Errors: db.ErrExists, db.ErrNewer, db.ErrOlder, ErrOtherKey.
// Codes: validation_failed (a UID that is none).
func (t *Tenants) Import(ctx context.Context, im Import) (*Restored, error) {
	of, from, err := db.ReadExportHeader(im.From)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	id, err := parseUID(cmp.Or(im.As, string(of)))
	if err != nil {
		return nil, err
	}
	done := Restored{UID: string(id), Of: string(of)}
	takeOver := t.adoptCopy(&done, im.DropSecrets)
	err = t.store.Import(ctx, id, from, func(ctx context.Context, tx *db.Tx) error {
		if err := shop.RebuildSearch(ctx, tx); err != nil {
			return err
		}
		return takeOver(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	t.shops.remove(id)
	return &done, nil
}
