package campaign

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

const (
	// maxSpendLines is the maximum number of lines of a file.
	maxSpendLines = 20_000
	// maxProblems is the maximum number of problems in the error of a file.
	maxProblems = 100
)

// errDryRun ends the transaction of a dry run.
var errDryRun = errors.New("dry run")

// ImportSpend saves what a CSV file of Meta's Ads Manager states as spent on each campaign and day.
// It saves all or, if a line has a problem, none: the error then has the problems by line. Codes:
// validation_failed, unauthenticated, forbidden.
func (c *Campaigns) ImportSpend(ctx context.Context, caller access.Caller, file io.Reader, dryRun bool) (*SpendSaved, error) {
	who, err := c.data.Authorize(ctx, caller, access.ToImportSpend)
	if err != nil {
		return nil, err
	}
	var currency money.Currency
	err = c.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		currency, err = c.cfg.CurrencyIn(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	rows, err := readSpend(file, currency)
	if err != nil {
		return nil, err
	}
	saved := &SpendSaved{}
	err = c.data.UpdateAloneAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		all, err := c.saveSpend(tx, who, rows)
		if err != nil {
			return err
		}
		*saved = *all
		if saved.DryRun = dryRun; dryRun {
			return errDryRun
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDryRun) {
		return nil, err
	}
	return saved, nil
}

// spendColumns are the indexes of a file's columns, -1 for those that it lacks.
type spendColumns struct{ day, ends, campaign, amount, currency int }

// spendFile is a file that is being read.
type spendFile struct {
	spendColumns
	money money.Currency
	rows  []spendRow
	known map[[3]string]int // index of a row
	bad   fault.Invalid
}

func lineError(line int, format string, args ...any) error {
	return (fault.Invalid{{Field: fmt.Sprintf("line[%d]", line), Code: fault.CodeInvalidValue, Message: fmt.Sprintf(format, args...)}}).Err()
}

// readSpend returns the amounts of a file. Lines of the same campaign and day, such as lines of
// several ad sets, are added up.
func readSpend(file io.Reader, currency money.Currency) ([]spendRow, error) {
	reader, err := input.NewCSVReader(file)
	if err != nil {
		return nil, lineError(1, "%v", err)
	}
	f := spendFile{money: currency, known: map[[3]string]int{}}
	header, err := reader.Read()
	if err != nil {
		return nil, lineError(1, "The first line must be a header with the columns Day, Campaign name and Amount spent.")
	}
	if err := f.readHeader(header); err != nil {
		return nil, err
	}
	for lines := 0; ; lines++ {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return f.finish()
		}
		if wide, ok := errors.AsType[*input.WideRowError](err); ok {
			return nil, lineError(wide.Line, "%v", wide)
		}
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, lineError(parse.Line, "%v", parse.Err)
		}
		if err != nil {
			return nil, err
		}
		line, _ := reader.FieldPos(0)
		if lines == maxSpendLines {
			return nil, lineError(line, "The line is one too many: a file has at most %d lines.", maxSpendLines)
		}
		f.add(row, fmt.Sprintf("line[%d].", line))
		if len(f.bad) >= maxProblems {
			return nil, f.bad[:maxProblems].Err()
		}
	}
}

// readHeader finds the columns by their names.
func (f *spendFile) readHeader(header []string) error {
	find := func(names ...string) int {
		return slices.IndexFunc(header, func(cell string) bool {
			name, _, _ := strings.Cut(strings.ToLower(cell), "(")
			return slices.Contains(names, strings.TrimSpace(name))
		})
	}
	f.day, f.ends = find("day", "date"), -1
	if f.day < 0 {
		f.day, f.ends = find("reporting starts"), find("reporting ends")
	}
	f.campaign, f.amount, f.currency = find("campaign name", "campaign"), find("amount spent", "amount"), find("currency")
	if f.day < 0 || f.campaign < 0 || f.amount < 0 {
		return lineError(1, "The first line must have the columns Day or Reporting starts, Campaign name, and Amount spent.")
	}
	if _, code, ok := strings.Cut(header[f.amount], "("); ok {
		code, _, _ = strings.Cut(code, ")")
		return f.checkCurrency(1, code)
	}
	return nil
}

func (f *spendFile) checkCurrency(line int, code string) error {
	if code = strings.ToUpper(strings.TrimSpace(code)); code != f.money.Code {
		return lineError(line, "The amounts are in %s, and the shop's currency is %s: convert them first.", input.Cut(code, 20), f.money.Code)
	}
	return nil
}

// add adds the amount of a line. Lines without a campaign, such as totals, are skipped.
func (f *spendFile) add(row []string, path string) {
	cell := func(at int) string {
		if at < 0 || at >= len(row) {
			return ""
		}
		return strings.TrimSpace(row[at])
	}
	if cell(f.campaign) == "" {
		return
	}
	if ends := cell(f.ends); ends != "" && ends != cell(f.day) {
		f.bad.Add(path+"day", fault.CodeInvalidValue, "The line is of several days: export with the breakdown by day.")
		return
	}
	if code := cell(f.currency); code != "" && !strings.EqualFold(code, f.money.Code) {
		f.bad.Add(path+"currency", fault.CodeInvalidValue, "The amount is in %s, and the shop's currency is %s: convert it first.",
			input.Cut(code, 20), f.money.Code)
		return
	}
	amount, ok := int64(0), true
	if text := cell(f.amount); text != "" {
		amount, ok = f.money.Parse(text)
	}
	if !ok {
		f.bad.Add(path+"amount", fault.CodeInvalidValue, "Must be an amount such as 1250.50.")
		return
	}
	r := SpendInput{Day: cell(f.day), Name: cell(f.campaign), Amount: amount}.check(&f.bad, path)
	at, ok := f.known[r.id()]
	if !ok {
		f.known[r.id()] = len(f.rows)
		f.rows = append(f.rows, r)
		return
	}
	if f.rows[at].amount += r.amount; f.rows[at].amount > maxSpendAmount {
		f.bad.Add(path+"amount", fault.CodeInvalidValue, "The sum of the campaign and the day is too large.")
	}
}

// finish returns the amounts, or the problems of the lines.
func (f *spendFile) finish() ([]spendRow, error) {
	if err := f.bad.Err(); err != nil {
		return nil, err
	}
	if len(f.rows) == 0 {
		return nil, lineError(2, "The file has no line with a campaign.")
	}
	return f.rows, nil
}
