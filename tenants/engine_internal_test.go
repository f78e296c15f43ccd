package tenants

import (
	"context"

	"storefront/db"
)

// DoesBackground reports whether this process does the background work of the database's shops.
func (t *Tenants) DoesBackground(ctx context.Context) bool {
	return t.engines.holdsLease(ctx, backgroundLease)
}

// Dir returns the data folder.
func (t *Tenants) Dir() string { return t.dir }

// ErrInFile is errInFile.
var ErrInFile = errInFile

// StoreOf returns the store of the shops.
func StoreOf(t *Tenants) *db.Store { return t.store }
