package cmd_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/shop/shoptest"
)

// process is the program running as a process of its own.
type process struct {
	*exec.Cmd
	t      *testing.T
	stdout *bufio.Reader
	stderr *lockedBuffer
}

// lockedBuffer is a buffer that may be read while the process writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func startProcess(t *testing.T, args ...string) *process {
	t.Helper()
	p := preparedProcess(t, args...)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewReader(out)
	if err := dbtest.StartServer(p.Cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	return p
}

// preparedProcess returns the program as a process that has not started.
func preparedProcess(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(self, args...), t: t, stderr: &lockedBuffer{}}
	p.Env = slices.Concat(os.Environ(), []string{processVariable + "=" + shoptest.Schema(t)}, dbtest.Environment(t, args, script(t)))
	p.Stderr = p.stderr
	return p
}

// ready is the output of serve --json once the server listens.
type ready struct {
	URL, Address, Simulator, SMSPage, Metrics, SetupLink string
	Demo                                                 *struct{ UID, ProductID, VariantID string }
}

// serve starts a server on a free port and waits until it listens.
func serve(t *testing.T, dir string, flags ...string) (*process, ready) {
	t.Helper()
	return awaitReady(t, startProcess(t,
		append([]string{"serve", "--json", "--listen", "127.0.0.1:0", "--data", dir}, flags...)...))
}

// awaitReady waits until a server listens.
func awaitReady(t *testing.T, p *process) (*process, ready) {
	t.Helper()
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		_ = p.Wait()
		t.Fatalf("serve: read output: %v\n%s", err, p.stderr)
	}
	var r ready
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("serve: decode output: %v\n%s", err, line)
	}
	return p, r
}

// demoFolder is a folder with the demo shop.
var demoFolder dbtest.Prepared

// serveDemo starts serve --dev in a new folder, whose demo shop exists.
func serveDemo(t *testing.T, dir string, flags ...string) (*process, ready) {
	t.Helper()
	demoFolder.Copy(t, dir, script(t), func(dir string) {
		p, _ := serve(t, dir, "--dev")
		p.stop(os.Interrupt)
	})
	return serve(t, dir, append([]string{"--dev"}, flags...)...)
}

// stop sends a signal, waits for the end of the process and returns its exit code.
func (p *process) stop(signal os.Signal) int {
	p.t.Helper()
	if err := p.Process.Signal(signal); err != nil {
		p.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, p.stdout)
	_ = p.Wait() // its error is the exit code
	return p.ProcessState.ExitCode()
}

func get(t *testing.T, url, tenant string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tenant != "" {
		r.Header.Set("x-tenant", tenant)
	}
	return send(t, r)
}

