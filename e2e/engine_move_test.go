package e2e

import (
	"bytes"
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

// moveMoments are the steps of a move, and where the shop is after a crash there.
var moveMoments = func() []moveMoment {
	const (
		arriving = "INSERT INTO engine_state"
		admitted = "WHERE shop = $2 AND state = 'arriving' AND token = $3"
		leaving  = "SET state = 'moved'"
		dropping = "SET state = 'dropped' WHERE shop"
	)
	return []moveMoment{
		{"postgres", "nothing is copied", moment{statement: arriving}, "files"},
		{"postgres", "the copy has arrived", moment{statement: arriving, commit: true, after: true}, "files"},
		{"postgres", "the file has left", moment{statement: admitted}, "postgres"},
		{"postgres", "the copy is open", moment{statement: admitted, commit: true, after: true}, "postgres"},
		{"files", "the copy has arrived", moment{statement: leaving}, "postgres"},
		{"files", "the shop has left", moment{statement: leaving, commit: true, after: true}, "files"},
		{"files", "the old copy stays", moment{statement: dropping}, "files"},
		{"files", "the old copy is gone", moment{statement: dropping, commit: true, after: true}, "files"},
	}
}()

type moveMoment struct {
	to, name string
	at       moment
	place    string
}

// traveller is a shop that moves between a data folder and a database.
type traveller struct {
	t       *testing.T
	cluster *dbtest.Cluster
	data    string
	server  *process
	product string
	placed  []string // acknowledged orders
}

func newTraveller(t *testing.T, cluster *dbtest.Cluster, data string) *traveller {
	t.Helper()
	s := &traveller{t: t, cluster: cluster, data: data}
	s.serve()
	s.product, _ = s.server.product("acme", "item-0")
	return s
}

// engine returns the flags with which commands find the shop.
func (s *traveller) engine() []string {
	return []string{"--data", s.data, "--engine", s.cluster.Address("postgres")}
}

func (s *traveller) serve() {
	s.t.Helper()
	s.server = serve(s.t, append([]string{"--rate", "0"}, s.engine()...)...)
}

// order places an order at once, or after the move has ended.
func (s *traveller) order() {
	s.t.Helper()
	key := fmt.Sprintf("order-%06d", len(s.placed))
	dbtest.Eventually(s.t, "the shop accepts an order", func() bool {
		got, err := s.server.do(request{
			method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(s.product, 1), header: map[string]string{"Idempotency-Key": key},
		})
		if err == nil && got.status == 201 {
			s.placed = append(s.placed, got.text("invoiceUid"))
			return true
		}
		return false
	}, s.server.logged)
}

// crash places an order in the other place, and crashes a move at the moment.
func (s *traveller) crash(m moveMoment) {
	s.t.Helper()
	from := map[string]string{"postgres": "files", "files": "postgres"}[m.to]
	run(s.t, append([]string{"tenant", "move", "acme", "--to", from, "--at-most", "0"}, s.engine()...)...)
	s.order()
	killedAt(s.t, s.cluster, m.at, "tenant", "move", "acme", "--to", m.to, "--at-most", "0", "--data", s.data)
}

// wantWhole checks that the shop sells on in the moment's place, and that it has every order.
func (s *traveller) wantWhole(m moveMoment) {
	t := s.t
	t.Helper()
	s.order()
	place := "files"
	if strings.Contains(run(t, append([]string{"tenant", "list"}, s.engine()...)...), "postgres") {
		place = "postgres"
	}
	if place != m.place {
		t.Errorf("to %s, %s: got the shop in %s, want it in %s", m.to, m.name, place, m.place)
	}
	// The server may be finishing the move for a request that came before the kill.
	dbtest.Eventually(t, fmt.Sprintf("to %s, %s: the move has ended", m.to, m.name), func() bool {
		states := s.cluster.SQL(`SELECT string_agg(DISTINCT state, ' ') FROM storefront.engine_state WHERE state <> 'dropped'`)
		records, _ := filepath.Glob(filepath.Join(s.data, "moves", "*.json"))
		return (states == "" || states == "open") && len(records) == 0
	})
	var list struct {
		Nodes []struct {
			ID string `json:"_id"`
		}
	}
	decode(t, run(t, append([]string{"order", "list", "acme", "--limit", "-1", "--json"}, s.engine()...)...), &list)
	has := map[string]bool{}
	for _, o := range list.Nodes {
		has[o.ID] = true
	}
	for _, id := range s.placed {
		if !has[id] {
			t.Errorf("to %s, %s: order %s is lost", m.to, m.name, id)
		}
	}
	if len(list.Nodes) != len(s.placed) {
		t.Errorf("to %s, %s: got %d orders, want %d", m.to, m.name, len(list.Nodes), len(s.placed))
	}
}

// A command that moves a shop is killed at each step, in both directions, beside a server that
// sells. The shop is then in one place, which has every order, and sells on.
func TestEngine_MoveKilled(t *testing.T) {
	t.Parallel()
	s := newTraveller(t, dbtest.NewCluster(t), newShop(t, "acme", 100_000))
	for _, m := range moveMoments {
		s.crash(m)
		s.order()
		s.wantWhole(m)
	}
	if _, err := os.Stat(filepath.Join(s.data, "trash")); err != nil {
		t.Error(err)
	}
}
