package cmd_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/shop/shoptest"
)

// process is the program as a process of its own.
type process struct {
	*exec.Cmd
	t      *testing.T
	stdout *bufio.Reader
	stderr *lockedBuffer
}

// lockedBuffer is read by the test while the process still writes.
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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(self, args...), t: t, stderr: &lockedBuffer{}}
	p.Env = append(os.Environ(), processVariable+"="+shoptest.Schema(t))
	p.Stderr = p.stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewReader(out)
	if err := p.Start(); err != nil {
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

// ready is what serve --json prints once it listens.
type ready struct {
	URL, Simulator string
	Demo           *struct{ UID, ProductID, VariantID string }
}

// serve starts a server on a free port and waits until it listens.
func serve(t *testing.T, dir string, flags ...string) (*process, ready) {
	t.Helper()
	p := startProcess(t, append([]string{"serve", "--json", "--listen", "127.0.0.1:0", "--data", dir}, flags...)...)
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		_ = p.Wait()
		t.Fatalf("serve printed nothing: %v\n%s", err, p.stderr)
	}
	var r ready
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("serve printed %s: %v", line, err)
	}
	return p, r
}

// stop sends a signal and gives the exit code.
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
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

func TestServeDev(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	p, started := serve(t, dir, "--dev")
	if started.Demo == nil || started.Demo.UID != "demo" || started.Demo.VariantID == "" {
		t.Fatalf("started: %+v", started)
	}
	status, body := get(t, started.URL+"/api/v1/products?limit=-1", "demo")
	var page struct {
		Nodes []struct {
			Images []struct{ URL string }
		}
		Meta struct{ TotalCount int }
	}
	if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
		t.Fatalf("products: %d, %v\n%s", status, err, body)
	}
	if page.Meta.TotalCount < 50 || len(page.Nodes) != page.Meta.TotalCount {
		t.Errorf("the demo shop has %d products, %d shown", page.Meta.TotalCount, len(page.Nodes))
	}
	for _, image := range page.Nodes[0].Images {
		if status, body := get(t, started.URL+image.URL, ""); status != http.StatusOK || !bytes.Contains(body, []byte("<svg")) {
			t.Errorf("%s: %d", image.URL, status)
		}
	}
	for _, path := range []string{"/docs", "/graphql", "/openapi.json", "/healthz", "/readyz"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, started.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/html, */*")
		if status, body := send(t, r); status != http.StatusOK {
			t.Errorf("%s: %d\n%s", path, status, body)
		}
	}
	if status, _ := get(t, started.URL+"/demo/images/nothing.svg", ""); status != http.StatusNotFound {
		t.Errorf("a picture that there is not: %d", status)
	}

	t.Run("a second server is refused", func(t *testing.T) {
		c := &console{t: t, dir: dir}
		c.fails(cmd.ExitFailed, "another storefront serves the data folder "+dir, "serve", "--dev", "--listen", "127.0.0.1:0")
	})
	t.Run("commands work beside it", func(t *testing.T) {
		c := &console{t: t, dir: dir}
		c.must("tenant", "create", "acme", "--name", "Acme")
		eventually(t, "the new shop is served", func() bool {
			status, _ := get(t, started.URL+"/api/v1/tenant", "acme")
			return status == http.StatusOK
		})
		c.must("tenant", "suspend", "acme")
		eventually(t, "the shop is suspended", func() bool {
			status, _ := get(t, started.URL+"/api/v1/tenant", "acme")
			return status == http.StatusForbidden
		})
	})
	if code := p.stop(syscall.SIGTERM); code != cmd.ExitOK {
		t.Errorf("exit %d after SIGTERM\n%s", code, p.stderr)
	}

	// What was ordered or changed stays: the second start does not seed again.
	c := &console{t: t, dir: dir}
	c.must("tenant", "set", "demo", "name=Mine now")
	p, started = serve(t, dir, "--dev")
	_, body = get(t, started.URL+"/api/v1/tenant", "demo")
	if !bytes.Contains(body, []byte("Mine now")) {
		t.Errorf("after the second start:\n%s", body)
	}
	if code := p.stop(os.Interrupt); code != cmd.ExitOK {
		t.Errorf("exit %d after an interrupt\n%s", code, p.stderr)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// The commands that a first start prints must work as they stand.
func TestServeDev_PrintedCommands(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("no curl here")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, "serve", "--dev", "--listen", address, "--data", filepath.Join(t.TempDir(), "data"))
	var commands []string
	for len(commands) < 3 {
		line, err := p.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("serve printed no three commands: %v\n%s", err, p.stderr)
		}
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "curl ") {
			commands = append(commands, line)
		}
	}
	wants := []string{`"nodes":[{`, `"nodes":[{`, `"status":"pending"`}
	for i, command := range commands {
		out, err := exec.Command("sh", "-c", strings.Replace(command, "curl ", curl+" -s -S --fail ", 1)).CombinedOutput()
		if err != nil || !strings.Contains(string(out), wants[i]) {
			t.Errorf("%s\n%v\n%s", command, err, out)
		}
	}
	if code := p.stop(syscall.SIGTERM); code != cmd.ExitOK {
		t.Errorf("exit %d\n%s", code, p.stderr)
	}
}

func TestServe_PortTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := newConsole(t)
	c.fails(cmd.ExitFailed, "another program listens on "+taken.Addr().String(), "serve", "--listen", taken.Addr().String())
}

// A request that runs when the signal comes is answered.
func TestServe_FinishesRequests(t *testing.T) {
	t.Parallel()
	p, started := serve(t, filepath.Join(t.TempDir(), "data"), "--dev")
	upload := startUpload(t, started.URL)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	refusesConnections(t, started.URL)
	if status := upload.finish(); status != http.StatusOK {
		t.Errorf("the request that ran got %d", status)
	}
	_, _ = io.Copy(io.Discard, p.stdout)
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != cmd.ExitOK {
		t.Errorf("exit %d\n%s", code, p.stderr)
	}
}

// A second interrupt waits for nothing.
func TestServe_SecondInterrupt(t *testing.T) {
	t.Parallel()
	p, started := serve(t, filepath.Join(t.TempDir(), "data"), "--dev")
	startUpload(t, started.URL)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	refusesConnections(t, started.URL)
	p.stop(os.Interrupt)
	if status, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Errorf("ended with %v, not by the signal", p.ProcessState)
	}
}

// refusesConnections waits until the server takes no more, so that it is about to end.
func refusesConnections(t *testing.T, url string) {
	t.Helper()
	eventually(t, "no new connection is taken", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			return true
		}
		_ = conn.Close()
		return false
	})
}

// upload is a request whose body is still on its way.
type upload struct {
	t      *testing.T
	conn   net.Conn
	rest   string
	answer *bufio.Reader
}

// startUpload sends a GraphQL request but for its last bytes, and waits until the server reads it.
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
	u := &upload{t: t, conn: conn, rest: body, answer: bufio.NewReader(conn)}
	line, err := u.answer.ReadString('\n')
	if err != nil || !strings.Contains(line, " 100 ") { // the handler asks for the body now
		t.Fatalf("answer %q, %v", line, err)
	}
	if _, err := u.answer.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return u
}

// finish sends the rest and gives the status.
func (u *upload) finish() int {
	u.t.Helper()
	if _, err := io.WriteString(u.conn, u.rest); err != nil {
		u.t.Fatal(err)
	}
	answer, err := http.ReadResponse(u.answer, nil)
	if err != nil {
		u.t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}
