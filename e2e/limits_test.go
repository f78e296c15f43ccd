package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestLimitFlags sets a limit to another value. It is in force and in the reference, like the
// others.
func TestLimitFlags(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", newShop(t, "tight", 1), "--max-body", "1")
	var lists strings.Builder
	for i := range 11 {
		fmt.Fprintf(&lists, " p%d: products(limit: 100) { nodes { title } }", i)
	}
	for document, code := range map[string]string{
		`{ storeFront { name } products(limit: 10) { nodes { title } } }`: "",
		`{` + lists.String() + `}`:                                        "too_complex",
		`{ storeFront { name } }` + strings.Repeat(" ", 1024):             "too_large",
	} {
		got := p.graphql("tight", "", document, nil)
		if told := got.text("errors", 0, "extensions", "code"); told != code {
			t.Errorf("%.60s: want %q: %s", document, code, got.body)
		}
	}
	reference := string(p.must(request{path: "/openapi.json"}).body)
	for _, said := range []string{"at most 1024 bytes", "at most 16384 bytes, 12 levels and 1000 fields", "total cost of 1000"} {
		if !strings.Contains(strings.ReplaceAll(reference, `\n`, " "), said) {
			t.Errorf("the reference does not say: %s", said)
		}
	}
}
