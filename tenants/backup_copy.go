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

// ErrChanged is a copy that is not as it was made, by what the file beside it tells.
var ErrChanged = errors.New("the copy is not as it was made: it was changed, or cut short on its way here")

// ErrUnknownOwner is a copy of which neither its name nor a file beside it tells the shop.
var ErrUnknownOwner = errors.New("its name does not tell which shop it is a copy of")

// backupName is how copies are named, by backups and by the store in its trash.
var backupName = regexp.MustCompile(`^([a-z0-9-]+)-(\d{8}T\d{6}\.\d{3}Z)(?:-\d+)?\.db$`)

// Copies that the store makes before schema steps are in a folder of their own, and tell the version.
const beforeSteps = "before-steps"

var versionInName = regexp.MustCompile(`-v\d+$`)

// ownerOf gives the UID of the shop that a file is a copy of, by the file beside it or by its name,
// and holds it against what was written down when it was made.
func ownerOf(path string) (string, error) {
	b, err := readManifest(path)
	if err != nil {
		return "", err
	}
	if b != nil {
		return b.UID, b.check(path)
	}
	uid, _, ok := parseBackupName(path)
	if !ok {
		return "", fmt.Errorf("%s: %w", path, ErrUnknownOwner)
	}
	return uid, nil
}

// parseBackupName gives what the name of a copy tells; false: it tells nothing.
func parseBackupName(path string) (uid string, madeAt time.Time, ok bool) {
	parts := backupName.FindStringSubmatch(filepath.Base(path))
	if parts == nil {
		return "", time.Time{}, false
	}
	uid = parts[1]
	if filepath.Base(filepath.Dir(path)) == beforeSteps {
		uid = versionInName.ReplaceAllString(uid, "")
	}
	madeAt, err := time.Parse(stampLayout, parts[2])
	return uid, madeAt, err == nil
}

// readManifest reads what is told of a copy beside it; nil: there is nothing.
func readManifest(path string) (*Backup, error) {
	text, err := os.ReadFile(path + manifestSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
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

// check holds a copy against what was written down of it. The error is ErrChanged.
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

// BackupFile is a copy in a folder of them.
type BackupFile struct {
	UID       string
	File      string
	CreatedAt time.Time
}

// NewestBackups gives the newest copy of each shop that has one in the folder dir, sorted by UID. It
// examines none of them. A file that does not tell whose it is, or when it was made, is left out.
func NewestBackups(dir string) ([]BackupFile, error) {
	files, err := ListBackupFiles(dir)
	if err != nil {
		return nil, err
	}
	newest := map[string]BackupFile{}
	for _, file := range files {
		c := BackupFile{File: file}
		b, err := readManifest(file)
		if err != nil {
			return nil, err
		}
		if b != nil {
			c.UID, c.CreatedAt = b.UID, b.CreatedAt
		} else {
			c.UID, c.CreatedAt, _ = parseBackupName(file)
		}
		if c.CreatedAt.After(newest[c.UID].CreatedAt) {
			newest[c.UID] = c
		}
	}
	copies := slices.Collect(maps.Values(newest))
	slices.SortFunc(copies, func(a, b BackupFile) int { return strings.Compare(a.UID, b.UID) })
	return copies, nil
}
