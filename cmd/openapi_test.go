package cmd_test

import (
	"os"
	"testing"
)

func TestOpenAPI_WithoutDataFolder(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	golden, err := os.ReadFile("../server/testdata/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.must("openapi", "--yaml"); got != string(golden) {
		t.Errorf("openapi --yaml: got %.300s, want the served document", got)
	}
	var document struct {
		OpenAPI string
		Servers []struct{ URL string }
	}
	c.json(&document, "openapi", "--public-url", "https://api.example.com")
	if document.OpenAPI != "3.1.0" || len(document.Servers) != 1 || document.Servers[0].URL != "https://api.example.com" {
		t.Errorf("openapi: got %+v", document)
	}
	if _, err := os.Stat(c.dir); !os.IsNotExist(err) {
		t.Errorf("the command created a data folder: %v", err)
	}
}
