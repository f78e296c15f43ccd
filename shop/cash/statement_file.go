package cash

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// maxHeaderLine is the last line on which a header is expected. Couriers write the name of the
// payout and its date above it.
const maxHeaderLine = 30

// Limits of the unpacked XML of a workbook, in bytes. A part above its limit is unpacked into a
// temporary file.
const (
	maxWorkbook     = 96 << 20
	maxWorkbookPart = 8 << 20
)

// statementLines reads the lines of a statement from its header on.
type statementLines interface {
	// read returns the next line and its number in the file, or [io.EOF].
	read() (line int, record []string, err error)
	close()
}

// openStatement returns the lines of a CSV file or a workbook from its header on: the first line
// that isHeader accepts, or the widest one if there is none. titles are the lines above it. Codes:
// validation_failed.
func openStatement(text []byte, currency money.Currency, isHeader func(record []string) bool) (
	lines statementLines, titles [][]string, err error,
) {
	switch {
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		return openWorkbook(text, currency, isHeader)
	case bytes.HasPrefix(text, []byte("\xD0\xCF\x11\xE0")):
		return nil, nil, fileFault("The file is an old Excel file or has a password: save it as .xlsx without one, or as CSV UTF-8.")
	}
	starts, first := firstLines(text)
	header := findHeader(first, isHeader)
	at := 0
	if header > 0 {
		at = starts[header]
	}
	reader, err := input.NewCSVReader(bytes.NewReader(text[at:]))
	if errors.Is(err, input.ErrUTF16) {
		err = fileFault("The file is encoded in UTF-16: save it as CSV UTF-8.")
	}
	if err != nil {
		return nil, nil, err
	}
	reader.TrimLeadingSpace = reader.Comma != '\t' // otherwise an empty field would be omitted
	return &csvLines{reader, max(header, 0)}, first[:max(header, 0)], nil
}

// fileFault returns the error of a file that cannot be read as a statement.
func fileFault(message string) error {
	var bad fault.Invalid
	bad.Add("file", fault.CodeInvalidValue, "%s", message)
	return bad.Err()
}

// firstLines returns the first lines of a CSV file and where each starts. A line has the separator
// by which its fields are the most.
func firstLines(text []byte) (starts []int, lines [][]string) {
	for at := 0; at < len(text) && len(lines) < maxHeaderLine; {
		end := bytes.IndexAny(text[at:], "\r\n")
		if end < 0 {
			end = len(text) - at
		}
		line := bytes.TrimPrefix(text[at:at+min(end, 1<<16)], []byte("\ufeff"))
		starts, lines = append(starts, at), append(lines, widestFields(line))
		if at += end + 1; at < len(text) && text[at-1] == '\r' && text[at] == '\n' {
			at++
		}
	}
	return starts, lines
}

// widestFields returns the fields of a line of CSV, by the separator with which they are the most.
func widestFields(line []byte) (widest []string) {
	for _, separator := range ",;\t" {
		reader := csv.NewReader(bytes.NewReader(line))
		reader.Comma, reader.LazyQuotes = separator, true
		if fields, err := reader.Read(); err == nil && len(fields) > len(widest) {
			widest = fields
		}
	}
	for i, field := range widest {
		widest[i] = strings.TrimSpace(field)
	}
	return widest
}

// findHeader returns the index of the header among the first lines of a file; -1 if none has
// more than one field.
func findHeader(lines [][]string, isHeader func(record []string) bool) int {
	widest, width := -1, 1
	for i, record := range lines {
		if isHeader(record) {
			return i
		}
		filled := len(slices.DeleteFunc(slices.Clone(record), func(field string) bool { return field == "" }))
		if filled > width {
			widest, width = i, filled
		}
	}
	return widest
}

// csvLines are the lines of a CSV file. It implements statementLines.
type csvLines struct {
	reader *csv.Reader
	above  int // lines above the header
}

func (l *csvLines) read() (line int, record []string, err error) {
	record, err = l.reader.Read()
	if wide, ok := errors.AsType[*input.WideRowError](err); ok {
		wide.Line += l.above
	} else if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		parse.Line += l.above
	}
	if err != nil {
		return 0, nil, err
	}
	line, _ = l.reader.FieldPos(0)
	return line + l.above, record, nil
}

