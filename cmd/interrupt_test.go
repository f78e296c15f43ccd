package cmd_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/shop/shoptest"
)

// An interrupt ends a command inside a statement that does not end.
func TestCommand_InterruptedInStatement(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	var stderr bytes.Buffer
	program := cmd.Program{
		Schema: shoptest.EndlessSchema(t, "collections"), Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &stderr,
	}
	if code := program.Run(t.Context(), []string{"tenant", "create", "slow", "--name", "Slow", "--data", c.dir}); code != cmd.ExitOK {
		t.Fatalf("tenant create: got exit code %d\n%s", code, stderr.String())
	}
	ctx, interrupt := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, interrupt)
	if code := program.Run(ctx, []string{"collection", "list", "slow", "--data", c.dir}); code != cmd.ExitFailed ||
		!strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("collection list: got exit code %d\n%s\nwant 1 and interrupted", code, stderr.String())
	}
}
