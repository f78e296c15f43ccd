package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"storefront/db"
	"storefront/replica"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/staff"
)

// RestoreShopJob is the kind of jobs that restore shops in place.
const RestoreShopJob job.Kind = "restoreShop"

// RestorePoint is a state of a shop in the past: a time, or a copy.
type RestorePoint struct {
	At   *time.Time `json:"at,omitempty" doc:"The state at this time, from the replica or the newest backup until then"`
	File string     `json:"file,omitempty" doc:"Instead of at: the name of a copy from listRestorePoints"`
}

func (p *RestorePoint) isZero() bool { return p.At == nil && p.File == "" }

// RestoreInput is the input of [Tenants.RestoreShop].
type RestoreInput struct {
	RestorePoint
	Reason string `json:"reason" doc:"For the log, and for the audit log of the shop"`
}

// RestorePoints lists the states to which a shop can be restored.
type RestorePoints struct {
	Replaceable bool          `json:"replaceable" doc:"false: the shop is in PostgreSQL, and can only be restored as another shop"`
	Copies      []ShopCopy    `json:"copies" nullable:"false" doc:"Newest first"`
	Replica     *RestoreRange `json:"replica" doc:"Any time in it can be restored; null if there is no replica"`
	Chosen      *ShopCopy     `json:"chosen" doc:"What a restore to the time at uses; null without at"`

	sources RestoreSources
}

// ShopCopy is a copy of a shop, or the state in its replica.
type ShopCopy struct {
	File        string     `json:"file" doc:"Empty for the replica"`
	Kind        BackupKind `json:"kind"`
	CreatedAt   time.Time  `json:"createdAt" doc:"The restored shop is as it was then"`
	Bytes       int64      `json:"bytes" doc:"0 for the replica"`
	LaterOrders int64      `json:"laterOrders" doc:"Orders placed since then, which a restore in place removes"`

	path string
}

// ListRestorePoints returns the states to which a shop can be restored: the backups of the server
// of this data folder, the files in the trash, and the replica. With a time it also returns the one
// that a restore to it uses. Codes: tenant_not_found, validation_failed, unauthenticated,
// forbidden.
func (t *Tenants) ListRestorePoints(ctx context.Context, caller access.Caller, uid string, at *time.Time) (*RestorePoints, error) {
	if err := t.permit(ctx, caller, access.ToListRestorePoints); err != nil {
		return nil, err
	}
	points, err := t.findRestorePoints(ctx, uid)
	if err != nil {
		return nil, err
	}
	if at != nil {
		if points.Chosen, err = points.choose(RestorePoint{At: at}, t.now()); err != nil {
			return nil, err
		}
	}
	return points, t.countLaterOrders(ctx, db.ID(uid), points)
}

func (t *Tenants) findRestorePoints(ctx context.Context, uid string) (*RestorePoints, error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, err
	}
	place, err := t.placeOf(ctx, id)
	if err != nil {
		return nil, err
	}
	points := &RestorePoints{Replaceable: place == InFiles, Copies: []ShopCopy{}}
	if points.sources, err = t.restoreSources(); err != nil {
		return nil, err
	}
	list, err := t.ListRestorable(ctx, points.sources, uid)
	if err != nil {
		return nil, err
	}
	points.Replica = list[0].Replica
	for _, f := range slices.Backward(list[0].Files) {
		points.Copies = append(points.Copies, ShopCopy{
			File: filepath.Base(f.File), Kind: f.Kind, CreatedAt: f.CreatedAt, Bytes: f.Bytes, path: f.File,
		})
	}
	return points, nil
}

// restoreSources returns the places of backups and replicas of the data folder's server. A folder
// of backups that is not mounted is omitted.
func (t *Tenants) restoreSources() (from RestoreSources, err error) {
	record, _, err := ReadServerRecord(t.dir)
	if err != nil {
		return from, err
	}
	if record == nil {
		return from, nil
	}
	if record.BackupDir != "" {
		if err := CheckBackupDir(record.BackupDir); err != nil {
			t.log.Warn("backups not listed", "error", err)
		} else {
			from.BackupDir = record.BackupDir
		}
	}
	if record.Replica != "" {
		from.Replica, err = replica.ParseTarget(record.Replica)
	}
	return from, err
}

