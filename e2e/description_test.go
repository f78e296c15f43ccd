package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"storefront/shop/input"
)

// The editor of descriptions stores no element that the server would remove, and what it removes
// are no others.
func TestDescription_Elements(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../server/admin/page/js/part/description.js")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(source), "storedTags")
	list, _, ok := strings.Cut(after, "split(")
	if !ok {
		t.Fatal("got no list of elements in the module")
	}
	tags := regexp.MustCompile(`[a-z]+[1-6]?`).FindAllString(strings.TrimPrefix(list, " = new Set"), -1)
	stored := map[string]bool{}
	for _, tag := range tags {
		if tag == "a" || tag == "img" { // not without an address
			tag += ` title="x"`
		}
		name, _, _ := strings.Cut(tag, " ")
		stored[name] = true
		if got := input.SanitizeHTML("<" + tag + ` href="/x" src="/x">x`); !strings.HasPrefix(got, "<"+name) {
			t.Errorf("<%s>: got %q, want an element that the server stores", name, got)
		}
	}
	if len(stored) < 60 {
		t.Errorf("got %d elements, want all of the list", len(stored))
	}
	for _, tag := range []string{"script", "style", "iframe", "object", "form", "input", "button", "video", "svg", "link", "meta", "base", "template"} {
		if stored[tag] || strings.Contains(input.SanitizeHTML("<"+tag+">x</"+tag+">"), "<"+tag) {
			t.Errorf("<%s> is stored", tag)
		}
	}
}
