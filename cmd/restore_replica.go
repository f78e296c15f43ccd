package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"storefront/db"
	"storefront/replica"
	"storefront/tenants"
)

// replicaSource holds the flags of restore for a replica and for many shops.
type replicaSource struct {
	url string
	at  string
	all bool
}

func (f *replicaSource) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "replica", "", replicaUsage)
	bindEnvironment(flags, "replica")
	flags.StringVar(&f.at, "at", "", "restore the state at this time, such as 2026-03-01T18:30:00+06:00 (default the latest state)")
	flags.BoolVar(&f.all, "all", false, "restore every shop of the replica, or of the folder SRC, that is missing in the data folder")
}

// selected reports whether the flags and SRC, which may be "", select a replica. A file's name
// contains a dot or a slash, a UID never does.
func (f *replicaSource) selected(src string) bool {
	if f.all {
		return src == "" || f.url != "" || f.at != ""
	}
	_, err := db.ParseID(src)
	return err == nil || f.at != ""
}

// target validates the flags, before a data folder is created.
func (f *replicaSource) target(src string, r tenants.RestoreOptions) (*replica.Target, time.Time, error) {
	usage := func(text string) (*replica.Target, time.Time, error) {
		return nil, time.Time{}, &usageError{err: errors.New(text), command: "storefront restore"}
	}
	switch {
	case f.url == "":
		return usage("--replica is missing; without a replica, pass a file such as ./acme.db, or a folder of backups with --all")
	case f.all && (src != "" || r.As != ""):
		return usage("--all cannot be combined with a UID or --as")
	case r.Of != "":
		return usage("--of is allowed only with a file")
	}
	var at time.Time
	if f.at != "" {
		var err error
		if at, err = time.Parse(time.RFC3339Nano, f.at); err != nil {
			return usage("--at must be a time with its zone, such as 2026-03-01T18:30:00+06:00")
		}
		if at.After(time.Now()) {
			return usage("--at must not be in the future")
		}
	}
	target, err := replica.ParseTarget(f.url)
	if err != nil {
		return usage(err.Error())
	}
	return target, at, nil
}

// restoreReplica restores one shop, or all missing shops, from a replica.
func (a *app) restoreReplica(ctx context.Context, f replicaSource, src string, r tenants.RestoreOptions) error {
	target, at, err := f.target(src, r)
	if err == nil {
		err = a.requireKey(r)
	}
	if err == nil {
		err = target.Check(ctx)
	}
	if err != nil {
		return err
	}
	return a.withNewTenants(ctx, func(t *tenants.Tenants) error {
		restore := func(uid string) (*restoredAsOf, error) {
			r.Of = uid
			done, asOf, err := t.RestoreAt(ctx, target, at, r)
			return &restoredAsOf{done, asOf}, err
		}
		if f.all {
			ids, err := target.Tenants(ctx)
			if err != nil {
				return err
			}
			uids := make([]string, len(ids))
			for i, id := range ids {
				uids[i] = string(id)
			}
			recorded, err := t.DeletedShops(ctx)
			if err != nil {
				return err
			}
			deleted := func(uid string) (bool, error) {
				if when, local := recorded[uid]; local && (at.IsZero() || !when.After(at)) {
					return true, nil
				}
				when, err := target.Deleted(ctx, db.ID(uid), at)
				if err == nil && !when.IsZero() {
					err = t.RecordDeleted(uid, when)
				}
				return !when.IsZero(), err
			}
			return a.restoreAll(ctx, t, uids, deleted, restore)
		}
		done, err := restore(src)
		if err != nil {
			return a.withReplicaHint(err)
		}
		return a.print(done, func(w *table) {
			a.printRestored(w, done.Restored)
			fmt.Fprintf(w, "Its last change is from %s.\n", done.AsOf.Format(time.RFC3339))
		})
	})
}

func (a *app) withReplicaHint(err error) error {
	if errors.Is(err, replica.ErrNothingToRestore) {
		return withHint(err, "choose another UID or a later time")
	}
	return a.withRestoreHint(err)
}
