package tenants

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
)

// Delete moves the shop's file and its images to the folder "trash", from which it can be restored.
// For a shop in the database an export is put there. Codes: tenant_not_found.
func (t *Tenants) Delete(ctx context.Context, uid string) error {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return err
	}
	err = t.drop(ctx, id)
	if errors.Is(err, db.ErrNoTenant) {
		return notFound()
	}
	if err != nil {
		return fmt.Errorf("delete shop %s: %w", id, err)
	}
	t.shops.remove(id)
	t.sealed.remove(id)
	return t.trashImages(id)
}

// drop removes a shop.
func (t *Tenants) drop(ctx context.Context, id db.ID) error {
	if t.engines != nil { // an interrupted move would leave an unneeded copy
		if _, err := t.engines.finishMove(ctx, id); err != nil {
			return err
		}
	}
	place, err := t.placeOf(ctx, id)
	if err != nil {
		return err
	}
	if place == InFiles {
		return t.store.Drop(ctx, id)
	}
	p, err := t.engines.database(ctx)
	if err != nil {
		return err
	}
	// In one transaction, so that the export has every order.
	return p.DropAfter(
		ctx, id, func(session db.Session) error { return t.exportToTrash(ctx, id, session) },
	)
}
