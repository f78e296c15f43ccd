package cmd_test

import (
	"context"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"storefront/cmd"
	"storefront/shop/shoptest"
)

// openTerminal opens a terminal of this width, and returns it with a function that closes it and
// returns what it has shown.
func openTerminal(t *testing.T, columns int) (screen *os.File, shown func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this system has no pseudoterminals: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(master) // ends with an error once screen is closed
		text <- strings.ReplaceAll(string(all), "\r\n", "\n")
	}()
	return screen, func() string {
		screen.Close()
		return <-text
	}
}

// runOnTerminal runs a command line whose standard output is a terminal of this width, and returns
// what the terminal shows.
func (c *console) runOnTerminal(columns int, environ []string, args ...string) string {
	c.t.Helper()
	screen, shown := openTerminal(c.t, columns)
	program := cmd.Program{
		Schema: shoptest.Schema(c.t), Stdin: strings.NewReader(""), Stdout: screen, Stderr: io.Discard,
		Environ: append(environ, c.environ()...),
	}
	code := program.Run(context.Background(), append(args, "--data", c.dir))
	text := shown()
	if code != cmd.ExitOK {
		c.t.Fatalf("%v: got exit code %d and\n%s", args, code, text)
	}
	return text
}

// Commands that may take long show their progress on a terminal, and no longer once they have
// ended. Their output is the same as without one.
func TestTerminal_Progress(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "create", "maple", "--name", "Maple")
	products, backups := writeFile(t, "products.csv", twoProducts), t.TempDir()
	c.must("product", "import", "acme", products)
	for _, tt := range []struct {
		doing string
		count string // how far it is, among others
		args  []string
	}{
		{"importing", "", []string{"product", "import", "acme", products}},
		{"backing up", "(1/", []string{"backup", "--all", backups}},
		{"verifying", "(1/", []string{"backup", "verify", backups}},
	} {
		screen, shown := openTerminal(t, 120)
		var stdout strings.Builder
		program := cmd.Program{
			Schema: shoptest.Schema(t), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: screen, Environ: c.environ(),
		}
		code := program.Run(t.Context(), append(tt.args, "--data", c.dir))
		text := shown()
		if code != cmd.ExitOK || !strings.Contains(text, tt.doing) || !strings.Contains(text, tt.count) {
			t.Errorf("%v: got exit code %d and\n%q\nwant the progress of %s", tt.args, code, text, tt.doing)
		}
		lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' })
		if len(lines) == 0 || strings.TrimSpace(lines[len(lines)-1]) != "" {
			t.Errorf("%v: got %q, want the progress cleared at the end", tt.args, text)
		}
		if strings.Contains(stdout.String(), tt.doing) || stdout.Len() == 0 {
			t.Errorf("%v: got the output\n%s\nwant the result alone", tt.args, stdout.String())
		}
		if piped := c.run(tt.args...); piped.stderr != "" {
			t.Errorf("%v without a terminal: got\n%s\nwant no progress", tt.args, piped.stderr)
		}
	}
}

// Lists fit the terminal: columns that repeat what another one identifies are left out first, then
// long texts are shortened. Colours show the statuses that matter.
func TestTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv",
		strings.Replace(twoProducts, "Mug — মগ", "বাংলাদেশের হাতে তৈরি মাটির মগ রঙিন নকশা", 1)))
	invoice := placeOrder(t, c.dir, "acme")

	const green, yellow, faint, end = "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[0m"
	piped := c.must("order", "list", "acme")
	for _, want := range []string{invoice, "DELIVERY", "pending "} {
		if !strings.Contains(piped, want) {
			t.Errorf("piped: got\n%s\nwant %q", piped, want)
		}
	}
	list := c.runOnTerminal(90, nil, "order", "list", "acme")
	for _, want := range []string{faint + "NUMBER" + end, yellow + "pending" + end, "DELIVERY"} {
		if !strings.Contains(list, want) {
			t.Errorf("on a terminal: got\n%q\nwant %q", list, want)
		}
	}
	for _, unwanted := range []string{invoice, "FLAGS"} {
		if strings.Contains(list, unwanted) {
			t.Errorf("on a terminal: got\n%s\nwant no %q", list, unwanted)
		}
	}
	if wide := c.runOnTerminal(400, []string{"NO_COLOR=1"}, "order", "list", "acme"); wide != piped {
		t.Errorf("on a wide terminal without colours: got\n%q\nwant\n%q", wide, piped)
	}
	if dumb := c.runOnTerminal(400, []string{"TERM=dumb"}, "order", "list", "acme"); dumb != piped {
		t.Errorf("on a terminal without colours: got\n%q\nwant\n%q", dumb, piped)
	}
	if got, want := c.runOnTerminal(40, nil, "order", "list", "acme", "--json"), c.must("order", "list", "acme", "--json"); got != want {
		t.Errorf("JSON on a terminal: got\n%s\nwant\n%s", got, want)
	}

	products := c.runOnTerminal(50, nil, "product", "list", "acme")
	for _, want := range []string{"বাংলাদেশের হাতে…", green + "active" + end, yellow + "draft" + end} {
		if !strings.Contains(products, want) {
			t.Errorf("on a narrow terminal: got\n%s\nwant %q", products, want)
		}
	}
	escape := regexp.MustCompile(`\x1b\[\d+m`)
	for line := range strings.Lines(escape.ReplaceAllString(products, "")) {
		line = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) { // no width
				return -1
			}
			return r
		}, strings.TrimSuffix(line, "\n"))
		if columns := utf8.RuneCountInString(line); columns > 50 {
			t.Errorf("got %d columns of 50 in\n%s", columns, line)
		}
	}
}

// A terminal shows the first page of an operation's list.
func TestAPI_LongListOnTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	insertOrders(t, c, 130)
	wantFirstPage(t, c.runOnTerminal(200, []string{"NO_COLOR=1"}, "api", "acme", "listOrders"))
	wantFirstPage(t, c.runOnTerminal(200, []string{"NO_COLOR=1"}, "api", "acme", "listOrders", "--limit", "50"))
}
