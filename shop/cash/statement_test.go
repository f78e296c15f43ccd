package cash_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/cash"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// What couriers add to their files does not make them unreadable, and no amount is read from it.
func TestParseStatement_Forms(t *testing.T) {
	t.Parallel()
	taka, _ := money.ParseCurrency("BDT")
	want := "DL1 collected 97000 fee 6000; DL2 collected 112400000"
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
	} {
		rows, err := cash.ParseStatement(text, plugin.CourierA, taka)
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
	// A row of a shipment that is not certain is a fault, with its line.
	for text, field := range map[string]string{
		"Consignment,Collected,Fee\nDL1,970,60\nDL2,970\n":            "line 3: invalid_value",
		"Consignment,Collected,Fee\nDL1,970,60,5\n":                   "line 2: invalid_value",
		"Consignment;Collected;Fee\nDL1;1250,50;60\n":                 "line 2: invalid_value",
		"Consignment;Collected;Fee\nDL1;1.250;60\n":                   "line 2: invalid_value", // 1,250 where a dot separates thousands
		"Consignment,Collected,Fee\nTotal1,970,60\nDL2,lots,60\n":     "line 3: invalid_value",
		"Consignment,Collected,Fee\nDL1,970,60\nDL2,9\"70,60\n":       "line 3: invalid_value",
		"Consignment,Collected\nDL1,970" + strings.Repeat(",", 1<<20): "line 2: invalid_value",
	} {
		_, err := cash.ParseStatement(text, plugin.CourierA, taka)
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
