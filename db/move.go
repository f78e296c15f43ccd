package db

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Mover is an engine that can release and receive tenants while they are in use. Its methods store
// their changes durably before they return, and each may be repeated.
type Mover interface {
	Engine
	// Freeze waits for the tenant's running update and lets no process begin another one until the
	// result has ended. Errors: [ErrNoTenant], [ErrBusy].
	Freeze(ctx context.Context, id ID) (Frozen, error)
	// Arrive is [Engine.Import] of a tenant that is hidden until Admit. The token identifies the
	// move.
	Arrive(ctx context.Context, id ID, token int64, load, after func(Session) error) error
	// Admit makes a tenant that arrived visible. Repeating it does nothing. Errors: [ErrNoTenant].
	Admit(ctx context.Context, id ID, token int64) error
	// HasArrived reports whether a tenant arrived with that token and is still hidden.
	HasArrived(ctx context.Context, id ID, token int64) (bool, error)
	// Withdraw removes a tenant that arrived and was not admitted, if there is one.
	Withdraw(ctx context.Context, id ID, token int64) error
	// HasLeft reports whether [Frozen.Leave] was called with that token, by a process that may have
	// ended since. Errors: [ErrNoTenant].
	HasLeft(ctx context.Context, id ID, token int64) (bool, error)
	// Discard removes the data of a tenant that has left.
	Discard(ctx context.Context, id ID, token int64) error
}

// Frozen is a session that reads a tenant's data while nobody writes to it.
type Frozen interface {
	Session
	// Leave makes every process release the data and ends the session. The data is no longer read or
	// written. After an error, [Mover.HasLeft] reports whether it has an effect.
	Leave(ctx context.Context, token int64) error
	// Thaw ends the session. It does nothing after Leave.
	Thaw()
}

// Move moves a tenant from one engine to another. At any time exactly one copy is valid: the old
// one until it has left, which is a single commit, and the new one from then on. A process that is
// killed leaves a move that [Move.Finish] completes or undoes: the fields must be recorded before
// [Store.Copy].
type Move struct {
	ID       ID
	From, To Mover
	Token    int64 // of this attempt; greater than 0
	// Derived are tables that are not copied, since After writes them.
	Derived []string
	// After runs on the new copy when all rows are there.
	After func(ctx context.Context, tx *Tx) error
	// AtMost limits how long updates wait; 0 means no limit. Then the move is undone.
	AtMost time.Duration
	// Reached, if not nil, is called when a phase has ended.
	Reached func(MovePhase)
}

// MovePhase is a part of a move.
type MovePhase string

// The phases of a move, in order.
const (
	MoveFrozen    MovePhase = "frozen"    // updates wait
	MoveArrived   MovePhase = "arrived"   // the new copy is complete
	MoveLeft      MovePhase = "left"      // the new copy is the valid one
	MoveAdmitted  MovePhase = "admitted"  // the new copy is open
	MoveDiscarded MovePhase = "discarded" // the old copy is removed
)

// ErrMoved means that a tenant's data is in another engine.
var ErrMoved = errors.New("the shop has moved to another place")

// ErrCopyLost means that the old copy of a tenant was lost during a move. The new one is complete
// but was never used.
var ErrCopyLost = errors.New("the shop was lost in its old place during a move, and a complete copy is in the new one")

// ErrMoveTooSlow means that a move was undone because updates would have waited for too long.
var ErrMoveTooSlow = errors.New("orders would have waited for too long")

func (m *Move) reached(p MovePhase) {
	if m.Reached != nil {
		m.Reached(p)
	}
}

// Moved is the result of a move.
type Moved struct {
	Rows   int64
	Waited time.Duration // the time that updates waited
}

