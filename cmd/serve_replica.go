package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"storefront/replica"
)

// replicaFlags say where serve replicates the shops to.
type replicaFlags struct {
	url      string
	interval time.Duration
	keep     time.Duration
}

const replicaUsage = "where the replicas are: a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"

func (f *replicaFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "replica", "", replicaUsage)
	flags.DurationVar(&f.interval, "replica-interval", time.Second, "how soon after a commit it is replicated")
	flags.DurationVar(&f.keep, "replica-keep", 7*24*time.Hour, "how far back a shop can be restored from its replica")
}

// config gives the settings of replication, nil for none.
func (f *replicaFlags) config(ctx context.Context, dataDir string) (*replica.Config, error) {
	if f.url == "" {
		return nil, nil
	}
	if f.interval < 100*time.Millisecond || f.keep < 24*time.Hour {
		return nil, &usageError{err: errors.New("--replica-interval is at least 100ms, --replica-keep at least 24h"), command: "storefront serve"}
	}
	target, err := replica.ParseTarget(f.url)
	if err != nil {
		return nil, &usageError{err: err, command: "storefront serve"}
	}
	if folder := target.Folder(); folder != "" {
		if err := mustBeApart(folder, dataDir); err != nil {
			return nil, err
		}
		if err := target.Check(ctx); err != nil { // S3 may be back later; a missing folder is a mistake
			return nil, err
		}
	}
	return &replica.Config{Target: target, Delay: f.interval, Retention: f.keep}, nil
}

// mustBeApart refuses to keep replicas where they would be lost together with the data.
func mustBeApart(folder, dataDir string) error {
	data, err := filepath.Abs(dataDir)
	if err != nil {
		return fmt.Errorf("find the data folder: %w", err)
	}
	inside, err := filepath.Rel(data, folder)
	if err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return withHint(fmt.Errorf("the replica %s is inside the data folder, and would be lost with it", folder),
			"a folder on another disk or machine, or S3")
	}
	return nil
}
