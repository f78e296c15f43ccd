package productfile

import (
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
}

// Limit returns a reader of a file. It returns an error if r is a file of a known size that is too
// large.
func Limit(r io.Reader) (*LimitedReader, error) {
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Size() > MaxSize {
			return nil, errTooLarge()
		}
	}
	return &LimitedReader{limited: io.LimitedReader{R: r, N: MaxSize + 1}}, nil
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
