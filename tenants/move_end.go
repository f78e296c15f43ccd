package tenants

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/db/postgres"
)

// Errors of [Tenants.EndMove].
var (
	errNoUnfinishedMove = errors.New("the shop has no unfinished move")
	errNoCopyInFile     = errors.New("the shop has no file in this data folder that could be used")
)

// EndMove ends a move whose record is lost, with the disk of the data folder that had it: the copy
// in one place counts from now on. The other copy goes to the trash, if there is one; that of the
// database as an export. It may be repeated. Whether the copy is the newest is for the operator to
// decide: a folder that still has the record ends the move by itself.
// Codes: tenant_not_found.
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
	recorded, err := t.engines.readMove(id)
	if err == nil && recorded != nil { // here, so it is known which copy counts
		if err = t.engines.finishLocked(ctx, id, p); errors.Is(err, db.ErrCopyLost) && use == recorded.To {
			err = t.engines.useNew(ctx, id, recorded, p)
		}
	} else if err == nil {
		err = t.useCopy(ctx, id, p, use)
	}
	t.shops.remove(id)
	if err != nil {
		return fmt.Errorf("end the move of shop %s: %w", id, err)
	}
	return nil
}

// useCopy makes one of the two copies of a shop the one that counts. What it changes is done in an
// order in which it can be repeated.
func (t *Tenants) useCopy(ctx context.Context, id db.ID, p *postgres.Engine, use Place) error {
	unfinished, err := p.Unfinished(ctx)
	if err != nil {
		return err
	}
	isHidden := slices.ContainsFunc(unfinished, func(u postgres.Unfinished) bool { return u.ID == id })
	isOpen, err := p.Exists(ctx, id)
	if err != nil {
		return err
	}
	hasFile, err := t.engines.own.Exists(ctx, id)
	if err != nil {
		return err
	}
	files, is := t.engines.own.(db.Mover)
	if !is || !isHidden && !(isOpen && hasFile) {
		return errNoUnfinishedMove
	}
	hasLeft := false
	if hasFile {
		if hasLeft, err = files.HasLeft(ctx, id, 0); err != nil {
			return err
		}
	}
	if use == InFiles {
		if !hasFile || hasLeft {
			return errNoCopyInFile
		}
		if isHidden {
			if err := p.Reopen(ctx, id); err != nil {
				return err
			}
		}
		return p.DropAfter(ctx, id, func(session db.Session) error { return t.exportToTrash(ctx, id, session) })
	}
	switch {
	case hasLeft:
		err = files.Discard(ctx, id, 0)
	case hasFile:
		err = files.Drop(ctx, id)
	}
	if err == nil && isHidden {
		err = p.Reopen(ctx, id)
	}
	return err
}

// examineMoves adds the moves that have begun and not ended.
func (t *Tenants) examineMoves(ctx context.Context, found *findings, p *postgres.Engine) {
	unfinished, err := p.Unfinished(ctx)
	if err != nil {
		found.addResult(CodeDatabaseMoves, "", err)
		return
	}
	here := t.engines.unfinishedMoves()
	for _, id := range here {
		err := t.engines.finishMoveIn(ctx, id, p, lookPatience)
		if errors.Is(err, db.ErrCopyLost) {
			found.addResult(CodeDatabaseMoves, "", err)
			continue
		}
		found.add(CodeDatabaseMoves, StateWarning, "The move of the shop %s has begun and not ended. Unless a command is moving it, "+
			"the next command or request that uses the shop completes or undoes this.", id)
	}
	for _, u := range unfinished {
		if slices.Contains(here, u.ID) {
			continue
		}
		found.add(CodeDatabaseMoves, StateWarning, "The shop %s is hidden in the database: another data folder is moving it, or was "+
			"interrupted. A command that uses the shop there ends this. Only if that folder is lost, end the move with "+
			"storefront tenant move %s --use postgres. The copy is as old as the move: compare it with backups.", u.ID, u.ID)
	}
}
