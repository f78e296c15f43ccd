package shop

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"storefront/shop/fault"
	"storefront/shop/money"
)

// statementColumns are the column names that couriers use in statements, in lower case and without
// punctuation.
var statementColumns = map[entryKind][]string{
	"consignment": {"consignment", "consignmentid", "consignmentno", "parcelid", "trackingid", "cid"},
	cashCollected: {"collected", "collectedamount", "codamount", "cod", "collection", "cashcollected"},
	cashFee:       {"fee", "deliveryfee", "deliverycharge", "charge", "totalfee", "totalcharge"},
	cashShare:     {"codfee", "codcharge", "cashhandlingfee", "collectionfee", "collectioncharge"},
	cashRemitted:  {"paid", "paidout", "payout", "payable", "remitted", "netamount", "net", "paidamount"},
}

// Columns of a statement that are no kinds of ledger entries. The courier's share of the cash
// becomes part of the fee.
const (
	consignmentColumn entryKind = "consignment"
	cashShare         entryKind = "share"
)

// statementRow is a row of a statement.
type statementRow struct {
	consignment string
	repeated    bool   // an earlier row has the same consignment
	collected   *int64 // minor units, as all amounts; nil: no such column, or an empty field
	fee         *int64 // the courier's share of the cash included
	share       *int64
	remitted    *int64
}

// parseStatement returns the rows of a statement. Codes: validation_failed.
func parseStatement(text []byte, provider Provider, currency money.Currency) ([]statementRow, error) {
	var bad fault.Invalid
	if provider != "" && provider != CourierA && provider != CourierB {
		bad.Add("provider", fault.CodeInvalidValue, "The courier must be %s or %s.", CourierA, CourierB)
		return nil, bad.Err()
	}
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	reader := csv.NewReader(bytes.NewReader(text))
	reader.TrimLeadingSpace = true
	header, err := reader.Read()
	if err != nil {
		bad.Add("file", fault.CodeInvalidValue, "The file must be a CSV file with a header and one row per shipment.")
		return nil, bad.Err()
	}
	columns := findStatementColumns(header)
	if _, ok := columns[consignmentColumn]; !ok || len(columns) < 2 {
		bad.Add("file", fault.CodeInvalidValue, "The header must have a consignment column and at least one of: collected, fee, paid.")
		return nil, bad.Err()
	}
	var rows []statementRow
	seen := map[string]bool{}
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, bad.Err()
		}
		if err != nil {
			bad.Add("file", fault.CodeInvalidValue, "The file must be valid CSV: it cannot be read after row %d.", len(rows)+1)
			return nil, bad.Err()
		}
		line, _ := reader.FieldPos(0) // it panics after an error
		row := statementRow{consignment: strings.TrimSpace(record[columns[consignmentColumn]])}
		for _, field := range []struct {
			kind   entryKind
			amount **int64
		}{{cashCollected, &row.collected}, {cashFee, &row.fee}, {cashShare, &row.share}, {cashRemitted, &row.remitted}} {
			i, ok := columns[field.kind]
			if !ok || strings.TrimSpace(record[i]) == "" {
				continue
			}
			amount, ok := parsePayout(record[i], currency)
			if !ok || amount < 0 && field.kind != cashRemitted {
				bad.Add(fmt.Sprintf("line %d", line), fault.CodeInvalidValue, "Line %d: %s must be an amount.", line, header[i])
				continue
			}
			*field.amount = &amount
		}
		if row.share != nil {
			row.fee = new(amountOf(row.fee) + *row.share)
		}
		if row.consignment != "" {
			row.repeated = seen[row.consignment]
			seen[row.consignment] = true
			rows = append(rows, row)
		}
	}
}

// parsePayout parses an amount that may be negative: couriers deduct the fee of a shipment without
// enough cash from other shipments. ok is false beyond [money.MaxAmount].
func parsePayout(text string, currency money.Currency) (amount int64, ok bool) {
	digits, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
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
func findStatementColumns(header []string) map[entryKind]int {
	columns := map[entryKind]int{}
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
