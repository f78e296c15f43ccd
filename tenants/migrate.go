package tenants

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
)

// Migrated tells what became of a shop's file.
type Migrated struct {
	UID  string  `json:"uid"`
	From int     `json:"from"` // schema versions; equal: it was up to date
	To   int     `json:"to"`
	Copy *string `json:"copy"` // the file as it was before; null: it was up to date
}

// Migrate brings a shop's file to the newest schema now, as the first request for the shop would.
// A copy is made first; when a step fails the file is as it was. Errors: db.ErrNewer.
// Codes: tenant_not_found.
func (t *Tenants) Migrate(ctx context.Context, uid string) (*Migrated, error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, err
	}
	up, err := t.store.Upgrade(ctx, id)
	if errors.Is(err, db.ErrNoTenant) {
		return nil, notFound()
	}
	if err != nil {
		return nil, fmt.Errorf("migrate %s: %w", id, err)
	}
	done := &Migrated{UID: uid, From: up.From, To: up.To}
	if up.Copy != "" {
		done.Copy = &up.Copy
	}
	return done, nil
}
