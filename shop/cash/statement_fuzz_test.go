package cash_test

import (
	"strings"
	"testing"

	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// Every statement is parsed or rejected with its invalid lines, and no amount is beyond what the
// ledger can add up.
func FuzzParseStatement(f *testing.F) {
	f.Add("Consignment ID,COD Amount,Delivery Fee,Paid\nD1,970,70,900\nD2,0,70,-70\n")
	f.Add("\ufeffconsignment;collected\r\n\"D;1\";\"1,250.00\"\r\n")
	f.Add("consignment,collected\nD1,\"970\" x\n")
	f.Add("consignment,collected\nD1\n")
	f.Add("consignment,collected,collected\n ,1e400,9007199254740992\nD1,-1,\n")
	f.Add("\"")
	f.Add(workbook(f, [][]any{{"Payout"}, {"Consignment", "Collected (Tk)", "Fee"}, {"D1", 970, 60.5}, {"Total", 970}}))
	taka, _ := money.ParseCurrency("BDT")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := cash.ParseStatement(text, taka)
		if err != nil && !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Fatalf("%q: got error %v, want validation_failed", text, err)
		}
		isWorkbook := strings.HasPrefix(text, "PK")
		if err == nil && !isWorkbook && len(rows) > strings.Count(text, "\n")+strings.Count(text, "\r") {
			t.Errorf("%q: got %d rows, want at most one per line", text, len(rows))
		}
		for _, row := range rows {
			if row.Consignment == "" || strings.TrimSpace(row.Consignment) != row.Consignment {
				t.Errorf("%q: got the consignment %q, want one without surrounding spaces", text, row.Consignment)
			}
			for kind, amount := range row.Amounts {
				if amount < -money.MaxAmount || amount > money.MaxAmount || amount < 0 && kind != "paidOut" {
					t.Errorf("%q: got the amount %s %d", text, kind, amount)
				}
			}
		}
	})
}
