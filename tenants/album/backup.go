package album

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"storefront/db/sqlite"
	"storefront/media"
)

// Dir is the folder of uploaded images in a data folder.
const Dir = "media"

// imageLockPoll is how often a process tries to get the lock of another.
const imageLockPoll = 20 * time.Millisecond

// Beside returns the images beside the backups in a folder.
func Beside(dir, uid string) Album {
	return Album{Store: media.NewFolder(filepath.Join(dir, Dir), sqlite.InheritOwner), Shop: uid}
}

// Lock prevents the deletion of images beside the backups in a folder while others depend on
// them.
func Lock(ctx context.Context, dir string) (unlock func() error, err error) {
	folder := filepath.Join(dir, Dir)
	if err := sqlite.MakeFolder(folder, sqlite.InheritOwner); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(folder, ".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, imageLockPoll); err != nil {
		return nil, fmt.Errorf("lock the images of backups: %w", err)
	}
	if err := sqlite.InheritOwner(lock.Path()); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock.Unlock, nil
}
