package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// checkExample checks that the recorded example of an operation has the fields of its response
// today. With -record, it writes the response as the example if it has not.
func checkExample(t *testing.T, operation string, body []byte) {
	t.Helper()
	file := filepath.Join("..", "server", "examples", filepath.FromSlash(operation)+".json")
	var today, recorded any
	if err := json.Unmarshal(body, &today); err != nil {
		t.Fatalf("%s: %v in %s", operation, err, body)
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &recorded)
	}
	if err == nil && hasFieldsOf(recorded, today) {
		return
	}
	if !*record {
		t.Errorf("%s: the example lacks a field, or has others (%v): run go test ./e2e -run Reference_ -record", operation, err)
		return
	}
	recordExample(t, file, body)
}

// hasFieldsOf reports whether two values have the same fields, as far as both have values: a list
// can be empty and a value null, by when the test runs.
func hasFieldsOf(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return true
		}
		if !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
			return false
		}
		for name := range a {
			if !hasFieldsOf(a[name], b[name]) {
				return false
			}
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) > 0 && len(b) > 0 {
			return hasFieldsOf(a[0], b[0])
		}
	}
	return true
}

var (
	// exampleSecrets are values that sign in or sign something.
	exampleSecrets = regexp.MustCompile(`"(accessToken|token|orderToken|secret)":"[^"]*"`)
	exampleServer  = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

// recordExample writes a response for the reference, without what signs in.
func recordExample(t *testing.T, file string, body []byte) {
	t.Helper()
	var text bytes.Buffer
	body = exampleSecrets.ReplaceAll(body, []byte(`"$1":"…"`))
	body = exampleServer.ReplaceAll(body, []byte("http://localhost:8080"))
	if err := json.Indent(&text, body, "", "  "); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	text.WriteByte('\n')
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Error(err)
	}
}
