package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/shop/fault"
)

// A CSV file from outside is accepted whole, or refused by line, and nothing of it is stored.
func TestAdmin_CSV(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.ship()
	const products, statements = "imports/products", "cash/statements?courier=courier_a"
	const bom = "\xEF\xBB\xBF"
	stored := func() string {
		return fmt.Sprint(s.shop.Number(t, `SELECT COUNT(*) FROM products`), s.shop.Number(t, `SELECT COUNT(*) FROM variants`),
			s.shop.Number(t, `SELECT COUNT(*) FROM cash_statement_lines`), s.shop.Number(t, `SELECT COUNT(*) FROM cash_statements`))
	}
	for name, tc := range map[string]struct{ path, file, want string }{ // want is in the refusal
		"product: bad amount last": {products, "Handle,Title,Variant Price\njam,Jam,120\ntea,Tea,dear\n", "line:3"},
		"product: formula amount":  {products, "Handle,Title,Variant Price\njam,Jam,=1+1\n", "line:2"},
		"product: bare quote":      {products, "Handle,Title,Variant Price\njam,Jam,120\ntea,T\"ea,1\n", "line:3"},
		"product: wide line":       {products, "Handle,Title,Variant Price\njam,Jam,120\n" + strings.Repeat(",", 1<<20), "line:3"},
		"product: one long line":   {products, strings.Repeat("a,", 1<<20), "line:1"},
		"product: one long word":   {products, strings.Repeat("a", 20<<20), "line:1"},
		"product: UTF-16":          {products, "\xff\xfeH\x00a\x00", "line:1"},
		"statement: bad amount":    {statements, "Consignment,Collected\nC1,1\nC2,lots\n", "line 3"},
		"statement: formula":       {statements, "Consignment,Collected\nC1,=100-99\n", "line 2"},
		"statement: bare quote":    {statements, "Consignment,Collected\nC1,1\nC2,\"1\"2\n", "line 3"},
		"statement: decimal comma": {statements, "Consignment;Collected\nC1;1250,50\n", "line 2"},
		"statement: wide line":     {statements, "Consignment,Collected\nC1,1\n" + strings.Repeat(",", 20<<20-100), "line 3"},
		"statement: one long line": {statements, strings.Repeat("a,", 1<<20), "line 1"},
		"statement: one long word": {statements, strings.Repeat("a", 20<<20), "columns"},
	} {
		before := stored()
		got := s.as("POST", tc.path, tc.file, "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		if text := fmt.Sprint(got.Details["problems"], got.fields()); !strings.Contains(text, tc.want) || stored() != before {
			t.Errorf("%s: got %.300s and %s stored, want %s and %s", name, text, stored(), tc.want, before)
		}
	}
	for _, tc := range []struct{ path, file, query string }{ // the query is what it must have stored
		{products, bom + "Handle,Title,Variant Price\r\njam,\"=HYPERLINK(\"\"https://evil.example\"\")\",১২০.৫০\r\n",
			`SELECT COUNT(*) FROM variants v JOIN products p ON p.id = v.product_id WHERE p.handle = 'jam' AND v.price = 12050
				AND p.title = '=HYPERLINK("https://evil.example")'`},
		{statements, bom + "Consignment;Collected;Fee\r\nC1;১.০০;০\r\n=cmd|' /C calc'!A0;5;0\r\nমোট;৬;০\r\n",
			`SELECT COUNT(*) FROM cash_statement_lines WHERE collected = 100`},
	} {
		s.as("POST", tc.path, tc.file, "Cookie", s.owner).ok(http.StatusOK, new(any))
		if n := s.shop.Number(t, tc.query); n != 1 {
			t.Errorf("%q: got %d rows, want 1", tc.file, n)
		}
	}
}
