package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"storefront/db"
	"storefront/replica"
	"storefront/tenants"
)

// replicaSource says what restore takes from a replica.
type replicaSource struct {
	url string
	at  string
	all bool
}

func (f *replicaSource) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "replica", "", replicaUsage)
	flags.StringVar(&f.at, "at", "", "the time to go back to, such as 2026-03-01T18:30:00+06:00; left out: the newest state")
	flags.BoolVar(&f.all, "all", false, "every shop of the replica, or of SRC, a folder of copies, that the data folder does not have")
}

// wanted reports whether a replica is meant by the flags and SRC, "" where it was left out. A file's
// name has a dot or a slash, which a UID never has.
func (f *replicaSource) wanted(src string) bool {
	if f.all {
		return src == "" || f.url != "" || f.at != ""
	}
	_, err := db.ParseID(src)
	return err == nil || f.at != ""
}

// target checks the flags, before a data folder is made.
func (f *replicaSource) target(src string, r tenants.Restore) (*replica.Target, time.Time, error) {
	usage := func(text string) (*replica.Target, time.Time, error) {
		return nil, time.Time{}, &usageError{err: errors.New(text), command: "storefront restore"}
	}
	switch {
	case f.url == "":
		return usage("say where the replica is with --replica, or give a file, such as ./acme.db, or a folder of copies with --all")
	case f.all && (src != "" || r.As != ""):
		return usage("--all takes neither a UID nor --as")
	case r.Of != "":
		return usage("--of is for files; a replica knows whose it is")
	}
	var at time.Time
	if f.at != "" {
		var err error
		if at, err = time.Parse(time.RFC3339Nano, f.at); err != nil {
			return usage("--at is a time with its zone, such as 2026-03-01T18:30:00+06:00")
		}
		if at.After(time.Now()) {
			return usage("--at is in the future")
		}
	}
	target, err := replica.ParseTarget(f.url)
	if err != nil {
		return usage(err.Error())
	}
	return target, at, nil
}

// restoreReplica brings one shop back, or all.
func (a *app) restoreReplica(ctx context.Context, f replicaSource, src string, r tenants.Restore) error {
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
			return a.restoreAll(ctx, t, uids, restore)
		}
		done, err := restore(src)
		if err != nil {
			return a.replicaFailure(err)
		}
		return a.print(done, func(w io.Writer) {
			a.printRestored(w, done.Restored)
			fmt.Fprintf(w, "The last change in it was made at %s.\n", done.AsOf.Format(time.RFC3339))
		})
	})
}

func (a *app) replicaFailure(err error) error {
	if errors.Is(err, replica.ErrNothingToRestore) {
		return withHint(err, "another UID, or a later time")
	}
	return a.restoreFailure(err)
}
