package tenants

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/tenants/album"
)

// Backup describes a backup. It is stored as JSON beside the backup, under its name and ".json":
// the manifest.
type Backup struct {
	UID       string    `json:"uid"`
	File      string    `json:"file"` // name of the backup in the same folder
	Bytes     int64     `json:"bytes"`
	SHA256    string    `json:"sha256"` // hexadecimal
	Schema    int       `json:"schema"` // schema version
	Key       string    `json:"key"`    // ID of the key that opens its secrets; not secret
	CreatedAt time.Time `json:"madeAt"` // everything acknowledged before this time is included
	// Images are the IDs of the uploaded images that the shop refers to, beside the backup in the
	// folder "media"; null in backups of earlier versions.
	Images []string `json:"images"`
	// MissingImages are the IDs of images with files that were missing or damaged in the data folder.
	MissingImages []string `json:"missingImages"`
}

const (
	backupSuffix   = ".db"       // of a shop in a file
	exportSuffix   = ".jsonl.gz" // of a shop in the database
	manifestSuffix = ".json"     // after the name of the backup
	stampLayout    = "20060102T150405.000Z"
)

// Backup backs a shop up into the folder dir, which it creates if missing, without blocking sales.
// The file is named after the shop's UID and the time, and appears completely or not at all. The
// backup of a shop in the database is an export. It does not contain the key of its secrets.
// Errors: db.ErrFull. Codes: tenant_not_found.
func (t *Tenants) Backup(ctx context.Context, uid, dir string) (*Backup, error) {
	id, err := t.requireStored(ctx, uid)
	if err != nil {
		return nil, err
	}
	suffix := exportSuffix
	if place, err := t.placeOf(ctx, id); err != nil {
		return nil, fmt.Errorf("back up %s: %w", id, err)
	} else if place == InFiles {
		suffix = backupSuffix
	}
	return t.backupShop(ctx, id, filepath.Join(dir, uid+"-"+t.now().UTC().Format(stampLayout)+suffix))
}

// BackupTo is [Tenants.Backup] to a path of the caller's choice. If it ends in .jsonl.gz, the
// backup is an export. Errors: db.ErrExists, db.ErrFull. Codes: tenant_not_found.
func (t *Tenants) BackupTo(ctx context.Context, uid, path string) (*Backup, error) {
	id, err := t.requireStored(ctx, uid)
	if err != nil {
		return nil, err
	}
	return t.backupShop(ctx, id, path)
}

func (t *Tenants) backupShop(ctx context.Context, id db.ID, path string) (*Backup, error) {
	var b *Backup
	var err error
	t.files.Briefly(ctx, id, func(ctx context.Context) { b, err = t.backup(ctx, id, path) })
	if errors.Is(err, db.ErrNoTenant) {
		return nil, notFound()
	}
	if err != nil {
		return nil, fmt.Errorf("back up %s: %w", id, err)
	}
	return b, nil
}

func (t *Tenants) backup(ctx context.Context, id db.ID, path string) (_ *Backup, err error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if err := sqlite.MakeFolder(dir, nil); err != nil {
		return nil, err
	}
	b := &Backup{
		UID: string(id), File: name, Key: hex.EncodeToString(t.key.id[:]), CreatedAt: t.now().UTC(),
		Images: []string{}, MissingImages: []string{},
	}
	var unlock func() error
	defer func() {
		if unlock != nil {
			err = errors.Join(err, unlock())
		}
	}()
	// The backup appears after its images: one that is interrupted is none.
	err = sqlite.WriteNew(path, func(part string) (err error) {
		if err := t.writeBackup(ctx, id, part, b); err != nil {
			return err
		}
		if unlock, err = album.Lock(ctx, dir); err != nil {
			return err
		}
		return t.backUpImages(ctx, id, dir, b)
	})
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, err
	}
	return b, placeFile(dir, name+manifestSuffix, string(text)+"\n")
}

// writeBackup writes the data of a backup to the empty file part.
func (t *Tenants) writeBackup(ctx context.Context, id db.ID, part string, b *Backup) (err error) {
	if err := os.Remove(part); err != nil {
		return err
	}
	if strings.HasSuffix(b.File, exportSuffix) {
		b.Schema, err = t.schema.version(), t.export(ctx, id, part)
	} else {
		b.Schema, err = t.copyFile(ctx, id, part)
	}
	if err != nil {
		return err
	}
	b.Bytes, b.SHA256, err = digest(part)
	return err
}

// copyFile writes a copy of the file of a shop and returns its schema version.
func (t *Tenants) copyFile(ctx context.Context, id db.ID, path string) (schema int, err error) {
	if err := t.requireFile(ctx, id, "its backup is an export, whose name ends in .jsonl.gz"); err != nil {
		return 0, err
	}
	need, err := t.files.Size(ctx, id)
	if err != nil {
		return 0, err
	}
	if err := checkSpace(filepath.Dir(path), need); err != nil {
		return 0, err
	}
	if err := t.files.Backup(ctx, id, path); err != nil {
		return 0, err
	}
	return sqlite.FileSchema(path)
}

// digest returns the size of a file and its SHA-256 in hexadecimal.
func digest(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	hash := sha256.New()
	if size, err = io.Copy(hash, f); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}

// BackupKey copies the data folder's key into the folder dir, readable by its owner only, and
// returns its path. Errors: db.ErrExists, if dir holds another key.
func (t *Tenants) BackupKey(dir string) (path string, err error) {
	raw, err := readKey(t.dir, t.keyText)
	if err != nil {
		return "", err
	}
	if err := sqlite.MakeFolder(dir, nil); err != nil {
		return "", fmt.Errorf("back up the key: %w", err)
	}
	path = filepath.Join(dir, keyFile)
	if err := placeFile(dir, keyFile, base64.StdEncoding.EncodeToString(raw)+"\n"); err != nil {
		return "", fmt.Errorf("back up the key: %w", err)
	}
	stored, err := readKey(dir, "")
	if err != nil {
		return "", err
	}
	if !bytes.Equal(stored, raw) {
		return "", fmt.Errorf("back up the key: another key is in %s: %w", path, db.ErrExists)
	}
	return path, nil
}
