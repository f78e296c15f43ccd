package catalogue

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"storefront/shop/catalogue/productfile"
)

// importSpool contains the edits of an import, in temporary files, because a large file has more
// products than memory should hold.
type importSpool struct{ created, changed spoolFile }

// spoolFile is a temporary file of records.
type spoolFile struct {
	*productfile.TempFile
	records int
}

func newImportSpool() (*importSpool, error) {
	s := &importSpool{}
	for _, f := range []*spoolFile{&s.created, &s.changed} {
		var err error
		if f.TempFile, err = productfile.CreateTemp(); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

func (s *importSpool) close() {
	for _, f := range []*spoolFile{&s.created, &s.changed} {
		if f.TempFile != nil {
			f.Close()
		}
	}
}

// add spools a product that is created or changed.
func (s *importSpool) add(product *fileProduct, e plannedEdit, has *productfile.Columns) error {
	if has[productfile.ColBody] {
		product.DescriptionHTML = e.want.descriptionHTML
	}
	f := &s.created
	if e.before != nil {
		f = &s.changed
	}
	f.records++
	text, err := json.Marshal(product)
	if err != nil {
		return fmt.Errorf("spool product %s: %w", e.want.handle, err)
	}
	out := spoolWriter{f.Out}
	out.bytes(text)
	out.text(e.want.descriptionHTML)
	out.text(e.want.folded)
	return nil
}

// rewind returns a reader of all records. No record may be added afterwards.
func (f *spoolFile) rewind() (*spoolReader, error) {
	err := f.Out.Flush()
	if err == nil {
		_, err = f.File.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("read temporary file: %w", err)
	}
	return &spoolReader{in: bufio.NewReaderSize(f.File, 1<<16)}, nil
}

// spoolWriter writes the parts of records. An error is returned by Flush.
type spoolWriter struct{ out *bufio.Writer }

func (w spoolWriter) number(n uint64) {
	var buffer [binary.MaxVarintLen64]byte
	_, _ = w.out.Write(buffer[:binary.PutUvarint(buffer[:], n)])
}

func (w spoolWriter) text(text string) {
	w.number(uint64(len(text)))
	_, _ = w.out.WriteString(text)
}

func (w spoolWriter) bytes(text []byte) {
	w.number(uint64(len(text)))
	_, _ = w.out.Write(text)
}

// spoolReader reads records. After an error its results are zero.
type spoolReader struct {
	in  *bufio.Reader
	err error
}

// spooled is a record.
type spooled struct {
	text                    []byte // JSON of the fileProduct, with a sanitized description
	descriptionHTML, folded string
}

// next reads the next record. ok is false after the last one, or after an error.
func (r *spoolReader) next() (s spooled, ok bool) {
	if r.err != nil {
		return s, false
	}
	if _, err := r.in.Peek(1); errors.Is(err, io.EOF) {
		return s, false
	}
	s = spooled{text: r.bytes(), descriptionHTML: r.string(), folded: r.string()}
	return s, r.err == nil
}

func (r *spoolReader) number() uint64 {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(r.in)
	r.err = err
	return n
}

func (r *spoolReader) bytes() []byte {
	text := make([]byte, r.number())
	if r.err == nil {
		_, r.err = io.ReadFull(r.in, text)
	}
	return text
}

func (r *spoolReader) string() string { return string(r.bytes()) }

// parseFileProduct returns the product with this JSON.
func parseFileProduct(text []byte) (*fileProduct, error) {
	product := &fileProduct{}
	if err := json.Unmarshal(text, product); err != nil {
		return nil, fmt.Errorf("read stored product: %w", err)
	}
	return product, nil
}

// spooledEdit is an edit that was read from a spool.
type spooledEdit struct {
	*productEdit
	text []byte // as in spooled
}

// readEdits reads at most n records.
func (run *productImport) readEdits(records *spoolReader, n int) ([]spooledEdit, error) {
	var edits []spooledEdit
	for len(edits) < n {
		record, ok := records.next()
		if !ok {
			break
		}
		product, err := parseFileProduct(record.text)
		if err != nil {
			return nil, err
		}
		product.sanitized = true
		edit := run.edit(product, discardNote)
		edit.prepared = &productRow{descriptionHTML: record.descriptionHTML, folded: record.folded}
		edits = append(edits, spooledEdit{edit, record.text})
	}
	return edits, records.err
}
