package cash

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// statementRow is a row of a statement.
type statementRow struct {
	consignment string
	repeated    bool // an earlier row has the same consignment
	// minor units, like all amounts; nil if there is no such column, or the field is empty
	collected *int64
	fee       *int64 // including the courier's share of the cash
	remitted  *int64
}

// addTo adds the amounts that the row has to sums.
func (r *statementRow) addTo(sums map[ColumnKind]int64) {
	if r.collected != nil {
		sums[ColumnCollected] += *r.collected
	}
	if r.fee != nil {
		sums[ColumnFee] += *r.fee
	}
	if r.remitted != nil {
		sums[ColumnPaidOut] += *r.remitted
	}
}

// StatementNote is a line of a statement without a shipment, such as a total.
type StatementNote struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// statementNotes are the lines of a statement without a shipment.
type statementNotes struct {
	first []StatementNote
	count int
}

const (
	maxStatementNotes = 20 // listed ones
	maxNoteLength     = 200
)

// add adds a line, unless it is blank.
func (n *statementNotes) add(line int, record []string) {
	text := strings.Join(slices.DeleteFunc(record, func(field string) bool { return field == "" }), " ")
	if text == "" {
		return
	}
	if n.count++; len(n.first) < maxStatementNotes {
		n.first = append(n.first, StatementNote{line, input.Cut(input.Clean(text), maxNoteLength)})
	}
}

// totalWords begin lines without a shipment, in lower case.
var totalWords = []string{
	"total", "grand total", "sub total", "subtotal", "sub-total", "sum", "opening", "closing", "balance", "summary", "note", "মোট", "সর্বমোট",
}

// isTotal reports whether a field begins with a word for a total and has no digit.
func isTotal(field string) bool {
	word := strings.ToLower(input.Clean(field))
	return slices.ContainsFunc(totalWords, func(total string) bool {
		rest, ok := strings.CutPrefix(word, total)
		return ok && !strings.ContainsAny(rest, "0123456789০১২৩৪৫৬৭৮৯") && (rest == "" || strings.ContainsAny(rest[:1], " :-."))
	})
}

// isGrandTotal reports whether a field begins with a word for the total of a whole file.
func isGrandTotal(field string) bool {
	word := strings.ToLower(input.Clean(field))
	return isTotal(field) && !slices.ContainsFunc([]string{"sub", "opening", "closing", "balance", "summary", "note"},
		func(other string) bool { return strings.HasPrefix(word, other) })
}

// isAboutNoShipment reports whether a record is a total or a remark. A consignment ID is one word,
// so a buyer's name in the first column does not mark a row as a total.
func isAboutNoShipment(record []string, consignment string) bool {
	return consignment == "" || isTotal(consignment) || isTotal(record[0]) && strings.ContainsFunc(consignment, unicode.IsSpace)
}

// Limits of a statement in addition to its size: rows need many times the memory of their text.
const (
	maxStatementRows   = 100_000
	maxStatementFaults = 100 // listed ones
)

// parsedStatement is the text of a statement as data.
type parsedStatement struct {
	columns []StatementColumn
	header  string // identifies the header
	rows    []statementRow
	notes   statementNotes
	// The sums of the rows, and the file's own totals, in minor units.
	sums, stated map[ColumnKind]int64
}

// statementFormat has what is known of the columns of a statement besides their names.
type statementFormat struct {
	currency money.Currency
	saved    map[string][]ColumnKind // by header
	given    []ColumnKind            // nil if they were not specified
}

// kindsOf returns what the columns of a header have, unless that is given.
func (f *statementFormat) kindsOf(header []string) []ColumnKind {
	if kinds := f.saved[headerKey(header, f.currency)]; len(kinds) == len(header) && len(kinds) > 0 {
		return kinds
	}
	return columnsOf(header, f.currency)
}

// parseStatement parses a statement: a CSV file with commas, semicolons or tabs between its
// columns, or a workbook. Codes: validation_failed, with the first 100 invalid lines.
func parseStatement(text []byte, format statementFormat) (*parsedStatement, error) {
	p, err := openParser(text, format)
	if err != nil {
		return nil, err
	}
	defer p.lines.close()
	if !isUsable(p.kinds) {
		return nil, p.unusable()
	}
	if err := p.parseRows(); err != nil {
		return nil, err
	}
	if err := p.bad.Err(); err != nil {
		return nil, err
	}
	if len(p.parsed.rows) == 0 && p.parsed.notes.count == 0 {
		return nil, fileFault("The file has no rows below its header.")
	}
	p.parsed.columns = p.columns()
	return &p.parsed, nil
}

// statementParser reads the rows of a statement.
type statementParser struct {
	lines    statementLines
	header   int // its line
	currency money.Currency
	names    []string     // of the columns
	kinds    []ColumnKind // of the columns
	position map[ColumnKind]int
	examples []columnExamples
	seen     map[string]bool // consignments

	parsed parsedStatement
	bad    fault.Invalid
}

