package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/secret"
	"storefront/shop/staff"
	"storefront/tenants/album"
)

// RestoreOptions is the input of [Tenants.Restore].
type RestoreOptions struct {
	File string // the backup: a complete SQLite file, or an export; it is not modified
	// Of is the UID of the backup's shop; "" means that the backup's manifest or file name contains
	// it.
	Of string
	// As is the UID of a clone to create: suspended, in sandbox mode, with a new signing key and
	// without API keys. "" means that the backup replaces the shop Of.
	As string
	// DropSecrets drops all secrets, API keys and sessions, for a lost key: customers must sign in
	// again, and providers must be configured again.
	DropSecrets bool
	// NextOrder is the number of the shop's next order. 0 means that numbers continue above the
	// replaced file's, or after a gap if there is none. A clone, and the last file of a deleted shop
	// from the trash, continue without a gap.
	NextOrder int64
	// In is the place of the restored shop. "" means files, except for an export if there is a
	// database and the shop has no file.
	In Place
	// From is the public key of the server that must have sealed the file; "" means any.
	From string

	images []album.Album       // further places of its images
	by     *staff.RestoreEntry // for the audit log of the shop; nil means none
	// The secrets and the sender of a file that is sealed for this data folder, and whether it is so
	// recent that sessions continue.
	secrets openedSecrets
	sender  string
	isMove  bool
}

// Restored is the result of [Tenants.Restore].
type Restored struct {
	UID      string  `json:"uid"`
	Of       string  `json:"of"`
	Replaced *string `json:"replaced"` // path of the shop's previous file; null if it had none
	// NextOrder is the number of the shop's next order.
	NextOrder int64 `json:"nextOrder"`
	// Faults describe broken invariants of the shop. They were in the backup too.
	Faults []string `json:"faults"`
	// Access is the access that has ended with the restore, and the access to be checked.
	Access *staff.CopyAccess `json:"access"`
	// Suspension is the operator's suspension in the replaced file. If SuspensionUnknown is set, the
	// shop has no readable file, and it is the backup's.
	Suspension        *shop.Suspension `json:"suspension"`
	SuspensionUnknown bool             `json:"suspensionUnknown"`
	// Images is the number of copied images.
	Images int `json:"images"`
	// MissingImages are the IDs of the shop's uploaded images that were not found anywhere.
	MissingImages []string `json:"missingImages"`
	// SealedBy is the fingerprint of the public key of the server that has sealed the file; null if it
	// is not sealed.
	SealedBy *string `json:"sealedBy"`

	settings  *shop.Settings // in the restored shop
	imagesErr error
}

// Restore restores a shop from a backup. It may run beside a server. The backup is checked before
// it replaces anything: it must be an undamaged shop's file, not from a newer program, with this
// program's schema, and with secrets that the data folder's key opens. Schema steps are applied to
// an older file, and HTML is sanitized again. Errors: db.ErrNotTenantFile, db.ErrCorrupt,
// db.ErrForeignSchema, db.ErrNewer, db.ErrExists (As is in use), ErrUnknownOwner, ErrChanged,
// ErrOtherKey, ErrInDatabase. Codes: validation_failed (malformed UID).
func (t *Tenants) Restore(ctx context.Context, o RestoreOptions) (_ *Restored, err error) {
	sealed, err := isSealedFile(o.File)
	if err != nil {
		return nil, err
	}
	switch {
	case sealed:
		remove, err := t.unsealBackup(&o)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, remove()) }()
	case o.From != "":
		return nil, fmt.Errorf("%s is not a sealed file", o.File)
	}
	return t.restore(ctx, o)
}

