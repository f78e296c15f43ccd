package catalogue

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

func FuzzParseProductFile(f *testing.F) {
	f.Add("Handle,Title,Variant Price,Image Src,Image Position\na,A,1,/a.svg,2\na,,,/b.svg,1\n")
	f.Add("\ufeffHandle;Title;Option1 Name;Option1 Value\r\n\"x\ny\";\"a\"\"b\";Size;M\r\n")
	f.Add("handle\tMetadata\tPublished At\nx\t{\"a\":[1e400]}\t2026-01-01T00:00:00Z\n")
	f.Add("\xff\xfe")
	taka, _ := money.ParseCurrency("BDT")
	f.Fuzz(func(t *testing.T, text string) {
		var problems importProblems
		file, err := parseProductFile(strings.NewReader(text), taka, &problems)
		if err != nil {
			t.Fatalf("got error %v, want nil", err)
		}
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
		for _, p := range problems.found {
			if p.Line < 1 || p.Line > lines || p.Message == "" {
				t.Errorf("problem %+v in %d lines", p, lines)
			}
		}
		firstLines := map[string]bool{}
		for _, product := range file.products {
			if product.input.Handle == "" || firstLines[product.input.Handle] || len(product.variants) == 0 {
				t.Errorf("product %+v", product)
			}
			firstLines[product.input.Handle] = true
			var bad fault.Invalid
			product.input.Variants = nil
			in := product.merge(&file.has, nil, &bad)
			in.row(nil, newCollectionIndex(), 0, &bad)
			for _, field := range bad {
				if line, col := product.locate(field.Field); line < 1 || line > lines || file.header[col] == "" {
					t.Errorf("%s: got line %d, column %q", field.Field, line, file.header[col])
				}
			}
		}
	})
}

func FuzzFold(f *testing.F) {
	for _, text := range []string{"Café", "শা\u09a1\u09bcি ৫", `a" OR "b`, "\x00\u200d\xff", "İstanbul ǅ", "e\u200d\u0301"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := input.Fold(text)
		if !utf8.ValidString(folded) || !norm.NFC.IsNormalString(folded) ||
			strings.ContainsAny(folded, "\x00\u200c\u200d০১২৩৪৫৬৭৮৯") || input.Fold(folded) != folded {
			t.Errorf("fold(%q): got %q", text, folded)
		}
		if key := input.FoldKey(text); !utf8.ValidString(key) || strings.TrimSpace(key) != key || key != input.FoldKey(key) {
			t.Errorf("foldKey(%q) = %q, again %q", text, key, input.FoldKey(key))
		}
		words := searchWords(text)
		if len(words) > maxSearchWords {
			t.Errorf("%d words", len(words))
		}
		for _, word := range words {
			if quoted := matchExpression([]string{word}); strings.Count(quoted, `"`)%2 != 0 ||
				strings.ContainsFunc(word, func(r rune) bool { return r == ' ' || r == '\n' }) {
				t.Errorf("word %q: got match expression %s", word, quoted)
			}
		}
	})
}
