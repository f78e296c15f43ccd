package cmd_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"storefront/cmd"
	"storefront/shop/shoptest"
)

// An agent that starts the command works with the shop through its tools, and leaves by closing the
// input. What it reads and changes is in the audit log.
func TestMCP(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	fromAgent, toProgram := io.Pipe()
	fromProgram, toAgent := io.Pipe()
	stderr := &bytes.Buffer{}
	program := cmd.Program{Schema: shoptest.Schema(t), Stdin: fromAgent, Stdout: toAgent, Stderr: stderr, Environ: c.environ()}
	ended := make(chan int)
	go func() {
		ended <- program.Run(t.Context(), []string{"mcp", "acme", "--changes", "--tags", "products and stock,Coupons", "--data", c.dir})
		toAgent.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil || tool.Name == "listOrders" {
			t.Fatalf("got the tool %v, %v, want only those of the tags", tool, err)
		}
	}
	call := func(name string, arguments map[string]any, want string, isError bool) {
		t.Helper()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if text := result.Content[0].(*mcp.TextContent).Text; result.IsError != isError || !strings.Contains(text, want) {
			t.Errorf("%s: got %t %s, want %q", name, result.IsError, text, want)
		}
	}
	mug := map[string]any{"handle": "mug", "title": "Mug", "variants": []any{map[string]any{"price": 45000}}}
	call("createProduct", map[string]any{"body": mug}, `"handle":"mug"`, false)
	call("createProduct", map[string]any{"body": mug}, `"code":"`, true)
	call("getProduct", map[string]any{"id": "mug"}, `"title":"Mug"`, false)
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	toProgram.Close()
	if code := <-ended; code != cmd.ExitOK {
		t.Errorf("got exit code %d: %s", code, stderr)
	}
	if log := c.must("audit", "acme"); strings.Count(log, "agent.read") != 1 || strings.Count(log, "product.create") != 1 {
		t.Errorf("got %s", log)
	}
}
