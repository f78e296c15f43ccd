package server_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
)

// A courier's own file is read as it is. A column with unknown amounts is no reason to show our own
// figures in its place: staff specify once what it has. The file's own totals and what arrived at
// the bank are beside the rows.
func TestAdmin_Statement_CouriersOwnFile(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.ship()
	const path = "cash/statements?courier=courier_a"
	const file = "Payout INV-77\n\nConsignment ID,Final Due (Tk),Charge (Tk)\nC1,91,9\nC9,10,1\nTotal,102,10\n"
	columns := func(want string, body, contentType string) {
		t.Helper()
		var got cash.StatementColumns
		s.send("POST", "/admin/v1/shops/test/cash/statements/columns", body, "Content-Type", contentType, "Cookie", s.owner).
			ok(http.StatusOK, &got)
		text := fmt.Sprintf("line %d usable %t:", got.Line, got.Usable)
		for _, column := range got.Columns {
			text += fmt.Sprintf(" %s=%s %t %s;", column.Name, column.Kind, column.Unclear, strings.Join(column.Examples, " "))
		}
		if text != want {
			t.Errorf("columns: got %s, want %s", text, want)
		}
	}
	columns("line 3 usable true: Consignment ID=consignment false C1 C9; Final Due (Tk)=none true 91 10; Charge (Tk)=fee false 9 1;", file, "text/csv")
	columns("line 1 usable false: Nr=none false C1; Sum=none false 5;", "Nr,Sum\nC1,5\n", "text/csv")
	for query, want := range map[string]string{
		"":                              "columns invalid_value",
		"&columns=consignment,paidOut":  "columns invalid_value",
		"&columns=none,fee,fee":         "columns invalid_value",
		"&columns=consignment,fee,what": "columns invalid_value",
		"&columns=consignment,paidOut,fee&arrived=-1": "arrived invalid_value",
	} {
		got := s.as("POST", path+query, file, "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed).fields()
		if got != want {
			t.Errorf("%q: got %s, want %s", query, got, want)
		}
	}

	const chosen = "&columns=consignment,paidOut,fee&arrived=9000"
	want := "collected –, fees ৳9.00, paid out ৳91.00, arrived ৳90.00; fee: ৳10.00 stated, ৳10.00 in rows, ৳9.00 entered" +
		"; paidOut: ৳102.00 stated, ৳101.00 in rows, ৳91.00 entered"
	for _, query := range []string{"&dryRun=true", ""} {
		var got cash.Reconciliation
		s.as("POST", path+chosen+query, file, "Cookie", s.owner).ok(http.StatusOK, &got)
		text := sumsOf(got.StatementSums)
		for _, total := range got.Totals {
			text += fmt.Sprintf("; %s: %s stated, %s in rows, %s entered",
				total.Kind, total.Stated.Formatted, total.Rows.Formatted, total.Entered.Formatted)
		}
		if text != want {
			t.Errorf("with %q: got %s, want %s", query, text, want)
		}
	}
	var list page.List[cash.Statement]
	s.as("GET", "cash/statements", "", "Cookie", s.owner).ok(http.StatusOK, &list)
	if got, want := sumsOf(list.Nodes[0].StatementSums), "collected –, fees ৳9.00, paid out ৳91.00, arrived ৳90.00"; got != want {
		t.Errorf("in the list: got %s, want %s", got, want)
	}

	// The next payout has the same columns, in a workbook.
	next := excelize.NewFile()
	defer next.Close()
	for line, row := range [][]any{
		{"Payout", "INV-78"}, {"Consignment ID", "Final due (TK)", "Charge"}, {"C1", 91.10000000000001, 9}, {"Total", 91.1, 9},
	} {
		if err := next.SetSheetRow("Sheet1", fmt.Sprintf("A%d", line+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	var workbook bytes.Buffer
	if err := next.Write(&workbook); err != nil {
		t.Fatal(err)
	}
	const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	columns("line 2 usable true: Consignment ID=consignment false C1; Final due (TK)=paidOut false 91.1; Charge=fee false 9;",
		workbook.String(), workbookType)
	var got cash.Reconciliation
	s.send("POST", "/admin/v1/shops/test/"+path+"&dryRun=true", workbook.String(), "Content-Type", workbookType, "Cookie", s.owner).
		ok(http.StatusOK, &got)
	if got, want := sumsOf(got.StatementSums), "collected –, fees ৳9.00, paid out ৳91.10, arrived –"; got != want {
		t.Errorf("the next payout: got %s, want %s", got, want)
	}
	s.send("POST", "/admin/v1/shops/test/imports/products", workbook.String(), "Content-Type", workbookType, "Cookie", s.owner).
		problem(http.StatusUnsupportedMediaType, fault.CodeUnsupportedMediaType)
}

func sumsOf(sums cash.StatementSums) string {
	format := func(m *money.Money) string {
		if m == nil {
			return "–"
		}
		return m.Formatted
	}
	return fmt.Sprintf("collected %s, fees %s, paid out %s, arrived %s",
		format(sums.Collected), format(sums.Fees), sums.PaidOut.Formatted, format(sums.Arrived))
}
