package tenants

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"storefront/db"
)

// ErrChanged is returned for a backup with a size or checksum that differs from its manifest.
var ErrChanged = errors.New("the backup differs from its manifest: it was changed or truncated")

// ErrUnknownOwner is returned for a backup of an unknown shop: it has no manifest, and its name
// does not contain a UID.
var ErrUnknownOwner = errors.New("the shop of the backup is unknown: it has no manifest, and its name does not contain a UID")

// backupName matches the names of backups and of files in the store's trash.
var backupName = regexp.MustCompile(`^([a-z0-9-]+)-(\d{8}T\d{6}\.\d{3}Z)(?:-\d+)?\.(?:db|jsonl\.gz)$`)

// beforeSteps is the folder of the copies that the store creates before schema steps.
const beforeSteps = "before-steps"

// versionInName matches the schema version at the end of the UID in the name of such a copy.
var versionInName = regexp.MustCompile(`-v\d+$`)

// isBackupName reports whether a file has the name of a backup.
func isBackupName(name string) bool {
	return strings.HasSuffix(name, backupSuffix) || strings.HasSuffix(name, exportSuffix)
}

// ownerOf returns the UID of a backup's shop, from the manifest, the name or an export's header,
// and compares the backup with the manifest. Errors: ErrUnknownOwner, ErrChanged.
func ownerOf(path string) (string, error) {
	b, err := readManifest(path)
	if err == nil {
		return b.UID, b.check(path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if uid, _, ok := parseBackupName(path); ok {
		return uid, nil
	}
	head, err := readExportHeader(path)
	if errors.Is(err, errNotExport) {
		return "", fmt.Errorf("%s: %w", path, ErrUnknownOwner)
	}
	if err != nil {
		return "", err
	}
	return string(head.ID), nil
}

// parseBackupName parses the name of a backup. ok is false if it does not contain a UID and a time.
func parseBackupName(path string) (uid string, createdAt time.Time, ok bool) {
	parts := backupName.FindStringSubmatch(filepath.Base(path))
	if parts == nil {
		return "", time.Time{}, false
	}
	uid = parts[1]
	if filepath.Base(filepath.Dir(path)) == beforeSteps {
		uid = versionInName.ReplaceAllString(uid, "")
	}
	createdAt, err := time.Parse(stampLayout, parts[2])
	return uid, createdAt, err == nil
}

// readManifest reads the manifest of a backup. Errors: fs.ErrNotExist.
func readManifest(path string) (*Backup, error) {
	text, err := os.ReadFile(path + manifestSuffix)
	if err != nil {
		return nil, err
	}
	var b Backup
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("%s: %w", path+manifestSuffix, err)
	}
	if _, err := db.ParseID(b.UID); err != nil {
		return nil, fmt.Errorf("%s: %w", path+manifestSuffix, err)
	}
	return &b, nil
}

// check compares a backup with its manifest. Errors: ErrChanged.
func (b *Backup) check(path string) error {
	bytes, sum, err := digest(path)
	if err != nil {
		return err
	}
	if bytes != b.Bytes || sum != b.SHA256 {
		return fmt.Errorf("%s: %w", path, ErrChanged)
	}
	return nil
}

// BackupFile is a backup in a folder of backups.
type BackupFile struct {
	UID       string
	File      string
	CreatedAt time.Time
	// DeletedAt is the time of the shop's deletion after its newest backup, as recorded by the
	// scheduled backups; zero if there was none.
	DeletedAt time.Time
}

// deletionSuffix ends the name of a file in a folder of backups that records the time of a shop's
// deletion.
const deletionSuffix = ".deleted"

// readDeletion returns the time of a shop's deletion, according to a folder of backups; zero if
// there was none.
func readDeletion(dir, uid string) (time.Time, error) {
	text, err := os.ReadFile(filepath.Join(dir, uid+deletionSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text)))
}

// NewestBackups returns the newest backup of each shop in the folder dir, sorted by UID. It does
// not verify them. Files of an unknown shop or time are omitted.
func NewestBackups(dir string) ([]BackupFile, error) {
	files, err := ListBackupFiles(dir)
	if err != nil {
		return nil, err
	}
	newest := map[string]BackupFile{}
	for _, file := range files {
		c := BackupFile{File: file}
		b, err := readManifest(file)
		switch {
		case err == nil:
			c.UID, c.CreatedAt = b.UID, b.CreatedAt
		case errors.Is(err, fs.ErrNotExist):
			c.UID, c.CreatedAt, _ = parseBackupName(file)
		default:
			return nil, err
		}
		if c.CreatedAt.After(newest[c.UID].CreatedAt) {
			newest[c.UID] = c
		}
	}
	for uid, b := range newest {
		deleted, err := readDeletion(dir, uid)
		if err != nil {
			return nil, err
		}
		if deleted.After(b.CreatedAt) {
			b.DeletedAt = deleted
			newest[uid] = b
		}
	}
	backups := slices.Collect(maps.Values(newest))
	slices.SortFunc(backups, func(a, b BackupFile) int { return strings.Compare(a.UID, b.UID) })
	return backups, nil
}
