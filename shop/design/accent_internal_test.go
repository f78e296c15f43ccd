package design

import (
	"regexp"
	"testing"
)

// Text in the accents of any colour, and on them, is readable.
func TestAccents_Contrast(t *testing.T) {
	t.Parallel()
	value := regexp.MustCompile(`--accent:(#\w+);--on-accent:(#\w+);--accent-strong:(#\w+);--accent-soft:(#\w+);`)
	for _, colour := range []string{"#000000", "#ffffff", "#ffc400", "#7a2740", "#00ff00", "#1a7f5a", "#808080"} {
		found := value.FindAllStringSubmatch(Accents(colour), -1)
		if len(found) != 3 {
			t.Fatalf("%s: got %d palettes, want 3", colour, len(found))
		}
		for _, p := range found {
			accent, on, strong, soft := parsed(p[1]), parsed(p[2]), parsed(p[3]), parsed(p[4])
			for what, pair := range map[string][2]rgb{"on": {on, accent}, "on strong": {on, strong}, "on soft": {strong, soft}} {
				if got := contrast(pair[0], pair[1]); got < minText {
					t.Errorf("%s: %s: got a contrast of %.2f in %s, want %.1f", colour, what, got, p[0], minText)
				}
			}
		}
	}
	if got := Accents("red}"); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}