func (l *csvLines) close() {}

// workbookLines are the lines of a sheet of a workbook. It implements statementLines.
type workbookLines struct {
	file   *excelize.File
	rows   *excelize.Rows
	line   int
	width  int // of the header
	digits int // of the currency
}

// openWorkbook opens the first sheet of a workbook that has a header; the one with the widest line
// if none has.
func openWorkbook(text []byte, currency money.Currency, isHeader func(record []string) bool) (
	lines statementLines, titles [][]string, err error,
) {
	file, err := excelize.OpenReader(bytes.NewReader(text), excelize.Options{
		RawCellValue: true, UnzipSizeLimit: maxWorkbook, UnzipXMLSizeLimit: maxWorkbookPart,
	})
	if err != nil {
		return nil, nil, fileFault("The file is not a workbook that can be read: save it as .xlsx or CSV UTF-8, of at most 100,000 rows.")
	}
	best := &workbookLines{file: file}
	for _, name := range file.GetSheetList() {
		sheet, above, found, err := openSheet(file, name, currency, isHeader)
		if err != nil {
			best.close()
			return nil, nil, err
		}
		if sheet == nil || !found && sheet.width <= best.width {
			continue
		}
		if best, titles = sheet, above; found {
			break
		}
	}
	if best.rows == nil {
		best.close()
		return nil, nil, fileFault("The workbook has no sheet with a header and one row per shipment.")
	}
	return best, titles, nil
}

// openSheet returns the lines of a sheet from its header on; nil if it has none. found is false if
// isHeader accepts none.
func openSheet(file *excelize.File, name string, currency money.Currency, isHeader func(record []string) bool) (
	sheet *workbookLines, titles [][]string, found bool, err error,
) {
	l := &workbookLines{file: file, digits: currency.Digits}
	var first [][]string
	if l.rows, err = file.Rows(name); err != nil {
		return nil, nil, false, nil // a chart
	}
	for len(first) < maxHeaderLine {
		_, record, err := l.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, false, err
		}
		first = append(first, record)
	}
	header := findHeader(first, isHeader)
	if header < 0 {
		return nil, nil, false, nil
	}
	l = &workbookLines{file: file, digits: currency.Digits, line: header, width: len(first[header])}
	if l.rows, err = file.Rows(name); err != nil {
		return nil, nil, false, fmt.Errorf("read workbook: %w", err)
	}
	for range header {
		l.rows.Next()
	}
	return l, first[:header], isHeader(first[header]), nil
}

func (l *workbookLines) read() (line int, record []string, err error) {
	if !l.rows.Next() {
		if l.rows.Error() != nil {
			return 0, nil, fileFault("The workbook cannot be read to its end: save it again as .xlsx or CSV UTF-8.")
		}
		return 0, nil, io.EOF
	}
	l.line++
	record, err = l.rows.Columns()
	if err != nil {
		return 0, nil, fileFault(fmt.Sprintf("Line %d of the workbook cannot be read: save it again as .xlsx or CSV UTF-8.", l.line))
	}
	if len(record) > input.MaxColumns {
		return 0, nil, &input.WideRowError{Line: l.line}
	}
	for i, cell := range record {
		record[i] = cellText(cell, l.digits)
	}
	for len(record) < l.width { // empty cells at the end are not stored
		record = append(record, "")
	}
	return l.line, record, nil
}

func (l *workbookLines) close() { _ = l.file.Close() }

// computedNumber is a number that a spreadsheet has computed, or stores in its shortest form.
var computedNumber = regexp.MustCompile(`^-?\d+(\.\d{4,}|(\.\d+)?[eE][+-]?\d+)$`)

// cellText returns the text of a cell. A computed amount is rounded to digits decimals:
// 9140.1000000000004. The scientific form of a number that has lost digits stays.
func cellText(cell string, digits int) string {
	if !computedNumber.MatchString(cell) {
		return cell
	}
	number, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.Abs(number) >= 1e15 {
		return cell
	}
	scale := math.Pow10(digits)
	return strconv.FormatFloat(math.Round(number*scale)/scale, 'f', -1, 64)
}
