package input

import (
	"fmt"
	"io"
)

// MaxColumns limits the columns in a row of an external CSV file: reading a row needs a multiple of
// its size.
const MaxColumns = 1000

// WideRowError is the error of a row with more than [MaxColumns] columns.
type WideRowError struct{ Line int }

func (e *WideRowError) Error() string {
	return fmt.Sprintf("line %d has more than %d columns", e.Line, MaxColumns)
}

// NewNarrowReader returns a reader of a CSV file with this separator. It returns a [WideRowError]
// in place of a row of too many columns.
func NewNarrowReader(file io.Reader, separator rune) io.Reader {
	return &narrowReader{file: file, separator: byte(separator), line: 1, columns: 1}
}

type narrowReader struct {
	file          io.Reader
	separator     byte
	line, columns int // of the data read
	quoted        bool
}

func (r *narrowReader) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	for _, b := range p[:n] {
		switch {
		case b == '"':
			r.quoted = !r.quoted
		case b == '\n':
			if r.line++; !r.quoted {
				r.columns = 1
			}
		case b == r.separator && !r.quoted:
			if r.columns++; r.columns > MaxColumns {
				return 0, &WideRowError{r.line}
			}
		}
	}
	return n, err
}