// choose returns the state of a point. For a time it is the newest one until then in the backups
// and the replica. Files of the trash are not chosen by a time: after a restore, that would undo
// it. Codes: validation_failed.
func (p *RestorePoints) choose(point RestorePoint, now time.Time) (*ShopCopy, error) {
	var bad fault.Invalid
	switch {
	case (point.At == nil) == (point.File == ""):
		bad.Add("at", fault.CodeInvalidValue, "Choose a time or a copy.")
		return nil, bad.Err()
	case point.File != "":
		for _, c := range p.Copies {
			if c.File == point.File {
				return &c, nil
			}
		}
		bad.Add("file", fault.CodeInvalidValue, "The shop has no such copy.")
		return nil, bad.Err()
	case point.At.After(now):
		bad.Add("at", fault.CodeInvalidValue, "Must not be in the future.")
		return nil, bad.Err()
	}
	var found *ShopCopy
	for _, c := range p.Copies { // newest first
		if c.Kind != KindTrash && !c.CreatedAt.After(*point.At) {
			found = &c
			break
		}
	}
	if r := p.Replica; r != nil && !r.From.After(*point.At) {
		asOf := *point.At
		if r.To.Before(asOf) {
			asOf = r.To
		}
		if found == nil || !found.CreatedAt.After(asOf) {
			found = &ShopCopy{Kind: KindReplica, CreatedAt: asOf}
		}
	}
	if found == nil {
		bad.Add("at", fault.CodeInvalidValue, "There is no copy as old as this.")
	}
	return found, bad.Err()
}

// countLaterOrders counts the orders that were placed after each state.
func (t *Tenants) countLaterOrders(ctx context.Context, id db.ID, points *RestorePoints) error {
	return t.store.View(ctx, id, func(_ context.Context, tx *db.Tx) (err error) {
		for i := range points.Copies {
			if points.Copies[i].LaterOrders, err = order.CountPlacedAfter(tx, points.Copies[i].CreatedAt); err != nil {
				return err
			}
		}
		if points.Chosen != nil {
			points.Chosen.LaterOrders, err = order.CountPlacedAfter(tx, points.Chosen.CreatedAt)
		}
		return err
	})
}

// resolve replaces a time in a point by the copy to use, so that a job uses the copy that its
// requester was shown.
func (t *Tenants) resolve(ctx context.Context, uid string, point RestorePoint) (RestorePoint, error) {
	points, err := t.findRestorePoints(ctx, uid)
	if err != nil {
		return point, err
	}
	c, err := points.choose(point, t.now())
	if err != nil {
		return point, err
	}
	if c.Kind == KindReplica {
		at := point.At.UTC()
		return RestorePoint{At: &at}, nil
	}
	return RestorePoint{File: c.File}, nil
}

// logged returns the state of a point for a log.
func (p *RestorePoint) logged() access.Change {
	if p.At != nil {
		return access.Set("at", *p.At)
	}
	return access.Set("file", p.File)
}

// RestoreShop creates a job that replaces a shop in a file with its state in the past, as
// [Tenants.Restore] does. The replaced file is in the trash, from which it can be restored. Codes:
// tenant_not_found, validation_failed (also if the shop is in PostgreSQL), job_limit,
// unauthenticated, forbidden, proof_required.
func (t *Tenants) RestoreShop(ctx context.Context, caller access.Caller, uid string, in RestoreInput) (*job.Job, error) {
	if err := t.permit(ctx, caller, access.ToRestoreShop); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if input.IsBlank(&in.Reason) {
		bad.Add("reason", fault.CodeRequired, "A reason is required: staff members of the shop read it.")
	}
	in.Reason = input.CheckLine(&bad, "reason", in.Reason, maxRestoreReason)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, err
	}
	if err := t.checkReplaceable(ctx, id); err != nil {
		return nil, err
	}
	if in.RestorePoint, err = t.resolve(ctx, uid, in.RestorePoint); err != nil {
		return nil, err
	}
	return t.createShopJob(ctx, caller, access.ToRestoreShop, RestoreShopJob, uid, in, func() error { return nil },
		access.Set("reason", in.Reason), in.logged())
}

