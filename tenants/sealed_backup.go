package tenants

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop/catalogue"
	"storefront/shop/secret"
	"storefront/tenants/album"
)

// sealedShop is the first line of a sealed backup's content. The compressed export of the shop's
// tables follows.
type sealedShop struct {
	UID       string            `json:"uid"`
	CreatedAt time.Time         `json:"createdAt"`
	Secrets   map[string][]byte `json:"secrets"` // opened: only the receiver reads them
}

// sessionsFor is the age of a sealed backup up to which the sessions of staff members continue.
const sessionsFor = 24 * time.Hour

// PublicKey returns the key for which other servers seal shops that move here.
func (t *Tenants) PublicKey() (*PublicKey, error) {
	keys, err := t.transferKeys()
	if err != nil {
		return nil, err
	}
	return &keys.PublicKey, nil
}

func (t *Tenants) transferKeys() (*transferKeys, error) {
	raw, err := readKey(t.dir, t.keyText)
	if err != nil {
		return nil, err
	}
	return newTransferKeys(raw)
}

// BackupFor backs a shop up into a folder, or to a path that ends in .sealed, for the data folder
// with this key only. Its secrets can be used there. The shop's images are beside it, unsealed:
// they are public. Errors: db.ErrExists, db.ErrFull. Codes: tenant_not_found.
func (t *Tenants) BackupFor(ctx context.Context, uid, dest string, to *PublicKey) (*Backup, error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, err
	}
	keys, err := t.transferKeys()
	if err != nil {
		return nil, err
	}
	path := dest
	if filepath.Ext(dest) != sealedSuffix {
		path = filepath.Join(dest, uid+"-"+t.now().UTC().Format(stampLayout)+sealedSuffix)
	}
	dir := filepath.Dir(path)
	if err := sqlite.MakeFolder(dir, nil); err != nil {
		return nil, err
	}
	b := &Backup{UID: uid, File: filepath.Base(path), Key: to.Fingerprint(), CreatedAt: t.now().UTC(), Images: []string{}, MissingImages: []string{}}
	err = sqlite.WriteNew(path, func(part string) error {
		if err := t.writeSealed(ctx, id, part, keys, to, b.CreatedAt); err != nil {
			return err
		}
		unlock, err := album.Lock(ctx, dir)
		if err != nil {
			return err
		}
		return errors.Join(t.backUpImages(ctx, id, dir, b), unlock())
	})
	if errors.Is(err, db.ErrNoTenant) {
		return nil, notFound()
	}
	if err != nil {
		return nil, fmt.Errorf("back up %s: %w", id, err)
	}
	b.Bytes, b.SHA256, err = digest(path)
	return b, err
}

func (t *Tenants) writeSealed(ctx context.Context, id db.ID, part string, keys *transferKeys, to *PublicKey, at time.Time) (err error) {
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return t.store.ViewMany(ctx, id, func(_ context.Context, tx *db.Tx) error {
		head := sealedShop{UID: string(id), CreatedAt: at, Secrets: map[string][]byte{}}
		err := secret.OpenAll(tx, sealer{t.key, id}, func(name string, plain []byte) error {
			head.Secrets[name] = plain
			return nil
		})
		if err != nil {
			return err
		}
		out, err := keys.newSealWriter(&spaceWriter{to: f, dir: filepath.Dir(part)}, to)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(out).Encode(head); err != nil {
			return err
		}
		packed := gzip.NewWriter(out)
		if err := t.store.ExportTx(tx, id, packed, catalogue.DerivedTables()); err != nil {
			return err
		}
		return errors.Join(packed.Close(), out.Close())
	})
}

// openedSecrets opens the secrets of a sealed backup. It implements secret.Sealer.
type openedSecrets map[string][]byte

// Open implements secret.Sealer.
func (s openedSecrets) Open(name string, _ []byte) ([]byte, error) {
	plain, ok := s[name]
	if !ok {
		return nil, errSealedDamaged
	}
	return plain, nil
}

// Seal implements secret.Sealer. Nothing is sealed for the sender.
func (openedSecrets) Seal(string, []byte) ([]byte, error) { return nil, errNoKey }

// unsealBackup prepares the restore of a backup that is sealed for this data folder: it writes the
// export to a folder, which remove removes. The secrets stay in memory.
func (t *Tenants) unsealBackup(o *RestoreOptions) (remove func() error, err error) {
	keys, err := t.transferKeys()
	if err != nil {
		return nil, err
	}
	dir, err := t.files.RestoreFolder()
	if err != nil {
		return nil, err
	}
	removeDir := func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			err = errors.Join(err, removeDir())
		}
	}()
	in, err := os.Open(o.File)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	export := filepath.Join(dir, "shop"+exportSuffix)
	from, head, err := t.unsealTo(keys, in, export)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.File, err)
	}
	if o.From != "" && o.From != from.String() {
		return nil, fmt.Errorf("%s: sealed by the server with the key %s, not by the expected one", o.File, from.Fingerprint())
	}
	o.images = append(o.images, album.Beside(filepath.Dir(o.File), head.UID))
	o.Of, o.File, o.secrets = head.UID, export, head.Secrets
	o.isMove = t.now().Sub(head.CreatedAt) < sessionsFor
	o.sender = from.Fingerprint()
	return removeDir, nil
}

// unsealTo writes the export in a sealed backup to a new file, and returns its sender and its first
// line.
func (t *Tenants) unsealTo(keys *transferKeys, in io.Reader, path string) (from *PublicKey, head *sealedShop, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	rest := bufio.NewWriter(&spaceWriter{to: f, dir: filepath.Dir(path)})
	out := &firstLine{rest: rest}
	if from, err = keys.openSealed(in, out); err != nil {
		return nil, nil, err
	}
	if !out.ended || json.Unmarshal(out.line, &head) != nil {
		return nil, nil, errSealedDamaged
	}
	return from, head, rest.Flush()
}

// firstLine is a writer that stores the first line in memory and writes the rest on.
type firstLine struct {
	line  []byte
	ended bool
	rest  io.Writer
}

// Write implements [io.Writer].
func (w *firstLine) Write(p []byte) (n int, err error) {
	if w.ended {
		return w.rest.Write(p)
	}
	line, rest, ended := bytes.Cut(p, []byte{'\n'})
	w.line, w.ended = append(w.line, line...), ended
	if len(rest) > 0 {
		if _, err := w.rest.Write(rest); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
