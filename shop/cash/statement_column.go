package cash

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"storefront/shop/input"
	"storefront/shop/money"
)

// ColumnKind is the kind of value in a column of a statement.
//
//api:enum StatementColumnKind
type ColumnKind string

// The kinds of columns. The courier's share of the cash becomes part of the fee.
const (
	ColumnNone        ColumnKind = "none"        // nothing that is entered
	ColumnConsignment ColumnKind = "consignment" // the courier's ID of the shipment
	ColumnCollected   ColumnKind = "collected"   // the cash collected
	ColumnFee         ColumnKind = "fee"         // what the courier deducts
	ColumnCashFee     ColumnKind = "cashFee"     // the courier's share of the cash, besides the fee
	ColumnPaidOut     ColumnKind = "paidOut"     // what the courier pays out
)

// ParseColumns returns the kinds that a text has, separated by commas; nil for "".
func ParseColumns(text string) (kinds []ColumnKind) {
	for kind := range strings.SplitSeq(text, ",") {
		if text != "" {
			kinds = append(kinds, ColumnKind(strings.TrimSpace(kind)))
		}
	}
	return kinds
}

// formatColumns is the reverse of [ParseColumns].
func formatColumns(kinds []ColumnKind) string {
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = string(kind)
	}
	return strings.Join(texts, ",")
}

// StatementColumn is a column of a statement.
type StatementColumn struct {
	Name     string     `json:"name" doc:"As in the file's header"`
	Kind     ColumnKind `json:"kind"`
	Unclear  bool       `json:"unclear" doc:"The column has amounts whose kind is unknown, and the statement lacks a kind of amount"`
	Examples []string   `json:"examples" nullable:"false" doc:"The first three of the column"`
}

const (
	maxExamples      = 3
	maxExampleLength = 40
)

// columnNames are the names of columns in couriers' files, the preferred ones of a kind first, in
// the form of [columnName].
var columnNames = map[ColumnKind][]string{
	ColumnConsignment: {
		"consignment", "consignmentid", "consignmentno", "consignmentnumber", "parcelid", "trackingid", "trackingno", "trackingnumber",
		"cid", "কনসাইনমেন্ট", "কনসাইনমেন্টআইডি", "পার্সেলআইডি", "ট্র্যাকিংআইডি",
	},
	ColumnCollected: {
		"collected", "collectedamount", "amountcollected", "cashcollected", "collectedcash", "codcollected", "codcollection", "collection",
		"collectionamount", "codamount", "cod", "আদায়", "আদায়কৃত", "সংগৃহীত", "সংগ্রহ",
	},
	ColumnFee: {
		"fee", "deliveryfee", "deliverycharge", "charge", "shippingfee", "shippingcharge", "courierfee", "couriercharge",
		"ফি", "চার্জ", "ডেলিভারিফি", "ডেলিভারিচার্জ",
	},
	ColumnCashFee: {
		"codfee", "codcharge", "cashhandlingfee", "collectionfee", "collectioncharge", "কোডচার্জ", "সিওডিচার্জ",
	},
	ColumnPaidOut: {
		"paid", "paidout", "payout", "payoutamount", "paidamount", "amountpaid", "payable", "payableamount", "netpayable", "netpayout",
		"remitted", "netamount", "net", "netpaid", "disbursed", "disbursement", "disbursedamount", "পরিশোধ", "পরিশোধিত", "প্রদেয়",
	},
}

// wholeFeeNames are the names of columns with all that a courier deducts, in which other columns of
// fees are contained.
var wholeFeeNames = []string{"totalfee", "totalfees", "totalcharge", "totalcharges", "finalfee", "totaldeduction", "মোটচার্জ", "মোটফি"}

// amountWords are parts of the names of columns with amounts.
var amountWords = []string{
	"amount", "collect", "cod", "cash", "fee", "charge", "pay", "paid", "net", "deduct", "disburs", "remit", "due",
	"টাকা", "আদায়", "সংগ্রহ", "ফি", "চার্জ", "পরিশোধ", "প্রদেয়",
}

// columnName returns a column's name for comparison: lower case, without punctuation and currency.
func columnName(name string, currency money.Currency) string {
	words := strings.FieldsFunc(strings.ToLower(input.Fold(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
	words = slices.DeleteFunc(words, func(word string) bool {
		return word == strings.ToLower(currency.Code) || slices.Contains([]string{"tk", "taka", "টাকা", "rs"}, word)
	})
	return strings.Join(words, "")
}

// columnsOf returns what the columns with these names have. Each kind has one column.
func columnsOf(header []string, currency money.Currency) []ColumnKind {
	kinds := make([]ColumnKind, len(header))
	names := make([]string, len(header))
	for i, name := range header {
		kinds[i], names[i] = ColumnNone, columnName(name, currency)
	}
	find := func(known []string) int {
		for _, name := range known {
			if i := slices.Index(names, input.Fold(name)); i >= 0 {
				return i
			}
		}
		return -1
	}
	whole := find(wholeFeeNames)
	for kind, known := range columnNames {
		isFee := kind == ColumnFee || kind == ColumnCashFee
		if i := find(known); i >= 0 && (whole < 0 || !isFee) {
			kinds[i] = kind
		}
	}
	if whole >= 0 {
		kinds[whole] = ColumnFee
	}
	return kinds
}

// isUsable reports whether columns have consignments and an amount, each kind at most once.
func isUsable(kinds []ColumnKind) bool {
	count := map[ColumnKind]int{}
	for _, kind := range kinds {
		if _, isKnown := columnNames[kind]; !isKnown && kind != ColumnNone {
			return false
		}
		if count[kind]++; count[kind] > 1 && kind != ColumnNone {
			return false
		}
	}
	delete(count, ColumnNone)
	return count[ColumnConsignment] == 1 && len(count) > 1
}

// headerKey returns the key of a header, by which its columns are saved.
func headerKey(header []string, currency money.Currency) string {
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = columnName(name, currency)
	}
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return hex.EncodeToString(sum[:16])
}
