package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
)

// open opens a store with the kit's schema at an address.
func open(t *testing.T, address string, opts postgres.Options) (*db.Store, error) {
	t.Helper()
	if opts.Schema == "" {
		opts.Schema = dbtest.Schema
	}
	engine, err := postgres.Open(t.Context(), address, opts)
	if err != nil {
		return nil, err
	}
	s := db.New(engine, db.Options{})
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s, nil
}

func mustOpen(t *testing.T, address string) *db.Store {
	t.Helper()
	s, err := open(t, address, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A database that cannot be used is refused with what the operator can do, and without the
// password.
func TestOpen_Refused(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t, "max_connections=10", "superuser_reserved_connections=1", "max_wal_senders=2")
	c.SQL(`CREATE DATABASE foreigner`)
	c.SQL(`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`)
	c.SQL(`CREATE ROLE seller LOGIN PASSWORD 'right'`)
	c.SQL(`CREATE DATABASE newer`)
	mustOpen(t, c.Address("newer"))
	newer := exec.Command("psql", c.Address("newer"), "-c", "UPDATE storefront.meta SET schema = 9")
	if out, err := newer.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	foreign := exec.Command("psql", c.Address("foreigner"), "-c", "CREATE SCHEMA storefront CREATE TABLE users (id int)")
	if out, err := foreign.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	standby := c.Standby()
	for _, test := range []struct {
		name, address string
		kind          error
		want          string
	}{
		{"no server", "host=/nowhere user=postgres password=secret1 dbname=x", db.ErrConnection, "cannot be reached"},
		{"no database", c.Address("nothing") + " password=secret1", db.ErrConnection, "create it"},
		{"no user", "host=" + filepath.Dir(c.Socket()) + " user=nobody password=secret1 dbname=postgres", db.ErrConnection, "check the address"},
		{"newer schema", c.Address("newer"), db.ErrNewer, "start that version"},
		{"another program's tables", c.Address("foreigner"), db.ErrForeignSchema, "another program"},
		{"encoding", c.Address("latin"), nil, "ENCODING 'UTF8'"},
		{"standby", standby.Address("postgres"), db.ErrConnection, "must contain the primary"},
		{"address", "postgres://secret1@%zz", nil, "the address must be"},
		{"no right to create", "host=" + filepath.Dir(c.Socket()) + " user=seller dbname=postgres", nil, "grant it CREATE"},
	} {
		_, err := open(t, test.address, postgres.Options{})
		if err == nil || test.kind != nil && !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q of kind %v", test.name, err, test.want, test.kind)
		}
		if err != nil && strings.Contains(err.Error(), "secret1") {
			t.Errorf("%s: got the password in %v", test.name, err)
		}
	}
	for range 12 {
		cmd := exec.Command("psql", c.Address("postgres"), "-c", "SELECT pg_sleep(60)")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	var err error
	dbtest.Eventually(t, "there are too many connections", func() bool {
		_, err = open(t, c.Address("postgres"), postgres.Options{Namespace: "other"})
		return err != nil
	})
	if !errors.Is(err, db.ErrConnection) || !strings.Contains(err.Error(), "max_connections") {
		t.Errorf("got %v, want the remedy for too many connections", err)
	}
}

// A wrong password is refused without a word of the password.
func TestOpen_WrongPassword(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	c.SQL(`CREATE ROLE seller LOGIN PASSWORD 'right'`)
	c.SQL(`ALTER SYSTEM SET hba_file = '` + c.SQL(`SELECT current_setting('data_directory')`) + `/strict.conf'`)
	rules := "local all postgres trust\nlocal all all scram-sha-256\n"
	if err := os.WriteFile(filepath.Join(c.SQL(`SELECT current_setting('data_directory')`), "strict.conf"), []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	c.Kill()
	c.Start()
	_, err := open(t, "host="+filepath.Dir(c.Socket())+" user=seller password=wrong-one dbname=postgres", postgres.Options{})
	if !errors.Is(err, db.ErrConnection) || !strings.Contains(err.Error(), "refuses the user or the password") ||
		strings.Contains(err.Error(), "wrong-one") {
		t.Errorf("got %v, want a refusal without the password", err)
	}
}

// A cancellation that hits another statement than it was meant for changes nothing.
func TestUpdate_StrayCancellation(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	s := mustOpen(t, c.Address("postgres"))
	dbtest.Create(t, s, dbtest.Shop)
	lock := exec.Command("psql", c.Address("postgres"), "-c", "BEGIN; LOCK TABLE storefront.orders; SELECT pg_sleep(60)")
	if err := lock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Process.Kill(); _ = lock.Wait() })
	dbtest.Eventually(t, "the table is locked", func() bool {
		return c.SQL(`SELECT COUNT(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'storefront.orders'::regclass`) == "1"
	})
	placed := make(chan error)
	go func() { placed <- s.Update(t.Context(), dbtest.Shop, dbtest.AddOrder(1)) }()
	const waiting = `FROM pg_stat_activity WHERE application_name = 'storefront' AND wait_event_type = 'Lock'`
	dbtest.Eventually(t, "the order waits for the lock", func() bool { return c.SQL(`SELECT COUNT(*) `+waiting) == "1" })
	c.SQL(`SELECT pg_cancel_backend(pid) ` + waiting)
	c.SQL(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'psql' AND query LIKE 'BEGIN; LOCK%'`)
	if err := <-placed; err != nil {
		t.Errorf("got %v, want the order placed", err)
	}
	dbtest.WantOrders(t, s, dbtest.Shop, 1)
}

// Work continues when the server ends a connection, and when it is killed and started again.
func TestUpdate_LostConnection(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	s := mustOpen(t, c.Address("postgres"))
	dbtest.Create(t, s, dbtest.Shop)

	var runs atomic.Int32
	err := s.Update(t.Context(), dbtest.Shop, func(_ context.Context, tx *db.Tx) error {
		if err := dbtest.InsertOrder(tx, 1); err != nil {
			return err
		}
		if runs.Add(1) == 1 {
			c.SQL(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'storefront'`)
		}
		return dbtest.InsertOrder(tx, 2)
	})
	if err != nil || runs.Load() != 2 {
		t.Fatalf("got %v after %d runs, want success after 2", err, runs.Load())
	}
	dbtest.WantOrders(t, s, dbtest.Shop, 1, 2)

	// The job that makes the server fail each time ends.
	runs.Store(0)
	err = s.Update(t.Context(), dbtest.Shop, func(_ context.Context, tx *db.Tx) error {
		runs.Add(1)
		if err := dbtest.InsertOrder(tx, 3); err != nil {
			return err
		}
		c.SQL(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'storefront'`)
		return dbtest.InsertOrder(tx, 4)
	})
	if !errors.Is(err, db.ErrConnection) || errors.Is(err, db.ErrUnknownOutcome) || runs.Load() != 4 {
		t.Errorf("got %v after %d runs, want a lost connection after 4", err, runs.Load())
	}
	dbtest.WantOrders(t, s, dbtest.Shop, 1, 2)

	var acknowledged []int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	placed := make(chan struct{}, 1000)
	for buyer := range 4 {
		wg.Go(func() {
			for i := range 40 {
				id := int64(1000*(buyer+1) + i)
				if err := s.Update(t.Context(), dbtest.Shop, dbtest.AddOrder(id)); err != nil {
					t.Errorf("order %d: %v", id, err)
					continue
				}
				mu.Lock()
				acknowledged = append(acknowledged, id)
				mu.Unlock()
				placed <- struct{}{}
			}
		})
	}
	for range 20 {
		<-placed
	}
	c.Kill()
	c.Start()
	wg.Wait()
	slices.Sort(acknowledged)
	dbtest.WantOrders(t, s, dbtest.Shop, append([]int64{1, 2}, acknowledged...)...)
}

// cutter passes connections on to a server, and cuts one when a COMMIT passes.
type cutter struct {
	listener net.Listener
	socket   string
	when     atomic.Int32 // one of the following
}

const (
	never  = iota
	before // the COMMIT does not reach the server
	after  // its response does not reach the client
	once   // as after, for one COMMIT
)

func newCutter(t *testing.T, socket string) *cutter {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: listener, socket: socket}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.pass(client)
		}
	}()
	return c
}

func (c *cutter) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("unix", c.socket)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	var mute atomic.Bool
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := server.Read(buf)
			if mute.Load() || err != nil {
				_ = client.Close()
				return
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		if bytes.Contains(buf[:n], []byte("COMMIT\x00")) {
			switch c.when.Load() {
			case before:
				return
			case after:
				mute.Store(true)
			case once:
				mute.Store(true)
				c.when.Store(never)
			}
		}
		if _, err := server.Write(buf[:n]); err != nil {
			return
		}
	}
}

// A connection that is lost at COMMIT leaves open whether the work is stored. The database knows.
func TestUpdate_LostAtCommit(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	mustOpen(t, c.Address("postgres"))
	proxy := newCutter(t, c.Socket())
	address := fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres sslmode=disable", proxy.listener.Addr().(*net.TCPAddr).Port)
	s := mustOpen(t, address)
	dbtest.Create(t, s, dbtest.Shop)
	for i, when := range []int32{before, after} {
		id := int64(i + 1)
		runs := 0
		err := s.Update(t.Context(), dbtest.Shop, func(_ context.Context, tx *db.Tx) error {
			if runs++; runs == 1 {
				proxy.when.Store(when)
			} else {
				proxy.when.Store(never)
			}
			return dbtest.InsertOrder(tx, id)
		})
		if when == after { // the COMMIT of what resolves the outcome is cut too
			if !errors.Is(err, db.ErrUnknownOutcome) {
				t.Errorf("cut after each COMMIT: got %v, want an unknown outcome", err)
			}
			proxy.when.Store(never)
		} else if err != nil || runs != 2 {
			t.Errorf("cut before COMMIT: got %v after %d runs, want success after 2", err, runs)
		}
	}
	dbtest.WantOrders(t, s, dbtest.Shop, 1, 2)

	runs := 0
	err := s.Update(t.Context(), dbtest.Shop, func(_ context.Context, tx *db.Tx) error {
		runs++
		proxy.when.Store(once)
		return dbtest.InsertOrder(tx, 3)
	})
	if err != nil || runs != 1 {
		t.Errorf("cut after one COMMIT: got %v after %d runs, want success after 1", err, runs)
	}
	dbtest.WantOrders(t, s, dbtest.Shop, 1, 2, 3)
}

// A full disk refuses what needs room, and reads continue.
func TestUpdate_FullDisk(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	small := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", small).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		c.Kill()
		if out, err := exec.Command("umount", "--lazy", small).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	reachable := exec.Command("sh", "-c", `chown postgres "$1" && while [ "$1" != /tmp ]; do chmod o+x "$1"; set -- "$(dirname "$1")"; done`, "", small)
	if out, err := reachable.CombinedOutput(); err != nil {
		t.Skipf("needs another user: %v: %s", err, out)
	}
	c.SQL(`CREATE TABLESPACE small LOCATION '` + small + `'`)
	c.SQL(`CREATE DATABASE small TABLESPACE small`)
	s := mustOpen(t, c.Address("small"))
	dbtest.Create(t, s, dbtest.Shop)
	noise := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	var err error
	var stored []int64
	for id := int64(1); err == nil && id < 100; id++ {
		err = s.Update(t.Context(), dbtest.Shop, func(_ context.Context, tx *db.Tx) error {
			data := slices.Clone(noise)
			for i := range data {
				data[i] = byte(uint64(id*7919+int64(i)) * 0x9E3779B97F4A7C15 >> 56)
			}
			_, err := tx.Exec(`INSERT INTO orders (id, item_id, data) VALUES (?, 'a', NULL)`, id)
			if err == nil {
				_, err = tx.Exec(`UPDATE items SET note = ? WHERE id = 'a'`, fmt.Sprintf("%x", data))
			}
			return err
		})
		if err == nil {
			stored = append(stored, id)
		}
	}
	if !errors.Is(err, db.ErrFull) {
		t.Errorf("got %v, want a full disk", err)
	}
	dbtest.WantOrders(t, s, dbtest.Shop, stored...)
}
