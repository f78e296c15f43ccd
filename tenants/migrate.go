package tenants

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
)

// Migrated is the result of [Tenants.Migrate].
type Migrated struct {
	UID  string  `json:"uid"`
	From int     `json:"from"` // schema version before; equal to To if the file was up to date
	To   int     `json:"to"`
	Copy *string `json:"copy"` // path of the copy before the steps; null if the file was up to date
}

// Migrate applies the schema steps to a shop's file. Otherwise the server does so. The file is
// copied first and is unchanged if a step fails. Errors: db.ErrNewer, db.ErrOtherServer. Codes:
// tenant_not_found.
func (t *Tenants) Migrate(ctx context.Context, uid string) (*Migrated, error) {
	id, err := t.requireStored(ctx, uid)
	if err != nil {
		return nil, err
	}
	if err := t.requireFile(ctx, id, "migrate --all migrates all shops of the database together"); err != nil {
		return nil, err
	}
	up, err := t.files.Upgrade(ctx, id)
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
