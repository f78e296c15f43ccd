package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"storefront/db"
	"storefront/db/postgres"
	"storefront/db/sqlite"
)

// movesDir in the data folder has a record of each unfinished move. A process that holds the lock
// of that name may move the shop, or finish the move of a killed process.
const (
	movesDir     = "moves"
	recordSuffix = ".json"
)

// moveRecord has the data for finishing a move.
type moveRecord struct {
	To    Place `json:"to"`
	Token int64 `json:"token"`
	Keep  bool  `json:"keep,omitempty"` // see [MoveOptions]
}

func (e *engines) recordPath(id db.ID) string {
	return filepath.Join(e.dir, movesDir, string(id)+recordSuffix)
}

// readMove returns the record of a shop's move. Errors: fs.ErrNotExist.
func (e *engines) readMove(id db.ID) (*moveRecord, error) {
	text, err := os.ReadFile(e.recordPath(id))
	if err != nil {
		return nil, fmt.Errorf("read the record of a move: %w", err)
	}
	r := &moveRecord{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("read the record of a move %s: %w", e.recordPath(id), err)
	}
	return r, nil
}

// saveMove records a move durably.
func (e *engines) saveMove(id db.ID, r moveRecord) (err error) {
	path := e.recordPath(id)
	next := path + ".next"
	defer func() {
		if err != nil {
			err = fmt.Errorf("record the move: %w", err)
		}
	}()
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close(), sqlite.InheritOwner(next)); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	return sqlite.SyncDir(filepath.Dir(path))
}

// lockMove locks the move of a shop among all processes of the data folder.
func (e *engines) lockMove(ctx context.Context, id db.ID) (unlock func() error, err error) {
	dir := filepath.Join(e.dir, movesDir)
	if err := sqlite.MakeFolder(dir, sqlite.InheritOwner); err != nil {
		return nil, err
	}
	return e.own.LockNamed(ctx, movesDir+"/"+string(id))
}

// moveOf returns the move of a record.
func (e *engines) moveOf(id db.ID, r *moveRecord, p *postgres.Engine) (*db.Move, error) {
	files, is := e.own.(db.Mover)
	if !is {
		return nil, errors.New("the engine of files cannot move shops")
	}
	m := &db.Move{ID: id, From: files, To: p, Token: r.Token}
	if r.To == InFiles {
		m.From, m.To = p, files
	}
	if r.To == InFiles && r.Keep {
		m.From = keptCopy{p, e.exportCopy}
	}
	return m, nil
}

// keptCopy is a database that exports its copy of a shop before it is discarded.
type keptCopy struct {
	*postgres.Engine
	export func(ctx context.Context, id db.ID, session db.Session) error
}

// Discard implements [db.Mover].
func (k keptCopy) Discard(ctx context.Context, id db.ID, token int64) error {
	err := k.ViewMoved(ctx, id, token, func(session db.Session) error { return k.export(ctx, id, session) })
	if err != nil {
		return fmt.Errorf("keep the copy of the database: %w", err)
	}
	return k.Engine.Discard(ctx, id, token)
}

// movePatience limits the wait of a request for a shop that another process is moving.
const movePatience = time.Second

// errMoving means that another process is moving the shop.
var errMoving = &db.Error{Kind: db.ErrBusy, Err: errors.New("the shop is being moved to another place")}

// finishMove completes or undoes an interrupted move of a shop. found is false if there is none.
func (e *engines) finishMove(ctx context.Context, id db.ID) (found bool, err error) {
	_, err = e.readMove(id)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	p, err := e.database(ctx)
	if err != nil {
		return false, err
	}
	return true, e.finishMoveIn(ctx, id, p, movePatience)
}

func (e *engines) finishMoveIn(ctx context.Context, id db.ID, p *postgres.Engine, patience time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	unlock, err := e.lockMove(waiting, id)
	if err != nil {
		if waiting.Err() != nil && ctx.Err() == nil {
			return errMoving
		}
		return err
	}
	return errors.Join(e.finishLocked(ctx, id, p), unlock())
}

// finishLocked finishes an unfinished move, if there is one. The lock of the shop's move is held.
func (e *engines) finishLocked(ctx context.Context, id db.ID, p *postgres.Engine) error {
	r, err := e.readMove(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := e.moveOf(id, r, p)
	if err != nil {
		return err
	}
	moved, err := m.Finish(ctx)
	if errors.Is(err, db.ErrCopyLost) {
		return fmt.Errorf("%w: restore %s in %s, or use the copy with storefront tenant move %s --use %s", err, id, otherPlace(r.To), id, r.To)
	}
	if err != nil {
		return err
	}
	if err := os.Remove(e.recordPath(id)); err != nil {
		return fmt.Errorf("remove the record of a move: %w", err)
	}
	if moved {
		e.log.Warn("interrupted move of a shop completed", "tenant", id, "to", r.To)
	} else {
		e.log.Warn("interrupted move of a shop undone", "tenant", id, "to", r.To)
	}
	return nil
}

// useNew makes the new copy of a shop the valid one after its old copy was lost. The lock of the
// move is held.
func (e *engines) useNew(ctx context.Context, id db.ID, r *moveRecord, p *postgres.Engine) error {
	m, err := e.moveOf(id, r, p)
	if err != nil {
		return err
	}
	if err := m.UseNew(ctx); err != nil {
		return err
	}
	return os.Remove(e.recordPath(id))
}

// otherPlace returns the other of the two places.
func otherPlace(p Place) Place {
	if p == InFiles {
		return InPostgres
	}
	return InFiles
}

// finishMoves finishes the interrupted moves of this data folder. The next request for a shop
// finishes the remaining ones.
func (e *engines) finishMoves(ctx context.Context, p *postgres.Engine) {
	for _, id := range e.unfinishedMoves() {
		err := e.finishMoveIn(ctx, id, p, lookPatience)
		if err != nil && !errors.Is(err, errMoving) {
			e.log.Error("interrupted move of a shop not finished", "tenant", id, "error", err)
		}
	}
}

// isMoving reports whether a shop has an unfinished move.
func (e *engines) isMoving(id db.ID) bool {
	_, err := os.Stat(e.recordPath(id))
	return err == nil
}

// lookPatience limits the wait of a starting process for another one's move.
const lookPatience = 20 * time.Millisecond

// unfinishedMoves returns the shops with an unfinished move.
func (e *engines) unfinishedMoves() (ids []db.ID) {
	entries, _ := os.ReadDir(filepath.Join(e.dir, movesDir)) // there is none before the first move
	for _, entry := range entries {
		if name, is := strings.CutSuffix(entry.Name(), recordSuffix); is && db.ID(name).IsValid() {
			ids = append(ids, db.ID(name))
		}
	}
	return ids
}
