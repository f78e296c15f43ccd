package cash_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"storefront/shop"
	"storefront/shop/cash"
	"storefront/shop/money"
)

// What couriers add to their files does not make them unreadable, and no amount is read from it.
func TestParseStatement_Forms(t *testing.T) {
	t.Parallel()
	taka, _ := money.ParseCurrency("BDT")
	want := "DL1 collected 97000 fee 6000; DL2 collected 112400000"
	check := func(name, text string) {
		t.Helper()
		rows, err := cash.ParseStatement(text, taka)
		var got []string
		for _, row := range rows {
			line := row.Consignment
			for _, kind := range []string{"collected", "fee"} {
				if amount, ok := row.Amounts[kind]; ok {
					line += fmt.Sprintf(" %s %d", kind, amount)
				}
			}
			got = append(got, line)
		}
		if strings.Join(got, "; ") != want || err != nil {
			t.Errorf("%s: got %q (%v), want %q", name, strings.Join(got, "; "), err, want)
		}
	}
	for name, text := range map[string]string{
		"total without its columns": "Consignment,Collected,Fee\nDL1,970,60\nDL2,\"11,24,000\",\nTotal,1124970\n",
		"total with more columns":   "Consignment,Collected,Fee\nDL1,970,60\nDL2,1124000,\nGrand Total:,1124970,60,1124910,x\n",
		"total in another column":   "Name,Consignment,Collected,Fee\nRina,DL1,970,60\nMita,DL2,1124000,\nTotal,2 parcels,1124970,60\n",
		"blank and closing lines":   "\xEF\xBB\xBFConsignment,Collected,Fee\r\nDL1,970,60\r\n\r\nDL2,1124000,\r\n,,\r\nClosing balance,5,6\r\n",
		"semicolons":                "Consignment;Collected;Fee\nDL1;970;60\nDL2;11,24,000;\nমোট;1124970;60\n",
		"tabs, an empty field":      "Consignment\tCollected\tFee\nDL1\t970\t60\nDL2\t1124000\t\n",
		"Bangla digits":             "Consignment,Collected,Fee\nDL1,৯৭০,৬০.০০\nDL2,১১২৪০০০,\n",
		"a buyer named Total":       "Name,Consignment,Collected,Fee\nTotal,DL1,970,60\nSum,DL2,1124000,\n",
		"columns without a name":    "Consignment,Collected,Fee\nDL1,970,60,,\nDL2,1124000,,,\n",
		"lines above the header":    "Payout INV-77, 12 Nov 2026\nMerchant;Acme\n\nConsignment ID;Collected;Fee\nDL1;970;60\nDL2;11,24,000;\n",
		"lines end with CR":         "Payout INV-77\rConsignment,Collected,Fee\rDL1,970,60\rDL2,1124000,\r",
		"units in names":            "Consignment No.,Collected Amount (Tk),Delivery Charge [BDT]\nDL1,970,60\nDL2,1124000,\n",
		"Bangla names":              "কনসাইনমেন্ট আইডি,আদায়কৃত টাকা,ডেলিভারি চার্জ\nDL1,৯৭০,৬০\nDL2,১১২৪০০০,\n",
		"parts of the whole fee":    "Consignment,Total Charge,Delivery Fee,COD Fee,Collected\nDL1,60,50,10,970\nDL2,,,,1124000\n",
		"fee and share":             "Consignment,Delivery Fee,COD Fee,Collected\nDL1,50,10,970\nDL2,,,1124000\n",
		"due besides collected":     "Consignment,COD Amount,Collected Amount,Fee\nDL1,1000,970,60\nDL2,5,1124000,\n",
	} {
		check(name, text)
	}
	for name, sheets := range map[string][][][]any{
		"workbook": {{{"Consignment", "Collected", "Fee"}, {"DL1", 970, 60.000000000000007}, {"DL2", 1124000}}},
		"workbook with titles": {{
			{"Payout", "INV-77"}, {}, {"Name", "Consignment ID", "Collected (Tk)", "Charge"},
			{"Rina", "DL1", "970.00", 60}, {"Mita", "DL2", "11,24,000", nil}, {"Total", nil, 1124970, 60},
		}},
		"second sheet": {{{"Summary", "of the payout"}, {"Shipments", 2}}, {{"Consignment", "Collected", "Fee"}, {"DL1", 970, 60}, {"DL2", 1124000, nil}}},
	} {
		check(name, workbook(t, sheets...))
	}
	// A row of a shipment that is not certain is a fault, with its line.
	for text, field := range map[string]string{
		"Consignment,Collected,Fee\nDL1,970,60\nDL2,970\n":            "line 3: invalid_value",
		"Consignment,Collected,Fee\nDL1,970,60,5\n":                   "line 2: invalid_value",
		"Consignment;Collected;Fee\nDL1;1250,50;60\n":                 "line 2: invalid_value",
		"Consignment;Collected;Fee\nDL1;1.250;60\n":                   "line 2: invalid_value", // 1,250 where a dot separates thousands
		"Consignment,Collected,Fee\nTotal1,970,60\nDL2,lots,60\n":     "line 3: invalid_value",
		"Consignment,Collected,Fee\nDL1,970,60\nDL2,9\"70,60\n":       "line 3: invalid_value",
		"Payout INV-77\nConsignment,Collected\nDL1,970\nDL2,x\n":      "line 4: invalid_value",
		"Name,Number,Sum\nRina,DL1,970\n":                             "columns: invalid_value",
		"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1":                            "file: invalid_value", // an Excel file of 2003
		"PK\x03\x04 and no workbook":                                  "file: invalid_value",
		"Consignment,Collected\nDL1,970" + strings.Repeat(",", 1<<20): "line 2: invalid_value",
	} {
		_, err := cash.ParseStatement(text, taka)
		if diff := cmp.Diff([]string{field}, invalidFields(err)); diff != "" {
			t.Errorf("%q: fields (-want +got):\n%s", text, diff)
		}
	}
}

// invalidFields returns the fields in an error, each with its code.
func invalidFields(err error) (fields []string) {
	for _, f := range shop.AsError(err).Fields {
		fields = append(fields, fmt.Sprintf("%s: %s", f.Field, f.Code))
	}
	return fields
}

// workbook returns a workbook with sheets of these cells.
func workbook(tb testing.TB, sheets ...[][]any) string {
	tb.Helper()
	file := excelize.NewFile()
	defer file.Close()
	for i, rows := range sheets {
		name := fmt.Sprintf("Sheet%d", i+1)
		if _, err := file.NewSheet(name); err != nil {
			tb.Fatal(err)
		}
		for line, row := range rows {
			if err := file.SetSheetRow(name, fmt.Sprintf("A%d", line+1), &row); err != nil {
				tb.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := file.Write(&b); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
