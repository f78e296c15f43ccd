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
	"storefront/shop/catalogue"
	"storefront/shop/secret"
	"storefront/tenants/album"
)

// Verifier verifies backups by restoring them into a scratch folder. It is not safe for concurrent
// use.
type Verifier struct {
	dataDir string // its key opens the secrets
	dir     string
	store   *sqlite.Store
	key     *masterKey // nil if secrets are not checked
}

// Verified is the result of [Verifier.Verify].
type Verified struct {
	File   string   `json:"file"`
	UID    string   `json:"uid"`
	Faults []string `json:"faults"` // messages; empty if the backup is intact
	// SecretsOpen reports whether the data folder's key opens the secrets; null if there is no key.
	SecretsOpen *bool `json:"secretsOpen"`
	// Images, MissingImages and DamagedImages count the shop's uploaded images, and the images that
	// are not intact in the folder "media" beside the backup.
	Images        int `json:"images"`
	MissingImages int `json:"missingImages"`
	DamagedImages int `json:"damagedImages"`
}

// OpenVerifier creates a scratch folder for verification. [Verifier.Close] removes it. Only Schema,
// Steps, Dir, Key and Logger of cfg are used. Without a key the secrets are not checked.
func OpenVerifier(cfg Config) (*Verifier, error) {
	v := &Verifier{dataDir: cfg.Dir}
	raw, err := readKey(cfg.Dir, cfg.Key)
	if err == nil {
		v.key, err = newMasterKey(raw)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if v.dir, err = os.MkdirTemp("", "storefront-verify-"); err != nil {
		return nil, fmt.Errorf("create scratch folder: %w", err)
	}
	schema := newSchema(cfg)
	v.store, err = sqlite.Open(v.dir, sqlite.Options{Schema: schema.text, Steps: schema.steps, Unpack: schema.unpack, Logger: cfg.Logger})
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
// path, sorted. Missing backups with a manifest are included.
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
// checks, the checks of an export's rows, the schema steps, the shop's invariants, and whether the
// key opens the secrets. Faults of the backup are in the result; an error concerns the scratch
// folder or ctx.
func (v *Verifier) Verify(ctx context.Context, path string) (*Verified, error) {
	found := &Verified{File: path, Faults: []string{}}
	owner, err := ownerOf(path)
	if err != nil {
		found.Faults = append(found.Faults, err.Error())
		return found, ctx.Err()
	}
	found.UID = owner
	id := db.ID(owner)
	var images []catalogue.StoredImage
	isExport, err := isExportFile(path)
	if err != nil {
		found.Faults = append(found.Faults, err.Error())
		return found, ctx.Err()
	}
	err = v.store.RestoreNew(ctx, id, path, func(ctx context.Context, tx *db.Tx) error {
		if isExport {
			if err := rebuildIndexes(ctx, tx); err != nil {
				return err
			}
		}
		faults, err := shop.BrokenInvariants(tx)
		if err != nil {
			return err
		}
		found.Faults = append(found.Faults, faults...)
		if images, err = catalogue.StoredImages(tx); err != nil {
			return err
		}
		return v.checkSecrets(tx, id, found)
	})
	if err == nil {
		err = v.checkImages(ctx, images, path, found)
	}
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

// Check checks the images of a backup, beside it or, for a copy in the data folder, in that
// folder.
func (v *Verifier) checkImages(ctx context.Context, images []catalogue.StoredImage, path string, found *Verified) error {
	dir := filepath.Dir(path)
	in := []album.Album{album.Beside(dir, found.UID)}
	if filepath.Clean(filepath.Dir(dir)) == filepath.Clean(v.dataDir) {
		in = append(in, album.Beside(v.dataDir, found.UID))
	}
	missing, damaged, err := album.Check(ctx, images, in...)
	if err != nil {
		return err
	}
	found.Images, found.MissingImages, found.DamagedImages = len(images), len(missing), len(damaged)
	if len(missing) > 0 {
		found.Faults = append(found.Faults, fmt.Sprintf("images missing in %s: %d of %d, such as %s",
			filepath.Join(dir, album.Dir, found.UID), len(missing), len(images), missing[0]))
	}
	if len(damaged) > 0 {
		found.Faults = append(found.Faults, fmt.Sprintf("images damaged in %s: %d of %d, such as %s",
			filepath.Join(dir, album.Dir, found.UID), len(damaged), len(images), damaged[0]))
	}
	return nil
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
