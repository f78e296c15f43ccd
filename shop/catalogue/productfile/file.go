// Package productfile reads and writes products as CSV files. It reads the formats of Shopify,
// Matrixify and WooCommerce, and writes Shopify's with additional columns.
//
// It owns the columns and how a header is recognized, the parsing of values, and the findings with
// their line and column. It must not know what a shop has stored, who imports, or the rules of
// products: [storefront/shop/catalogue] merges what is read with the shop's products.
package productfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"storefront/shop/input"
	"storefront/shop/money"
)

// The formats of product files. Matrixify's are read as Shopify's.
const (
	Shopify     = "shopify"
	WooCommerce = "woocommerce"
)

// Limits of the memory for a file. Rows can be as short as two bytes: without limits, a
// small file could exhaust the memory of a process that serves many shops.
const (
	maxProducts   = 250_000
	maxVariations = 1_000_000 // WooCommerce rows, which may be anywhere
	maxListed     = 1_000     // entries of a cell, such as tags

	// MaxCollections is the maximum number of collections of a file that the shop does not have; in
	// a WooCommerce file, of categories.
	MaxCollections = 10_000
)

// File describes a product file while its products are read. Its fields are complete once the
// source has returned all products.
type File struct {
	Format  string   // [Shopify] or [WooCommerce]
	Rows    int      // without the header and blank rows
	Ignored []string // names of unsupported columns
	Has     Columns
	header  [columnCount]string // the names of the columns in the file; defaults for missing ones
}

// Name returns the name of a column in the header of the file; for a missing column its default.
func (f *File) Name(c Column) string { return f.header[c] }

// Source reads the products of a file one by one.
type Source interface {
	// Next returns the next product of the file, or nil after the last one. Problems of the file
	// are not errors.
	Next() (*Product, error)
	// Close releases the resources of the source.
	Close() error
}

// Config is the configuration for reading a file.
type Config struct {
	Currency money.Currency
	Now      time.Time // in the shop's time zone, of the times without an offset
	Findings *Findings
	NoCosts  bool // the reader may not view costs: their column is ignored
	// Language is the language that columns have in brackets; "" means that none may have one.
	Language string
}

// Open reads the header of a file and returns the source of its products. The source is
// nil if the rows cannot be read. The products of a long file from [Limit] are counted first, so
// that one with too many is refused before the others are checked. The error is not nil only if r
// fails.
func Open(r io.Reader, cfg Config) (*File, Source, error) {
	line := 0
	if limited, ok := r.(*LimitedReader); ok {
		var err error
		if line, err = limited.findExcess(cfg); err != nil {
			return nil, nil, err
		}
	}
	file, source, err := open(r, cfg)
	if p, ok := source.(*parser); ok && line > 0 {
		p.stopAt(line, tooManyProducts)
	}
	return file, source, err
}

func open(r io.Reader, cfg Config) (*File, Source, error) {
	reader, header, err := openRows(r, cfg)
	if err != nil {
		return nil, nil, err
	}
	if header == nil {
		return &File{}, nil, nil
	}
	if isWooHeader(header) {
		return openWooFile(reader, header)
	}
	p := newParser(reader)
	if !p.readHeader(header) {
		return p.file, nil, nil
	}
	return p.file, p, nil
}

func newParser(rows *rowReader) *parser {
	return &parser{rowReader: rows, file: &File{Format: Shopify}, firstLines: map[string]firstLine{}}
}

// openRows reads the header of a file. It is nil if the rows cannot be read.
func openRows(r io.Reader, cfg Config) (reader *rowReader, header []string, err error) {
	reader, err = newRowReader(r, cfg)
	if err != nil {
		return nil, nil, err
	}
	if reader == nil {
		return nil, nil, nil
	}
	ok, err := reader.read()
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		if cfg.Findings.Total == 0 {
			cfg.Findings.Add(Place{Line: 1}, ProblemFileEmpty, "The file is empty: export it again.")
		}
		return nil, nil, nil
	}
	header = make([]string, len(reader.record))
	for i, name := range reader.record {
		header[i] = strings.Clone(input.CleanLine(name))
	}
	reader.width = len(header)
	return reader, header, nil
}

