package input_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"storefront/shop/input"
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
		if got := input.IsOneEditApart(a, b); got != want {
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
