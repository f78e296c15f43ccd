package tenants

import (
	"cmp"
	"context"

	"storefront/db"
	"storefront/shop"
)

// Restore is what a copy of a shop's file is to become. The copy is left as it is.
type Restore struct {
	File string // the copy: a whole SQLite file
	// Of is the UID of the shop that it is a copy of; "": as its name, or the file beside it, tells.
	Of string
	// As is the UID of another shop to make of it, suspended, in sandbox mode, with a new signing key
	// and without administrators' tokens; "": the copy takes the place of the shop Of.
	As string
	// DropSecrets leaves out what is sealed with a key that is lost: everyone signs in anew, and the
	// providers have to be configured anew.
	DropSecrets bool
}

// Restored is what Restore has done.
type Restored struct {
	UID      string  `json:"uid"`
	Of       string  `json:"of"`
	Replaced *string `json:"replaced"` // where the file is that the shop had before; null: it had none
	// Faults are sums in the shop that do not agree, in words. They were in the copy.
	Faults []string `json:"faults"`
}

// Restore brings a shop back from a copy, beside a running server too. The copy is checked whole
// before it replaces anything: that it is a shop's file, not damaged, not of a newer program, and
// that the data folder's key opens its secrets. An older schema is brought to the newest. Errors:
// db.ErrNotTenantFile, db.ErrCorrupt, db.ErrNewer, db.ErrExists (As is taken), ErrChanged, ErrOtherKey.
// Codes: validation_failed (a UID that is none).
func (t *Tenants) Restore(ctx context.Context, r Restore) (*Restored, error) {
	if r.Of == "" {
		owner, err := ownerOf(r.File)
		if err != nil {
			return nil, err
		}
		r.Of = owner
	}
	of, err := parseUID(r.Of)
	if err != nil {
		return nil, err
	}
	id, err := parseUID(cmp.Or(r.As, r.Of))
	if err != nil {
		return nil, err
	}
	done := Restored{UID: string(id), Of: string(of)}
	after, kept := t.adoptCopy(&done, r.DropSecrets), ""
	if id != of {
		err = t.store.RestoreNew(ctx, id, r.File, after)
	} else {
		kept, err = t.store.Restore(ctx, id, r.File, after)
	}
	if err != nil {
		return nil, err
	}
	if kept != "" {
		done.Replaced = &kept
	}
	t.shops.remove(id)
	return &done, nil
}

// adoptCopy gives what makes the tables of the shop done.Of those of the shop done.UID, before they
// appear. It notes in done what does not agree in them.
func (t *Tenants) adoptCopy(done *Restored, dropSecrets bool) func(context.Context, *db.Tx) error {
	s := shop.New(t.config(db.ID(done.UID)))
	over := shop.AdoptCopy{Clone: done.UID != done.Of}
	if !dropSecrets {
		over.Sealer = sealer{t.key, db.ID(done.Of)}
	}
	return func(ctx context.Context, tx *db.Tx) (err error) {
		if err := s.AdoptCopy(ctx, tx, over); err != nil {
			return err
		}
		done.Faults, err = shop.BrokenInvariants(tx)
		return err
	}
}
