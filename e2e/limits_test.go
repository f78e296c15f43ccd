package e2e

import (
	"strings"
	"testing"
)

// TestLimitFlags sets each limit to another value, and finds it in force and in the reference.
func TestLimitFlags(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", newShop(t, "tight", 1),
		"--max-body", "1", "--graphql-max-bytes", "300", "--graphql-max-depth", "3", "--graphql-max-fields", "9", "--graphql-max-cost", "25")
	for document, code := range map[string]string{
		`{ storeFront { name } products(limit: 10) { nodes { title } } }`: "",
		`{ products(limit: 10) { nodes { price { amount } } } }`:          "too_complex",
		`{ products(limit: 26) { nodes { title } } }`:                     "too_complex",
		`{ storeFront {` + strings.Repeat(" name", 9) + ` } }`:            "too_complex",
		`{ storeFront { name } }` + strings.Repeat(" ", 300):              "too_large",
		`{ storeFront { name } }` + strings.Repeat(" ", 1024):             "too_large",
	} {
		got := p.graphql("tight", "", document, nil)
		if told := got.text("errors", 0, "extensions", "code"); told != code {
			t.Errorf("%.60s: want %q: %s", document, code, got.body)
		}
	}
	reference := string(p.must(request{path: "/openapi.json"}).body)
	for _, said := range []string{"at most 1024 bytes", "at most 300 bytes, 3 levels and 9 fields", "total cost of 25"} {
		if !strings.Contains(strings.ReplaceAll(reference, `\n`, " "), said) {
			t.Errorf("the reference does not say: %s", said)
		}
	}
}
