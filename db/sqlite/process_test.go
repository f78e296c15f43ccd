package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/sqlite"
)

// process is this test binary, run as a second process on the same folder. It reads commands and
// writes a result for each, one per line.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

const childDir = "STOREFRONT_DB_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(childMain(dir))
	}
	os.Exit(m.Run())
}

func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), childDir+"="+dir)
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = p.cmd.Wait() // a killed one fails
	})
	return p
}

// do runs a command in the process and returns its result.
func (p *process) do(format string, args ...any) string {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
	if !p.out.Scan() {
		p.t.Fatalf("the process has exited: %v", p.out.Err())
	}
	return p.out.Text()
}

func (p *process) mustDo(format string, args ...any) {
	p.t.Helper()
	if got := p.do(format, args...); got != "ok" {
		p.t.Fatalf(format+": got %s, want ok", append(args, got)...)
	}
}

// childMain is the main function of the second process.
func childMain(dir string) int {
	s, err := sqlite.Open(dir, sqlite.Options{Schema: schema})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx := context.Background()
	held := make(chan struct{})
	var holder <-chan error
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var verb string
		var id db.ID
		var n int64
		_, _ = fmt.Sscan(in.Text(), &verb, &id, &n)
		var err error
		switch verb {
		case "create":
			err = s.Create(ctx, id, addItem("a", n))
		case "drop":
			err = s.Drop(ctx, id)
		case "restore": // from the copy beside the folder, n times
			for ; n > 0 && err == nil; n-- {
				_, err = s.Restore(ctx, id, filepath.Join(dir, "copy.db"), nil)
			}
		case "order":
			err = s.Update(ctx, id, addOrder(n))
		case "burst": // orders n, n+1, … until killed, each printed once stored
			for ; ; n++ {
				if err := s.Update(ctx, id, addOrder(n)); err != nil {
					return 1
				}
				fmt.Println(n)
			}
		case "rush": // n callers whose updates hold the write lock nearly all the time, until it exits
			write := func(_ context.Context, tx *db.Tx) error {
				time.Sleep(5 * time.Millisecond)
				_, err := tx.Exec(`UPDATE items SET stock = stock + 1`)
				return err
			}
			err = s.Update(ctx, id, write)
			for range n {
				go func() {
					for s.Update(ctx, id, write) == nil {
					}
				}()
			}
		case "hold": // the write lock, until "release"
			started, ended := make(chan struct{}), make(chan error, 1)
			go func() {
				ended <- s.Update(ctx, id, func(_ context.Context, tx *db.Tx) error {
					close(started)
					<-held
					return insertOrder(tx, n)
				})
			}()
			<-started
			holder = ended
		case "read": // one state of the tenant, until "release"
			started, ended := make(chan struct{}), make(chan error, 1)
			go func() {
				ended <- s.View(ctx, id, func(_ context.Context, tx *db.Tx) error {
					err := tx.QueryRow(`SELECT COUNT(*) FROM orders`).Scan(&n)
					close(started)
					<-held
					return err
				})
			}()
			<-started
			holder = ended
		case "release":
			close(held)
			err = <-holder
		case "upgrade": // until killed, since the second step does not end
			err = upgradeEndlessly(ctx, dir, id)
		case "serve": // until it exits
			_, err = s.LockServer()
		case "close":
			err = s.Close(ctx)
		}
		if err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("ok")
		}
	}
	return 0
}

func TestStore_TwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	p := startProcess(t, dir)

	if ok, err := s.Exists(t.Context(), shop); ok || err != nil {
		t.Fatalf("exists: got %v, %v, want false", ok, err)
	}
	p.mustDo("create %s 100", shop)
	if ok, err := s.Exists(t.Context(), shop); !ok || err != nil {
		t.Errorf("exists after another process's create: got %v, %v, want true", ok, err)
	}
	seen := version(t, s, shop)
	p.mustDo("order %s 1", shop)
	dbtest.Eventually(t, "version", func() bool { return version(t, s, shop) > seen })

	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { update(t, s, shop, addOrder(int64(1000+i))) })
	}
	for i := range 50 {
		p.mustDo("order %s %d", shop, 2000+i)
	}
	wg.Wait()
	if got := orders(t, s, shop); len(got) != 101 {
		t.Errorf("got %d orders, want 101", len(got))
	}
	if got := p.do("create %s 1", shop); !strings.Contains(got, db.ErrExists.Error()) {
		t.Errorf("create again: got %s, want ErrExists", got)
	}
}