// columnExamples are the first values of a column, and whether all of its values are amounts.
type columnExamples struct {
	first   []string
	amounts int
	others  int
}

// openParser returns a parser that has read the header. Codes: validation_failed.
func openParser(text []byte, format statementFormat) (*statementParser, error) {
	isHeader := func(record []string) bool { return isUsable(format.kindsOf(record)) }
	lines, titles, err := openStatement(text, format.currency, isHeader)
	if err != nil {
		return nil, err
	}
	p := &statementParser{
		lines: lines, currency: format.currency, seen: map[string]bool{}, position: map[ColumnKind]int{},
		parsed: parsedStatement{sums: map[ColumnKind]int64{}, stated: map[ColumnKind]int64{}},
	}
	for i, title := range titles {
		p.parsed.notes.add(i+1, title)
	}
	p.header, p.names, err = lines.read()
	if p.isTooWide(err) {
		err = p.bad.Err()
	} else if err != nil {
		err = fileFault("The file must be a CSV file or a workbook with a header and one row per shipment.")
	}
	if err == nil && format.given != nil && len(format.given) != len(p.names) {
		var bad fault.Invalid
		bad.Add("columns", fault.CodeInvalidValue, "Specify what each of the %d columns has, in their order: %d are specified.",
			len(p.names), len(format.given))
		err = bad.Err()
	}
	if err != nil {
		lines.close()
		return nil, err
	}
	for i, name := range p.names {
		p.names[i] = strings.TrimSpace(name)
	}
	p.kinds, p.examples = format.given, make([]columnExamples, len(p.names))
	if p.kinds == nil {
		p.kinds = format.kindsOf(p.names)
	}
	p.parsed.header = headerKey(p.names, format.currency)
	for i, kind := range p.kinds {
		p.position[kind] = i
	}
	return p, nil
}

// unusable returns the error of a header without what a statement needs.
func (p *statementParser) unusable() error {
	var bad fault.Invalid
	bad.Add("columns", fault.CodeInvalidValue, "The header must have a consignment column and at least one of: collected, fee, paid. "+
		"Specify the kind of each of its %d columns.", len(p.names))
	return bad.Err()
}

// parseRows reads all rows, unless their faults are too many. An error does not concern the text.
func (p *statementParser) parseRows() error {
	for len(p.bad) < maxStatementFaults {
		line, record, err := p.lines.read()
		if errors.Is(err, io.EOF) || p.isInvalidRow(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read statement: %w", err)
		}
		if !p.parseRow(line, record) {
			return nil
		}
	}
	return nil
}

// isTooWide reports whether a row has too many columns, and adds that fault.
func (p *statementParser) isTooWide(err error) bool {
	e, ok := errors.AsType[*input.WideRowError](err)
	if ok {
		p.addFault(e.Line, "must have at most %d columns.", input.MaxColumns)
	}
	return ok
}

// isInvalidRow reports whether an error is a fault of the text, and adds the fault.
func (p *statementParser) isInvalidRow(err error) bool {
	if p.isTooWide(err) {
		return true
	}
	parse, ok := errors.AsType[*csv.ParseError](err)
	if ok {
		p.bad.Add(fmt.Sprintf("line %d", parse.Line), fault.CodeInvalidValue,
			"Line %d, column %d: must be valid CSV, with quotes around whole fields.", parse.Line, parse.Column)
	}
	return ok
}

// addFault adds a fault of a line.
func (p *statementParser) addFault(line int, format string, args ...any) {
	message := fmt.Sprintf("Line %d: ", line) + fmt.Sprintf(format, args...)
	p.bad.Add(fmt.Sprintf("line %d", line), fault.CodeInvalidValue, "%s", message)
}

// parseRow adds a row. more is false if no further rows are read.
func (p *statementParser) parseRow(line int, record []string) (more bool) {
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	row := statementRow{}
	if i := p.position[ColumnConsignment]; i < len(record) {
		row.consignment = record[i]
	}
	for len(record) > len(p.names) && record[len(record)-1] == "" {
		record = record[:len(record)-1]
	}
	if isAboutNoShipment(record, row.consignment) {
		p.addTotals(record)
		p.parsed.notes.add(line, record)
		return true
	}
	if len(p.parsed.rows) == maxStatementRows {
		p.bad.Add("file", fault.CodeInvalidValue,
			"The statement must have at most 100,000 rows. Split it and reconcile the parts.")
		return false
	}
	if len(record) != len(p.names) { // its amounts may be in other columns
		p.bad.Add(fmt.Sprintf("line %d", line), fault.CodeInvalidValue,
			"The number of columns in line %d is %d; in the header it is %d.", line, len(record), len(p.names))
		return true
	}
	if input.IsScientific(row.consignment) {
		p.addFault(line, "the consignment %s has lost digits in a spreadsheet: use the courier's own file.", row.consignment)
		return true
	}
	p.addExamples(record)
	p.parseAmounts(&row, line, record)
	row.repeated = p.seen[row.consignment]
	p.seen[row.consignment] = true
	p.parsed.rows = append(p.parsed.rows, row)
	row.addTo(p.parsed.sums)
	return true
}

