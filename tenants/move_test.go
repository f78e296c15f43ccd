package tenants_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

var moveTimes = flag.Int("moves", 4, "how often TestMove_UnderLoad moves the shop")

// The variables with which the test binary is a process that moves a shop and is killed.
const (
	killedMove       = "STOREFRONT_TEST_MOVE" // DATA FOLDER, PLACE, PHASE
	killedMoveEngine = "STOREFRONT_TEST_MOVE_ENGINE"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if order := os.Getenv(killedMove); order != "" {
		os.Exit(moveAndDie(strings.Fields(order), os.Getenv(killedMoveEngine)))
	}
	os.Exit(m.Run())
}

// moveAndDie moves the shop acme and kills this process at a phase.
func moveAndDie(order []string, engine string) int {
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cfg := tenants.Config{Dir: order[0], Schema: string(schema), Command: true}
	setDatabase(&cfg, engine)
	all, err := tenants.Open(cfg)
	if err == nil {
		_, err = all.Move(context.Background(), "acme", tenants.MoveOptions{To: tenants.Place(order[1]), Reached: func(p db.MovePhase) {
			if string(p) == order[2] {
				self, _ := os.FindProcess(os.Getpid())
				_ = self.Kill()
				select {} // until the signal arrives
			}
		}})
	}
	fmt.Fprintln(os.Stderr, "not killed:", err)
	return 1
}

// seller has buyers who order at the shop acme until stopped. A buyer repeats an order with its key
// until it is acknowledged.
type seller struct {
	t       *testing.T
	all     *tenants.Tenants
	product string
	buyers  sync.WaitGroup
	wanted  chan struct{} // a token per order that the buyers may place

	mu     sync.Mutex
	placed map[string]string // order ID by idempotency key
}

// sell creates the shop acme with a product and starts buyers.
func sell(t *testing.T, all *tenants.Tenants, buyers int) *seller {
	t.Helper()
	s := create(t, all, "acme")
	sell := &seller{t: t, all: all, product: addMug(t, s), wanted: make(chan struct{}, 10_000), placed: map[string]string{}}
	for buyer := range buyers {
		sell.buyers.Go(func() {
			n := 0
			for range sell.wanted {
				sell.order(fmt.Sprintf("buyer-%d-order-%d", buyer, n), buyer*100_000+n)
				n++
			}
		})
	}
	return sell
}

// addMug adds a product and returns its ID.
func addMug(t *testing.T, s *shop.Shop) string {
	t.Helper()
	mug, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Blue mug", Tags: []string{"চা"}, Variants: []catalogue.VariantInput{{Price: 450_00, Tracked: true, Stock: new(1_000_000)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return mug.ID
}

func (s *seller) order(key string, n int) {
	in := shoptest.GuestOrder(s.product, 1)
	in.Customer.PhoneNumber = new(fmt.Sprintf("017%08d", n))
	for {
		order, err := s.place(in, key)
		switch {
		case err == nil:
			s.mu.Lock()
			s.placed[key] = order.ID
			s.mu.Unlock()
			return
		case shop.AsError(err).Code != fault.CodeUnavailable:
			s.t.Errorf("order %s: got %v, want it placed or to be repeated", key, err)
			return
		}
	}
}

func (s *seller) place(in order.Input, key string) (*order.Placed, error) {
	acme, err := s.all.Shop(context.Background(), "acme")
	if err != nil {
		return nil, err
	}
	return acme.Orders.PlaceOrder(context.Background(), access.Caller{}, in, key)
}

// more makes the buyers place 40 more orders, and waits until the first of them are placed.
func (s *seller) more() {
	s.t.Helper()
	before := s.count()
	for range 40 {
		s.wanted <- struct{}{}
	}
	dbtest.Eventually(s.t, "orders are placed", func() bool { return s.count() >= before+5 })
}

func (s *seller) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.placed)
}

// stop ends the buyers and checks that the shop has each order once, and nothing else.
func (s *seller) stop() {
	s.t.Helper()
	close(s.wanted)
	s.buyers.Wait()
	acme, err := s.all.Shop(context.Background(), "acme")
	if err != nil {
		s.t.Fatal(err)
	}
	for key, id := range s.placed { // the keys too were carried over
		in := shoptest.GuestOrder(s.product, 1)
		var buyer, n int
		_, _ = fmt.Sscanf(key, "buyer-%d-order-%d", &buyer, &n)
		in.Customer.PhoneNumber = new(fmt.Sprintf("017%08d", buyer*100_000+n))
		order, err := acme.Orders.PlaceOrder(context.Background(), access.Caller{}, in, key)
		if err != nil || order.ID != id || !order.Replayed {
			s.t.Fatalf("order %s again: got %v, %v, want %s, which was acknowledged", key, order, err, id)
		}
	}
	var export bytes.Buffer
	if err := s.all.Export(context.Background(), "acme", &export); err != nil {
		s.t.Fatal(err)
	}
	rows, _ := rowsOf(export.String(), "orders")
	if len(rows) != len(s.placed) {
		s.t.Errorf("got %d orders in the shop, want the %d that were acknowledged", len(rows), len(s.placed))
	}
	if faults, err := acme.CheckInvariants(context.Background()); err != nil || len(faults) > 0 {
		s.t.Errorf("invariants: got %v, %v, want none broken", faults, err)
	}
	for _, word := range []string{"blue mu", "চা"} {
		found, err := acme.Catalogue.FindProducts(context.Background(), catalogue.ProductFilter{Search: word})
		if err != nil || len(found.Nodes) != 1 {
			s.t.Errorf("search %q: got %v, %v, want the mug", word, found, err)
		}
	}
}