// maxRestoreReason limits the reason of a restore, in characters.
const maxRestoreReason = 500

// checkReplaceable checks that a shop is in a file. Codes: validation_failed.
func (t *Tenants) checkReplaceable(ctx context.Context, id db.ID) error {
	place, err := t.placeOf(ctx, id)
	if err != nil {
		return err
	}
	if place != InFiles {
		return errNotReplaceable()
	}
	return nil
}

func errNotReplaceable() error {
	var bad fault.Invalid
	bad.Add("file", fault.CodeInvalidValue, "A shop in PostgreSQL is not replaced: restore the copy as another shop.")
	return bad.Err()
}

// restoreItem restores a shop in place. The restored file has an entry of the job in its audit log,
// so an interrupted restore that was complete is not repeated: it would remove the orders since.
func (t *Tenants) restoreItem(ctx context.Context, item *job.Item, options json.RawMessage) (warning string, err error) {
	var in RestoreInput
	if err := json.Unmarshal(options, &in); err != nil {
		return "", fmt.Errorf("decode options: %w", err)
	}
	id := db.ID(item.Subject)
	if item.InterruptedAt != nil {
		complete, err := t.isRestored(ctx, id, item.JobID())
		if err != nil {
			return "", err
		}
		if complete {
			return "", nil
		}
	}
	if err := t.checkReplaceable(ctx, id); err != nil {
		return "", err
	}
	defer t.overview.expire()
	done, err := t.restorePoint(ctx, in.RestorePoint, RestoreOptions{
		Of: item.Subject, In: InFiles, by: &staff.RestoreEntry{
			Job: item.JobID(), Actor: item.Actor(), Caller: item.Caller(), Changes: []access.Change{access.Set("reason", in.Reason), in.logged()},
		},
	})
	if err != nil {
		return "", err
	}
	t.onCommit(id)
	if len(done.Faults)+len(done.MissingImages) > 0 {
		t.log.Warn("restored shop is incomplete", "tenant", done.UID, "faults", done.Faults, "missing images", done.MissingImages)
		return "Images are missing, or records disagree: the log of the server lists them.", nil
	}
	return "", nil
}

// isRestored reports whether a job's restore of a shop is complete.
func (t *Tenants) isRestored(ctx context.Context, id db.ID, jobID string) (complete bool, err error) {
	err = t.store.View(ctx, id, func(_ context.Context, tx *db.Tx) (err error) {
		complete, err = staff.IsRestoredBy(tx, jobID)
		return err
	})
	return complete, err
}

// restorePoint restores a shop, in place or as another one, from a point that resolve returned.
// Codes: state_conflict.
func (t *Tenants) restorePoint(ctx context.Context, point RestorePoint, o RestoreOptions) (done *Restored, err error) {
	points, err := t.findRestorePoints(ctx, o.Of)
	if err != nil {
		return nil, err
	}
	if point.At != nil && points.sources.Replica != nil {
		done, _, err = t.RestoreAt(ctx, points.sources.Replica, *point.At, o)
		return done, restoreFault(err)
	}
	i := slices.IndexFunc(points.Copies, func(c ShopCopy) bool { return c.File == point.File })
	if i < 0 {
		return nil, errUnusableCopy()
	}
	o.File = points.Copies[i].path
	done, err = t.Restore(ctx, o)
	return done, restoreFault(err)
}

// restoreFault returns the error of a restore for operators.
func restoreFault(err error) error {
	if errors.Is(err, ErrInDatabase) {
		return errNotReplaceable()
	}
	for _, unusable := range []error{
		fs.ErrNotExist, replica.ErrNothingToRestore, db.ErrNotTenantFile, db.ErrCorrupt, db.ErrForeignSchema, db.ErrNewer, ErrChanged, ErrOtherKey,
	} {
		if errors.Is(err, unusable) {
			return errUnusableCopy()
		}
	}
	return err
}

func errUnusableCopy() error {
	return fault.Errorf(fault.CodeStateConflict, "This copy is missing, damaged or of another server: nothing was changed. Choose another copy.")
}
