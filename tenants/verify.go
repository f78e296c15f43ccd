package tenants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/secret"
)

// Verifier verifies backups by restoring them into a scratch folder. It is not safe for concurrent
// use.
type Verifier struct {
	dir   string
	store *sqlite.Store
	key   *masterKey // nil: secrets are not checked
}

// Verified is the result of [Verifier.Verify].
type Verified struct {
	File   string   `json:"file"`
	UID    string   `json:"uid"`
	Faults []string `json:"faults"` // messages; empty: the backup is intact
	// SecretsOpen reports whether the data folder's key opens the secrets; null: there is no key.
	SecretsOpen *bool `json:"secretsOpen"`
}

// OpenVerifier creates a scratch folder for verification, which [Verifier.Close] removes. Only
// Schema, Dir, Key and Logger of cfg are used. Without a key the secrets are not checked.
func OpenVerifier(cfg Config) (*Verifier, error) {
	v := &Verifier{}
	raw, err := readKey(cfg.Dir, cfg.Key)
	switch {
	case err == nil:
		if v.key, err = newMasterKey(raw); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if v.dir, err = os.MkdirTemp("", "storefront-verify-"); err != nil {
		return nil, fmt.Errorf("create scratch folder: %w", err)
	}
	v.store, err = sqlite.Open(v.dir, sqlite.Options{Schema: cfg.Schema, Steps: steps, Unpack: unpackExport, Logger: cfg.Logger})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(v.dir))
	}
	return v, nil
}

// Close removes the scratch folder.
func (v *Verifier) Close(ctx context.Context) error {
	return errors.Join(v.store.Close(ctx), os.RemoveAll(v.dir))
}

// ListBackupFiles returns path itself if it is a file, or the paths of all backups in the folder
// path, sorted. Backups whose manifest exists but whose file is missing are included.
func ListBackupFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), manifestSuffix)
		if isBackupName(name) && !strings.HasPrefix(name, ".") {
			files = append(files, filepath.Join(path, name))
		}
	}
	return slices.Compact(files), nil // sorted: a manifest follows its backup
}

// Verify restores a backup into the scratch folder and checks all of it: the checksum, SQLite's own
// checks, those of an export's rows, the schema steps, the shop's invariants, and whether the key
// opens the secrets. Faults of the backup are in the result; an error concerns the scratch folder
// or ctx.
func (v *Verifier) Verify(ctx context.Context, path string) (*Verified, error) {
	found := &Verified{File: path, Faults: []string{}}
	owner, err := ownerOf(path)
	if err != nil {
		found.Faults = append(found.Faults, err.Error())
		return found, ctx.Err()
	}
	found.UID = owner
	id := db.ID(owner)
	head, err := readExportHeader(path)
	if err != nil {
		found.Faults = append(found.Faults, err.Error())
		return found, ctx.Err()
	}
	err = v.store.RestoreNew(ctx, id, path, func(ctx context.Context, tx *db.Tx) error {
		if head != nil {
			if err := rebuildIndexes(ctx, tx); err != nil {
				return err
			}
		}
		faults, err := shop.BrokenInvariants(tx)
		if err != nil {
			return err
		}
		found.Faults = append(found.Faults, faults...)
		return v.checkSecrets(tx, id, found)
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return found, v.clear(ctx, id)
	case errors.Is(err, db.ErrFull), errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("restore %s into a scratch folder (set TMPDIR to choose another disk): %w", path, err)
	}
	found.Faults = append(found.Faults, err.Error())
	return found, nil
}

func (v *Verifier) checkSecrets(tx *db.Tx, id db.ID, found *Verified) error {
	if v.key == nil {
		return nil
	}
	err := secret.CheckAll(tx, sealer{v.key, id})
	found.SecretsOpen = new(err == nil)
	if err != nil {
		found.Faults = append(found.Faults, err.Error())
	}
	return nil
}

// clear removes the restored shop before the next backup.
func (v *Verifier) clear(ctx context.Context, id db.ID) error {
	if err := v.store.Drop(ctx, id); err != nil {
		return err
	}
	trash := filepath.Join(v.dir, "trash")
	return errors.Join(os.RemoveAll(trash), os.Mkdir(trash, 0o700))
}
