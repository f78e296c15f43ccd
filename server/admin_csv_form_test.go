package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// productFile sends a product file and describes the response: the products with these handles, or
// the problems.
func (s *auditShop) productFile(file string, handles ...string) string {
	s.t.Helper()
	got := s.as("POST", "imports/products", file, "Cookie", s.owner)
	if got.status != http.StatusOK {
		problem := got.problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
		var lines []string
		for _, p := range problem.Details["problems"].([]any) {
			p := p.(map[string]any)
			lines = append(lines, fmt.Sprintf("%v %v: %v", p["line"], p["column"], p["code"]))
		}
		return strings.Join(lines, "; ")
	}
	var report catalogue.ImportReport
	got.ok(http.StatusOK, &report)
	lines := []string{fmt.Sprint(report.Products)}
	for _, handle := range handles {
		p := s.product("GET", "products/"+url.PathEscape(handle), "")
		line := fmt.Sprintf("%s %s", p.Handle, p.Status)
		for _, v := range p.Variants {
			line += fmt.Sprint(" ", v.Price.Amount)
			if v.CompareAtPrice != nil {
				line += fmt.Sprint("<", v.CompareAtPrice.Amount)
			}
			if v.Stock != nil {
				line += fmt.Sprint(" × ", *v.Stock)
			}
		}
		lines = append(lines, line)
	}
	for _, note := range report.Notes {
		lines = append(lines, fmt.Sprintf("%d %s: %s", note.Line, note.Column, note.Kind))
	}
	return strings.Join(lines, "; ")
}