func (t *Tenants) restore(ctx context.Context, o RestoreOptions) (_ *Restored, err error) {
	if o.Of == "" {
		owner, err := ownerOf(o.File)
		if err != nil {
			return nil, err
		}
		o.Of = owner
	}
	of, id, err := parseRestored(o.Of, o.As)
	if err != nil {
		return nil, err
	}
	isExport, err := isExportFile(o.File)
	if err != nil {
		return nil, err
	}
	place, err := t.restorePlace(ctx, id, o.In, isExport)
	if err != nil {
		return nil, err
	}
	done := Restored{UID: string(id), Of: string(of)}
	if o.sender != "" {
		done.SealedBy = &o.sender
	}
	images := append(o.images, album.Beside(filepath.Dir(o.File), string(of)))
	adopt := t.adoptCopy(ctx, &done, copiedSecrets{o.DropSecrets, o.secrets, o.isMove}, t.replacedFile(ctx, of, id, o), images, o.by)
	after := adopt
	if isExport {
		after = func(ctx context.Context, tx *db.Tx) error {
			if err := rebuildIndexes(ctx, tx); err != nil {
				return err
			}
			return adopt(ctx, tx)
		}
	}
	if place == InPostgres {
		err = t.restoreToDatabase(ctx, of, id, o.File, after)
	} else {
		err = t.restoreToFile(ctx, &done, o.File, after)
	}
	if err != nil {
		return nil, err
	}
	t.shops.remove(id)
	t.sealed.remove(id)
	if id != Installation {
		t.domains.addCreated(id, done.settings)
	}
	return &done, done.imagesErr
}

// parseRestored parses the UIDs of a backup's shop and of a clone; "" means none. [Installation]
// has no clone. Codes: validation_failed.
func parseRestored(of, as string) (owner, restored db.ID, err error) {
	if of == Installation && as == "" {
		return Installation, Installation, nil
	}
	if owner, err = parseUID(of); err != nil {
		return "", "", err
	}
	restored, err = parseUID(cmp.Or(as, of))
	return owner, restored, err
}

// restorePlace returns the place for a restored shop.
func (t *Tenants) restorePlace(
	ctx context.Context,
	id db.ID,
	wanted Place,
	isExport bool,
) (Place, error) {
	switch {
	case t.engines == nil && wanted == InPostgres:
		return "", errNoDatabase
	case wanted != "":
		return wanted, nil
	case t.engines == nil || !isExport:
		return InFiles, nil
	}
	hasFile, err := t.engines.own.Exists(ctx, id)
	if err != nil {
		return "", fmt.Errorf("restore shop %s: %w", id, err)
	}
	if hasFile {
		return InFiles, nil
	}
	return InPostgres, nil
}

// restoreToFile restores a shop to a file, possibly replacing its earlier file.
func (t *Tenants) restoreToFile(
	ctx context.Context,
	done *Restored,
	file string,
	after func(context.Context, *db.Tx) error,
) (err error) {
	id := db.ID(done.UID)
	release, err := t.restrictToFiles(ctx, id)
	if err != nil {
		if done.UID != done.Of && errors.Is(err, ErrInDatabase) {
			err = fmt.Errorf("restore as shop %s: %w", id, db.ErrExists)
		}
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if done.UID != done.Of {
		return t.files.RestoreNew(ctx, id, file, after)
	}
	replaced, err := t.files.Restore(ctx, id, file, after)
	if replaced != "" {
		done.Replaced = &replaced
	}
	return err
}

// ErrInDatabase is returned for restoring a file as a shop that is in the database: the file would
// be used from then on, and the newer orders in the database would be unused.
var ErrInDatabase = errors.New("the shop is in PostgreSQL, which a file cannot replace")

// restrictToFiles prevents a shop's move to the database until release is called. Errors:
// ErrInDatabase, if it is there.
func (t *Tenants) restrictToFiles(ctx context.Context, id db.ID) (release func() error, err error) {
	if t.engines == nil {
		return func() error { return nil }, nil
	}
	unlock, err := t.engines.lockMove(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("restore shop %s: %w", id, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("restore shop %s: %w", id, err), unlock())
		}
	}()
	_, err = t.engines.readMove(id)
	if errors.Is(
		err,
		fs.ErrNotExist,
	) { // then a file counts, even if the database cannot be reached
		var inFile bool
		if inFile, err = t.engines.own.Exists(ctx, id); inFile {
			return unlock, nil
		}
	}
	if err != nil {
		return nil, err
	}
	p, err := t.engines.database(ctx)
	if err != nil {
		return nil, fmt.Errorf("find whether it is in the database: %w", err)
	}
	if err := t.engines.finishLocked(ctx, id, p); err != nil {
		return nil, err
	}
	there, err := p.Exists(ctx, id)
	if err == nil && there {
		err = ErrInDatabase
	}
	return unlock, err
}

