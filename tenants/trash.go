package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop/fault"
)

// TrashItem is a deleted or replaced part of a shop in the folder trash.
type TrashItem struct {
	UID       string    `json:"uid"`
	Kind      TrashKind `json:"kind"`
	Path      string    `json:"path"`
	TrashedAt time.Time `json:"trashedAt"`
	Bytes     int64     `json:"bytes"`
	// Needed is set for the copy from which a stopped shop must be restored. It is never purged.
	Needed bool `json:"needed"`

	paths []string // with the log
}

// TrashKind is what an item of the trash has.
type TrashKind string

// The kinds of items.
const (
	TrashedShop   TrashKind = "shop"   // the data of a deleted shop, or of one that a restore or a move has replaced
	TrashedImages TrashKind = "images" // the uploaded images of a deleted shop
	TrashedLog    TrashKind = "log"    // a log that was found without the file of its shop
)

// trashName matches the names in the trash: the shop, the time and the kind, and the log of a file.
var trashName = regexp.MustCompile(`^(([a-z0-9-]+)-(\d{8}T\d{6}\.\d{3}Z)(?:-\d+)?(\.db|\.jsonl\.gz|\.media))(-wal|-shm)?$`)

// ListTrash returns the items in the trash of a shop, or of all if uid is "", the oldest first.
func (t *Tenants) ListTrash(uid string) ([]TrashItem, error) {
	dir := filepath.Join(t.dir, trashDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list trash: %w", err)
	}
	items, needed := map[string]*TrashItem{}, map[string]bool{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), stoppedSuffix) {
			name, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("list trash: %w", err)
			}
			needed[strings.TrimSpace(string(name))] = true
		}
		if err := addTrashed(items, dir, e.Name()); err != nil {
			return nil, fmt.Errorf("list trash: %w", err)
		}
	}
	list := []TrashItem{}
	for name, item := range items {
		if item.Needed = needed[name]; item.Kind == TrashedShop && !slices.Contains(item.paths, item.Path) {
			item.Kind, item.UID = TrashedLog, strings.TrimSuffix(item.UID, "-log")
		}
		if uid == "" || item.UID == uid {
			list = append(list, *item)
		}
	}
	slices.SortFunc(list, func(a, b TrashItem) int {
		return cmp.Or(a.TrashedAt.Compare(b.TrashedAt), strings.Compare(a.Path, b.Path))
	})
	return list, nil
}

// stoppedSuffix ends the name of a file that contains the name of the copy of a stopped shop.
const stoppedSuffix = ".stopped"

// addTrashed adds a file or folder in the trash to its item. Others are omitted.
func addTrashed(items map[string]*TrashItem, dir, name string) error {
	parts := trashName.FindStringSubmatch(name)
	if parts == nil {
		return nil
	}
	at, err := time.Parse(stampLayout, parts[3])
	if err != nil { // such as the 31st of June: not a name by the program
		return nil
	}
	item := items[parts[1]]
	if item == nil {
		item = &TrashItem{UID: parts[2], Kind: TrashedShop, Path: filepath.Join(dir, parts[1]), TrashedAt: at}
		if parts[4] == imagesSuffix {
			item.Kind = TrashedImages
		}
		items[parts[1]] = item
	}
	path := filepath.Join(dir, name)
	size, err := sizeOf(path)
	if errors.Is(err, fs.ErrNotExist) { // purged in the meantime
		return nil
	}
	item.Bytes += size
	item.paths = append(item.paths, path)
	return err
}

