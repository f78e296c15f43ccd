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
	"time"

	"storefront/db"
)

// Backup tells of a copy of a shop. It is kept as JSON beside the copy, under its name and ".json".
type Backup struct {
	UID       string    `json:"uid"`
	File      string    `json:"file"` // name of the copy, in the same folder
	Bytes     int64     `json:"bytes"`
	SHA256    string    `json:"sha256"` // in hexadecimal digits
	Schema    int       `json:"schema"` // version of the schema
	Key       string    `json:"key"`    // which key opens its secrets (the key's id, no secret)
	CreatedAt time.Time `json:"madeAt"` // everything acknowledged before is in it
}

const (
	backupSuffix   = ".db"
	manifestSuffix = ".json" // behind the copy's name
	stampLayout    = "20060102T150405.000Z"
)

// Backup makes a copy of a shop in the folder dir, which it makes if need be, and does not stall
// sales. The copy bears the shop's UID and the time, and appears whole or not at all. The key that
// opens its secrets is not in it. Codes: tenant_not_found.
func (t *Tenants) Backup(ctx context.Context, uid, dir string) (*Backup, error) {
	name := uid + "-" + t.now().UTC().Format(stampLayout) + backupSuffix
	return t.BackupTo(ctx, uid, filepath.Join(dir, name))
}

// BackupTo is [Tenants.Backup] with a file name of the caller's choice. Errors:
// db.ErrExists, db.ErrFull.
func (t *Tenants) BackupTo(ctx context.Context, uid, path string) (*Backup, error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, err
	}
	b, err := t.backup(ctx, id, path)
	if errors.Is(err, db.ErrNoTenant) {
		return nil, notFound()
	}
	if err != nil {
		return nil, fmt.Errorf("back up %s: %w", id, err)
	}
	return b, nil
}

func (t *Tenants) backup(ctx context.Context, id db.ID, path string) (*Backup, error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := t.checkSpace(ctx, id, dir); err != nil {
		return nil, err
	}
	b := &Backup{UID: string(id), File: name, Schema: newestSchema(), Key: hex.EncodeToString(t.key.id[:]), CreatedAt: t.now().UTC()}
	if err := t.store.Backup(ctx, id, path); err != nil {
		return nil, err
	}
	var err error
	if b.Bytes, b.SHA256, err = digest(path); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, err
	}
	return b, placeFile(dir, name+manifestSuffix, string(text)+"\n")
}

// digest gives the size of a file and its SHA-256.
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

// BackupKey puts the data folder's key into the folder dir, for its owner alone, and gives its path.
// The error is db.ErrExists when another key is there.
func (t *Tenants) BackupKey(dir string) (path string, err error) {
	raw, err := readKey(t.dir, t.keyText)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("back up the key: %w", err)
	}
	path = filepath.Join(dir, keyFile)
	if err := placeFile(dir, keyFile, base64.StdEncoding.EncodeToString(raw)+"\n"); err != nil {
		return "", fmt.Errorf("back up the key: %w", err)
	}
	there, err := readKey(dir, "")
	if err != nil {
		return "", err
	}
	if !bytes.Equal(there, raw) {
		return "", fmt.Errorf("back up the key: another key is in %s: %w", path, db.ErrExists)
	}
	return path, nil
}
