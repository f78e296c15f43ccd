package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
	"storefront/db/sqlite"
	"storefront/e2e/browsertest"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// programSchema is the environment variable that makes the test binary run as storefront. It holds
// the path of schema.sql, beside which the folder steps may be. This way tests run the whole
// program, race detector included, without a build.
const programSchema = "STOREFRONT_TEST_SCHEMA"

// all makes tests that repeat a walk for several widths, languages or moments do all of them;
// otherwise they choose some, so that the whole suite takes minutes.
var all = flag.Bool("all", false, "repeat walks for every width, language and moment")

// some returns every nth of a test's variants, counted from first, or all of them.
func some[T any](variants []T, first, every int) []T {
	if *all {
		return variants
	}
	var chosen []T
	for i := first; i < len(variants); i += every {
		chosen = append(chosen, variants[i])
	}
	return chosen
}

// onlyWithAll skips a walk of a browser, or another test that takes the better part of a minute,
// unless the command line has -all, or -run, which names what somebody works on.
func onlyWithAll(t *testing.T) {
	t.Helper()
	if !*all && flag.Lookup("test.run").Value.String() == "" {
		t.Skip("takes long: go test ./e2e -all")
	}
}

func TestMain(m *testing.M) {
	path := os.Getenv(programSchema)
	if path == "" {
		flag.Parse()
		overlapWaits()
		debug.SetGCPercent(400) // of the tests alone; their programs set their own
		endBrowser := browsertest.Keep()
		code := m.Run()
		endBrowser()
		dbtest.RemovePrepared()
		os.Exit(code)
	}
	schema, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	for _, assignment := range os.Environ() { // the program warns of variables that it does not know
		if name, _, _ := strings.Cut(assignment, "="); strings.HasPrefix(name, "STOREFRONT_TEST_") || name == browsertest.Screenshots {
			os.Unsetenv(name)
		}
	}
	program := cmd.Program{Schema: string(schema)}
	if dir := filepath.Join(filepath.Dir(path), "steps"); isFolder(dir) {
		program.Steps = os.DirFS(dir)
	}
	go endWithParent()
	os.Exit(cmd.Main(program))
}

// endWithParent ends the program once the process that started it has ended. So no command that
// is still running outlives its test, even one that was killed.
func endWithParent() {
	for parent := os.Getppid(); os.Getppid() == parent; {
		time.Sleep(time.Second)
	}
	os.Exit(1)
}

// overlapWaits runs more tests at once than there are processors, unless the command line sets a
// number: each of them waits for a browser, a disk or another process most of its time.
func overlapWaits() {
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if chosen {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		log.Fatal(err)
	}
}