// rowsOf returns the lines with the rows of a table in an export, and the rest.
func rowsOf(export, table string) (rows, rest []string) {
	in := false
	for line := range strings.Lines(export) {
		if strings.HasPrefix(line, "{") {
			in = strings.HasPrefix(line, `{"table":"`+table+`"`)
		}
		if in && strings.HasPrefix(line, "[") {
			rows = append(rows, line)
		} else {
			rest = append(rest, line)
		}
	}
	return rows, rest
}

// other returns the other place.
func other(p tenants.Place) tenants.Place {
	if p == tenants.InFiles {
		return tenants.InPostgres
	}
	return tenants.InFiles
}

func wantPlace(t *testing.T, all *tenants.Tenants, want tenants.Place) {
	t.Helper()
	list, err := all.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Place != want || list[0].Problem != nil {
		t.Fatalf("list: got %+v, %v, want acme in %s", list, err, want)
	}
}

// A shop is moved by a command beside a server, in both directions, while buyers order at the
// server. No acknowledged order is lost or doubled.
func TestEngines_MoveUnderLoad(t *testing.T) {
	t.Parallel()
	c, dir := dbtest.NewCluster(t), t.TempDir()
	config := func(cfg *tenants.Config) { setDatabase(cfg, c.Address("postgres")) }
	all := open(t, dir, config)
	buyers := sell(t, all, 4)
	command := open(t, dir, func(cfg *tenants.Config) { config(cfg); cfg.Command = true })
	place := tenants.InPostgres // where it was created
	for range *moveTimes {
		buyers.more()
		place = other(place)
		moved, err := command.Move(t.Context(), "acme", tenants.MoveOptions{To: place, AtMost: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("to %s: %d rows, orders waited %.0f ms", place, moved.Rows, 1000*moved.Seconds)
		wantPlace(t, command, place)
	}
	buyers.more()
	buyers.stop()
	wantPlace(t, all, place)
	if again, err := command.Move(t.Context(), "acme", tenants.MoveOptions{To: place}); err != nil || again.Rows != 0 {
		t.Errorf("move to where it is: got %+v, %v, want nothing to do", again, err)
	}
}

// A move whose process is killed is undone until the old copy has left, and completed from then on,
// by a server whose buyers notice nothing.
func TestEngines_MoveKilled(t *testing.T) {
	t.Parallel()
	c, dir := dbtest.NewCluster(t), t.TempDir()
	all := open(t, dir, func(cfg *tenants.Config) { setDatabase(cfg, c.Address("postgres")) })
	buyers := sell(t, all, 2)
	place := tenants.InPostgres
	for range *moveTimes / 4 {
		for _, phase := range []db.MovePhase{db.MoveFrozen, db.MoveArrived, db.MoveLeft, db.MoveAdmitted, db.MoveDiscarded} {
			buyers.more()
			killed := exec.Command(os.Args[0])
			killed.Env = append(os.Environ(), killedMove+"="+strings.Join([]string{dir, string(other(place)), string(phase)}, " "),
				killedMoveEngine+"="+c.Address("postgres"))
			out, err := killed.CombinedOutput()
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != -1 {
				t.Fatalf("%s: got %v, %s, want it killed", phase, err, out)
			}
			if phase != db.MoveFrozen && phase != db.MoveArrived {
				place = other(place)
			}
			buyers.more()
			wantPlace(t, all, place)
			place = other(place) // the next move finishes the one before, if that is not done
			if _, err := all.Move(t.Context(), "acme", tenants.MoveOptions{To: place}); err != nil {
				t.Fatalf("move after a kill at %s: %v", phase, err)
			}
			wantPlace(t, all, place)
			if states := c.SQL(`SELECT string_agg(DISTINCT state, ' ') FROM storefront.engine_state`); states != "open" && states != "" {
				t.Errorf("%s: got shops %s in the database, want open ones", phase, states)
			}
			for _, pattern := range []string{filepath.Join("tenants", ".*"), filepath.Join("moves", "*.json*")} {
				if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
					t.Errorf("%s: left behind: %v", phase, left)
				}
			}
		}
	}
	buyers.stop()
}
