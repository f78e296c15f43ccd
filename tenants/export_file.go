package tenants

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop/catalogue"
)

// export writes a compressed export of a shop to a new file. Unlike [Tenants.Export] it includes
// the sessions of staff, like the copy of a file.
func (t *Tenants) export(ctx context.Context, id db.ID, path string) error {
	return t.store.ViewMany(ctx, id, func(_ context.Context, tx *db.Tx) error { return t.exportTx(tx, id, path) })
}

// exportToTrash is exportCopy of a shop that is being deleted.
func (t *Tenants) exportToTrash(ctx context.Context, id db.ID, session db.Session) error {
	if err := t.exportCopy(ctx, id, session); err != nil {
		return err
	}
	return t.files.RecordDeleted(id, t.now())
}

// exportCopy writes a shop's data, as a session reads it, to the folder "trash", for a restore.
func (t *Tenants) exportCopy(ctx context.Context, id db.ID, session db.Session) error {
	path := filepath.Join(t.dir, "trash", string(id)+"-"+t.now().UTC().Format(stampLayout)+exportSuffix)
	return t.store.Run(ctx, session, func(_ context.Context, tx *db.Tx) error { return t.exportTx(tx, id, path) })
}

func (t *Tenants) exportTx(tx *db.Tx, id db.ID, path string) error {
	return sqlite.WriteNew(path, func(part string) (err error) {
		f, err := os.OpenFile(part, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		packed := gzip.NewWriter(&spaceWriter{to: f, dir: filepath.Dir(path)}) // without a time: equal data, equal bytes
		if err := t.store.ExportTx(tx, id, packed, catalogue.DerivedTables()); err != nil {
			return err
		}
		return packed.Close()
	})
}

// spaceWriter writes to a file while the disk has enough space.
type spaceWriter struct {
	to      io.Writer
	dir     string
	written int64
	checked int64 // bytes written when the space was last checked
}

// spaceInterval is the number of bytes between checks of the space.
const spaceInterval = 8 << 20

// Write implements [io.Writer]. Errors: db.ErrFull.
func (w *spaceWriter) Write(p []byte) (int, error) {
	if w.written == 0 || w.written-w.checked >= spaceInterval {
		if err := checkSpace(w.dir, spaceInterval); err != nil {
			return 0, err
		}
		w.checked = w.written
	}
	n, err := w.to.Write(p)
	w.written += int64(n)
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("%w: %w", db.ErrFull, err)
	}
	return n, err
}

// decompress returns the content of r, decompressed if necessary, and whether it was compressed.
func decompress(r io.Reader) (plain io.Reader, packed bool, err error) {
	in := bufio.NewReader(r)
	magic, err := in.Peek(2)
	if err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return in, false, nil // a reader reports the error
	}
	plain, err = gzip.NewReader(in)
	return plain, true, err
}

// exportFile is an open export.
type exportFile struct {
	db.ExportHeader
	io.Reader // of the whole export
	file      *os.File
}

// errNotExport means that a file is not an export of a shop.
var errNotExport = errors.New("the file is not an export")

// openExport opens an export, compressed or not. Errors: errNotExport, db.ErrCorrupt.
func openExport(path string) (_ *exportFile, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	e := &exportFile{file: f}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	plain, packed, err := decompress(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, db.ErrCorrupt, err)
	}
	in := bufio.NewReader(plain)
	if start, err := in.Peek(1); !packed && (err != nil || !bytes.Equal(start, []byte("{"))) {
		return nil, errNotExport
	}
	if e.ExportHeader, e.Reader, err = db.ReadExportHeader(in); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, db.ErrCorrupt, err)
	}
	return e, nil
}

// readExportHeader returns the header of an export. Errors: errNotExport, db.ErrCorrupt.
func readExportHeader(path string) (*db.ExportHeader, error) {
	e, err := openExport(path)
	if err != nil {
		return nil, err
	}
	return &e.ExportHeader, e.file.Close()
}

// isExportFile reports whether a file is an export of a shop. Errors: db.ErrCorrupt.
func isExportFile(path string) (bool, error) {
	_, err := readExportHeader(path)
	if errors.Is(err, errNotExport) {
		return false, nil
	}
	return err == nil, err
}

// unpack writes the file of a shop from its export src, with the export's schema, so that later
// steps can be applied. It reports whether src is an export. Errors: db.ErrNewer, db.ErrCorrupt,
// db.ErrFull.
func (s schema) unpack(ctx context.Context, src, dest string) (isExport bool, err error) {
	e, err := openExport(src)
	if errors.Is(err, errNotExport) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, e.file.Close()) }()
	switch {
	case e.Schema > s.version():
		return true, fmt.Errorf("schema version %d, this program supports %d: %w", e.Schema, s.version(), db.ErrNewer)
	case e.Schema < 1:
		return true, fmt.Errorf("schema version %d: %w", e.Schema, db.ErrCorrupt)
	}
	text, before := s.at(e.Schema)
	load := func(session db.Session) error { return db.ImportRows(ctx, session, e, e.Schema) }
	err = sqlite.Build(ctx, dest, sqlite.Options{Schema: text, Steps: before}, load)
	if err == nil {
		return true, nil
	}
	if ctx.Err() != nil || errors.Is(err, db.ErrFull) || errors.Is(err, db.ErrIO) {
		return true, err
	}
	return true, fmt.Errorf("%w: %w", db.ErrCorrupt, err)
}