// sizeOf returns the size of a file, or of the files in a folder.
func sizeOf(path string) (size int64, err error) {
	err = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !e.Type().IsRegular() {
			return nil
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// Purged is the result of purging the trash.
type Purged struct {
	Items []TrashItem `json:"items"`
	Bytes int64       `json:"bytes"`
}

// PurgeTrash deletes the items of a shop in the trash, or of all if uid is "", that were put there
// before a time. Copies of stopped shops remain.
func (t *Tenants) PurgeTrash(ctx context.Context, uid string, before time.Time) (*Purged, error) {
	list, err := t.ListTrash(uid)
	if err != nil {
		return nil, err
	}
	purged := &Purged{Items: []TrashItem{}}
	for _, item := range list {
		if err := ctx.Err(); err != nil {
			return purged, err
		}
		if item.Needed || !item.TrashedAt.Before(before) {
			continue
		}
		for _, path := range slices.Sorted(slices.Values(item.paths)) { // a file before its log, which is of no use alone
			if err := os.RemoveAll(path); err != nil {
				return purged, fmt.Errorf("purge trash: %w", err)
			}
		}
		purged.Items, purged.Bytes = append(purged.Items, item), purged.Bytes+item.Bytes
	}
	if uid == "" {
		if err := t.removeUnfinished(); err != nil {
			return purged, fmt.Errorf("purge trash: %w", err)
		}
	}
	if len(purged.Items) > 0 {
		if err := sqlite.SyncDir(filepath.Join(t.dir, trashDir)); err != nil {
			return purged, fmt.Errorf("purge trash: %w", err)
		}
	}
	return purged, nil
}

// removeUnfinished deletes copies in the trash that a crash has left unfinished more than a day
// ago.
func (t *Tenants) removeUnfinished() error {
	paths, err := filepath.Glob(filepath.Join(t.dir, trashDir, ".backup-*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || t.now().Sub(info.ModTime()) < 24*time.Hour {
			continue // still being written, or gone
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Erase deletes a shop and all that this data folder and the storage of images have of it: its
// data, images and copies before schema steps, and earlier copies in the trash. Backups and a
// replica have copies until they are pruned. Codes: tenant_not_found, unless the trash has the
// shop.
func (t *Tenants) Erase(ctx context.Context, uid string) (*Purged, error) {
	id, err := db.ParseID(uid)
	if err != nil {
		return nil, notFound()
	}
	if err := t.Delete(ctx, uid); fault.HasCode(err, fault.CodeTenantNotFound) {
		left, listErr := t.ListTrash(uid) // such as of an interrupted run
		if listErr != nil || len(left) == 0 {
			return nil, errors.Join(err, listErr)
		}
	} else if err != nil {
		return nil, err
	}
	purged, err := t.PurgeTrash(ctx, uid, t.now().Add(time.Hour)) // also if the clock was set back
	if err != nil {
		return nil, err
	}
	if err := t.removeStepCopies(uid); err != nil {
		return nil, fmt.Errorf("erase shop %s: %w", id, err)
	}
	stored := t.album(id) // S3 storage, which has no trash
	images, err := stored.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("erase images of shop %s: %w", id, err)
	}
	for _, image := range images {
		if err := stored.Store.Delete(ctx, uid, image.ID); err != nil {
			return nil, fmt.Errorf("erase images of shop %s: %w", id, err)
		}
	}
	return purged, nil
}

// removeStepCopies deletes the copies of a shop from before schema steps.
func (t *Tenants) removeStepCopies(uid string) error {
	files, err := ListBackupFiles(filepath.Join(t.dir, beforeSteps))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, path := range files {
		if owner, _, ok := parseBackupName(path); ok && owner == uid {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// trashPause is the interval at which a server purges the trash.
const trashPause = time.Hour

// RunTrash purges items that are older than keep until ctx ends. 0 stores them for ever.
func (t *Tenants) RunTrash(ctx context.Context, keep time.Duration, log *slog.Logger) {
	for keep > 0 {
		purged, err := t.PurgeTrash(ctx, "", t.now().Add(-keep))
		if err != nil && ctx.Err() == nil {
			log.Error("purge of the trash failed", "error", err)
		}
		if purged != nil && len(purged.Items) > 0 {
			log.Info("trash purged", "items", len(purged.Items), "bytes", purged.Bytes, "older than", keep)
		}
		if !sleep(ctx, trashPause) {
			return
		}
	}
}
