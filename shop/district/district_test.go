package district

import (
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Dhaka": "Dhaka", "dhaka ": "Dhaka", "DHAKA CITY": "Dhaka", "Dhaka-1207": "Dhaka", "Dhaka 1207": "Dhaka", "Dhaka1207": "Dhaka",
		"Dhaka, Bangladesh": "Dhaka", "Mirpur, Dhaka": "Dhaka", "Mirpur-10, Dhaka-1216": "Dhaka", "Dhaka (North)": "Dhaka", "Dacca": "Dhaka",
		"ঢাকা": "Dhaka", "ঢাকা-১২০৭": "Dhaka", "ঢাকা সিটি": "Dhaka", "মিরপুর, ঢাকা": "Dhaka", "ঢাকা\u200c জেলা": "Dhaka",
		"Dhaka North City Corporation": "Dhaka", "Dhaka, Dhaka": "Dhaka",
		"Chittagong": "Chattogram", "Chattogram": "Chattogram", "ctg": "Chattogram", "চট্টগ্রাম": "Chattogram",
		"Comilla": "Cumilla", "Comilla Sadar": "Cumilla", "কুমিল্লা": "Cumilla", "Cumilla": "Cumilla",
		"Cox’s Bazar": "Cox's Bazar", "Cox's Bazar": "Cox's Bazar", "Coxs Bazar": "Cox's Bazar", "coxsbazar": "Cox's Bazar",
		"Cox`s Bazaar": "Cox's Bazar", "কক্সবাজার": "Cox's Bazar", "কক্স বাজার": "Cox's Bazar",
		"Mymenshing": "Mymensingh", "Chottogarm": "", "লক্ষ্মিপুর": "Lakshmipur",
		"Jessore": "Jashore", "Barisal": "Barishal", "Bogra": "Bogura", "B. Baria": "Brahmanbaria", "B-Baria": "Brahmanbaria",
		"Narayangonj": "Narayanganj", "নারায়নগঞ্জ": "Narayanganj", "গাজিপুর": "Gazipur", "রাজবাড়ি": "Rajbari", "চাপাই নবাবগঞ্জ": "Chapainawabganj",
		"": "", "Savar": "", "Dhakaa Road": "", "1207": "", "City": "", "Paris": "", "Dhaka / Chittagong": "", "New Dhaka Road": "", "Sector 7": "",
	} {
		if got, ok := Find(text); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v; want %q", text, got, ok, want)
		}
	}
}

// The table has every district once, with a Bangla name, and no spelling of two.
func TestBangladesh(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	all := Bangladesh()
	for _, d := range all {
		for _, spelling := range append([]string{d.Name, d.NameBN}, d.Spellings...) {
			key := Key(spelling)
			if before, taken := owner[key]; taken {
				t.Errorf("%s: %q is also a spelling of %s", d.Name, spelling, before)
			}
			owner[key] = d.Name
			if got, _ := Find(spelling); got != d.Name {
				t.Errorf("%q: got %q, want %q", spelling, got, d.Name)
			}
		}
		if isBangla(d.Name) || !isBangla(d.NameBN) {
			t.Errorf("got %q and %q, want an English and a Bangla name", d.Name, d.NameBN)
		}
	}
	byName := func(a, b District) int { return strings.Compare(a.Name, b.Name) }
	if len(all) != 64 || !slices.IsSortedFunc(all, byName) {
		t.Errorf("got %d districts, sorted %v; want 64, sorted", len(all), slices.IsSortedFunc(all, byName))
	}
	bogura := District{Name: "Bogura", NameBN: "বগুড়া", Spellings: []string{"Bogra"}}
	if got := all[5]; got.Name != bogura.Name || got.NameBN != bogura.NameBN || !slices.Equal(got.Spellings, bogura.Spellings) {
		t.Errorf("got %+v, want %+v", got, bogura)
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mirpur 10": "mirpur10", "Mirpur-10": "mirpur10", "MIRPUR10": "mirpur10", "Mirpur 1216": "mirpur", "São Paulo": "saopaulo", "...": "",
	} {
		if got := Key(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
