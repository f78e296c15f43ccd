package tenants

import "context"

// DoesBackground reports whether this process does the background work of the database's shops.
func (t *Tenants) DoesBackground(ctx context.Context) bool { return t.engines.holdsLease(ctx) }

// Dir returns the data folder.
func (t *Tenants) Dir() string { return t.dir }
