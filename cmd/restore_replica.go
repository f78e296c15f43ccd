package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	flags.BoolVar(&f.all, "all", false, "every shop of the replica that the data folder does not have")
}

// wanted reports whether SRC, "" where it was left out, means a shop of the replica. A file's name
// has a dot or a slash, which a UID never has.
func (f *replicaSource) wanted(src string) bool {
	_, err := db.ParseID(src)
	return err == nil || f.all || f.at != ""
}

// target checks the flags and the key, before a data folder is made.
func (f *replicaSource) target(a *app, src string, r tenants.Restore) (*replica.Target, time.Time, error) {
	usage := func(text string) (*replica.Target, time.Time, error) {
		return nil, time.Time{}, &usageError{err: errors.New(text), command: "storefront restore"}
	}
	switch {
	case f.url == "":
		return usage("a shop or a time is restored from a replica: say where it is with --replica, or give a file, such as ./acme.db")
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
	if _, hasKey := a.LookupEnv(keyVariable); hasKey || r.DropSecrets {
		return target, at, nil
	}
	key := filepath.Join(a.dataDir, "key")
	if _, err := os.Stat(key); errors.Is(err, os.ErrNotExist) {
		return nil, time.Time{}, withHint(fmt.Errorf("the data folder %s has no key, and a replica never has it", a.dataDir),
			"put the key of the lost data folder there as %s, or set %s; where it is lost for good, --drop-secrets", key, keyVariable)
	}
	return target, at, nil
}

// replicaRestored is what came back.
type replicaRestored struct {
	*tenants.Restored
	AsOf time.Time `json:"asOf"` // of the last change in it
}

// restoreReplica brings one shop back, or all.
func (a *app) restoreReplica(ctx context.Context, f replicaSource, src string, r tenants.Restore) error {
	target, at, err := f.target(a, src, r)
	if err != nil {
		return err
	}
	if err := target.Check(ctx); err != nil {
		return err
	}
	return a.withNewTenants(ctx, func(t *tenants.Tenants) error {
		if f.all {
			return a.restoreAll(ctx, t, target, at, r)
		}
		r.Of = src
		done, err := restoreOne(ctx, t, target, at, r)
		if err != nil {
			return a.replicaFailure(err)
		}
		return a.print(done, func(w io.Writer) {
			a.printRestored(w, done.Restored)
			fmt.Fprintf(w, "The last change in it was made at %s.\n", done.AsOf.Format(time.RFC3339))
		})
	})
}

func restoreOne(ctx context.Context, t *tenants.Tenants, target *replica.Target, at time.Time, r tenants.Restore) (*replicaRestored, error) {
	done, asOf, err := t.RestoreAt(ctx, target, at, r)
	if err != nil {
		return nil, err
	}
	return &replicaRestored{done, asOf}, nil
}

// replicaReport is what --all has done.
type replicaReport struct {
	Restored []*replicaRestored `json:"restored"`
	Present  []string           `json:"present"` // in the data folder already, and left as they are
	Failed   []failedShop       `json:"failed"`
}

func (a *app) restoreAll(ctx context.Context, t *tenants.Tenants, target *replica.Target, at time.Time, r tenants.Restore) error {
	ids, err := target.Tenants(ctx)
	if err != nil {
		return err
	}
	there, err := t.UIDs(ctx)
	if err != nil {
		return err
	}
	present := make(map[string]bool, len(there))
	for _, uid := range there {
		present[uid] = true
	}
	report := replicaReport{Restored: []*replicaRestored{}, Present: []string{}, Failed: []failedShop{}}
	bar := a.progress("restoring")
	defer bar.end()
	for i, id := range ids {
		r.Of = string(id)
		if present[r.Of] {
			report.Present = append(report.Present, r.Of)
			continue
		}
		done, err := restoreOne(ctx, t, target, at, r)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			report.Failed = append(report.Failed, failedShop{r.Of, message(err)})
		default:
			report.Restored = append(report.Restored, done)
		}
		bar.set(i+1, len(ids))
	}
	bar.end()
	err = a.print(report, func(w io.Writer) { printReplicaReport(w, report) })
	if n := len(report.Failed); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d shops were not restored", n, len(ids)))
	}
	return err
}

func printReplicaReport(w io.Writer, report replicaReport) {
	if len(report.Restored) > 0 {
		row(w, "UID", "LAST CHANGE")
		for _, done := range report.Restored {
			row(w, done.UID, done.AsOf.Format(time.RFC3339))
		}
	}
	for _, uid := range report.Present {
		fmt.Fprintf(w, "%s is in the data folder and was left as it is.\n", uid)
	}
	for _, f := range report.Failed {
		fmt.Fprintf(w, "%s: %s\n", f.UID, f.Error)
	}
}

func (a *app) replicaFailure(err error) error {
	if errors.Is(err, replica.ErrNothing) {
		return withHint(err, "another UID, or a later time")
	}
	return a.restoreFailure(err)
}
