package productfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"storefront/shop/fault"
)

// MaxSize is the maximum size of a product file, in bytes.
const MaxSize = 200 << 20

func errTooLarge() error {
	return fault.Errorf(fault.CodeValidationFailed,
		"The file must not be larger than %d MiB. Split it and import the parts.", MaxSize>>20)
}

// LimitedReader reads at most MaxSize bytes.
type LimitedReader struct {
	limited  io.LimitedReader
	exceeded bool
	seeker   io.Seeker // nil if the file can be read only once
	start    int64     // where it begins
}

// Limit returns a reader of a file. It returns an error if r is a file of a known size that is too
// large.
func Limit(r io.Reader) (*LimitedReader, error) {
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Size() > MaxSize {
			return nil, errTooLarge()
		}
	}
	limited := &LimitedReader{limited: io.LimitedReader{R: r, N: MaxSize + 1}}
	if seeker, ok := r.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil { // no pipe
			limited.seeker, limited.start = seeker, start
		}
	}
	return limited, nil
}

// rewind goes back to the beginning of the file.
func (r *LimitedReader) rewind() error {
	if _, err := r.seeker.Seek(r.start, io.SeekStart); err != nil {
		return fmt.Errorf("read the file again: %w", err)
	}
	r.limited.N = MaxSize + 1
	return nil
}

// findExcess returns the line of the first product beyond the limit of a Shopify file, 0 if there
// is none or the file can be read only once. A WooCommerce file is read before its products.
func (r *LimitedReader) findExcess(cfg Config) (line int, err error) {
	if r.seeker == nil {
		return 0, nil
	}
	rows := 0
	for part := make([]byte, 1<<16); err == nil; {
		var n int
		n, err = r.Read(part)
		rows += bytes.Count(part[:n], []byte("\n")) + bytes.Count(part[:n], []byte("\r"))
	}
	if !errors.Is(err, io.EOF) {
		return 0, err
	}
	if err := r.rewind(); err != nil {
		return 0, err
	}
	if rows <= maxProducts {
		return 0, nil
	}
	cfg.Findings = &Findings{}
	reader, header, err := openRows(r, cfg)
	if err != nil {
		return 0, err
	}
	if p := newParser(reader); header != nil && !isWooHeader(header) && p.readHeader(header) {
		if line, err = p.findExcess(); err != nil {
			return 0, err
		}
	}
	return line, r.rewind()
}

// Read implements [io.Reader].
func (r *LimitedReader) Read(p []byte) (int, error) {
	n, err := r.limited.Read(p)
	if r.limited.N <= 0 {
		r.exceeded = true
		return n, errTooLarge()
	}
	return n, err
}

// Err returns an error if the file is too large. It replaces the errors that follow from that.
func (r *LimitedReader) Err() error {
	if r.exceeded {
		return errTooLarge()
	}
	return nil
}
