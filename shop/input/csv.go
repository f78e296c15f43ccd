package input

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// MaxColumns limits the columns in a row of an external CSV file: reading a row needs a multiple of
// its size.
const MaxColumns = 1000

// WideRowError is the error of a row with more than [MaxColumns] columns.
type WideRowError struct{ Line int }

func (e *WideRowError) Error() string {
	return fmt.Sprintf("line %d has more than %d columns", e.Line, MaxColumns)
}

// ErrUTF16 is the error of a file that is not encoded in UTF-8.
var ErrUTF16 = errors.New("the file is encoded in UTF-16: save it as CSV UTF-8")

// NewCSVReader returns a reader of a CSV file that a spreadsheet or another program wrote. Lines
// end with LF, CRLF or CR. A byte order mark is skipped. A first line such as sep=; determines the
// separator and is skipped. Otherwise the separator is the most frequent of comma, semicolon and
// tab in the header.
// Reading returns a [WideRowError] in place of a row of too many columns.
func NewCSVReader(file io.Reader) (*csv.Reader, error) {
	buffered := bufio.NewReaderSize(&lineReader{file: file}, 1<<16)
	start, err := buffered.Peek(1 << 14)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	text := string(start)
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") ||
		strings.Contains(text[:min(4, len(text))], "\x00") {
		return nil, ErrUTF16
	}
	header := strings.TrimPrefix(text, "\ufeff")
	separator, rest := separatorLine(header)
	if separator == 0 {
		separator = commonSeparator(header)
	}
	// The end of the separator's line is left, so that lines are counted as in the file.
	if _, err := buffered.Discard(len(text) - len(rest)); err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	reader := csv.NewReader(&narrowReader{file: buffered, separator: byte(separator), line: 1, columns: 1})
	reader.Comma, reader.FieldsPerRecord = separator, -1
	return reader, nil
}

// scientificNumber is a number in the form in which spreadsheets show long ones.
var scientificNumber = regexp.MustCompile(`^\d([.,]\d+)?[eE]\+\d+$`)

// IsScientific reports whether a cell was a long number, such as a barcode, and has lost its last
// digits in a spreadsheet: 8.90123E+12.
func IsScientific(cell string) bool { return scientificNumber.MatchString(cell) }

// separatorPattern is a first line for spreadsheets, with the separator. Other programs may have
// quoted it, or added empty cells.
var separatorPattern = regexp.MustCompile(`(?i)^\s*"?sep=([!#-/:-@\[-\x60{-~\t]|\\t)"?[,;|\t ]*(\n|$)`)

// separatorLine returns the separator that the first line names, or 0, and the text after it.
func separatorLine(text string) (separator rune, rest string) {
	match := separatorPattern.FindStringSubmatch(text)
	if match == nil {
		return 0, text
	}
	rest = text[len(match[0])-len(match[2]):]
	if match[1] == `\t` {
		return '\t', rest
	}
	return rune(match[1][0]), rest
}

// commonSeparator returns the separator that the header has most, outside of quotes. Spreadsheets
// write the one of their locale.
func commonSeparator(text string) rune {
	header, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	counts, quoted := map[rune]int{}, false
	for _, r := range header {
		if r == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[r]++
		}
	}
	best := ','
	for _, candidate := range ";\t" {
		if counts[candidate] > counts[best] {
			best = candidate
		}
	}
	return best
}

// lineReader reads a text in which each line end is LF.
type lineReader struct {
	file io.Reader
	cr   bool // the last byte read was CR
}

func (r *lineReader) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	kept := p[:0]
	for _, b := range p[:n] {
		if b == '\n' && r.cr {
			r.cr = false
			continue
		}
		if r.cr = b == '\r'; r.cr {
			b = '\n'
		}
		kept = append(kept, b)
	}
	return len(kept), err
}

// narrowReader returns an error in place of a row of too many columns.
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
