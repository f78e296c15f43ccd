package tenants

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/db/postgres"
	"storefront/db/sqlite"
)

// Inspect opens a data folder for diagnosis, without its key, so that a missing or wrong key is
// found with everything else. [Tenants.ReadKey] reads it. The folder must exist.
func Inspect(cfg Config) (*Tenants, error) {
	cfg.Command = true
	return open(cfg)
}

// ReadKey reads the key of an inspected folder. Errors: fs.ErrNotExist, if there is none.
func (t *Tenants) ReadKey() (err error) {
	t.key, err = loadKey(t.dir, t.keyText, true)
	return err
}

// CheckFile checks a shop's file. The result is nil if the shop is in the database. Codes:
// tenant_not_found.
func (t *Tenants) CheckFile(ctx context.Context, uid string) (*sqlite.CheckResult, error) {
	id, err := t.requireStored(ctx, uid)
	if err != nil {
		return nil, err
	}
	place, err := t.placeOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if place != InFiles {
		return nil, nil
	}
	report, err := t.files.Check(ctx, id)
	if errors.Is(err, db.ErrNoTenant) { // deleted since, or its deletion was interrupted
		return nil, notFound()
	}
	return &report, err
}

// FindLateBackups returns the shops with changes older than two intervals that no backup in a
// folder has.
func (t *Tenants) FindLateBackups(
	ctx context.Context, dir string, every time.Duration,
) (uids []string, err error) {
	shops, err := t.ListRestorable(ctx, RestoreSources{BackupDir: dir}, "")
	modified, modErr := t.store.ModTimes(ctx)
	if err := errors.Join(err, modErr); err != nil {
		return nil, err
	}
	for _, s := range shops {
		changedAt, newest := modified[db.ID(s.UID)], s.Newest(KindBackup)
		if s.Present && t.now().Sub(changedAt) > 2*every &&
			(newest == nil || changedAt.After(newest.CreatedAt.Add(minModTimeAge))) {
			uids = append(uids, s.UID)
		}
	}
	return uids, nil
}

// DatabaseState is the state of the database of shops.
type DatabaseState struct {
	*postgres.ServerInfo
	Needed int // connections of one server
}

// DatabaseState returns the state of the database, or nil if none is configured.
func (t *Tenants) DatabaseState(ctx context.Context) (*DatabaseState, error) {
	if t.engines == nil {
		return nil, nil
	}
	p, err := t.engines.database(ctx)
	if err != nil {
		return nil, err
	}
	info, err := p.Server(ctx)
	return &DatabaseState{info, t.engines.connections}, err
}

// UnfinishedMove is a move of a shop to the database or back that has begun and not ended.
type UnfinishedMove struct {
	UID  string
	Here bool  // this data folder moves the shop; otherwise another does
	Lost error // wraps db.ErrCopyLost, if a copy is missing; otherwise nil
}

// UnfinishedMoves returns the moves that have not ended, and tries to end the moves of this folder.
func (t *Tenants) UnfinishedMoves(ctx context.Context) (moves []UnfinishedMove, err error) {
	p, err := t.engines.database(ctx)
	if err != nil {
		return nil, err
	}
	unfinished, err := p.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	here := map[db.ID]bool{}
	for _, id := range t.engines.unfinishedMoves() {
		here[id] = true
		err := t.engines.finishMoveIn(ctx, id, p, lookPatience)
		if !errors.Is(err, db.ErrCopyLost) {
			err = nil
		}
		moves = append(moves, UnfinishedMove{UID: string(id), Here: true, Lost: err})
	}
	for _, u := range unfinished {
		if !here[u.ID] {
			moves = append(moves, UnfinishedMove{UID: string(u.ID)})
		}
	}
	return moves, nil
}
