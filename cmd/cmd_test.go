package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/shop/page"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// processVariable makes the test binary run as the program itself; see TestMain.
const processVariable = "STOREFRONT_TEST_PROCESS"

func TestMain(m *testing.M) {
	if schema, ok := os.LookupEnv(processVariable); ok {
		os.Unsetenv(processVariable) // the program warns of variables that it does not know
		os.Unsetenv(dbtest.PostgresVariable)
		os.Exit(cmd.Main(cmd.Program{Schema: schema}))
	}
	debug.SetGCPercent(400) // as a server's heap may grow: a fifth less processor time
	code := m.Run()
	dbtest.RemovePrepared()
	os.Exit(code)
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
	later int // of this many more schema steps; see [shoptest.LaterSchema]
}

func newConsole(t *testing.T) *console {
	return consoleOf(t, filepath.Join(t.TempDir(), "data"))
}

// consoleOf returns a console on a data folder.
func consoleOf(t *testing.T, dir string) *console {
	t.Helper()
	c := &console{t: t, dir: dir, env: map[string]string{}}
	if address := dbtest.Database(t, c.dir, script(t)); address != "" {
		c.env["STOREFRONT_ENGINE"] = address
	}
	return c
}

// backupSuffix returns the suffix of the files into which shops are copied.
func backupSuffix() string {
	if dbtest.OnPostgres() {
		return "jsonl.gz"
	}
	return "db"
}

// script returns the statements that create the tables of a database for tests, "" if tests run on
// files.
func script(t testing.TB) string {
	t.Helper()
	if !dbtest.OnPostgres() {
		return ""
	}
	text, err := tenants.DatabaseScript(shoptest.Schema(t), false)
	if err != nil {
		t.Fatal(err)
	}
	return text
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
	}
	program.Environ = c.environ()
	if c.later > 0 {
		program.Schema, program.Steps = shoptest.LaterSchema(c.t, c.later)
	}
	code := program.Run(context.Background(), args)
	return result{code, stdout.String(), stderr.String()}
}

// environ returns the console's environment.
func (c *console) environ() (assignments []string) {
	for name, value := range c.env {
		assignments = append(assignments, name+"="+value)
	}
	return assignments
}

// must runs a command line that must succeed, and returns its output.
func (c *console) must(args ...string) string {
	c.t.Helper()
	return c.output(args, c.run(args...))
}

