package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
)

// Copying and moving a shop may last minutes. They are jobs of the [Installation]: they survive a
// restart, one server does each once, and the requester need not wait.

// The kinds of jobs on shops.
const (
	CopyShopJob job.Kind = "copyShop"
	MoveShopJob job.Kind = "moveShop"
)

// CopyInput is the input of [Tenants.CopyShop].
type CopyInput struct {
	UID string `json:"uid" doc:"Of the copy"`
	RestorePoint
}

// MoveInput is the input of [Tenants.MoveShop].
type MoveInput struct {
	To Place `json:"to" doc:"Where the shop's data will be stored"`
}

// shopJobs returns the actions of jobs on shops.
func (t *Tenants) shopJobs() map[job.Kind]job.Action {
	return map[job.Kind]job.Action{
		CopyShopJob:    {Use: access.ToCopyShop, View: access.InstallationRead, Outside: true, Do: t.copyItem},
		RestoreShopJob: {Use: access.ToRestoreShop, View: access.InstallationRead, Outside: true, Do: t.restoreItem},
		MoveShopJob:    {Use: access.ToMoveShop, View: access.InstallationRead, Outside: true, Do: t.moveItem},
	}
}

// CopyShop creates a job that copies a shop, its images included, as it is or as it was at a time
// in the past. The copy is closed, in sandbox mode, has a signing key of its own and no API keys;
// customers have no sessions in it. Codes: tenant_not_found, shop_exists, validation_failed,
// job_limit, unauthenticated, forbidden, proof_required.
func (t *Tenants) CopyShop(ctx context.Context, caller access.Caller, uid string, in CopyInput) (*job.Job, error) {
	if err := t.permit(ctx, caller, access.ToCopyShop); err != nil {
		return nil, err
	}
	changes := []access.Change{access.Set("copy", in.UID)}
	if !in.isZero() {
		var err error
		if in.RestorePoint, err = t.resolve(ctx, uid, in.RestorePoint); err != nil {
			return nil, err
		}
		changes = append(changes, in.logged())
	}
	return t.createShopJob(ctx, caller, access.ToCopyShop, CopyShopJob, uid, in, func() error {
		if _, err := parseUID(in.UID); err != nil {
			return err
		}
		_, err := t.requireExisting(ctx, in.UID)
		switch {
		case err == nil:
			return shopExists(db.ErrExists)
		case fault.HasCode(err, fault.CodeTenantNotFound):
			return nil
		}
		return err
	}, changes...)
}

// MoveShop creates a job that moves a shop between files and the database. Codes: tenant_not_found,
// state_conflict (the server has no database), validation_failed, job_limit, unauthenticated,
// forbidden, proof_required.
func (t *Tenants) MoveShop(ctx context.Context, caller access.Caller, uid string, in MoveInput) (*job.Job, error) {
	return t.createShopJob(ctx, caller, access.ToMoveShop, MoveShopJob, uid, in, func() error {
		if in.To != InFiles && in.To != InPostgres {
			var bad fault.Invalid
			bad.Add("to", fault.CodeInvalidValue, "Must be files or postgres.")
			return bad.Err()
		}
		if t.engines == nil && in.To == InPostgres {
			return fault.Errorf(fault.CodeStateConflict, "This server has no database, so its shops are in files.")
		}
		return nil
	}, access.Set("to", in.To))
}

func (t *Tenants) createShopJob(
	ctx context.Context, caller access.Caller, use access.UseCase, kind job.Kind, uid string, options any, check func() error,
	changes ...access.Change,
) (*job.Job, error) {
	own, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	if err := own.Staff.PermitOperator(ctx, caller, use); err != nil {
		return nil, err
	}
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return nil, err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if err := check(); err != nil {
		return nil, err
	}
	on := access.Subject{Kind: access.SubjectShop, ID: uid, Label: set.Name}
	return own.Jobs.Create(ctx, caller, job.Request{
		Kind: kind, Options: options, Targets: []job.Target{{Subject: uid, Label: set.Name}}, Use: use, On: &on, Changes: changes,
	})
}

// copyItem copies a shop. A copy appears completely or not at all: after an interruption one that
// exists was complete.
func (t *Tenants) copyItem(ctx context.Context, item *job.Item, options json.RawMessage) (warning string, err error) {
	var in CopyInput
	if err := json.Unmarshal(options, &in); err != nil {
		return "", fmt.Errorf("decode options: %w", err)
	}
	if item.InterruptedAt != nil {
		if _, err := t.requireExisting(ctx, in.UID); err == nil || !fault.HasCode(err, fault.CodeTenantNotFound) {
			return "", err
		}
	}
	defer t.overview.expire()
	if in.isZero() {
		return "", shopExists(t.copyShop(ctx, item.Subject, in.UID))
	}
	place, err := t.placeOf(ctx, db.ID(item.Subject))
	if err != nil {
		return "", err
	}
	_, err = t.restorePoint(ctx, in.RestorePoint, RestoreOptions{Of: item.Subject, As: in.UID, In: place})
	return "", shopExists(err)
}

// copyShop copies a shop through a backup, which neither buyers nor staff members wait for.
func (t *Tenants) copyShop(ctx context.Context, uid, as string) (err error) {
	place, err := t.placeOf(ctx, db.ID(uid))
	if err != nil {
		return err
	}
	dir := filepath.Join(t.dir, restoringDir, ".copy-"+as)
	if err := os.RemoveAll(dir); err != nil { // of an interrupted copy
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, err := t.Backup(ctx, uid, dir)
	if err != nil {
		return err
	}
	_, err = t.Restore(ctx, RestoreOptions{File: filepath.Join(dir, b.File), Of: uid, As: as, In: place})
	return err
}

// moveWait is the longest time for which the orders of an open shop wait for a move.
const moveWait = 5 * time.Second

// moveItem moves a shop. An interrupted move is completed or undone before the next begins. The
// move of an open shop is undone if orders would wait too long.
func (t *Tenants) moveItem(ctx context.Context, item *job.Item, options json.RawMessage) (warning string, err error) {
	var in MoveInput
	if err := json.Unmarshal(options, &in); err != nil {
		return "", fmt.Errorf("decode options: %w", err)
	}
	s, err := t.FindIncludingSuspended(ctx, item.Subject)
	if err != nil {
		return "", err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return "", err
	}
	o := MoveOptions{To: in.To, AtMost: moveWait}
	if set.IsClosed() {
		o.AtMost = 0
	}
	place, err := t.placeOf(ctx, db.ID(item.Subject))
	if err != nil {
		return "", err
	}
	if place == in.To { // also the move of an interrupted run
		return "The shop is there already.", nil
	}
	defer t.overview.expire()
	_, err = t.Move(ctx, item.Subject, o)
	if errors.Is(err, db.ErrMoveTooSlow) {
		err = fault.Errorf(fault.CodeStateConflict, "Orders would have waited for too long, so nothing was moved: suspend the shop, then move it.")
	}
	return "", err
}

// FindShopJob returns a job on a shop. Codes: not_found, unauthenticated, forbidden.
func (t *Tenants) FindShopJob(ctx context.Context, caller access.Caller, id string) (*job.Job, error) {
	if err := t.permit(ctx, caller, access.ToFindShop); err != nil {
		return nil, err
	}
	own, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	return own.Jobs.FindJob(ctx, caller, id)
}
