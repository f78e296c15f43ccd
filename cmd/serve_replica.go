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

// replicaFlags holds the flags of replication.
type replicaFlags struct {
	url       string
	interval  time.Duration
	retention time.Duration
}

const replicaUsage = "location of the replicas: a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME" +
	" with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"

func (f *replicaFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "replica", "", replicaUsage)
	flags.DurationVar(&f.interval, "replica-interval", time.Second, "maximum delay between a commit and its replication")
	flags.DurationVar(&f.retention, "replica-keep", 7*24*time.Hour, "period for which a shop can be restored from its replica")
}

// config returns the configuration of replication, nil without --replica.
func (f *replicaFlags) config(ctx context.Context, dataDir string) (*replica.Config, error) {
	if f.url == "" {
		return nil, nil
	}
	if f.interval < 100*time.Millisecond || f.retention < 24*time.Hour {
		return nil, &usageError{
			err:     errors.New("--replica-interval must be at least 100ms, and --replica-keep at least 24h"),
			command: "storefront serve",
		}
	}
	target, err := replica.ParseTarget(f.url)
	if err != nil {
		return nil, &usageError{err: err, command: "storefront serve"}
	}
	if folder := target.Folder(); folder != "" {
		if err := checkOutside(folder, dataDir); err != nil {
			return nil, err
		}
		if err := target.Check(ctx); err != nil { // S3 may become available later; a missing folder is a mistake
			return nil, err
		}
	}
	return &replica.Config{Target: target, Delay: f.interval, Retention: f.retention}, nil
}

// checkOutside returns an error if the replica is inside the data folder: both would be lost
// together.
func checkOutside(folder, dataDir string) error {
	data, err := filepath.Abs(dataDir)
	if err != nil {
		return fmt.Errorf("find data folder: %w", err)
	}
	inside, err := filepath.Rel(data, folder)
	if err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return withHint(fmt.Errorf("the replica %s must not be inside the data folder: both would be lost together", folder),
			"choose a folder on another disk or machine, or S3")
	}
	return nil
}