func send(t *testing.T, r *http.Request) (int, []byte) {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

func TestServeDev(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	p, started := serve(t, dir, "--dev")
	if started.Demo == nil || started.Demo.UID != "demo" || started.Demo.VariantID == "" {
		t.Fatalf("serve --dev: got %+v, want the demo shop", started)
	}
	status, body := get(t, started.URL+"/api/v1/products?limit=-1", "demo")
	var page struct {
		Nodes []struct {
			Images []struct{ URL string }
		}
		Meta struct{ TotalCount int }
	}
	if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
		t.Fatalf("list products: got %d, %v\n%s", status, err, body)
	}
	if page.Meta.TotalCount < 50 || len(page.Nodes) != page.Meta.TotalCount {
		t.Errorf("got %d of %d demo products, want all of at least 50", len(page.Nodes), page.Meta.TotalCount)
	}
	for _, image := range page.Nodes[0].Images {
		if status, body := get(t, started.URL+image.URL, ""); status != http.StatusOK || !bytes.Contains(body, []byte("<svg")) {
			t.Errorf("%s: got %d, want an SVG image", image.URL, status)
		}
	}
	for _, path := range []string{"/docs", "/graphql", "/openapi.json", "/healthz", "/readyz"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, started.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/html, */*")
		if status, body := send(t, r); status != http.StatusOK {
			t.Errorf("%s: got %d, want 200\n%s", path, status, body)
		}
	}
	if status, _ := get(t, started.URL+"/demo/images/nothing.svg", ""); status != http.StatusNotFound {
		t.Errorf("missing image: got %d, want 404", status)
	}

	t.Run("second server", func(t *testing.T) {
		c := consoleOf(t, dir)
		c.fails(cmd.ExitFailed, "another storefront process serves the data folder "+dir, "serve", "--dev", "--listen", "127.0.0.1:0")
	})
	t.Run("commands while serving", func(t *testing.T) {
		c := consoleOf(t, dir)
		c.must("tenant", "create", "acme", "--name", "Acme")
		dbtest.Eventually(t, "new shop served", func() bool {
			status, _ := get(t, started.URL+"/api/v1/tenant", "acme")
			return status == http.StatusOK
		})
		c.must("tenant", "suspend", "acme")
		dbtest.Eventually(t, "shop suspended", func() bool {
			status, _ := get(t, started.URL+"/api/v1/tenant", "acme")
			return status == http.StatusForbidden
		})
	})
	if code := p.stop(syscall.SIGTERM); code != cmd.ExitOK {
		t.Errorf("after SIGTERM: got exit code %d, want 0\n%s", code, p.stderr)
	}

	// The second start does not seed again, so that changes are not lost.
	c := consoleOf(t, dir)
	c.must("tenant", "set", "demo", "name=Mine now")
	p, started = serve(t, dir, "--dev")
	_, body = get(t, started.URL+"/api/v1/tenant", "demo")
	if !bytes.Contains(body, []byte("Mine now")) {
		t.Errorf("after the second start: got\n%s\nwant the changed name", body)
	}
	if code := p.stop(os.Interrupt); code != cmd.ExitOK {
		t.Errorf("after an interrupt: got exit code %d, want 0\n%s", code, p.stderr)
	}
}

// The commands that serve --dev prints must run unchanged.
func TestServeDev_PrintedCommands(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	address := fmt.Sprintf("127.0.0.1:%d", dbtest.FreePorts(t, 1))
	p := startProcess(t, "serve", "--dev", "--listen", address, "--data", filepath.Join(t.TempDir(), "data"))
	var commands []string
	for len(commands) < 3 {
		line, err := p.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("serve --dev: got %d commands, want 3: %v\n%s", len(commands), err, p.stderr)
		}
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "curl ") {
			commands = append(commands, line)
		}
	}
	wants := []string{`"nodes":[{`, `"nodes":[{`, `"status":"pending"`}
	for i, command := range commands {
		out, err := exec.Command("sh", "-c", strings.Replace(command, "curl ", curl+" -s -S --fail ", 1)).CombinedOutput()
		if err != nil || !strings.Contains(string(out), wants[i]) {
			t.Errorf("%s: got %v\n%s\nwant %s", command, err, out, wants[i])
		}
	}
	if code := p.stop(syscall.SIGTERM); code != cmd.ExitOK {
		t.Errorf("got exit code %d, want 0\n%s", code, p.stderr)
	}
}

func TestServe_PortTaken(t *testing.T) {
	t.Parallel()
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	c := newConsole(t)
	c.fails(cmd.ExitFailed, "another program listens on "+used.Addr().String(), "serve", "--listen", used.Addr().String())
}

// Other machines can connect to a server only if the operator permits it.
func TestServe_DefaultAddressIsLoopback(t *testing.T) {
	t.Parallel()
	const address = "127.0.0.1:8080"
	used, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("this test needs the port of the example, which another program has: %v", err)
	}
	defer used.Close()
	c := newConsole(t)
	c.fails(cmd.ExitFailed, "another program listens on "+address, "serve")
}

// A request in progress when the signal arrives is completed.
func TestServe_GracefulShutdown(t *testing.T) {
	t.Parallel()
	p, started := serveDemo(t, filepath.Join(t.TempDir(), "data"))
	upload := startUpload(t, started.URL)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitForRefusal(t, started.URL)
	if status := upload.finish(); status != http.StatusOK {
		t.Errorf("request in progress: got %d, want 200", status)
	}
	_, _ = io.Copy(io.Discard, p.stdout)
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != cmd.ExitOK {
		t.Errorf("got exit code %d, want 0\n%s", code, p.stderr)
	}
}

// The second interrupt ends the process at once.
func TestServe_SecondInterrupt(t *testing.T) {
	t.Parallel()
	p, started := serveDemo(t, filepath.Join(t.TempDir(), "data"))
	startUpload(t, started.URL)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	waitForRefusal(t, started.URL)
	p.stop(os.Interrupt)
	if status, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Errorf("got %v, want an end by signal", p.ProcessState)
	}
}

// waitForRefusal waits until the server accepts no more connections, because it is shutting down.
func waitForRefusal(t *testing.T, url string) {
	t.Helper()
	dbtest.Eventually(t, "connection refused", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			return true
		}
		_ = conn.Close()
		return false
	})
}

// upload is a request whose body is not sent completely.
type upload struct {
	t        *testing.T
	conn     net.Conn
	rest     string
	response *bufio.Reader
}

// startUpload sends the header of a GraphQL request and waits until the server reads its body.
func startUpload(t *testing.T, url string) *upload {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	const body = `{"query":"{ apiVersion }"}`
	head := "POST /graphql HTTP/1.1\r\nHost: localhost\r\nx-tenant: demo\r\nContent-Type: application/json\r\n" +
		"Expect: 100-continue\r\nConnection: close\r\nContent-Length: 26\r\n\r\n"
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	u := &upload{t: t, conn: conn, rest: body, response: bufio.NewReader(conn)}
	line, err := u.response.ReadString('\n')
	if err != nil || !strings.Contains(line, " 100 ") { // the handler reads the body now
		t.Fatalf("got response %q, %v, want 100 Continue", line, err)
	}
	if _, err := u.response.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return u
}

// finish sends the body and returns the response's status.
func (u *upload) finish() int {
	u.t.Helper()
	if _, err := io.WriteString(u.conn, u.rest); err != nil {
		u.t.Fatal(err)
	}
	response, err := http.ReadResponse(u.response, nil)
	if err != nil {
		u.t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// A server without shops prints a link that creates the first one. With a shop, or without the
// dashboard, it prints none.
func TestServe_SetupLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, r := serve(t, dir)
	token, ok := strings.CutPrefix(r.SetupLink, r.URL+"/admin/#/setup/")
	if !ok || len(token) != 43 {
		t.Fatalf("got link %q, want one of the dashboard at %s", r.SetupLink, r.URL)
	}
	body := `{"token":"` + token + `","shop":{"name":"Acme","currency":"BDT","country":"BD"},
		"owner":{"name":"Rina","user":"rina@example.com","password":"` + shoptest.Password + `"}}`
	request, err := http.NewRequest(http.MethodPost, r.URL+"/admin/v1/setup", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if status, response := send(t, request); status != http.StatusCreated {
		t.Errorf("set up: got %d: %s", status, response)
	}
	if status, _ := get(t, r.URL+"/api/v1/products", "acme"); status != http.StatusOK {
		t.Errorf("products of the new shop: got %d, want 200", status)
	}
	p.stop(os.Interrupt)
	if _, r := serve(t, dir); r.SetupLink != "" {
		t.Errorf("with a shop: got link %q, want none", r.SetupLink)
	}
	if _, r := serve(t, t.TempDir(), "--no-admin"); r.SetupLink != "" {
		t.Errorf("without the dashboard: got link %q, want none", r.SetupLink)
	}
}

// Links to the dashboard have a host name that serves it, whatever the public URL is.
func TestServe_AdminHostLinks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ public, hosts, want string }{
		"another host":          {"https://api.example.com", "panel.example.com,two.example.com", "https://panel.example.com"},
		"another host and port": {"http://api.example.com:8443", "panel.example.com", "http://panel.example.com:8443"},
		"the same host":         {"https://api.example.com", "panel.example.com,API.example.com.", "https://api.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, r := serve(t, dir, "--public-url", tc.public, "--admin-host", tc.hosts)
			if !strings.HasPrefix(r.SetupLink, tc.want+"/admin/#/setup/") {
				t.Errorf("got link %q, want one at %s", r.SetupLink, tc.want)
			}
			c := consoleOf(t, dir)
			c.must("tenant", "create", "acme", "--name", "Acme")
			var invited staffLink
			c.json(&invited, "staff", "invite", "acme", "--name", "Rina", "--email", "rina@example.com", "--role", "owner")
			if !strings.HasPrefix(invited.Link.URL, tc.want+"/admin/#/acme/link/") {
				t.Errorf("got link %q, want one at %s", invited.Link.URL, tc.want)
			}
		})
	}
}