// Spreadsheets end lines with CR, name the separator in a first line, and mark the encoding.
func TestAdmin_ProductFile_LinesAndSeparators(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	const two = "2; mug<n> active 10000; plate<n> active 20000"
	const bom = "\xEF\xBB\xBF"
	for name, tc := range map[string]struct{ file, want string }{
		"LF":              {"Handle,Title,Variant Price\nmug<n>,Mug,100.00\nplate<n>,Plate,200.00\n", two},
		"CRLF":            {"Handle,Title,Variant Price\r\nmug<n>,Mug,100.00\r\nplate<n>,Plate,200.00\r\n", two},
		"CR":              {"Handle,Title,Variant Price\rmug<n>,Mug,100.00\rplate<n>,Plate,200.00\r", two},
		"CR, last open":   {"Handle,Title,Variant Price\rmug<n>,Mug,100.00\rplate<n>,Plate,200.00", two},
		"CR and CRLF":     {"Handle,Title,Variant Price\r\nmug<n>,Mug,100.00\rplate<n>,Plate,200.00\r\n", two},
		"CR and LF":       {"Handle,Title,Variant Price\rmug<n>,Mug,100.00\nplate<n>,Plate,200.00\n", two},
		"CR CR LF":        {"Handle,Title,Variant Price\r\r\nmug<n>,Mug,100.00\r\r\nplate<n>,Plate,200.00\r\r\n", two},
		"CR, mark, quote": {bom + "\"Handle\";\"Title\";\"Variant Price\"\rmug<n>;\"Mug\rbig\";100.00\rplate<n>;Plate;200.00\r", two},
		"CR, a fault":     {"Handle,Title,Variant Price\rmug<n>,Mug,100.00\rplate<n>,Plate,dear\r", "3 Variant Price: not_amount"},

		"sep=;":             {"sep=;\r\nHandle;Title;Variant Price\r\nmug<n>;Mug;100.00\r\nplate<n>;Plate;200.00\r\n", two},
		"sep=, with tabs":   {"sep=,\nHandle,\"Ti\ttle\t\t\",Title,Variant Price\nmug<n>,,Mug,100.00\nplate<n>,,Plate,200.00\n", two},
		"sep=tab":           {"sep=\t\nHandle\tTitle\tVariant Price\nmug<n>\tMug, blue\t100.00\nplate<n>\tPlate\t200.00\n", two},
		"sep=\\t":           {"sep=\\t\nHandle\tTitle\tVariant Price\nmug<n>\tMug\t100.00\nplate<n>\tPlate\t200.00\n", two},
		"sep=|":             {"sep=|\nHandle|Title|Variant Price\nmug<n>|Mug|100.00\nplate<n>|Plate|200.00\n", two},
		"SEP, mark":         {bom + "SEP=;\nHandle;Title;Variant Price\nmug<n>;Mug;100.00\nplate<n>;Plate;200.00\n", two},
		"sep, quotes":       {bom + "\"sep=;\"\nHandle;Title;Variant Price\nmug<n>;Mug;100.00\nplate<n>;Plate;200.00\n", two},
		"sep, empty cells":  {"sep=;;;\nHandle;Title;Variant Price\nmug<n>;Mug;100.00\nplate<n>;Plate;200.00\n", two},
		"sep, CR":           {"sep=;\rHandle;Title;Variant Price\rmug<n>;Mug;100.00\rplate<n>;Plate;200.00\r", two},
		"sep, lines":        {"sep=;\nHandle;Title;Variant Price\nmug<n>;Mug;dear\n", "3 Variant Price: not_amount"},
		"sep, header lacks": {"sep=;\nName;Variant Price\nMug;1\n", "2 Handle: column_missing"},
		"sep=:":             {"sep=:\nHandle:Title:Variant Price\nmug<n>:Mug:100.00\nplate<n>:Plate:200.00\n", two},
		"sep=^, CRLF":       {"sep=^\r\nHandle^Title^Variant Price\r\nmug<n>^Mug^100.00\r\nplate<n>^Plate^200.00\r\n", two},
		"sep alone":         {"sep=;\n", "1 : file_empty"},
		"header alone":      {"Handle,Title,Variant Price\n", "1 : file_empty"},
		"header alone, CR":  {"SKU,Name,Regular price\r\r", "1 : file_empty"},
		"no line ends":      {"Handle,Title,Variant Price\u2028mug<n>,Mug,100.00\u2028", "1 : file_empty"},
		"vertical tabs":     {"Handle,Title,Variant Price\vmug<n>,Mug,100.00\v", "1 : file_empty"},
		"sep in quotes":     {"\"Handle\";\"Title, long, full\";Title;Variant Price\nmug<n>;;Mug;100.00\nplate<n>;;Plate;200.00\n", two},
		"blank lines first": {"\n\nHandle;Title;Variant Price\nmug<n>;Mug;100.00\nplate<n>;Plate;200.00\n", two},
		"UTF-16, no mark":   {"H\x00a\x00n\x00d\x00l\x00e\x00", "1 : file_utf16"},
	} {
		s.values["n"] = fmt.Sprint(len(name), strings.Map(func(r rune) rune {
			if r < 'a' || r > 'z' {
				return -1
			}
			return r
		}, strings.ToLower(name)))
		got := s.productFile(tc.file, s.filled("mug<n>"), s.filled("plate<n>"))
		if want := s.filled(tc.want); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// An amount is read exactly or not at all: a dot separates thousands where many files come from.
func TestAdmin_ProductFile_Amounts(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for text, want := range map[string]string{
		"12500": "1250000", "12500.00": "1250000", "12,500": "1250000", "1,12,500.50": "11250050", "১২,৫০০": "1250000",
		"12.5": "1250", "12.5000": "1250", " 12.50 ": "1250", "\u00a0১২.৫০": "1250",
		"12.500": "", "1.250": "", "0.500": "", "12.000": "", "১২.৫০০": "", "1,250.500": "", "1.250,00": "", "1.250.000": "",
		"12,50": "", "12,5": "", "1 250": "", "1\u00a0250,00": "", "1'250.00": "", "1’250": "", "1.25E+04": "", "-5": "", "0x10": "", "1_000": "",
	} {
		for column, header := range map[string]string{
			"Variant Price": "Handle,Title,Variant Price", "Variant Compare At Price": "Handle,Title,Variant Price,Variant Compare At Price",
			"Cost per item": "Handle,Title,Variant Price,Cost per item", "Regular price": "SKU,Name,Regular price",
			"Sale price": "SKU,Name,Regular price,Sale price", "Cost of goods": "SKU,Name,Regular price,Cost of goods",
		} {
			cells := strings.Split(header, ",")
			row := []string{"lamp", "Lamp", "99999999"}[:min(3, len(cells))]
			if last := len(cells) - 1; last == 2 {
				row[2] = `"` + text + `"`
			} else {
				row = append(row, `"`+text+`"`)
			}
			got := s.productFile(header + "\n" + strings.Join(row, ",") + "\n")
			if problem := "2 " + column + ": not_amount"; (want == "") != (got == problem) {
				t.Errorf("%s %q: got %q, want %q", column, text, got, want)
			}
			if column == "Variant Price" && want != "" {
				if p := s.product("GET", "products/lamp", ""); fmt.Sprint(p.Variants[0].Price.Amount) != want {
					t.Errorf("%q: got %d, want %s", text, p.Variants[0].Price.Amount, want)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"5": "1; pen active 1000 × 5", "5.0": "1; pen active 1000 × 5", "5.00": "1; pen active 1000 × 5",
		"1.000": "2 Variant Inventory Qty: not_whole", "12.500": "2 Variant Inventory Qty: not_whole",
	} {
		file := "Handle,Title,Variant Price,Variant Inventory Tracker,Variant Inventory Qty\npen,Pen,10,shopify," + text + "\n"
		if got := s.productFile(file, "pen"); got != want {
			t.Errorf("quantity %s: got %q, want %q", text, got, want)
		}
	}
}

// Handles are derived from titles in any script. A joiner is part of a word and not of its handle.
func TestAdmin_ProductFile_Handles(t *testing.T) {
	t.Parallel()
	const rack, cloth = "র\u200d্যাক", "ক্ষৌম\u200cবস্ত্র"
	for name, tc := range map[string]struct {
		file, want string
		handles    []string
	}{
		"handle with joiner": {
			"Handle,Title,Variant Price\n" + rack + "," + rack + ",900\n", "1; র্যাক active 90000",
			[]string{"র্যাক"},
		},
		"words with joiners": {
			"SKU,Name,Regular price\nR-1,কাঠের " + rack + ",900\nR-2," + cloth + ",900\n",
			"2; কাঠের-র্যাক active 90000; ক্ষৌমবস্ত্র active 90000", []string{"কাঠের-র্যাক", "ক্ষৌমবস্ত্র"},
		},
		"soft hyphen": {
			"SKU,Name,Regular price\nR-1,Tea\u00adpot,900\n", "1; teapot active 90000", []string{"teapot"},
		},
		"no column": {
			"Title,Variant Price\nনীল শাড়ি,100\nলাল শাড়ি,200\nNakshi কাঁথা,300\nNakshi খাদর,400\n",
			"4; নীল-শাড়ি active 10000; লাল-শাড়ি active 20000; nakshi-কাঁথা active 30000; nakshi-খাদর active 40000",
			[]string{"নীল-শাড়ি", "লাল-শাড়ি", "nakshi-কাঁথা", "nakshi-খাদর"},
		},
		"no column, other scripts": {
			"Title,Variant Price\nCafé Mug,1\nMug ৫০০,2\nMug ২৫০,3\nقميص أزرق,4\n茶壶,5\n" + cloth + ",6\n",
			"6; cafe-mug active 100; mug-৫০০ active 200; mug-২৫০ active 300; قميص-أزرق active 400; 茶壶 active 500; ক্ষৌমবস্ত্র active 600",
			[]string{"cafe-mug", "mug-৫০০", "mug-২৫০", "قميص-أزرق", "茶壶", "ক্ষৌমবস্ত্র"},
		},
		"no column, variants": {
			"Title,Option1 Name,Option1 Value,Variant Price\nশাড়ি,রং,লাল,1\nশাড়ি,রং,নীল,2\n", "1; শাড়ি active 100 200", []string{"শাড়ি"},
		},
		"no column, equal in letters": {
			"Title,Variant Price\nMug,1\nMug!,2\n", "3 Title: handle_taken", nil,
		},
		"no column, no letters": {"Title,Variant Price\n★,1\n", "2 Title: no_handle", nil},
	} {
		s := newAuditShop(t)
		if got := s.productFile(tc.file, tc.handles...); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
	s := newAuditShop(t)
	for title, want := range map[string]string{rack: "র্যাক", "কাঠের " + rack: "কাঠের-র্যাক", cloth: "ক্ষৌমবস্ত্র"} {
		p := s.product("POST", "products", fmt.Sprintf(`{"title":%q,"variants":[{"price":100}]}`, title))
		if p.Handle != want {
			t.Errorf("product %q: got handle %q, want %q", title, p.Handle, want)
		}
		if again := s.product("GET", "products/"+url.PathEscape(strings.ReplaceAll(title, " ", "-")), ""); again.ID != p.ID {
			t.Errorf("product by handle with joiner %q: got %s, want %s", title, again.Handle, p.Handle)
		}
		if c, _ := s.collection("POST", "collections", fmt.Sprintf(`{"title":%q}`, title)); c.Handle != want {
			t.Errorf("collection %q: got handle %q, want %q", title, c.Handle, want)
		}
	}
}

// A day in a file is a day of the shop, from its beginning to its end.
func TestAdmin_ProductFile_Days(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Pacific/Pago_Pago", "Pacific/Kiritimati", "Asia/Dhaka", "UTC"} {
		s := newAuditShop(t)
		s.must("PATCH", "settings", `{"timeZone":"`+name+`"}`)
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		now := s.shop.Clock.Now().In(zone)
		day := func(n int) string { return now.AddDate(0, 0, n).Format(time.DateOnly) }
		at := func(d time.Duration) string { return now.Add(d).Format(time.DateTime) }
		for _, tc := range []struct{ starts, ends, want string }{
			{day(1), "", "10000"},
			{day(0), "", "8000<10000"},
			{"", day(0), "8000<10000"},
			{"", day(-1), "10000"},
			{day(0), day(0), "8000<10000"},
			{day(0) + " 00:00:00", day(0) + " 00:00:00", "8000<10000"},
			{at(time.Minute), "", "10000"},
			{at(-time.Minute), at(time.Minute), "8000<10000"},
			{"", at(-time.Minute), "10000"},
			{now.Add(time.Minute).UTC().Format(time.RFC3339), "", "10000"},
			{now.Add(-time.Minute).UTC().Format(time.RFC3339), "", "8000<10000"},
		} {
			file := "SKU,Name,Regular price,Sale price,Date sale price starts,Date sale price ends\nS-1,Sale,100,80," + tc.starts + "," + tc.ends + "\n"
			got, _, _ := strings.Cut(s.productFile(file, "sale"), "; 2 ")
			if want := "1; sale active " + tc.want; got != want {
				t.Errorf("%s, from %q to %q at %s: got %q, want %q", name, tc.starts, tc.ends, now, got, want)
			}
		}
		s.productFile("Handle,Title,Variant Price,Published At\nnew,New,1,2026-03-26\n")
		if p := s.product("GET", "products/new", ""); !p.PublishedAt.Equal(time.Date(2026, 3, 26, 0, 0, 0, 0, zone)) {
			t.Errorf("%s, published on 2026-03-26: got %s", name, p.PublishedAt)
		}
	}
}

// Programs and spreadsheets change numbers: quotes are removed, and lost digits are reported.
func TestAdmin_ProductFile_Numbers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, want string }{
		"quoted minus": {
			"SKU,Name,Published,Stock,Backorders allowed?,Regular price\nQ-1,Draft,'-1',5,0,100\nQ-2,Owed,1,'-3',1,100\n",
			"2; draft draft 10000 × 5; owed active 10000 × -3",
		},
		"quoted minus, other columns": {
			"SKU,Name,Published,Stock,Low stock amount,Regular price\nQ-1,Draft,'-1',5,'-1',100\nQ-2,Owed,1,0,1,'-5'\n",
			"2 Stock: invalid_value; 3 Regular price: not_amount",
		},
		"barcode of a spreadsheet": {
			"Handle,Title,Variant Price,Variant Barcode\ndraft,Draft,50,8.90123E+12\nowed,Owed,50,8901234567890\n",
			"2; draft active 5000; owed active 5000; 2 Variant Barcode: digits_lost",
		},
		"barcode and SKU of a spreadsheet": {
			"SKU;Name;GTIN;Regular price\n1,2E+11;Draft;\"8,9E+12\";50\nE+1;Owed;8E12;50\n",
			"2; draft active 5000; owed active 5000; 2 SKU: digits_lost; 2 GTIN: digits_lost",
		},
	} {
		s := newAuditShop(t)
		got := strings.Split(s.productFile(tc.file, "draft", "owed"), "; ")
		if want := strings.Split(tc.want, "; "); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// Couriers' statements are read as product files are, and no amount or consignment is guessed.
func TestAdmin_StatementFile_Forms(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for text, want := range map[string]string{
		"Consignment,Collected\nC1,100\nC2,200\n":                                 "2",
		"Consignment,Collected\r\nC1,100\r\nC2,200\r\n":                           "2",
		"Consignment,Collected\rC1,100\rC2,200\r":                                 "2",
		"Consignment,Collected\r\nC1,100\rC2,200":                                 "2",
		"\xEF\xBB\xBFsep=;\r\nConsignment;Collected\r\nC1;100\r\nC2;2,00,000\r\n": "2",
		"sep=,\nConsignment,Collected\nC1,100\nC2,200\n":                          "2",
		"\"sep=\t\"\rConsignment\tCollected\rC1\t100\rC2\t\r":                     "2",
		"sep=;\nConsignment;Collected\nC1;100\nC2;lots\n":                         "line 4",
		"Consignment,Collected\rC1,100\rC2,lots\r":                                "line 3",
		"Consignment,Collected\nC1,12.500\n":                                      "line 2",
		"Consignment,Collected\nC1,\"1.250,00\"\n":                                "line 2",
		"Consignment;Collected\nC1;1'250\nC2;1 250\n":                             "line 2, line 3",
		"Consignment;Collected\nC1;১২.৫০০\n":                                      "line 2",
		"Consignment,Collected\nC1,1.25E+03\n":                                    "line 2",
		"Consignment,Collected\n1.23457E+11,100\n":                                "line 2",
		"Consignment,Collected\n":                                                 "file",
		"Consignment,Collected\r\r":                                               "file",
		"\xff\xfeC\x00":                                                           "file",
		"C\x00o\x00n\x00":                                                         "file",
	} {
		got := s.as("POST", "cash/statements?courier=courier_a&dryRun=true", text, "Cookie", s.owner)
		var described string
		if got.status == http.StatusOK {
			var result cash.Reconciliation
			got.ok(http.StatusOK, &result)
			described = fmt.Sprint(len(result.Differences)) // each row, since no shipment has these
		} else {
			described = strings.ReplaceAll(got.problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed).fields(), " invalid_value", "")
		}
		if described != want {
			t.Errorf("%q: got %s, want %s", text, described, want)
		}
	}
}
