package cmd_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop/shoptest"
)

// endAfter ends a command once it has printed some lines.
type endAfter struct {
	bytes.Buffer
	lines int
	end   func()
}

func (w *endAfter) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if bytes.Count(w.Bytes(), []byte("\n")) >= w.lines {
		w.end()
	}
	return n, err
}

// The command prints the events until it is interrupted, which is no failure.
func TestEvents(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	c.must("tenant", "set", "acme", "autoConfirm=true")
	c.must("coupon", "create", "acme", "--code", "EID", "--percent", "10")
	ctx, interrupt := context.WithCancel(t.Context())
	out, stderr := &endAfter{lines: 2, end: interrupt}, &bytes.Buffer{}
	program := cmd.Program{Schema: shoptest.Schema(t), Stdin: strings.NewReader(""), Stdout: out, Stderr: stderr, Environ: c.environ()}
	code := program.Run(ctx, []string{"events", "acme", "--after", "0", "--json", "--data", c.dir})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if code != cmd.ExitOK || len(lines) != 2 || !strings.Contains(lines[0], `"type":"settings.changed","subject":"settings"`) ||
		!strings.Contains(lines[1], `"type":"coupon.created"`) || !strings.Contains(lines[1], `"actor":{"kind":"cli"}`) {
		t.Errorf("got exit code %d, %s%s; want the settings and the coupon, by the command line", code, out.String(), stderr.String())
	}
}