// replacedFile is the data that a restore inherits from the replaced file.
type replacedFile struct {
	numbers order.Numbers
	ended   []access.Subject     // access that has ended; nil if unknown
	revoked *account.Revocations // nil if unknown
	keys    secret.SealedKeys
	word    *shop.OperatorWord // nil if unknown

	isNewest bool // the copy is the last file of a deleted shop
}

// replacedFile reads the file that a restore replaces.
func (t *Tenants) replacedFile(ctx context.Context, of, id db.ID, o RestoreOptions) replacedFile {
	r := replacedFile{numbers: order.Numbers{Next: o.NextOrder, NoGap: id != of}}
	if r.numbers.NoGap {
		return r
	}
	err := t.store.View(ctx, id, func(_ context.Context, tx *db.Tx) (err error) {
		if r.numbers.Last, err = order.LastNumber(tx); err == nil {
			r.numbers.LastEvent, err = outbox.Last(tx)
		}
		return err
	})
	if err != nil { // damaged, of another version, or missing
		r.numbers.Last, r.numbers.LastEvent = 0, 0
	}
	endedErr := t.store.View(ctx, id, func(_ context.Context, tx *db.Tx) (err error) {
		if r.ended, err = staff.ReadEndedAccess(tx); err != nil {
			return err
		}
		if r.revoked, err = account.FindRevocations(tx); err != nil {
			return err
		}
		r.keys, err = secret.FindSealedKeys(tx)
		return err
	})
	wordErr := t.store.View(ctx, id, func(_ context.Context, tx *db.Tx) (err error) {
		r.word, err = shop.FindOperatorWord(tx)
		return err
	})
	if wordErr != nil {
		r.word = nil
	}
	last, trashErr := t.files.IsLastTrashed(id, o.File)
	r.isNewest = errors.Is(err, db.ErrNoTenant) && last && trashErr == nil
	switch {
	case r.isNewest:
		r.ended = []access.Subject{}
	case endedErr != nil:
		r.ended = nil
	}
	r.numbers.NoGap = r.isNewest && r.numbers.Next == 0
	return r
}

// copiedSecrets are the secrets of a copy: dropped, opened, or else sealed with the data folder's
// key.
type copiedSecrets struct {
	drop   bool
	opened openedSecrets
	isMove bool
}

// adoptCopy returns a function that turns a copy of shop done.Of into shop done.UID, in the
// transaction before the copy is installed, and copies its images: the shop appears with them. It
// stores the settings, broken invariants, the next order number and the changes of access in done.
func (t *Tenants) adoptCopy(
	ctx context.Context, done *Restored, from copiedSecrets, replaced replacedFile, images []album.Album, by *staff.RestoreEntry,
) func(context.Context, *db.Tx) error {
	s := shop.New(t.config(db.ID(done.UID)))
	options := shop.AdoptCopy{
		Clone: done.UID != done.Of, Ended: replaced.ended, Revoked: replaced.revoked, SigningKeys: replaced.keys, Operator: replaced.word,
		Defaults: t.shopDefaults(ctx).For(done.UID),
	}
	switch {
	case from.drop:
	case from.opened != nil:
		options.Sealer, options.Reseal = from.opened, true
		options.KeepSessions = from.isMove && !options.Clone && replaced.word == nil // no shop is replaced
	default:
		options.Sealer = sealer{t.key, db.ID(done.Of)}
	}
	return func(ctx context.Context, tx *db.Tx) (err error) {
		if done.NextOrder, err = order.ContinueNumbers(tx, db.ID(done.UID), replaced.numbers); err != nil {
			return err
		}
		if done.settings, done.Access, err = s.AdoptCopy(ctx, tx, options); err != nil {
			return err
		}
		if by != nil {
			if err := s.Staff.RecordRestore(tx, *by); err != nil {
				return err
			}
		}
		done.Suspension = done.settings.Suspension
		done.SuspensionUnknown = replaced.word == nil && !options.Clone && !replaced.isNewest
		if done.Faults, err = shop.BrokenInvariants(tx); err != nil {
			return err
		}
		return t.fetchImages(ctx, tx, done, images)
	}
}