// After another process drops a tenant, updates here fail. After it creates the tenant again,
// updates here go to the new file.
func TestDrop_ByAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	p := startProcess(t, dir)
	for round := range 5 {
		n := int64(10 * round)
		update(t, s, shop, addOrder(n))
		orders(t, s, shop) // a reader is open too
		old := version(t, s, shop)
		p.mustDo("drop %s", shop)
		if err := s.Update(t.Context(), shop, addOrder(n+1)); !errors.Is(err, db.ErrNoTenant) {
			t.Fatalf("update of a dropped tenant: got %v, want ErrNoTenant", err)
		}
		p.mustDo("create %s 100", shop)
		p.mustDo("order %s %d", shop, n+2)
		update(t, s, shop, addOrder(n+3))
		if got := orders(t, s, shop); !slices.Equal(got, []int64{n + 2, n + 3}) {
			t.Fatalf("orders: got %v, want [%d %d]", got, n+2, n+3)
		}
		if v := version(t, s, shop); v <= old {
			t.Errorf("got version %d after %d, want a higher one", v, old)
		}
	}
}

// This process drops a tenant and creates it again while another process has the old file open.
// When that process closes it, the new file's log must stay.
func TestDrop_OpenInAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	p := startProcess(t, dir)
	p.mustDo("order %s 1", shop)
	if err := s.Drop(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	create(t, s, shop)
	update(t, s, shop, addOrder(2))
	p.mustDo("close %s", shop)
	if _, err := os.Stat(filepath.Join(dir, "tenants", "demo.db-wal")); err != nil {
		t.Errorf("the new file's log: got %v, want it to exist", err)
	}
	update(t, s, shop, addOrder(3))
	wantOrders(t, s, shop, 2, 3)
	third := startProcess(t, dir)
	third.mustDo("order %s 4", shop)
	wantOrders(t, s, shop, 2, 3, 4)
}

// An update that waits for another process's write lock fails with ErrBusy after the timeout.
func TestUpdate_LockedByAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	s.SetBusyTimeout(200)
	p := startProcess(t, dir)
	p.mustDo("hold %s 1", shop)
	if err := s.Update(t.Context(), shop, addOrder(2)); !errors.Is(err, db.ErrBusy) {
		t.Errorf("update: got %v, want ErrBusy", err)
	}
	wantOrders(t, s, shop)
	p.mustDo("release %s", shop)
	update(t, s, shop, addOrder(3))
	wantOrders(t, s, shop, 1, 3)
}

func TestVersion_WaitingForLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	seen := version(t, s, shop)
	p := startProcess(t, dir)
	p.mustDo("hold %s 1", shop)
	ctx, cancel := context.WithCancel(t.Context())
	waiting := queue(t, s, ctx, addOrder(2))
	start := time.Now()
	for time.Since(start) < 200*time.Millisecond { // longer than checkInterval
		if v := version(t, s, shop); v != seen {
			t.Fatalf("got version %d, want %d", v, seen)
		}
	}
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled update: got %v, want context.Canceled", err)
	}
	p.mustDo("release %s", shop)
	dbtest.Eventually(t, "version", func() bool { return version(t, s, shop) > seen })
	wantOrders(t, s, shop, 1)
}

// All updates that a killed process had acknowledged are stored, and its file is sound.
func TestUpdate_KilledProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	for round := range 3 {
		p := startProcess(t, dir)
		if _, err := fmt.Fprintf(p.in, "burst %s %d\n", shop, 10_000*(round+1)); err != nil {
			t.Fatal(err)
		}
		var last int64
		for range 50 {
			if !p.out.Scan() {
				t.Fatal("no orders")
			}
			if _, err := fmt.Sscan(p.out.Text(), &last); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for p.out.Scan() { // printed before it was killed
			if _, err := fmt.Sscan(p.out.Text(), &last); err != nil {
				t.Fatal(err)
			}
		}
		if got := orders(t, s, shop); !slices.Contains(got, last) {
			t.Errorf("order %d was acknowledged but is not stored", last)
		}
		update(t, s, shop, addOrder(int64(round)))
	}
	if found, err := s.Check(t.Context(), shop); err != nil || len(found.Faults) != 0 {
		t.Errorf("check: got %v, %v, want no faults", found, err)
	}
}