// prints runs a command line that must succeed and compares its whole output, in which what differs
// from run to run has a name: DATA, ID, INVOICE and TIME, the last of the present day only.
func (c *console) prints(want string, args ...string) {
	c.t.Helper()
	got := strings.ReplaceAll(c.must(args...), c.dir, "DATA")
	got = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`).ReplaceAllString(got, "ID")
	got = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{16}\b`).ReplaceAllString(got, "INVOICE")
	got = regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d`).ReplaceAllStringFunc(got,
		func(text string) string {
			at, err := time.Parse("2006-01-02 15:04 -07:00", text)
			if err != nil || time.Since(at).Abs() > 24*time.Hour {
				return text
			}
			return "TIME"
		})
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("%s (-want +got):\n%s", strings.Join(args, " "), diff)
	}
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

// nodes runs a command line with --json and returns the nodes of the list that it prints.
func nodes[T any](c *console, args ...string) []T {
	c.t.Helper()
	var list page.Page[T]
	c.json(&list, args...)
	return list.Nodes
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
		{"dance", `unknown command "dance" for "storefront"`},
		{"prodcut", "Hint: did you mean storefront product?"},
		{"tenant dance", `unknown command "dance" for "storefront tenant"`},
		{"product lsit", "Hint: did you mean storefront product list?"},
		{"tenant list acme", `unexpected argument "acme": storefront tenant list`},
		{"customer reset-password acme rina karim", `unexpected argument "karim": storefront customer reset-password UID CUSTOMER`},
		{"order ship acme 1001 1002 --courier courier_a --consignment D1", "--consignment belongs to one order"},
		{"order show", "order show needs a shop and an order: storefront order show UID ORDER"},
		{"webhook show", "webhook show needs a shop and ID: storefront webhook show UID ID"},
		{"tenant delete --yes", "tenant delete needs a shop: storefront tenant delete UID… --yes"},
		{"tenant create", "tenant create needs a shop: storefront tenant create UID"},
		{"tenant create acme", "tenant create needs --name or --from"},
		{"api acme lsitOrders", `unknown command "lsitOrders" for "storefront api UID"`},
		{"api acme lsitOrders", "did you mean storefront api UID listOrders?"},
		{"api acme listOrders --colour red", "unknown flag: --colour"},
		{"api acme getOrder", "api UID getOrder needs --order-id"},
		{"api acme getOrder 1001", `unexpected argument "1001": the values of an operation are flags`},
		{"api acme getProduct --id a/b", "--id must be the identifier of one record"},
		{"api acme changeStock --variant-id A --set many", "must be a whole number"},
		{"api acme setTags --order-id 1 --tags a --body tags.json", "--body and --tags cannot be combined"},
		{"coupon create acme --code A --percent 1 --amount 2", "--amount and --percent cannot be combined; choose one"},
		{"migrate", "migrate needs a shop: storefront migrate UID… | --all"},
		{"tenant list --colour", "unknown flag: --colour"},
		{"tenant set acme name", "name must have the form KEY=VALUE"},
		{"tenant set acme name=A name=B", "name is set twice"},
		{"serve --rate fast", "invalid argument"},
		{"serve --max-body 0", "must be at least 1"},
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
	c.env["STOREFRONT_DATA"] = c.dir
	c.mustBare("tenant", "create", "acme", "--name", "Acme")
	if out := c.must("tenant", "list", "--format", "uid"); out != "acme\n" {
		t.Errorf("shops of $STOREFRONT_DATA: got %q, want acme", out)
	}
	c.env["STOREFRONT_PRIVATE_PROVIDERS"] = "perhaps"
	c.fails(cmd.ExitUsage, "STOREFRONT_PRIVATE_PROVIDERS", "tenant", "list")
	delete(c.env, "STOREFRONT_PRIVATE_PROVIDERS")
	c.env["STOREFRONT_API_PUBLIC_URL"] = "rubbish"
	c.fails(cmd.ExitUsage, "--public-url", "serve")
	help := c.must("serve", "--help")
	for _, name := range []string{"[$STOREFRONT_API_PUBLIC_URL]", "[$STOREFRONT_TRUSTED_PROXY]", "help flags"} {
		if !strings.Contains(help, name) {
			t.Errorf("serve --help: got\n%s\nwant %s", help, name)
		}
	}
	if flags := c.must("help", "flags"); strings.Contains(help, "STOREFRONT_DATA]") || !strings.Contains(flags, "[$STOREFRONT_DATA]") {
		t.Errorf("help flags: got\n%s\nwant the flags that every command has, here alone", flags)
	}
}

// Only configuration is read from the environment: no variable confirms, selects or limits.
func TestEnvironment_NotForActions(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.env["STOREFRONT_YES"], c.env["STOREFRONT_LIMIT"], c.env["STOREFRONT_JSON"] = "true", "2", "true"
	c.fails(cmd.ExitFailed, "confirm with --yes", "tenant", "delete", "acme")
	c.must("coupon", "create", "acme", "--code", "EID", "--percent", "10")
	c.env["STOREFRONT_JSON"] = ""
	var coupons []struct{ UsageLimit *int64 }
	c.json(&coupons, "coupon", "list", "acme")
	if len(coupons) != 1 || coupons[0].UsageLimit != nil {
		t.Errorf("got %+v, want one coupon without a limit", coupons)
	}
	if out := c.must("coupon", "list", "acme"); !strings.HasPrefix(out, "CODE") {
		t.Errorf("coupon list: got\n%s\nwant a table", out)
	}
	if help := c.must("coupon", "create", "--help"); strings.Contains(help, "[$STOREFRONT_LIMIT]") {
		t.Errorf("coupon create --help: got\n%s\nwant no variable of --limit", help)
	}
}

func TestEnvironment_UnknownVariable(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.env["STOREFRONT_YES"], c.env["STOREFRONT_DOMIAN"] = "true", "api.example.com"
	c.env["STOREFRONT_PORT"], c.env["STOREFRONT_SERVICE_HOST"] = "tcp://10.0.0.1:80", "10.0.0.1" // of Kubernetes
	c.env["STOREFRONT_LISTEN"] = "127.0.0.1:0"                                                   // of serve
	want := "storefront: warning: environment variable STOREFRONT_DOMIAN is unknown and has no effect\n" +
		"storefront: warning: environment variable STOREFRONT_YES is unknown and has no effect\n"
	if r := c.run("tenant", "list"); r.code != cmd.ExitOK || r.stderr != want {
		t.Errorf("got exit code %d and\n%s\nwant 0 and\n%s", r.code, r.stderr, want)
	}
	c.env["STOREFRONT_LISTEN"] = "192.0.2.1:1" // not of this machine: serve ends
	r := c.run("serve", "--settings", writeFile(t, "settings", "STOREFRONT_LOG_LVEL=warn\nSTOREFRONT_LOGS=json\n"))
	var logged []string
	for line := range strings.Lines(r.stderr) {
		var entry struct{ Msg, Variable string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("serve: got the line %q: %v", line, err)
		}
		if entry.Msg == "unknown setting ignored" {
			logged = append(logged, entry.Variable)
		}
	}
	if want := []string{"STOREFRONT_DOMIAN", "STOREFRONT_LOG_LVEL", "STOREFRONT_YES"}; !slices.Equal(logged, want) {
		t.Errorf("serve: got warnings of %q, want %q\n%s", logged, want, r.stderr)
	}
}

func TestVersion_Flag(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	var version struct{ Version string }
	c.json(&version, "version")
	for _, flag := range []string{"--version", "-v"} {
		if got, want := c.must(flag), "storefront "+version.Version+"\n"; got != want {
			t.Errorf("%s: got %q, want %q", flag, got, want)
		}
	}
}

// The UID may be left out if there is one shop, or if the environment names one.
func TestShop_LeftOut(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.fails(cmd.ExitFailed, "does not exist", "order", "list")
	c.must("tenant", "create", "acme", "--name", "Acme")
	file := writeFile(t, "products.csv", twoProducts)
	c.must("product", "import", file)
	c.must("tenant", "set", "locale=en-BD")
	for _, line := range []string{"api getProduct --id mug", "api acme getProduct --id mug"} {
		if out := c.must(strings.Fields(line)...); !strings.Contains(out, "handle: mug") {
			t.Errorf("%s: got %q, want the product", line, out)
		}
	}
	c.must("stock", "set", "MUG-L", "7")
	c.fails(cmd.ExitUsage, "tenant delete needs a shop", "tenant", "delete", "--yes")
	c.fails(cmd.ExitUsage, "seed needs a shop", "seed")
	c.fails(cmd.ExitFailed, "No shop has this UID", "tenant", "export", "amce") // not a file named amce

	c.must("tenant", "create", "maple", "--name", "Maple")
	c.fails(cmd.ExitUsage, "order list needs a shop: storefront order list UID", "order", "list")
	c.fails(cmd.ExitUsage, "has several shops (2)", "product", "list")
	c.env["STOREFRONT_TENANT"] = "acme"
	if out := c.must("product", "list"); !strings.Contains(out, "mug") {
		t.Errorf("product list of $STOREFRONT_TENANT: got\n%s\nwant its products", out)
	}
	if out := c.must("product", "list", "maple"); !strings.Contains(out, "No products") {
		t.Errorf("product list maple: got\n%s\nwant none", out)
	}
	c.must("tenant", "set", "maple", "locale=fr-FR")
	if out := c.must("tenant", "show"); !strings.Contains(out, "en-BD") {
		t.Errorf("tenant show of $STOREFRONT_TENANT: got\n%s\nwant locale en-BD", out)
	}
	c.fails(cmd.ExitUsage, "tenant delete needs a shop", "tenant", "delete", "--yes")
	c.env["STOREFRONT_TENANT"] = "amce"
	c.fails(cmd.ExitFailed, "No shop has this UID", "product", "list")
}

// With two shops, each command that is for one requires its UID, and its error shows how to write
// it.
func TestShop_MissingEverywhere(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "create", "maple", "--name", "Maple")
	flagsFirst := regexp.MustCompile(`needs --|pass either|--(preset|show)`) // these errors come first
	checked := 0
	var check func(path []string)
	check = func(path []string) {
		out := c.mustBare(slices.Concat([]string{"__complete"}, path, []string{""})...)
		usage := c.mustBare(append(slices.Clone(path), "--help")...)
		if !strings.Contains(usage, "storefront "+strings.Join(path, " ")+" UID") {
			for line := range strings.Lines(out) {
				if name, _, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(name, "-") && len(path) < 2 && name != "help" && name != "completion" {
					check(append(slices.Clone(path), name))
				}
			}
			return
		}
		checked++
		r := c.run(path...)
		want := strings.Join(path, " ") + " needs a shop"
		if r.code != cmd.ExitUsage || !strings.Contains(r.stderr, want) && !flagsFirst.MatchString(r.stderr) || strings.Contains(r.stderr, "arg(s)") {
			t.Errorf("%v: got exit code %d and\n%s\nwant 2 and %q", path, r.code, r.stderr, want)
		}
	}
	check(nil)
	if checked < 45 {
		t.Errorf("got %d commands, want more: the test has changed", checked)
	}
}

func TestHelp_Groups(t *testing.T) {
	t.Parallel()
	help := newConsole(t).must("--help")
	if strings.Contains(help, "Additional Commands") {
		t.Errorf("got\n%s\nwant every command in a group", help)
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
