package tenants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"storefront/db"
	"storefront/db/postgres"
)

// Errors of [Tenants.EndMove].
var (
	errNoUnfinishedMove = errors.New("the shop has no unfinished move")
	errNoCopyInFile     = errors.New("the shop has no usable file in this data folder")
)

// EndMove ends a move with a lost record, if the data folder is lost: the copy in one place becomes
// the valid one. The other copy, if any, is put in the trash; a copy in the database is put there
// as an export. It may be repeated. The operator must decide whether the copy is the newest: a
// folder that still has the record ends the move by itself. Codes: tenant_not_found.
func (t *Tenants) EndMove(ctx context.Context, uid string, use Place) (err error) {
	if t.engines == nil {
		return errNoDatabase
	}
	id, err := db.ParseID(uid)
	if err != nil {
		return notFound()
	}
	p, err := t.engines.database(ctx)
	if err != nil {
		return err
	}
	unlock, err := t.engines.lockMove(ctx, id)
	if err != nil {
		return fmt.Errorf("end the move of shop %s: %w", id, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	err = t.endMoveLocked(ctx, id, p, use)
	t.shops.remove(id)
	if err != nil {
		return fmt.Errorf("end the move of shop %s: %w", id, err)
	}
	return nil
}

// endMoveLocked ends a move while its lock is held. If the record exists, it determines the valid
// copy.
func (t *Tenants) endMoveLocked(ctx context.Context, id db.ID, p *postgres.Engine, use Place) error {
	recorded, err := t.engines.readMove(id)
	if errors.Is(err, fs.ErrNotExist) {
		return t.useCopy(ctx, id, p, use)
	}
	if err != nil {
		return err
	}
	err = t.engines.finishLocked(ctx, id, p)
	if errors.Is(err, db.ErrCopyLost) && use == recorded.To {
		return t.engines.useNew(ctx, id, recorded, p)
	}
	return err
}

// useCopy makes one of the two copies of a shop the valid one. The order of its changes allows it
// to be repeated.
func (t *Tenants) useCopy(ctx context.Context, id db.ID, p *postgres.Engine, use Place) error {
	files, is := t.engines.own.(db.Mover)
	if !is {
		return errNoUnfinishedMove
	}
	found, err := t.findCopies(ctx, id, p, files)
	if err != nil {
		return err
	}
	switch {
	case !found.isUnfinished():
		return errNoUnfinishedMove
	case use == InFiles && !found.countsInFile():
		return errNoCopyInFile
	case use == InFiles:
		if err := found.reopen(ctx, id, p); err != nil {
			return err
		}
		return p.DropAfter(ctx, id, func(session db.Session) error { return t.exportToTrash(ctx, id, session) })
	case found.hasLeft:
		err = files.Discard(ctx, id, 0)
	case found.hasFile:
		err = files.Drop(ctx, id)
	}
	if err != nil {
		return err
	}
	return found.reopen(ctx, id, p)
}

// copies describes the copies of a shop after its move has lost its record.
type copies struct {
	isHidden bool // the database has a copy that it does not serve
	isOpen   bool // the database serves the shop
	hasFile  bool
	hasLeft  bool // the file is marked as moved
}

// findCopies finds the copies of a shop in both places.
func (t *Tenants) findCopies(
	ctx context.Context, id db.ID, p *postgres.Engine, files db.Mover,
) (found copies, err error) {
	unfinished, err := p.Unfinished(ctx)
	if err != nil {
		return found, err
	}
	found.isHidden = slices.ContainsFunc(unfinished, func(u postgres.Unfinished) bool { return u.ID == id })
	if found.isOpen, err = p.Exists(ctx, id); err != nil {
		return found, err
	}
	if found.hasFile, err = t.engines.own.Exists(ctx, id); err != nil {
		return found, err
	}
	if found.hasFile {
		found.hasLeft, err = files.HasLeft(ctx, id, 0)
	}
	return found, err
}

// isUnfinished reports whether the copies belong to an unfinished move.
func (c copies) isUnfinished() bool { return c.isHidden || c.isOpen && c.hasFile }

// countsInFile reports whether the file can be served.
func (c copies) countsInFile() bool { return c.hasFile && !c.hasLeft }

// reopen makes the database serve a hidden copy again.
func (c copies) reopen(ctx context.Context, id db.ID, p *postgres.Engine) error {
	if !c.isHidden {
		return nil
	}
	return p.Reopen(ctx, id)
}
