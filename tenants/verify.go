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
	"storefront/shop"
)

// Verifier examines copies by restoring them into a scratch folder.
type Verifier struct {
	dir   string
	store *db.Store
	key   *masterKey // nil: there is none to try
}

// Verified is what was found about a copy.
type Verified struct {
	File   string   `json:"file"`
	UID    string   `json:"uid"`
	Faults []string `json:"faults"` // in words; empty: it is sound
	// SecretsOpen says whether the data folder's key opens its secrets; null: there was no key to try.
	SecretsOpen *bool `json:"secretsOpen"`
}

// OpenVerifier makes a scratch folder to examine copies in; Close removes it. cfg names the schema
// and the data folder whose key is tried; there need be none.
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
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	v.store, err = db.Open(v.dir, db.Options{Schema: cfg.Schema, Steps: steps, Logger: cfg.Logger})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(v.dir))
	}
	return v, nil
}

// Close removes the scratch folder.
func (v *Verifier) Close(ctx context.Context) error {
	return errors.Join(v.store.Close(ctx), os.RemoveAll(v.dir))
}

// ListBackupFiles gives the copies that path names: itself, or all that are in the folder, those included
// that are told of and missing.
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
	var copies []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), manifestSuffix)
		if strings.HasSuffix(name, backupSuffix) && !strings.HasPrefix(name, ".") {
			copies = append(copies, filepath.Join(path, name))
		}
	}
	return slices.Compact(copies), nil // sorted: a manifest follows its copy
}

// Verify restores a copy into the scratch folder and looks at all of it: the sum of its bytes, the
// engine's own checks, the schema's steps, the shop's sums, and whether the key opens its secrets.
// The error is one of the scratch folder or of ctx; a bad copy is a finding.
func (v *Verifier) Verify(ctx context.Context, path string) (*Verified, error) {
	found := &Verified{File: path, Faults: []string{}}
	owner, err := ownerOf(path)
	if err != nil {
		found.Faults = append(found.Faults, err.Error())
		return found, ctx.Err()
	}
	found.UID = owner
	id := db.ID(owner)
	err = v.store.RestoreNew(ctx, id, path, func(_ context.Context, tx *db.Tx) error {
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
		return nil, fmt.Errorf("restore %s into a scratch folder (TMPDIR chooses where): %w", path, err)
	}
	found.Faults = append(found.Faults, err.Error())
	return found, nil
}

func (v *Verifier) checkSecrets(tx *db.Tx, id db.ID, found *Verified) error {
	if v.key == nil {
		return nil
	}
	err := shop.OpenSecrets(tx, sealer{v.key, id})
	found.SecretsOpen = new(err == nil)
	if err != nil {
		found.Faults = append(found.Faults, err.Error())
	}
	return nil
}

// clear makes room for the next copy.
func (v *Verifier) clear(ctx context.Context, id db.ID) error {
	if err := v.store.Drop(ctx, id); err != nil {
		return err
	}
	trash := filepath.Join(v.dir, "trash")
	return errors.Join(os.RemoveAll(trash), os.Mkdir(trash, 0o700))
}
