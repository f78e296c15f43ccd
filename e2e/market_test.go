package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
)

// marketStock is how many units of item-0 a shop of a market has.
const marketStock = 1_000_000

// marketShops makes a data folder with shops that have one product each.
func marketShops(t *testing.T, count int) (data string, uids []string) {
	t.Helper()
	for i := range count {
		uids = append(uids, fmt.Sprintf("shop-%d", i))
	}
	data = newShop(t, uids[0], marketStock)
	addShops(t, data, uids[1:]...)
	return data, uids
}

// sale is an order that was acknowledged to its buyer.
type sale struct {
	invoice      string
	acknowledged time.Time
}

// market is buyers who go round the shops of a server and order without a pause.
type market struct {
	p      *process
	ending atomic.Bool
	buyers sync.WaitGroup

	mu           sync.Mutex
	acknowledged map[string][]sale // by shop
	count        int
}

func openMarket(t *testing.T, p *process, uids []string, buyers int) *market {
	t.Helper()
	m := &market{p: p, acknowledged: map[string][]sale{}}
	ids := map[string]string{}
	for _, uid := range uids {
		ids[uid], _ = p.product(uid, "item-0")
	}
	for first := range buyers {
		m.buyers.Go(func() {
			for i := first; !m.ending.Load(); i++ {
				uid := uids[i%len(uids)]
				a, err := p.do(request{method: "POST", path: "/api/v1/orders", tenant: uid, body: orderOf(ids[uid], 1)})
				if err != nil {
					if !m.ending.Load() {
						t.Errorf("%s: %v", uid, err)
					}
					return
				}
				if a.status != http.StatusCreated {
					t.Errorf("%s: got %d %s, want 201", uid, a.status, a.body)
					return
				}
				m.mu.Lock()
				m.acknowledged[uid] = append(m.acknowledged[uid], sale{a.text("invoiceUid"), time.Now()})
				m.count++
				m.mu.Unlock()
			}
		})
	}
	t.Cleanup(m.close)
	return m
}

// sell waits until n more orders are acknowledged.
func (m *market) sell(more int) {
	m.p.t.Helper()
	target := m.sold() + more
	dbtest.Eventually(m.p.t, fmt.Sprint(more, " more orders"), func() bool { return m.sold() >= target || m.p.t.Failed() })
}

func (m *market) sold() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count
}

// sales returns the acknowledged orders so far, by shop.
func (m *market) sales() map[string][]sale {
	m.mu.Lock()
	defer m.mu.Unlock()
	told := maps.Clone(m.acknowledged)
	for uid, sales := range told {
		told[uid] = slices.Clone(sales)
	}
	return told
}

// close sends the buyers home.
func (m *market) close() {
	m.ending.Store(true)
	m.buyers.Wait()
}

// kill ends the server in the middle of the buyers' orders, as a power cut would.
func (m *market) kill() (at time.Time) {
	m.ending.Store(true)
	m.p.kill()
	at = time.Now()
	m.buyers.Wait()
	return at
}

// ordersIn returns the invoices of a shop's file, which no server has open. The file must be
// intact, its stock must match its orders, and their numbers must have no gap but those that a
// restore leaves on purpose.
func ordersIn(t testing.TB, data, uid string) map[string]bool {
	t.Helper()
	if sold, moved := soldAndMoved(t, data, uid); moved != marketStock-sold {
		t.Errorf("%s: got %d sold and %d left by the movements, want %d together", uid, sold, moved, marketStock)
	}
	store := openStore(t, data)
	defer store.Close(context.Background())
	const restoreGap = 100
	invoices, last := map[string]bool{}, 1000
	err := store.View(t.Context(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		return tx.Each("SELECT id, number FROM orders ORDER BY number", nil, func(r db.Row) error {
			var invoice string
			var number int
			err := r.Scan(&invoice, &number)
			invoices[invoice] = true
			if gap := number - last - 1; gap != 0 && gap < restoreGap {
				t.Errorf("%s: after order %d comes %d: there is a hole", uid, last, number)
			}
			last = number
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return invoices
}

// lacking returns the sales that are not among the invoices.
func lacking(invoices map[string]bool, sales []sale) (missing []sale) {
	for _, s := range sales {
		if !invoices[s.invoice] {
			missing = append(missing, s)
		}
	}
	return missing
}
