package message

import (
	"encoding/json"
	"os"
	"testing"
)

// The dashboard replaces the placeholders of the same templates in a browser, in a test of package
// e2e.
func TestValues_Fill(t *testing.T) {
	t.Parallel()
	var cases struct {
		Values    Values
		Templates []struct{ Template, Text string }
	}
	file, err := os.ReadFile("testdata/texts.json")
	if err == nil {
		err = json.Unmarshal(file, &cases)
	}
	if err != nil || len(cases.Templates) == 0 {
		t.Fatalf("got %d templates, %v", len(cases.Templates), err)
	}
	for _, test := range cases.Templates {
		if got := cases.Values.fill(test.Template); got != test.Text {
			t.Errorf("%q: got %q, want %q", test.Template, got, test.Text)
		}
	}
}
