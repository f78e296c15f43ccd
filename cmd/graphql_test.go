package cmd_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"storefront/server"
)

func TestGraphQLSchema_WithoutDataFolder(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	want, err := server.GraphQLSchema()
	if err != nil {
		t.Fatal(err)
	}
	got := c.must("graphql", "schema")
	if got != want || !strings.Contains(got, "\nschema {\n") || !strings.Contains(got, "\"Version of this API.\"\n  apiVersion: String!") {
		t.Errorf("graphql schema: got %.300s", got)
	}
	var inJSON struct{ Schema string }
	if err := json.Unmarshal([]byte(c.must("graphql", "schema", "--json")), &inJSON); err != nil || inJSON.Schema != want {
		t.Errorf("graphql schema --json: got %v, %.100s", err, inJSON.Schema)
	}
	if _, err := os.Stat(c.dir); !os.IsNotExist(err) {
		t.Errorf("the command created a data folder: %v", err)
	}
}
