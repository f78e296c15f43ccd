package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"storefront/db/dbtest"
)

// moment is a moment in the conversation of a program with the database: that of a statement, or of
// the first COMMIT after it on the same connection.
type moment struct {
	statement string // a part of its text
	commit    bool
	after     bool // when it was executed, and its result is not known; otherwise before
}

// gate is the address of a database that holds up a connection at a moment.
type gate struct {
	t        *testing.T
	listener net.Listener
	socket   string
	at       moment
	reached  chan struct{}
	once     sync.Once

	mu    sync.Mutex
	conns []net.Conn
}

func newGate(t *testing.T, socket string, at moment) *gate {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, listener: listener, socket: socket, at: at, reached: make(chan struct{})}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return // closed
			}
			to, err := net.Dial("unix", socket)
			if err != nil {
				_ = from.Close()
				continue
			}
			g.mu.Lock()
			g.conns = append(g.conns, from, to)
			g.mu.Unlock()
			go g.relay(from, to)
		}
	}()
	return g
}

// relay relays a connection until the moment is reached.
func (g *gate) relay(from, to net.Conn) {
	var mu sync.Mutex
	hold := false // what the database answers
	go func() {
		buffer := make([]byte, 1<<16)
		for {
			n, err := to.Read(buffer)
			if err != nil {
				_ = from.Close()
				return
			}
			mu.Lock()
			held := hold
			mu.Unlock()
			if held {
				g.once.Do(func() { close(g.reached) })
				continue
			}
			if _, err := from.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	var sent []byte
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			_ = to.Close()
			return
		}
		sent = append(sent, buffer[:n]...)
		if at := bytes.Index(sent, []byte(g.at.statement)); at >= 0 && (!g.at.commit || bytes.Contains(sent[at:], []byte("COMMIT"))) {
			if !g.at.after {
				g.once.Do(func() { close(g.reached) })
				return // nothing more is sent
			}
			mu.Lock()
			hold = true
			mu.Unlock()
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// address returns the gate's address for --engine.
func (g *gate) address() string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres sslmode=disable", g.listener.Addr().(*net.TCPAddr).Port)
}

// close ends all connections.
func (g *gate) close() {
	_ = g.listener.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.conns {
		_ = c.Close()
	}
}

// A command that moves a shop is killed at each step, in both directions, beside a server that
// sells. The shop is then in one place, which has every order, and sells on.
func TestEngine_MoveKilled(t *testing.T) {
	t.Parallel()
	const (
		arriving = "INSERT INTO engine_state"
		admitted = "WHERE shop = $2 AND state = 'arriving' AND token = $3"
		leaving  = "SET state = 'moved'"
		dropping = "SET state = 'dropped' WHERE shop"
	)
	cluster := dbtest.NewCluster(t)
	data := newShop(t, "acme", 100_000)
	direct := []string{"--data", data, "--engine", cluster.Address("postgres")}
	p := serve(t, append([]string{"--rate", "0"}, direct...)...)
	product, _ := p.product("acme", "item-0")
	var placed []string
	order := func() {
		t.Helper()
		key := fmt.Sprintf("order-%06d", len(placed))
		dbtest.Eventually(t, "the shop accepts an order", func() bool { // at once, or after the move has ended
			got, err := p.do(request{
				method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(product, 1), header: map[string]string{"Idempotency-Key": key},
			})
			if err == nil && got.status == 201 {
				placed = append(placed, got.text("invoiceUid"))
				return true
			}
			return false
		})
	}
	place := func() string {
		t.Helper()
		if strings.Contains(run(t, append([]string{"tenant", "list"}, direct...)...), "postgres") {
			return "postgres"
		}
		return "files"
	}
	for _, test := range []struct {
		to, name string
		at       moment
		moved    bool
	}{
		{"postgres", "nothing is copied", moment{statement: arriving}, false},
		{"postgres", "the copy has arrived", moment{statement: arriving, commit: true, after: true}, false},
		{"postgres", "the file has left", moment{statement: admitted}, true},
		{"postgres", "the copy is open", moment{statement: admitted, commit: true, after: true}, true},
		{"files", "the copy has arrived", moment{statement: leaving}, false},
		{"files", "the shop has left", moment{statement: leaving, commit: true, after: true}, true},
		{"files", "the old copy stays", moment{statement: dropping}, true},
		{"files", "the old copy is gone", moment{statement: dropping, commit: true, after: true}, true},
	} {
		from := map[string]string{"postgres": "files", "files": "postgres"}[test.to]
		run(t, append([]string{"tenant", "move", "acme", "--to", from, "--at-most", "0"}, direct...)...)
		order()
		killedAt(t, cluster, test.at, "tenant", "move", "acme", "--to", test.to, "--at-most", "0", "--data", data)
		order()
		want := from
		if test.moved {
			want = test.to
		}
		if got := place(); got != want {
			t.Errorf("to %s, %s: got the shop in %s, want it in %s", test.to, test.name, got, want)
		}
		// The server may be finishing the move for a request that came before the kill.
		dbtest.Eventually(t, fmt.Sprintf("to %s, %s: the move has ended", test.to, test.name), func() bool {
			states := cluster.SQL(`SELECT string_agg(DISTINCT state, ' ') FROM storefront.engine_state WHERE state <> 'dropped'`)
			records, _ := filepath.Glob(filepath.Join(data, "moves", "*.json"))
			return (states == "" || states == "open") && len(records) == 0
		})
		var list struct {
			Nodes []struct {
				ID string `json:"_id"`
			}
		}
		text := run(t, append([]string{"order", "list", "acme", "--limit", "-1", "--json"}, direct...)...)
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		for _, o := range list.Nodes {
			has[o.ID] = true
		}
		for _, id := range placed {
			if !has[id] {
				t.Errorf("to %s, %s: order %s is lost", test.to, test.name, id)
			}
		}
		if len(list.Nodes) != len(placed) {
			t.Errorf("to %s, %s: got %d orders, want %d", test.to, test.name, len(list.Nodes), len(placed))
		}
	}
	if _, err := os.Stat(filepath.Join(data, "trash")); err != nil {
		t.Error(err)
	}
}
