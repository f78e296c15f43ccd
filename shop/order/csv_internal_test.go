package order

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
	"time"

	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/status"
)

// signedNumber matches what begins like a formula and is none: a phone number.
var signedNumber = regexp.MustCompile(`^[+-][0-9.]+$`)

// Whatever buyers write, an export has the same cells for each order line, and no cell is a
// formula, even if the file is split at another separator.
func FuzzWriteOrder(f *testing.F) {
	f.Add("Karim", "House 12-A, Road 5", "call first", "Honey")
	f.Add("=HYPERLINK(\"http://evil.example\")", "a;=1+1", "first\n@SUM(A1)", "x\t+1")
	f.Add("\"=1", "\r\n", "a,\"-1", "|=cmd")
	f.Fuzz(func(t *testing.T, name, line, note, title string) {
		name, line, note, title = input.Clean(name), input.Clean(line), input.Clean(note), input.Clean(title)
		order := &orderRow{
			name: name, phone: "+8801711000000", line1: line, city: "Dhaka", note: note, total: 100, source: status.SourceStorefront, discountReason: note,
			staffDiscount: 100, items: []orderItemRow{{title: title, quantity: 1}, {title: name, quantity: 2}},
		}
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		currency, _ := money.ParseCurrency("BDT")
		if err := writeOrder(w, order, Display{Currency: currency}, time.UTC); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		text := file.String()
		rows, err := csv.NewReader(&file).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[0]) != len(exportColumns) || len(rows[1]) != len(exportColumns) {
			t.Fatalf("%q: got %d rows, %v, want 2 of %d cells", text, len(rows), err, len(exportColumns))
		}
		for _, separator := range ",;\t|" {
			for _, cell := range strings.FieldsFunc(text, func(r rune) bool { return r == separator || r == '\n' || r == '\r' }) {
				cell = strings.TrimLeft(cell, "\" \t")
				if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) && !signedNumber.MatchString(strings.TrimRight(cell, "\" \t")) {
					t.Errorf("%q split at %q: got the cell %q", text, separator, cell)
				}
			}
		}
	})
}
