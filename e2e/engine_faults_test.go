package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// A database that cannot be used is reported with what to do, in the server's log and by doctor,
// without the password. Its shops answer 503, and the shops in files continue to sell.
func TestEngines_UnusableDatabase(t *testing.T) {
	cluster := dbtest.NewCluster(t, "max_connections=12", "superuser_reserved_connections=1", "max_wal_senders=2")
	useDatabase(t, cluster.Address("postgres"))
	data := newShop(t, "paper", 1000)
	run(t, "tenant", "move", "paper", "--to", "files", "--data", data)
	run(t, "tenant", "create", "acme", "--name", "Acme", "--data", data)
	for _, statement := range []string{
		`CREATE ROLE seller LOGIN PASSWORD 'right'`, `CREATE DATABASE foreigner`, `CREATE DATABASE empty`,
		`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`,
		`CREATE DATABASE newer`,
	} {
		cluster.SQL(statement)
	}
	sql := func(database, statement string) {
		t.Helper()
		if out, err := exec.Command("psql", cluster.Address(database), "-c", statement).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	sql("foreigner", "CREATE SCHEMA storefront CREATE TABLE users (id int)")
	t.Setenv("STOREFRONT_ENGINE", cluster.Address("newer"))
	run(t, "tenant", "create", "other", "--name", "Other", "--data", filepath.Join(t.TempDir(), "data"))
	sql("newer", "UPDATE storefront.meta SET schema = 9999")
	standby := cluster.Standby()

	crowded := func(t *testing.T) {
		for range 16 {
			cmd := exec.Command("psql", cluster.Address("postgres"), "-c", "SELECT pg_sleep(600)")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		}
		dbtest.Eventually(t, "there are too many connections", func() bool {
			return exec.Command("psql", cluster.Address("postgres"), "-c", "SELECT 1").Run() != nil
		})
	}
	const password = " password=top-secret"
	host := "host=" + filepath.Dir(cluster.Socket())
	for _, test := range []struct {
		name, address string
		prepare       func(t *testing.T)
		want          string
	}{
		{"unreachable", "host=/nowhere user=postgres dbname=postgres" + password, nil, "cannot be reached"},
		{"missing database", host + " user=postgres dbname=nothing" + password, nil, "create it"},
		{"unknown user", host + " user=nobody dbname=postgres" + password, nil, "refuses the user or the password"},
		{"no right to create tables", host + " user=seller dbname=empty" + password, nil, "grant it CREATE"},
		{"read-only standby", standby.Address("postgres") + password, nil, "must contain the primary"},
		{"old version", older(t, cluster) + password, nil, "too old: upgrade the database server to version 15"},
		{"another program's tables", cluster.Address("foreigner") + password, nil, "another program"},
		{"newer schema", cluster.Address("newer") + password, nil, "start that version"},
		{"encoding", cluster.Address("latin") + password, nil, "ENCODING 'UTF8'"},
		{"too many connections", cluster.Address("postgres") + password, crowded, "raise max_connections, or lower --engine-connections"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.prepare != nil {
				test.prepare(t)
			}
			t.Setenv("STOREFRONT_ENGINE", test.address)
			p := serve(t, "--data", data, "--rate", "0")
			if a := p.order("paper", strings.NewReplacer(" ", "-", "'", "").Replace(test.name)); a.status != http.StatusCreated {
				t.Errorf("order in a shop in files: got %d %s, want 201", a.status, a.body)
			}
			a := p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"})
			if a.status != http.StatusServiceUnavailable || a.text("code") != "unavailable" || strings.Contains(string(a.body), "database") {
				t.Errorf("shop in the database: got %d %s, want 503 unavailable without the cause", a.status, a.body)
			}
			p.wantLogged(test.want)
			p.kill()
			report, err := storefront(t, "doctor", "--public-url", "http://127.0.0.1:1", "--data", data).CombinedOutput()
			if err == nil || !strings.Contains(string(report), test.want) {
				t.Errorf("doctor: got %v\n%s\nwant a failure that says %q", err, report, test.want)
			}
			if all := p.logged() + string(report); strings.Contains(all, "top-secret") {
				t.Errorf("the password is told:\n%s", all)
			}
		})
	}
}