// parseAmounts sets the amounts of a row. The courier's share of the cash is part of its fee.
func (p *statementParser) parseAmounts(row *statementRow, line int, record []string) {
	var share *int64
	for _, field := range []struct {
		kind   ColumnKind
		amount **int64
	}{
		{ColumnCollected, &row.collected}, {ColumnFee, &row.fee}, {ColumnCashFee, &share}, {ColumnPaidOut, &row.remitted},
	} {
		i, ok := p.position[field.kind]
		if !ok || record[i] == "" {
			continue
		}
		amount, ok := parsePayout(record[i], p.currency)
		if !ok || amount < 0 && field.kind != ColumnPaidOut {
			p.addFault(line, "%s must be an amount.", p.names[i])
			continue
		}
		*field.amount = &amount
	}
	if share != nil {
		row.fee = new(amountOf(row.fee) + *share)
	}
}

// addTotals adds the amounts of a line without a shipment to the file's own totals, if it has them
// in the columns of the rows.
func (p *statementParser) addTotals(record []string) {
	first := slices.IndexFunc(record, func(field string) bool { return field != "" })
	if first < 0 || !isGrandTotal(record[first]) || len(record) != len(p.names) {
		return
	}
	total := statementRow{}
	other := statementParser{names: p.names, position: p.position, currency: p.currency}
	if other.parseAmounts(&total, 0, record); len(other.bad) == 0 {
		clear(p.parsed.stated)
		total.addTo(p.parsed.stated)
	}
}

// addExamples adds the fields of a row to the examples of their columns.
func (p *statementParser) addExamples(record []string) {
	for i, field := range record {
		if field == "" {
			continue
		}
		e := &p.examples[i]
		if len(e.first) < maxExamples {
			e.first = append(e.first, input.Cut(input.Clean(field), maxExampleLength))
		}
		if p.kinds[i] != ColumnNone {
			continue
		}
		if _, ok := parsePayout(field, p.currency); ok {
			e.amounts++
		} else {
			e.others++
		}
	}
}

// columns returns the columns. Those with unknown amounts are unclear.
func (p *statementParser) columns() []StatementColumn {
	_, hasCollected := p.position[ColumnCollected]
	_, hasFee := p.position[ColumnFee]
	_, hasPaidOut := p.position[ColumnPaidOut]
	columns := make([]StatementColumn, len(p.names))
	for i, name := range p.names {
		e := p.examples[i]
		columns[i] = StatementColumn{
			Name: input.Cut(input.Clean(name), maxNoteLength), Kind: p.kinds[i], Examples: db.OrEmpty(e.first),
			Unclear: p.kinds[i] == ColumnNone && !(hasCollected && hasFee && hasPaidOut) && e.amounts > 0 && e.others == 0 && hasAmountWord(name),
		}
	}
	return columns
}

// hasAmountWord reports whether a column's name has a word for an amount.
func hasAmountWord(name string) bool {
	name = strings.ToLower(input.Fold(name))
	return slices.ContainsFunc(amountWords, func(word string) bool { return strings.Contains(name, input.Fold(word)) })
}

// parsePayout parses an amount that may be negative: couriers deduct the fee of a shipment without
// enough cash from other shipments. ok is false beyond [money.MaxAmount].
func parsePayout(text string, currency money.Currency) (amount int64, ok bool) {
	digits, negative := strings.CutPrefix(strings.TrimSpace(input.Fold(text)), "-")
	amount, ok = currency.Parse(digits)
	if !ok || !money.IsAmount(amount) {
		return 0, false
	}
	if negative {
		amount = -amount
	}
	return amount, true
}

// inspectStatement returns the columns of a statement with examples from its first rows. Codes:
// validation_failed.
func inspectStatement(text []byte, format statementFormat) (*StatementColumns, error) {
	p, err := openParser(text, format)
	if err != nil {
		return nil, err
	}
	defer p.lines.close()
	for range maxInspectedRows {
		_, record, err := p.lines.read()
		if errors.Is(err, io.EOF) || p.isInvalidRow(err) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read statement: %w", err)
		}
		if len(record) == len(p.names) && !isTotal(record[0]) {
			p.addExamples(record)
		}
	}
	return &StatementColumns{Line: p.header, Usable: isUsable(p.kinds), Columns: p.columns()}, nil
}

// maxInspectedRows limits the rows that examples are from.
const maxInspectedRows = 50
