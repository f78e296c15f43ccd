package catalogue

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"storefront/shop/fault"
)

// distance returns the number of edits, of neighbours swapped too, between two words.
func distance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestIsOneEditApart(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	word := func() []rune {
		letters := make([]rune, random.IntN(8))
		for i := range letters {
			letters[i] = 'ক' + rune(random.IntN(3))
		}
		return letters
	}
	apart := 0
	for range 20_000 {
		a, b := word(), word()
		want := distance(a, b) == 1
		if got := isOneEditApart(a, b); got != want {
			t.Fatalf("%q and %q: got %t, want %t", string(a), string(b), got, want)
		}
		if want {
			apart++
			// What findSimilarWords relies on.
			if n := len(a) / 2; len(a) > 1 && !(len(b) >= n && slices.Equal(a[:n], b[:n])) &&
				!strings.HasSuffix(string(b), string(a[n+1:])) {
				t.Fatalf("%q and %q: neither half is equal", string(a), string(b))
			}
		}
	}
	if apart < 100 {
		t.Errorf("got %d pairs one edit apart, want at least 100", apart)
	}
}

// The words of a repeated transaction are inserted again, those of a committed one are not.
func TestWordSet_RepeatedTransaction(t *testing.T) {
	t.Parallel()
	var s wordSet
	add := func(title string) string {
		return strings.Join(s.add(&searchDocument{title: title, skus: "ABCDE"}), " ")
	}
	for _, step := range []struct{ title, want string }{
		{"Silk Saree silk SAREE", "silk saree"}, {"Saree Café Mug R2D2X tea", "cafe"},
	} {
		if got := add(step.title); got != step.want {
			t.Errorf("add %q: got %q, want %q", step.title, got, step.want)
		}
	}
	s.begin()
	if got, want := add("Silk Saree"), "silk saree"; got != want {
		t.Errorf("after begin: got %q, want %q", got, want)
	}
	s.commit()
	s.begin()
	if got, want := add("Silk Café"), "cafe"; got != want {
		t.Errorf("after commit: got %q, want %q", got, want)
	}
}

// A spelling of the shipped list is in one group, of 2 to 12 that a search can match.
func TestShippedSynonyms(t *testing.T) {
	t.Parallel()
	groups := map[string]int{}
	var set SearchSettings
	for line := range strings.Lines(synonymList) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		group := strings.Split(line, ",")
		set.Synonyms = append(set.Synonyms, group)
		for _, spelling := range group {
			if key := spellingKey(spelling); groups[key] != 0 && groups[key] != len(set.Synonyms) {
				t.Errorf("%s is in two groups", spelling)
			} else {
				groups[key] = len(set.Synonyms)
			}
		}
	}
	var bad fault.Invalid
	if set.Check(&bad); len(bad) > 0 {
		t.Errorf("got %v, want no faults", bad)
	}
}
