package phone

import "testing"

func TestParsePhone(t *testing.T) {
	t.Parallel()
	const rahim = "+8801711000000"
	for _, c := range []struct {
		name, text, country, want string // want "": refused
	}{
		{"national with dash", "01711-000000", "BD", rahim},
		{"international", "+8801711000000", "BD", rahim},
		{"from abroad", "+8801711000000", "US", rahim},
		{"plus left out", "8801711000000", "BD", rahim},
		{"trunk prefix left out", "1711000000", "BD", rahim},
		{"exit code", "00880 1711 000000", "BD", rahim},
		{"exit code of North America", "011 880 1711 000000", "US", rahim},
		{"trunk prefix in brackets", "+880 (0)1711-000000", "GB", rahim},
		{"spaces around", "  01711 000 000\u00a0", "BD", rahim},
		{"pasted marks and dash", "\u202a01711\u2011000000\u202c", "BD", rahim},
		{"Bangla digits", "০১৭১১-০০০০০০", "BD", rahim},
		{"Bangla digits, international", "+৮৮০ ১৭১১ ০০০০০০", "BD", rahim},
		{"Arabic digits", "٠١٧١١٠٠٠٠٠٠", "BD", rahim},
		{"full width", "＋８８０１７１１００００００", "BD", rahim},
		{"fixed line", "02-222200000", "BD", "+8802222200000"},
		{"zero is part of it", "06 6982 1234", "IT", "+390669821234"},
		{"no trunk prefix", "9123 4567", "SG", "+6591234567"},
		{"trunk prefix 8", "8 (912) 345-67-89", "RU", "+79123456789"},
		{"city that begins with it", "812 345-67-89", "RU", "+78123456789"},
		{"United States", "(202) 456-1111", "US", "+12024561111"},

		{"empty", "", "BD", ""},
		{"plus alone", "+", "BD", ""},
		{"one digit short", "0171100000", "BD", ""},
		{"one digit long", "017110000000", "BD", ""},
		{"no such operator", "01211000000", "BD", ""},
		{"short code", "999", "BD", ""},
		{"letters", "01711-0000OO", "BD", ""},
		{"letters around", "a01711000000b", "BD", ""},
		{"extension", "01711000000 ext 5", "BD", ""},
		{"two plus signs", "++8801711000000", "BD", ""},
		{"plus inside", "880+1711000000", "BD", ""},
		{"two numbers", "01711000000 01811000000", "BD", ""},
		{"no such calling code", "+999 1711 000000", "BD", ""},
		{"no such country", "01711000000", "XX", ""},
		{"e-mail address", "rahim@example.com", "BD", ""},
		{"NUL", "01711000000\x00", "BD", ""},
		{"invalid UTF-8", "01711000000\xff", "BD", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := Parse(c.text, c.country)
			if !ok {
				got = ""
			}
			if got != c.want || ok != (c.want != "") {
				t.Errorf("parsePhone(%q, %s) = %q, %t; want %q", c.text, c.country, got, ok, c.want)
			}
		})
	}
}

func FuzzParsePhone(f *testing.F) {
	f.Add("01711-000000")
	f.Add("+৮৮০ ১৭১১ ০০০০০০")
	f.Add("+8")
	f.Fuzz(func(t *testing.T, text string) {
		e164, ok := Parse(text, "BD")
		if !ok {
			return
		}
		if again, ok := Parse(e164, "US"); !ok || again != e164 {
			t.Errorf("%q gives %q, which gives %q, %t", text, e164, again, ok)
		}
	})
}
