package tenants

import (
	"cmp"
	"context"

	"storefront/db"
	"storefront/shop"
)

// RestoreOptions is the input of [Tenants.Restore].
type RestoreOptions struct {
	File string // the backup, a complete SQLite file; it is not modified
	// Of is the UID of the backup's shop; "": from the backup's manifest or file name.
	Of string
	// As is the UID of a clone to create: suspended, in sandbox mode, with a new signing key and
	// without admin tokens. "": the backup replaces the shop Of.
	As string
	// DropSecrets drops all secrets, API keys and sessions, for a lost key: customers must sign in again,
	// and providers must be configured again.
	DropSecrets bool
}

// Restored is the result of [Tenants.Restore].
type Restored struct {
	UID      string  `json:"uid"`
	Of       string  `json:"of"`
	Replaced *string `json:"replaced"` // path of the shop's previous file; null: it had none
	// Faults describe broken invariants of the shop. They were in the backup too.
	Faults []string `json:"faults"`
}

// Restore restores a shop from a backup. It may run beside a server. The backup is checked before
// it replaces anything: that it is a shop's file, undamaged, not of a newer program, with this
// program's schema, and that the data folder's key opens its secrets. Schema steps are applied to an
// older file, and HTML is sanitized again. Errors: db.ErrNotTenantFile, db.ErrCorrupt,
// db.ErrForeignSchema, db.ErrNewer, db.ErrExists (As is in use), ErrUnknownOwner, ErrChanged,
// ErrOtherKey. Codes: validation_failed (malformed UID).
func (t *Tenants) Restore(ctx context.Context, o RestoreOptions) (*Restored, error) {
	if o.Of == "" {
		owner, err := ownerOf(o.File)
		if err != nil {
			return nil, err
		}
		o.Of = owner
	}
	of, err := parseUID(o.Of)
	if err != nil {
		return nil, err
	}
	id, err := parseUID(cmp.Or(o.As, o.Of))
	if err != nil {
		return nil, err
	}
	done := Restored{UID: string(id), Of: string(of)}
	adopt := t.adoptCopy(&done, o.DropSecrets)
	replaced := ""
	if id != of {
		err = t.store.RestoreNew(ctx, id, o.File, adopt)
	} else {
		replaced, err = t.store.Restore(ctx, id, o.File, adopt)
	}
	if err != nil {
		return nil, err
	}
	if replaced != "" {
		done.Replaced = &replaced
	}
	t.shops.remove(id)
	return &done, nil
}

// adoptCopy returns a function that turns a copy of shop done.Of into shop done.UID, in the
// transaction before the copy is installed. It stores broken invariants in done.
func (t *Tenants) adoptCopy(done *Restored, dropSecrets bool) func(context.Context, *db.Tx) error {
	s := shop.New(t.config(db.ID(done.UID)))
	options := shop.AdoptCopy{Clone: done.UID != done.Of}
	if !dropSecrets {
		options.Sealer = sealer{t.key, db.ID(done.Of)}
	}
	return func(ctx context.Context, tx *db.Tx) (err error) {
		if err := s.AdoptCopy(ctx, tx, options); err != nil {
			return err
		}
		done.Faults, err = shop.BrokenInvariants(tx)
		return err
	}
}
