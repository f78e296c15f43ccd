package catalogue

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// Every value of a file that the rules of products reject is reported at its line and column.
func FuzzFileProduct_Merge(f *testing.F) {
	f.Add("Handle,Title,Variant Price,Image Src,Image Position\na,A,1,/a.svg,2\na,,,/b.svg,1\n")
	f.Add("\ufeffHandle;Title;Option1 Name;Option1 Value\r\n\"x\ny\";\"a\"\"b\";Size;M\r\n")
	f.Add("handle\tMetadata\tPublished At\nx\t{\"a\":[1e400]}\t2026-01-01T00:00:00Z\n")
	f.Add("\xff\xfe")
	f.Add(
		"ID,Type,SKU,Name,Published,Stock,Regular price,Sale price,Date sale price ends,Categories,Parent,Attribute 1 name,Attribute 1 value(s)\n" +
			"1,variable,A,A,1,3,,,,\"A > B, C\\, D\",,Size,\"S, M\"\n2,variation,,A,1,parent,5,4,2030-01-01,,A,Size,\n3,grouped,,,-1,,,,,,,,\n",
	)
	f.Add("Name,Regular price,Weight (lbs),Images\n,x,1e9,\"//a b, ftp:\"\n™,5,-1,\n")
	taka, _ := money.ParseCurrency("BDT")
	f.Fuzz(func(t *testing.T, text string) {
		cfg := productfile.Config{Currency: taka, Findings: &productfile.Findings{}}
		file, source, err := productfile.Open(strings.NewReader(text), cfg)
		if err != nil {
			t.Fatalf("got error %v, want nil", err)
		}
		if source == nil {
			return
		}
		defer source.Close()
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
		for {
			read, err := source.Next()
			if err != nil {
				t.Fatalf("got error %v, want nil", err)
			}
			if read == nil {
				return
			}
			product := &fileProduct{Product: *read}
			var bad fault.Invalid
			in := product.merge(&file.Has, nil, discardNote, &bad)
			in.row(
				nil,
				references{newCollectionIndex(), func(string) *mediaRow { return nil }},
				0,
				&bad,
			)
			for _, field := range bad {
				if at := file.Place(read, field.Field); at.Line < 1 || at.Line > lines ||
					at.Column == "" {
					t.Errorf("%s: got line %d, column %q", field.Field, at.Line, at.Column)
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
			strings.ContainsAny(
				folded,
				"\x00\u200c\u200d০১২৩৪৫৬৭৮৯",
			) || input.Fold(folded) != folded {
			t.Errorf("fold(%q): got %q", text, folded)
		}
		if key := input.FoldKey(text); !utf8.ValidString(key) || strings.TrimSpace(key) != key ||
			key != input.FoldKey(key) {
			t.Errorf(
				"FoldKey(%q): got %q, again %q; want both equal, without space around",
				text,
				key,
				input.FoldKey(key),
			)
		}
		words := searchWords(text)
		if len(words) > maxSearchWords {
			t.Errorf("got %d words, want at most %d", len(words), maxSearchWords)
		}
		for _, word := range words {
			quoted := fts5Expression(newSearchExpression([]string{word}, nil), searchView{}).(string)
			if strings.Count(quoted, `"`)%2 != 0 ||
				strings.ContainsFunc(word, func(r rune) bool { return r == ' ' || r == '\n' }) {
				t.Errorf("word %q: got match expression %s", word, quoted)
			}
		}
	})
}
