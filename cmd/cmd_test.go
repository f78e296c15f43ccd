package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop/shoptest"
)

// processVariable makes the test binary run as the program itself; see TestMain.
const processVariable = "STOREFRONT_TEST_PROCESS"

func TestMain(m *testing.M) {
	if schema, ok := os.LookupEnv(processVariable); ok {
		os.Exit(cmd.Main(schema))
	}
	os.Exit(m.Run())
}

// result is the outcome of one command line.
type result struct {
	code           int
	stdout, stderr string
}

// console runs command lines on one data folder.
type console struct {
	t     *testing.T
	dir   string // --data
	env   map[string]string
	stdin string
}

func newConsole(t *testing.T) *console {
	return &console{t: t, dir: filepath.Join(t.TempDir(), "data"), env: map[string]string{}}
}

// run runs a command line with the console's data folder.
func (c *console) run(args ...string) result {
	c.t.Helper()
	return c.runBare(append(slices.Clip(args), "--data", c.dir)...)
}

// runBare runs a command line without adding --data.
func (c *console) runBare(args ...string) result {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	program := cmd.Program{
		Schema: shoptest.Schema(c.t), Stdin: strings.NewReader(c.stdin), Stdout: &stdout, Stderr: &stderr,
		LookupEnv: func(name string) (string, bool) {
			value, ok := c.env[name]
			return value, ok
		},
	}
	code := program.Run(context.Background(), args)
	return result{code, stdout.String(), stderr.String()}
}

// must runs a command line that must succeed, and returns its output.
func (c *console) must(args ...string) string {
	c.t.Helper()
	return c.output(args, c.run(args...))
}

func (c *console) mustBare(args ...string) string {
	c.t.Helper()
	return c.output(args, c.runBare(args...))
}