// schemaSQL returns the text of schema.sql.
func schemaSQL(t testing.TB) string {
	t.Helper()
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	return string(schema)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// asProgram returns the environment in which the test binary is storefront, with args. If they name
// a data folder of [useLater], it is a later version.
func asProgram(t testing.TB, args ...string) []string {
	t.Helper()
	schema, err := filepath.Abs("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(args, "--data"); i >= 0 && i+1 < len(args) && isFolder(laterFolder(args[i+1])) {
		schema = filepath.Join(laterFolder(args[i+1]), "schema.sql")
	}
	return slices.Concat(os.Environ(), []string{programSchema + "=" + schema}, dbtest.Environment(t, args, script(t)))
}

// laterFolder is the folder of the schema of [useLater] for a data folder.
func laterFolder(data string) string { return data + "-later" }

// useLater makes the program a later version for a data folder, with two more schema steps.
func useLater(t testing.TB, data string) {
	t.Helper()
	schema, steps := shoptest.LaterSchema(t, 2)
	dir := laterFolder(data)
	err := os.CopyFS(filepath.Join(dir, "steps"), steps)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "schema.sql"), []byte(schema), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// script returns the statements that create the tables of a database for tests, "" if tests run on
// files.
func script(t testing.TB) string {
	t.Helper()
	if !dbtest.OnPostgres() {
		return ""
	}
	text, err := tenants.DatabaseScript(schemaSQL(t), false)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// openStore opens a data folder, or its database if tests run on PostgreSQL, as another process
// than a server. The caller closes it.
func openStore(t testing.TB, data string) *db.Store {
	t.Helper()
	address := os.Getenv("STOREFRONT_ENGINE") // of useDatabase
	if address == "" {
		address = dbtest.Database(t, data, script(t))
	}
	if address == "" {
		return openFiles(t, data).Store
	}
	engine, err := postgres.Open(t.Context(), address, postgres.Options{Schema: schemaSQL(t), Steps: tenants.Steps()})
	if err != nil {
		t.Fatal(err)
	}
	return db.New(engine, db.Options{})
}

// openFiles opens the files of a data folder. The caller closes them.
func openFiles(t testing.TB, data string) *sqlite.Store {
	t.Helper()
	files, err := sqlite.Open(data, sqlite.Options{Schema: schemaSQL(t), Steps: tenants.Steps()})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// storefront returns a command that runs the program with args.
func storefront(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = asProgram(t, args...)
	return cmd
}

// run runs the program to its end and returns its output.
func run(t testing.TB, args ...string) string {
	t.Helper()
	cmd := storefront(t, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("storefront %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// process is a running server.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	url  string
	mu   sync.Mutex
	log  bytes.Buffer
	done chan struct{}
}

// listening matches the URL in the line with which a server starts, as text, as a line of its JSON
// log or with --json.
var listening = regexp.MustCompile(`(?:^[^{].*|^\{(?:.*"msg":"server started"|"address":"[^"]*"),"url":")(https?://[a-z0-9.]+(?::\d+)?)`)

// serve starts `storefront serve` on a free port and waits for its address.
func serve(t testing.TB, args ...string) *process {
	t.Helper()
	return start(t, storefront(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
}

// demoFolder is a folder with the demo shop.
var demoFolder dbtest.Prepared

// demoData returns a new data folder with the demo shop, which serve --dev would create.
func demoData(t testing.TB) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	demoFolder.Copy(t, data, script(t), func(dir string) {
		serve(t, "--dev", "--data", dir).stop()
	})
	return data
}

// start starts a server's command and waits for its address.
func start(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, done: make(chan struct{})}
	r, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := dbtest.StartServer(p.cmd); err != nil {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.mu.Lock()
			p.log.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			if at := listening.FindStringSubmatch(lines.Text()); at != nil {
				select {
				case found <- at[1]:
				default:
				}
			}
		}
	}()
	go func() {
		p.cmd.Wait()
		w.Close()
		close(p.done)
	}()
	t.Cleanup(p.kill)
	select {
	case p.url = <-found:
	case <-p.done:
		t.Fatalf("the server exited at start:\n%s", p.logged())
	case <-time.After(time.Until(dbtest.Deadline(t))):
		t.Fatalf("the server printed no address:\n%s", p.logged())
	}
	return p
}

// logged returns the server's output so far.
func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// kill ends the server as a power cut would.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// stop ends the server as Ctrl-C does and returns its exit code.
func (p *process) stop() int {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGINT)
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

// response is what a request brought.
type response struct {
	status int
	header http.Header
	body   []byte
}

// request is one HTTP request; body may be nil, a string or a value that becomes JSON.
type request struct {
	method, path  string
	tenant, token string
	header        map[string]string
	body          any
}

var client = &http.Client{
	Transport:     &http.Transport{MaxIdleConnsPerHost: 256},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (p *process) do(r request) (response, error) {
	var body io.Reader
	switch b := r.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return response{}, err
		}
		body = bytes.NewReader(text)
	}
	ctx, cancel := context.WithDeadline(context.Background(), dbtest.Deadline(p.t))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, p.url+r.path, body)
	if err != nil {
		return response{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.tenant != "" {
		req.Header.Set("x-tenant", r.tenant)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		return response{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return response{res.StatusCode, res.Header, text}, err
}

// must is do for a request that gets an answer, whatever it says.
func (p *process) must(r request) response {
	p.t.Helper()
	a, err := p.do(r)
	if err != nil {
		p.t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	return a
}

// graphql posts one document.
func (p *process) graphql(tenant, token, query string, variables map[string]any) response {
	p.t.Helper()
	return p.must(request{method: "POST", path: "/graphql", tenant: tenant, token: token,
		body: map[string]any{"query": query, "variables": variables}})
}

// at returns the value under a path of keys and indexes in the response's JSON; nil if it is
// missing.
func (a response) at(path ...any) any {
	var v any
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil
	}
	for _, step := range path {
		switch key := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			list, _ := v.([]any)
			if key >= len(list) {
				return nil
			}
			v = list[key]
		}
	}
	return v
}

func (a response) text(path ...any) string {
	s, _ := a.at(path...).(string)
	return s
}
