package catalogue

import (
	"strings"
	"testing"

	"storefront/shop/fault"
)

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