func (c *console) output(args []string, r result) string {
	c.t.Helper()
	if r.code != cmd.ExitOK {
		c.t.Fatalf("%s: got exit code %d, want 0\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.stdout
}

// json runs a command line with --json and decodes its output.
func (c *console) json(into any, args ...string) {
	c.t.Helper()
	out := c.must(append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		c.t.Fatalf("%s: decode output: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// fails runs a command line that must fail with code and an error that contains message.
func (c *console) fails(code int, message string, args ...string) {
	c.t.Helper()
	r := c.run(args...)
	if r.code != code {
		c.t.Errorf("%s: got exit code %d, want %d\n%s", strings.Join(args, " "), r.code, code, r.stderr)
	}
	if !strings.Contains(r.stderr, message) {
		c.t.Errorf("%s: got error\n%s\nwant %q", strings.Join(args, " "), r.stderr, message)
	}
	if r.stdout != "" {
		c.t.Errorf("%s: got output of a failed command:\n%s", strings.Join(args, " "), r.stdout)
	}
}

func TestCommandLine_Invalid(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	tests := []struct {
		args    string
		message string
	}{
		{"dance", "unknown command"},
		{"tenant dance", "unknown command"},
		{"tenant list acme", "unknown command"},
		{"tenant show", "accepts 1 arg(s)"},
		{"tenant create acme", `"name" not set`},
		{"tenant list --colour", "unknown flag: --colour"},
		{"tenant set acme name", "name must have the form KEY=VALUE"},
		{"tenant set acme name=A name=B", "name is set twice"},
		{"serve --rate fast", "invalid argument"},
		{"serve --graphql-max-depth 0", "must be at least 1"},
		{"serve --trusted-proxy here", `--trusted-proxy "here"`},
		{"serve --public-url ftp://x.example", "--public-url"},
		{"serve --logs xml", "--logs"},
		{"serve --max-open-tenants -1", "--max-open-tenants"},
		{"serve --metrics-listen :9090", "127.0.0.1:9090"},
		{"serve --dev --listen 0.0.0.0:0", "must listen on a loopback address such as 127.0.0.1:8080, not 0.0.0.0:0"},
		{"serve --dev --listen :0", "must listen on a loopback address such as 127.0.0.1:8080, not :0"},
		{"serve --dev --listen 192.0.2.1:80", "must listen on a loopback address"},
		{"serve --dev --listen example.com:80", "must listen on a loopback address"},
		{"serve --dev --listen 127.0.0.1", "must be an address with a port"},
	}
	for _, tt := range tests {
		c.fails(cmd.ExitUsage, tt.message, strings.Fields(tt.args)...)
	}
	if _, err := os.Stat(c.dir); err == nil {
		t.Error("an invalid command line created the data folder")
	}
}

// A mistyped --data must not look like an installation without shops.
func TestDataFolder_Missing(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	for _, args := range []string{
		"tenant list", "tenant show acme", "tenant suspend acme", "tenant delete acme --yes", "seed acme",
		"product list acme", "product export acme", "collection list acme", "order list acme",
	} {
		c.fails(cmd.ExitFailed, "data folder "+c.dir+" does not exist", strings.Fields(args)...)
	}
	if _, err := os.Stat(c.dir); err == nil {
		t.Error("a failed command created the data folder")
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	var got struct{ Version, Go string }
	c.json(&got, "version")
	if got.Version == "" || !strings.HasPrefix(got.Go, "go") {
		t.Errorf("got %+v", got)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.env["STOREFRONT_NAME"] = "From outside"
	c.env["STOREFRONT_CURRENCY"] = "USD"
	c.env["STOREFRONT_JSON"] = "true"
	var got struct{ Name, Currency, Country string }
	if err := json.Unmarshal([]byte(c.must("tenant", "create", "acme", "--currency", "EUR")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "From outside" || got.Currency != "EUR" || got.Country != "BD" {
		t.Errorf("got %+v, want the name of the environment, the currency of the flag, the default country", got)
	}

	c.env["STOREFRONT_JSON"] = "perhaps"
	c.fails(cmd.ExitUsage, "STOREFRONT_JSON", "tenant", "list")
	delete(c.env, "STOREFRONT_JSON")
	c.env["STOREFRONT_API_PUBLIC_URL"] = "rubbish"
	c.fails(cmd.ExitUsage, "--public-url", "serve")
	for _, name := range []string{"[$STOREFRONT_API_PUBLIC_URL]", "[$STOREFRONT_TRUSTED_PROXY]", "[$STOREFRONT_DATA]"} {
		if help := c.must("serve", "--help"); !strings.Contains(help, name) {
			t.Errorf("serve --help: got\n%s\nwant %s", help, name)
		}
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.env["STOREFRONT_KEY"] = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
	c.must("tenant", "create", "acme", "--name", "Acme")
	if _, err := os.Stat(filepath.Join(c.dir, "key")); err == nil {
		t.Error("STOREFRONT_KEY is set and a key file was created")
	}
	c.env["STOREFRONT_KEY"] = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="
	c.fails(cmd.ExitFailed, "was first used with", "tenant", "list")
	delete(c.env, "STOREFRONT_KEY")
	c.fails(cmd.ExitFailed, "or set STOREFRONT_KEY", "tenant", "list")
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	for _, uid := range []string{"acme", "maple"} {
		c.must("tenant", "create", uid, "--name", uid)
	}
	c.env["STOREFRONT_DATA"] = c.dir
	complete := func(args ...string) []string {
		return strings.Fields(c.mustBare(append([]string{"__complete"}, args...)...))
	}
	if got := complete("tenant", "show", ""); len(got) < 2 || got[0] != "acme" || got[1] != "maple" {
		t.Errorf("completions of a UID: got %v, want acme and maple first", got)
	}
	if got := complete("tenant", "mode", "acme", ""); len(got) < 2 || got[0] != "sandbox" || got[1] != "live" {
		t.Errorf("completions of a mode: got %v, want sandbox and live first", got)
	}
}
