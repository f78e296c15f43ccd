package tenants_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// frozenProxy is between a process and a database. Once frozen, it accepts connections and forwards
// nothing, as if the machine had vanished behind a network that drops packets.
type frozenProxy struct {
	net.Listener
	mu     sync.RWMutex // held while frozen
	socket string
}

func newFrozenProxy(t *testing.T, socket string) *frozenProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &frozenProxy{Listener: l, socket: socket}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(in)
		}
	}()
	return p
}

func (p *frozenProxy) pass(in net.Conn) {
	out, err := net.Dial("unix", p.socket)
	if err != nil {
		in.Close()
		return
	}
	forward := func(to, from net.Conn) {
		defer to.Close()
		defer from.Close()
		buf := make([]byte, 1<<16)
		for {
			n, err := from.Read(buf)
			if err != nil {
				return
			}
			p.mu.RLock()
			_, err = to.Write(buf[:n])
			p.mu.RUnlock()
			if err != nil {
				return
			}
		}
	}
	go forward(out, in)
	forward(in, out)
}

// A database whose machine vanishes without closing its connections fails its own shops after a
// deadline. The shops in files continue to sell meanwhile.
func TestEngines_DatabaseVanished(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	proxy := newFrozenProxy(t, c.Socket())
	_, port, _ := net.SplitHostPort(proxy.Addr().String())
	all := open(t, "", func(cfg *tenants.Config) {
		setDatabase(cfg, fmt.Sprintf("host=127.0.0.1 port=%s user=postgres dbname=postgres sslmode=disable", port))
	})
	rename := func(uid, name string) error {
		s, err := all.FindIncludingSuspended(t.Context(), uid)
		if err != nil {
			return err
		}
		return s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"name": name}))
	}
	create(t, all, "acme")
	if _, err := all.Create(tenants.WithPlace(t.Context(), tenants.InFiles), "paper", named(t, "Paper")); err != nil {
		t.Fatal(err)
	}

	proxy.mu.Lock()
	failed := make(chan error, 1)
	go func() { failed <- rename("acme", "Acme & Co") }()
	for n := range 5 {
		if err := rename("paper", fmt.Sprint("Paper ", n)); err != nil {
			t.Errorf("shop in files: got %v", err)
		}
	}
	if err := <-failed; !errors.Is(err, db.ErrConnection) {
		t.Errorf("shop in the database: got %v, want a lost connection", err)
	}
	if err := rename("paper", "Paper"); err != nil {
		t.Errorf("shop in files: got %v", err)
	}
	proxy.mu.Unlock()
	dbtest.Eventually(t, "the shop in the database is back", func() bool { return rename("acme", "Acme & Co") == nil })
}

// A database that stands still, with its connections open, is left for its standby within the time
// of a request.
func TestEngines_DatabaseSilent(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	silent, standby := newFrozenProxy(t, c.Socket()), newFrozenProxy(t, c.Socket())
	port := func(p *frozenProxy) int { return p.Addr().(*net.TCPAddr).Port }
	all := open(t, "", func(cfg *tenants.Config) {
		setDatabase(cfg, fmt.Sprintf("host=127.0.0.1,127.0.0.1 port=%d,%d user=postgres dbname=postgres sslmode=disable",
			port(silent), port(standby)))
	})
	create(t, all, "acme")
	s, err := all.FindIncludingSuspended(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	silent.mu.Lock()
	defer silent.mu.Unlock()
	var requests sync.WaitGroup
	defer requests.Wait()
	within := func(request func(ctx context.Context) error) {
		requests.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
			defer cancel()
			if err := request(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	within(func(ctx context.Context) error {
		return s.SetSettings(ctx, access.Operator(), shoptest.Raw(t, map[string]any{"name": "Acme & Co"}))
	})
	within(func(ctx context.Context) error {
		_, err := s.Orders.ListOrderRows(ctx, access.Operator(), order.ListFilter{})
		return err
	})
}