// Copy copies a tenant to the other engine and makes the new copy the valid one. After an error,
// either copy may be valid. The caller must always call [Move.Finish].
func (s *Store) Copy(ctx context.Context, m *Move) (*Moved, error) {
	if err := errors.Join(m.ID.Check(), CheckContext(ctx)); err != nil {
		return nil, fmt.Errorf("move tenant: %w", err)
	}
	old, err := m.From.Freeze(ctx, m.ID)
	if err != nil {
		return nil, fmt.Errorf("move tenant %s: wait for its updates: %w", m.ID, err)
	}
	defer old.Thaw()
	frozen := s.Elapsed()
	m.reached(MoveFrozen)
	limited := ctx
	if m.AtMost > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, m.AtMost, ErrMoveTooSlow)
		defer cancel()
	}
	c := copier{ctx: limited, derived: m.Derived}
	load := func(to Session) error {
		return s.Run(limited, old, func(_ context.Context, tx *Tx) error { return c.copyRows(tx, to) })
	}
	err = m.To.Arrive(limited, m.ID, m.Token, load, s.builder(limited, m.After))
	if err == nil {
		m.reached(MoveArrived)
		err = limited.Err()
	}
	if err != nil {
		if cause := context.Cause(limited); errors.Is(cause, ErrMoveTooSlow) {
			err = cause
		}
		return nil, fmt.Errorf("move tenant %s: %w", m.ID, err)
	}
	if err := old.Leave(context.WithoutCancel(ctx), m.Token); err != nil {
		return nil, fmt.Errorf("move tenant %s: %w", m.ID, err)
	}
	m.reached(MoveLeft)
	return &Moved{Rows: c.rows, Waited: s.Elapsed() - frozen}, nil
}

// Finish completes a move after its old copy has left, and undoes any other. It may be called by
// any process, but by one at a time, and not while another one copies. Errors: [ErrCopyLost].
func (m *Move) Finish(ctx context.Context) (moved bool, err error) {
	left, err := m.From.HasLeft(ctx, m.ID, m.Token)
	if errors.Is(err, ErrNoTenant) { // it is discarded, or was deleted before it could be copied
		if left, err = m.To.Exists(ctx, m.ID); err == nil && !left {
			err = m.checkLost(ctx)
		}
	}
	if err == nil && !left {
		err = m.To.Withdraw(ctx, m.ID, m.Token)
	}
	if err != nil || !left {
		return false, wrapMove(m.ID, err)
	}
	if err := m.To.Admit(ctx, m.ID, m.Token); err != nil {
		return false, wrapMove(m.ID, err)
	}
	m.reached(MoveAdmitted)
	if err := m.From.Discard(ctx, m.ID, m.Token); err != nil {
		return true, wrapMove(m.ID, err)
	}
	m.reached(MoveDiscarded)
	return true, nil
}

// checkLost returns [ErrCopyLost] if the new copy, which is hidden, is the only one.
func (m *Move) checkLost(ctx context.Context) error {
	arrived, err := m.To.HasArrived(ctx, m.ID, m.Token)
	if err == nil && arrived {
		err = ErrCopyLost
	}
	return err
}

// UseNew ends a move that [Move.Finish] cannot end because the old copy is lost: the new one
// becomes the valid one. Errors: [ErrNoTenant].
func (m *Move) UseNew(ctx context.Context) error {
	return wrapMove(m.ID, m.To.Admit(ctx, m.ID, m.Token))
}

func wrapMove(id ID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("finish the move of tenant %s: %w", id, err)
}

// CopyRows copies a tenant's rows from tx to a tenant that is being imported, without derived
// tables.
func CopyRows(ctx context.Context, tx *Tx, to Session, derived []string) error {
	c := copier{ctx: ctx, derived: derived}
	return c.copyRows(tx, to)
}

// copier copies the rows of a tenant.
type copier struct {
	ctx     context.Context
	derived []string
	rows    int64
}

func (c *copier) copyRows(tx *Tx, to Session) error {
	tables, err := to.Tables()
	if err != nil {
		return err
	}
	for _, t := range tables { // rows that the schema itself inserts
		if err := execute(to, "DELETE FROM "+quoteName(t.Name), nil); err != nil {
			return err
		}
	}
	if tables, err = tx.session.Tables(); err != nil {
		return err
	}
	for _, t := range tables {
		if slices.Contains(c.derived, t.Name) {
			continue
		}
		if err := c.copyTable(tx, &t, to); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	return nil
}

func (c *copier) copyTable(tx *Tx, t *Table, to Session) error {
	add, err := t.adder(to, t.Columns)
	if err != nil {
		return err
	}
	args := make([]Value, len(t.Columns))
	return tx.read(t.selectAll(), nil, func(r *row) (bool, error) {
		for i, v := range r.values {
			if b, isBlob := v.([]byte); isBlob {
				v = bytes.Clone(b) // the statement may be sent later
			}
			args[i] = v
		}
		c.rows++
		return true, cmp.Or(add(args), c.ctx.Err())
	})
}

// execute executes a statement. The number of affected rows is not needed.
func execute(s Session, query string, args []Value) error {
	st, err := s.Statement(query)
	if err == nil {
		_, err = st.Do(args)
	}
	return err
}
