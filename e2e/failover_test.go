package e2e

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
)

var failovers = flag.Int("failovers", 0, "how often TestFailover kills the primary database")

// TestFailover kills the primary database in the middle of orders: its Patroni, its PostgreSQL and
// all processes of it, as the loss of the machine would. Two servers with the address of both
// databases continue with the standby; buyers repeat an order without an acknowledgement, with the
// same idempotency key and at the other server. In the end every acknowledged order is stored, and
// none twice. The databases are configured by deploy/patroni.yml.
func TestFailover(t *testing.T) {
	if *failovers == 0 {
		t.Skip("takes minutes, and needs root, Patroni, etcd and PostgreSQL: run deploy/ha-test.sh")
	}
	cluster := startPatroni(t)
	cluster.primary() // waits
	cluster.create("storefront")
	cluster.standby()

	const buyers = 16
	useDatabase(t, cluster.address())
	servers := serveTwice(t)
	data := newShop(t, "lasting", 1_000_000)
	id, _ := servers[0].product("lasting", "item-0")

	var mu sync.Mutex
	acknowledged := map[string]string{} // invoices by idempotency key
	problems := map[string]int{}
	var last time.Time
	var gap time.Duration // the longest time without an acknowledgement
	stop := make(chan struct{})
	var work sync.WaitGroup
	order := func(p *process, key string) bool {
		a, err := p.do(request{
			method: "POST", path: "/api/v1/orders", tenant: "lasting", header: map[string]string{"Idempotency-Key": key}, body: orderOf(id, 1),
		})
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			problems["no response"]++
			return false
		case a.status != http.StatusCreated:
			problems[fmt.Sprintf("%d %s", a.status, a.text("code"))]++
			return false
		}
		now := time.Now()
		if !last.IsZero() {
			gap = max(gap, now.Sub(last))
		}
		last = now
		acknowledged[key] = a.text("invoiceUid")
		return true
	}
	for buyer := range buyers {
		work.Go(func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("%d-%d", buyer, n)
				for try := 0; !order(servers[(buyer+try)%2], key); try++ {
					time.Sleep(100 * time.Millisecond)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(acknowledged)
	}
	more := func(n int) {
		want := count() + n
		dbtest.Eventually(t, fmt.Sprintf("%d more orders", n), func() bool { return count() >= want }, servers[0].logged)
	}
	for n := range *failovers {
		more(500)
		killed := cluster.primary()
		mu.Lock()
		gap = 0
		mu.Unlock()
		cluster.kill(killed)
		more(500)
		mu.Lock()
		t.Logf("failover %d, from %s: no order was acknowledged for %s", n+1, killed.name, gap.Round(100*time.Millisecond))
		mu.Unlock()
		cluster.start(killed)
		cluster.standby() // the next failover needs one
	}
	close(stop)
	work.Wait()

	invoices := map[string]bool{}
	for key, invoice := range acknowledged {
		a := servers[0].must(request{method: "GET", path: "/api/v1/orders/" + invoice, tenant: "lasting"})
		if a.status != http.StatusOK {
			t.Fatalf("acknowledged order %s: got %d %s, want it stored", key, a.status, a.body)
		}
		invoices[invoice] = true
	}
	stored, err := strconv.Atoi(strings.TrimSpace(cluster.query("SELECT COUNT(*) FROM storefront.orders")))
	if err != nil || stored != len(acknowledged) || len(invoices) != stored {
		t.Errorf("got %d orders, %d invoices, %v; want one of each of the %d idempotency keys", stored, len(invoices), err, len(acknowledged))
	}
	run(t, "doctor", "lasting", "--public-url", servers[0].url, "--data", data)
	t.Logf("%d failovers: %d orders acknowledged, all stored, none twice", *failovers, len(acknowledged))
	for _, problem := range slices.Sorted(maps.Keys(problems)) {
		t.Logf("repeated after %s: %d", problem, problems[problem])
	}
}

// patroni is a database with a standby, and the etcd that both Patronis need.
type patroni struct {
	t     *testing.T
	dir   string
	bin   string // of PostgreSQL
	nodes []*patroniNode
}

// patroniNode is one of the database servers.
type patroniNode struct {
	name          string
	config, data  string
	port, control int // of PostgreSQL, of Patroni
	cmd           *exec.Cmd
}

func startPatroni(t *testing.T) *patroni {
	t.Helper()
	versions, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(versions) == 0 {
		t.Fatalf("no PostgreSQL in /usr/lib/postgresql: %v", err)
	}
	dir, err := os.MkdirTemp("", "failover") // t.TempDir is for its owner alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	c := &patroni{t: t, dir: dir, bin: versions[len(versions)-1]}
	c.execute("chown", "postgres", dir)

	peer, etcd := dbtest.FreePorts(t, 1), dbtest.FreePorts(t, 1)
	clients, peers := fmt.Sprintf("http://127.0.0.1:%d", etcd), fmt.Sprintf("http://127.0.0.1:%d", peer)
	c.background("etcd", "--data-dir", filepath.Join(dir, "etcd"), "--listen-client-urls", clients, "--advertise-client-urls", clients,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers)

	shipped, err := os.ReadFile("../deploy/patroni.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"db1", "db2"} {
		n := &patroniNode{name: name, config: filepath.Join(dir, name+".yml"), data: filepath.Join(dir, name),
			port: dbtest.FreePorts(t, 1), control: dbtest.FreePorts(t, 1)}
		config := string(shipped)
		for _, change := range [][2]string{
			{"name: db1", "name: " + name},
			{"0.0.0.0:8008", fmt.Sprintf("127.0.0.1:%d", n.control)},
			{"db1.example:8008", fmt.Sprintf("127.0.0.1:%d", n.control)},
			{"etcd1.example:2379,etcd2.example:2379,etcd3.example:2379", fmt.Sprintf("127.0.0.1:%d", etcd)},
			{"0.0.0.0:5432", fmt.Sprintf("127.0.0.1:%d", n.port)},
			{"db1.example:5432", fmt.Sprintf("127.0.0.1:%d", n.port)},
			{"/var/lib/postgresql/storefront", n.data},
			{"/usr/lib/postgresql/15/bin", c.bin},
		} {
			if !strings.Contains(config, change[0]) {
				t.Fatalf("deploy/patroni.yml lacks %q", change[0])
			}
			config = strings.ReplaceAll(config, change[0], change[1])
		}
		if err := os.WriteFile(n.config, []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		c.nodes = append(c.nodes, n)
		c.start(n)
		if name == "db1" {
			c.primary() // so that the first of them makes the database
		}
	}
	return c
}

// background starts a program as the user postgres, and ends it after the test.
func (c *patroni) background(args ...string) *exec.Cmd {
	c.t.Helper()
	home, err := os.MkdirTemp(c.dir, filepath.Base(args[0])) // Patroni writes a password file there
	if err != nil {
		c.t.Fatal(err)
	}
	c.execute("chown", "postgres", home)
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("setpriv", append([]string{"--reuid", "postgres", "--regid", "postgres", "--init-groups"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	cmd.Env = append(os.Environ(), "HOME="+home, "PATRONI_SUPERUSER_PASSWORD=of-postgres", "PATRONI_REPLICATION_PASSWORD=of-replicator")
	if err := dbtest.StartServer(cmd); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		if c.t.Failed() {
			if text, err := os.ReadFile(log.Name()); err == nil {
				c.t.Logf("%s:\n%s", args[0], text[max(0, len(text)-3000):])
			}
		}
		_ = cmd.Process.Kill() // it may have been killed
		_ = cmd.Wait()
	})
	return cmd
}

// execute runs a program to its end and returns its output.
func (c *patroni) execute(args ...string) string {
	c.t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// start starts a node's Patroni, which starts its PostgreSQL.
func (c *patroni) start(n *patroniNode) {
	c.t.Helper()
	n.cmd = c.background("patroni", n.config)
	c.t.Cleanup(func() { c.kill(n) })
}

// kill ends all processes of a node at once.
func (c *patroni) kill(n *patroniNode) {
	_ = n.cmd.Process.Kill() // as the others, it may have been killed
	text, err := os.ReadFile(filepath.Join(n.data, "postmaster.pid"))
	if err != nil {
		return
	}
	first, _, _ := strings.Cut(string(text), "\n")
	children, _ := exec.Command("pgrep", "-P", first).Output() // an error means none
	for _, pid := range append([]string{first}, strings.Fields(string(children))...) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			c.t.Fatalf("postmaster.pid: %q", text)
		}
		if p, err := os.FindProcess(n); err == nil {
			_ = p.Kill()
		}
	}
}

// with returns the node whose Patroni reports that it has a role.
func (c *patroni) with(role string) *patroniNode {
	c.t.Helper()
	var found *patroniNode
	dbtest.Eventually(c.t, "a database is "+role, func() bool {
		for _, n := range c.nodes {
			a, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/%s", n.control, role))
			if err != nil {
				continue
			}
			a.Body.Close()
			if a.StatusCode == http.StatusOK {
				found = n
				return true
			}
		}
		return false
	})
	return found
}

func (c *patroni) primary() *patroniNode { return c.with("primary") }

func (c *patroni) standby() *patroniNode { return c.with("synchronous") }

// create creates a role and a database with that name, as docs/postgres.md says.
func (c *patroni) create(name string) {
	c.t.Helper()
	c.psql("postgres", "CREATE ROLE "+name+" LOGIN PASSWORD 'of-storefront'")
	c.psql("postgres", "CREATE DATABASE "+name+" OWNER "+name+" ENCODING 'UTF8' TEMPLATE template0")
}

// query runs a statement in the database of the shops.
func (c *patroni) query(statement string) string {
	c.t.Helper()
	return c.psql("storefront", statement)
}

func (c *patroni) psql(database, statement string) string {
	c.t.Helper()
	return c.execute("setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups",
		filepath.Join(c.bin, "psql"), "--no-psqlrc", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1",
		"--host", "/var/run/postgresql", "--port", strconv.Itoa(c.primary().port), "--dbname", database, "--command", statement)
}

// address is that of the database for storefront: all servers, of which it finds the primary.
func (c *patroni) address() string {
	hosts := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		hosts[i] = fmt.Sprintf("127.0.0.1:%d", n.port)
	}
	return "postgres://storefront:of-storefront@" + strings.Join(hosts, ",") + "/storefront?sslmode=require"
}
