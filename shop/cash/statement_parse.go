package cash

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// statementColumns are the column names that couriers use in statements, in lower case and without
// punctuation.
var statementColumns = map[EntryKind][]string{
	"consignment":  {"consignment", "consignmentid", "consignmentno", "parcelid", "trackingid", "cid"},
	EntryCollected: {"collected", "collectedamount", "codamount", "cod", "collection", "cashcollected"},
	EntryFee:       {"fee", "deliveryfee", "deliverycharge", "charge", "totalfee", "totalcharge"},
	cashShare:      {"codfee", "codcharge", "cashhandlingfee", "collectionfee", "collectioncharge"},
	EntryRemitted:  {"paid", "paidout", "payout", "payable", "remitted", "netamount", "net", "paidamount"},
}

// Columns of a statement besides the kinds of ledger entries. The courier's share of the cash
// becomes part of the fee.
const (
	consignmentColumn EntryKind = "consignment"
	cashShare         EntryKind = "share"
)

// statementRow is a row of a statement.
type statementRow struct {
	consignment string
	repeated    bool // an earlier row has the same consignment
	// minor units, like all amounts; nil if there is no such column, or the field is empty
	collected *int64
	fee       *int64 // including the courier's share of the cash
	share     *int64
	remitted  *int64
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

// parseStatement returns the rows of a statement, and the lines without a shipment. Its columns are
// separated by commas, semicolons or tabs. Codes: validation_failed, with the first 100 invalid
// lines.
func parseStatement(text []byte, provider plugin.Provider, currency money.Currency) ([]statementRow, statementNotes, error) {
	p, err := newStatementParser(text, currency)
	if errors.Is(err, input.ErrUTF16) {
		var bad fault.Invalid
		bad.Add("file", fault.CodeInvalidValue, "The file is encoded in UTF-16: save it as CSV UTF-8.")
		return nil, statementNotes{}, bad.Err()
	}
	if err == nil {
		err = p.parse(provider)
	}
	if err == nil {
		err = p.bad.Err()
	}
	if err != nil {
		return nil, statementNotes{}, err
	}
	return p.rows, p.notes, nil
}

// statementParser reads the rows of a statement.
type statementParser struct {
	reader   *csv.Reader
	currency money.Currency
	header   []string
	columns  map[EntryKind]int
	seen     map[string]bool // consignments

	rows  []statementRow
	notes statementNotes
	bad   fault.Invalid
}

func newStatementParser(text []byte, currency money.Currency) (*statementParser, error) {
	reader, err := input.NewCSVReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	reader.TrimLeadingSpace = reader.Comma != '\t' // otherwise an empty field would be omitted
	return &statementParser{reader: reader, currency: currency, seen: map[string]bool{}}, nil
}

// parse reads the whole statement, unless its faults are too many. An error does not concern its
// text.
func (p *statementParser) parse(provider plugin.Provider) error {
	if provider != "" && provider != plugin.CourierA && provider != plugin.CourierB {
		p.bad.Add("provider", fault.CodeInvalidValue, "The courier must be %s or %s.", plugin.CourierA, plugin.CourierB)
		return nil
	}
	if !p.parseHeader() {
		return nil
	}
	for len(p.bad) < maxStatementFaults {
		record, err := p.reader.Read()
		if errors.Is(err, io.EOF) || p.isInvalidRow(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read statement: %w", err)
		}
		if !p.parseRow(record) {
			return nil
		}
	}
	return nil
}

// parseHeader reads the header. ok is false if it is invalid.
func (p *statementParser) parseHeader() (ok bool) {
	header, err := p.reader.Read()
	if p.isTooWide(err) {
		return false
	}
	if err != nil {
		p.bad.Add("file", fault.CodeInvalidValue, "The file must be a CSV file with a header and one row per shipment.")
		return false
	}
	p.header, p.columns = header, findStatementColumns(header)
	if _, ok := p.columns[consignmentColumn]; !ok || len(p.columns) < 2 {
		p.bad.Add("file", fault.CodeInvalidValue,
			"The header must have a consignment column and at least one of: collected, fee, paid.")
		return false
	}
	return true
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
func (p *statementParser) parseRow(record []string) (more bool) {
	line, _ := p.reader.FieldPos(0)
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	row := statementRow{}
	if i := p.columns[consignmentColumn]; i < len(record) {
		row.consignment = record[i]
	}
	if isAboutNoShipment(record, row.consignment) {
		p.notes.add(line, record)
		return true
	}
	if len(p.rows) == maxStatementRows {
		p.bad.Add("file", fault.CodeInvalidValue,
			"The statement must have at most 100,000 rows. Split it and reconcile the parts.")
		return false
	}
	for len(record) > len(p.header) && record[len(record)-1] == "" {
		record = record[:len(record)-1]
	}
	if len(record) != len(p.header) { // its amounts may be in other columns
		p.bad.Add(fmt.Sprintf("line %d", line), fault.CodeInvalidValue,
			"The number of columns in line %d is %d; in the header it is %d.", line, len(record), len(p.header))
		return true
	}
	if input.IsScientific(row.consignment) {
		p.addFault(line, "the consignment %s has lost digits in a spreadsheet: use the courier's own file.", row.consignment)
		return true
	}
	p.parseAmounts(&row, line, record)
	row.repeated = p.seen[row.consignment]
	p.seen[row.consignment] = true
	p.rows = append(p.rows, row)
	return true
}

// parseAmounts sets the amounts of a row. The courier's share of the cash is part of its fee.
func (p *statementParser) parseAmounts(row *statementRow, line int, record []string) {
	for _, field := range []struct {
		kind   EntryKind
		amount **int64
	}{{EntryCollected, &row.collected}, {EntryFee, &row.fee}, {cashShare, &row.share}, {EntryRemitted, &row.remitted}} {
		i, ok := p.columns[field.kind]
		if !ok || record[i] == "" {
			continue
		}
		amount, ok := parsePayout(record[i], p.currency)
		if !ok || amount < 0 && field.kind != EntryRemitted {
			p.addFault(line, "%s must be an amount.", p.header[i])
			continue
		}
		*field.amount = &amount
	}
	if row.share != nil {
		row.fee = new(amountOf(row.fee) + *row.share)
	}
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

// findStatementColumns returns the positions of the known columns. Case and punctuation of the
// names do not matter.
func findStatementColumns(header []string) map[EntryKind]int {
	columns := map[EntryKind]int{}
	for i, name := range header {
		name = strings.Map(func(r rune) rune {
			if strings.ContainsRune(" _-().#", r) {
				return -1
			}
			return r
		}, strings.ToLower(name))
		for kind, names := range statementColumns {
			if _, found := columns[kind]; !found && slices.Contains(names, name) {
				columns[kind] = i
			}
		}
	}
	return columns
}