// rowReader reads the rows of a CSV file.
type rowReader struct {
	Config
	csv    *csv.Reader
	record []string // the current row
	lines  []int    // of its cells, unless csv has just read it
	width  int      // of the header; 0 while it is read
	ended  bool
}

// newRowReader returns nil if the file is not readable text.
func newRowReader(r io.Reader, cfg Config) (*rowReader, error) {
	reader, err := input.NewCSVReader(r)
	if errors.Is(err, input.ErrUTF16) {
		cfg.Findings.Add(Place{Line: 1}, ProblemFileUTF16,
			"The file is encoded in UTF-16: save it as CSV UTF-8.")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	reader.ReuseRecord = true
	return &rowReader{Config: cfg, csv: reader}, nil
}

// read reads the next row that is not blank. ok is false at the end of the file, or if it cannot be
// read further.
func (p *rowReader) read() (ok bool, err error) {
	for !p.ended && !p.Findings.Full() {
		p.record, err = p.csv.Read()
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			// The boundaries of the later cells are unknown.
			p.Findings.Add(Place{Line: parse.StartLine}, ProblemNotCSV,
				"Line %d, column %d is not valid CSV, so the file was not read further: %v.", parse.Line,
				parse.Column, parse.Err)
			p.ended = true
			return false, nil
		}
		if wide, ok := errors.AsType[*input.WideRowError](err); ok {
			p.Findings.Add(Place{Line: wide.Line}, ProblemNotCSV,
				"Line %d has more than %d columns, so the file was not read further.", wide.Line,
				input.MaxColumns)
			p.ended = true
			return false, nil
		}
		switch {
		case errors.Is(err, io.EOF):
			p.ended = true
			return false, nil
		case err != nil:
			return false, fmt.Errorf("read the file: %w", err)
		}
		if p.width == 0 ||
			slices.ContainsFunc(p.record, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			return true, nil
		}
	}
	return false, nil
}

// stop ends the file because it exceeds a limit, and adds limit, a sentence, as a problem.
func (p *rowReader) stop(limit string) { p.stopAt(p.line(), limit) }

func (p *rowReader) stopAt(line int, limit string) {
	p.Findings.Add(Place{Line: line}, ProblemNotCSV, "%s Split the file and import the parts.",
		limit)
	p.ended = true
}

// check reports whether the cells of the current row are text, and not more than in the header.
func (p *rowReader) check() (ok bool) {
	for i, cell := range p.record {
		if !utf8.ValidString(cell) {
			p.Findings.Add(Place{Line: p.lineOf(i)}, ProblemNotUTF8,
				"Cell %d is not valid UTF-8: save the file as CSV UTF-8.", i+1)
			return false
		}
		if i >= p.width && strings.TrimSpace(cell) != "" {
			p.Findings.Add(Place{Line: p.lineOf(i)}, ProblemRowLong,
				"The row has more cells than the header: enclose cells that contain a separator in quotes.")
			return false
		}
	}
	return true
}

// at returns a cell of the current row by its index, or "".
func (p *rowReader) at(i int) string {
	if i >= 0 && i < len(p.record) {
		return input.UnguardFormulas(p.record[i])
	}
	return ""
}

// line returns the line on which the current row begins.
func (p *rowReader) line() int { return p.lineOf(0) }

// lineOf returns the line of a cell of the current row, or else the line of the row.
func (p *rowReader) lineOf(cell int) int {
	if cell < 0 || cell >= len(p.record) {
		cell = 0
	}
	if p.lines != nil {
		return p.lines[cell]
	}
	line, _ := p.csv.FieldPos(cell)
	return line
}