// older returns the address of a server like the cluster that reports an older version.
func older(t *testing.T, c *dbtest.Cluster) (address string) {
	t.Helper()
	version := c.SQL("SHOW server_version")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	says := []byte("14" + version[2:])
	pass := func(in net.Conn) {
		defer in.Close()
		out, err := net.Dial("unix", c.Socket())
		if err != nil {
			return
		}
		defer out.Close()
		go func() {
			defer in.Close()
			buf := make([]byte, 1<<16)
			for {
				n, err := out.Read(buf)
				if err != nil {
					return
				}
				if _, err := in.Write(bytes.ReplaceAll(buf[:n], []byte(version), says)); err != nil {
					return
				}
			}
		}()
		_, _ = io.Copy(out, in) // either end may close
	}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go pass(in)
		}
	}()
	return fmt.Sprintf("host=127.0.0.1 port=%s user=postgres dbname=postgres sslmode=disable", port0(l))
}

func port0(l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// A database whose disk is full refuses orders with what to do, and takes them again when there is
// room. Its shops can be read meanwhile, and the shops in files continue to sell.
func TestEngines_FullDisk(t *testing.T) {
	cluster := dbtest.NewCluster(t)
	small := t.TempDir()
	mounted(t, small, "-t", "tmpfs", "-o", "size=80m", "tmpfs")
	t.Cleanup(cluster.Kill)
	reachable := exec.Command("sh", "-c", `chown postgres "$1" && while [ "$1" != /tmp ]; do chmod o+x "$1"; set -- "$(dirname "$1")"; done`, "", small)
	if out, err := reachable.CombinedOutput(); err != nil {
		t.Skipf("needs another user: %v: %s", err, out)
	}
	cluster.SQL(`CREATE TABLESPACE small LOCATION '` + small + `'`)
	cluster.SQL(`CREATE DATABASE small TABLESPACE small`)
	useDatabase(t, cluster.Address("small"))
	data := newShop(t, "acme", 100000)
	key := adminKey(t, data, "acme", "*")
	run(t, "tenant", "create", "paper", "--name", "Paper", "--in", "files", "--data", data)
	manyOrders(t, data, "paper")
	run(t, "product", "import", "paper", filepath.Join(filepath.Dir(data), "products.csv"), "--data", data)
	p := serve(t, "--data", data, "--rate", "0")
	p.order("acme", "before").want(t, http.StatusCreated, "")

	fill := func(statement string) error {
		return exec.Command("psql", cluster.Address("small"), "-c", statement).Run()
	}
	if err := fill(`CREATE TABLE filler (data bytea)`); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 20, 8000, 1} { // until not even a page is left
		for fill(fmt.Sprintf(`ALTER TABLE filler ALTER data SET STORAGE EXTERNAL;
			INSERT INTO filler VALUES (convert_to(repeat('x', %d), 'UTF8'))`, size)) == nil {
			if size == 1 {
				break
			}
		}
	}
	refused := 0
	for n := range 500 { // what is left in the pages of the tables has room for some
		a := p.order("acme", fmt.Sprint("full-", n))
		if a.status == http.StatusCreated {
			continue
		}
		a.want(t, http.StatusServiceUnavailable, "unavailable")
		refused++
		break
	}
	if refused == 0 {
		t.Fatal("no order was refused")
	}
	p.wantLogged("free space on the disk of the data folder, or of the database server")
	p.order("paper", "meanwhile").want(t, http.StatusCreated, "")
	if a := p.must(request{method: "GET", path: "/api/v1/products?search=item", tenant: "acme"}); a.status != http.StatusOK {
		t.Errorf("read while the disk is full: got %d %s", a.status, a.body)
	}
	p.wantStaffReads(t, "acme", key)
	if err := fill(`DROP TABLE filler`); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "orders again", func() bool { return p.order("acme", "after").status == http.StatusCreated }, p.logged)
}
