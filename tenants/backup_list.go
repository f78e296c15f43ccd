package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"storefront/replica"
)

// RestoreSources are the places from which shops can be restored. A zero field means that there is
// none.
type RestoreSources struct {
	BackupDir   string        // of scheduled backups
	BackupEvery time.Duration // their interval; 0 means 24 hours
	Replica     *replica.Target
}

// RestorableShop lists the backups and the replica of a shop.
type RestorableShop struct {
	UID     string         `json:"uid"`
	Present bool           `json:"present"` // in the data folder; false if it was deleted or lost
	Files   []StoredBackup `json:"files"`   // oldest first
	Replica *RestoreRange  `json:"replica"` // null if there is no replica of the shop
}

// StoredBackup is a file from which a shop can be restored.
type StoredBackup struct {
	File      string     `json:"file"`
	Kind      BackupKind `json:"kind"`
	CreatedAt time.Time  `json:"createdAt"`
	Bytes     int64      `json:"bytes"`
}

// BackupKind is the reason why a file was written.
//
//api:enum BackupKind
type BackupKind string

// The kinds of copies from which a shop can be restored.
const (
	KindBackup      BackupKind = "backup"       // in a folder of backups
	KindBeforeSteps BackupKind = "before-steps" // before a schema step
	KindTrash       BackupKind = "trash"        // deleted, or replaced by a restore
	KindReplica     BackupKind = "replica"      // a state in the replica, which is no file
)

// RestoreRange holds the oldest and the newest time to which a replica can restore a shop.
type RestoreRange struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Newest returns the newest file of a kind, nil if there is none.
func (s *RestorableShop) Newest(kind BackupKind) *StoredBackup {
	for _, f := range slices.Backward(s.Files) {
		if f.Kind == kind {
			return &f
		}
	}
	return nil
}

// ListRestorable returns the backups and replicas of each shop, sorted by UID; with a uid only of
// that shop. Shops in the data folder are listed even if they cannot be restored.
func (t *Tenants) ListRestorable(ctx context.Context, from RestoreSources, uid string) ([]RestorableShop, error) {
	shops := map[string]*RestorableShop{}
	find := func(id string) *RestorableShop {
		if shops[id] == nil {
			shops[id] = &RestorableShop{UID: id, Files: []StoredBackup{}}
		}
		return shops[id]
	}
	present, err := t.StoredUIDs(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range present {
		find(id).Present = true
	}
	for _, folder := range []struct {
		path string
		kind BackupKind
	}{
		{from.BackupDir, KindBackup}, {filepath.Join(t.dir, beforeSteps), KindBeforeSteps}, {filepath.Join(t.dir, "trash"), KindTrash},
	} {
		if err := listFolder(folder.path, folder.kind, uid, find); err != nil {
			return nil, err
		}
	}
	if from.Replica != nil {
		if err := listReplicated(ctx, from.Replica, uid, find); err != nil {
			return nil, err
		}
	}
	list := []RestorableShop{}
	for _, id := range slices.Sorted(maps.Keys(shops)) {
		if uid != "" && id != uid {
			continue
		}
		slices.SortStableFunc(shops[id].Files, func(a, b StoredBackup) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.File, b.File))
		})
		list = append(list, *shops[id])
	}
	if uid != "" && len(list) == 0 {
		return nil, notFound()
	}
	return list, nil
}

// listReplicated adds the times to which a replica can restore the shops, or the one with the uid.
func listReplicated(
	ctx context.Context, r *replica.Target, uid string, find func(uid string) *RestorableShop,
) error {
	ids, err := r.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if uid != "" && string(id) != uid {
			continue
		}
		first, last, err := r.Range(ctx, id)
		if errors.Is(err, replica.ErrNothingToRestore) {
			continue
		}
		if err != nil {
			return err
		}
		find(string(id)).Replica = &RestoreRange{first, last}
	}
	return nil
}

// listFolder adds the files of a folder to their shops. Files of an unknown shop or time are
// omitted, and so is a missing folder of the data folder. With a uid, files of other names than the
// shop's are not read.
func listFolder(dir string, kind BackupKind, uid string, find func(uid string) *RestorableShop) error {
	if dir == "" {
		return nil
	}
	files, err := ListBackupFiles(dir)
	if errors.Is(err, fs.ErrNotExist) && kind != KindBackup {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list backups: %w", err)
	}
	for _, path := range files {
		if !strings.HasPrefix(filepath.Base(path), uid) {
			continue
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) { // a manifest without its backup, or pruned in the meantime
			continue
		}
		if err != nil {
			return fmt.Errorf("list backups: %w", err)
		}
		uid, createdAt, ok := parseBackupName(path)
		if b, err := readManifest(path); err == nil {
			uid, createdAt, ok = b.UID, b.CreatedAt, true
		}
		if ok {
			shop := find(uid)
			shop.Files = append(shop.Files, StoredBackup{path, kind, createdAt, info.Size()})
		}
	}
	return nil
}

// CheckBackupDir returns an error if the folder of scheduled backups does not exist. The program
// does not create it: if another disk should be mounted there, backups would be on the disk that
// they protect against.
func CheckBackupDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("folder of backups %s does not exist: mount it, or create it once with mkdir", dir)
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	}
	return err
}
