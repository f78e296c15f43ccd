package tenants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// idleShops creates a data folder with three shops whose files were last written two hours ago. The
// shop "waiting" has an unpaid order that has expired since.
func idleShops(t *testing.T) (dir, invoice string) {
	t.Helper()
	dir = t.TempDir()
	all := openFolder(t, dir)
	for _, uid := range []string{"one", "two", "waiting"} {
		if _, err := all.Create(t.Context(), uid, shoptest.Raw(t, map[string]any{"name": uid, "currency": "BDT", "country": "BD"})); err != nil {
			t.Fatal(err)
		}
	}
	s, err := all.Shop(t.Context(), "waiting")
	if err != nil {
		t.Fatal(err)
	}
	product, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(),
		catalogue.ProductInput{Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100_00}}})
	if err != nil {
		t.Fatal(err)
	}
	order, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, order.Input{
		Items:           []order.ItemInput{{ProductID: product.ID, Quantity: 1}},
		Customer:        &order.CustomerInput{Name: new("Rahim"), PhoneNumber: new("01711-000000")},
		ShippingAddress: &account.Address{Line1: "House 1", City: "Dhaka"},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	err = all.store.Update(t.Context(), "waiting", func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE orders SET status = 'pending_payment', payment_method = 'gateway_a', expires_at = placed_at + 1`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, uid := range []string{"one", "two", "waiting"} {
		setAge(t, dir, uid, 2*time.Hour)
	}
	return dir, order.ID
}

// setAge sets the modification time of a shop's file to the given time ago.
func setAge(t *testing.T, dir, uid string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(filepath.Join(dir, "tenants", uid+".db"), at, at); err != nil {
		t.Fatal(err)
	}
}

func openFolder(t *testing.T, dir string) *Tenants {
	t.Helper()
	all, err := Open(Config{Dir: dir, Schema: shoptest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close(context.Background()) })
	return all
}

func mustRunOnce(t *testing.T, b *background) {
	t.Helper()
	if err := b.runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.working.Wait()
}

// A check of all shops and their backups open each file once, and leave none open. A shop that
// somebody uses stays open.
func TestBackground_LeavesNothingOpen(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "it counts open files")
	dir, _ := idleShops(t)
	all := openFolder(t, dir)
	t.Cleanup(func() { _ = all.Close(context.Background()) })
	want := func(when string, opened uint64, open int) {
		t.Helper()
		if st := all.Stats(); st.Opened != opened || st.Open-st.Closing != open {
			t.Errorf("%s: got %d openings and %d open shops, want %d and %d", when, st.Opened, st.Open-st.Closing, opened, open)
		}
	}
	mustRunOnce(t, newBackground(all, slog.New(slog.DiscardHandler)))
	want("after the check", 3, 0)
	s, err := all.Shop(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Settings(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("one is in use", 4, 1)
	backups := t.TempDir()
	for _, uid := range []string{"one", "two", "waiting"} {
		if _, err := all.Backup(t.Context(), uid, backups); err != nil {
			t.Fatal(err)
		}
	}
	want("after the backups", 6, 1)
}

func statusOf(t *testing.T, all *Tenants, uid, invoice string) status.Order {
	t.Helper()
	s, err := all.FindIncludingSuspended(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	order, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), invoice)
	if err != nil {
		t.Fatal(err)
	}
	return order.Status
}

// After a restart the work that was due before it is done, and shops without changes stay closed.
func TestBackground_Restart(t *testing.T) {
	t.Parallel()
	dir, invoice := idleShops(t)
	run := func(beforeExit func(b *background)) (opened uint64) {
		all := openFolder(t, dir)
		b := newBackground(all, slog.New(slog.DiscardHandler))
		mustRunOnce(t, b)
		opened = all.store.Stats().Opened
		beforeExit(b)
		b.finish()
		if err := all.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		return opened
	}
	if opened := run(func(b *background) {
		if st := statusOf(t, b.tenants, "waiting", invoice); st != status.OrderExpired {
			t.Errorf("order status: got %s, want expired", st)
		}
	}); opened != 3 {
		t.Errorf("first run: got %d files opened, want 3", opened)
	}
	setAge(t, dir, "waiting", time.Hour) // the first run wrote to it
	if opened := run(func(b *background) { b.watched["one"].Due = time.Now() }); opened != 1 {
		t.Errorf("after a write: got %d files opened, want 1", opened)
	}
	if opened := run(func(b *background) { b.watched["one"].Due = time.Now().Add(time.Hour) }); opened != 1 {
		t.Errorf("with a job due: got %d files opened, want 1", opened)
	}
	if opened := run(func(*background) {}); opened != 0 {
		t.Errorf("without changes: got %d files opened, want 0", opened)
	}

	// The state file of a version with other jobs is ignored.
	text, err := os.ReadFile(filepath.Join(dir, backgroundFile))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("expire orders"), []byte("a removed job"), 1)
	if err := os.WriteFile(filepath.Join(dir, backgroundFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if opened := run(func(*background) {}); opened != 3 {
		t.Errorf("with other jobs: got %d files opened, want 3", opened)
	}
}

// Without a usable state file every shop is checked once, and then only those with changes.
func TestBackground_NoStateFile(t *testing.T) {
	t.Parallel()
	dir, invoice := idleShops(t)
	if err := os.WriteFile(filepath.Join(dir, backgroundFile), nil, 0o600); err != nil { // as a power cut may leave it
		t.Fatal(err)
	}
	all := openFolder(t, dir)
	b := newBackground(all, slog.New(slog.DiscardHandler))
	mustRunOnce(t, b)
	if opened := all.store.Stats().Opened; opened != 3 {
		t.Errorf("got %d files opened, want 3", opened)
	}
	if st := statusOf(t, all, "waiting", invoice); st != status.OrderExpired {
		t.Errorf("order status: got %s, want expired", st)
	}

	modified, err := all.store.ModTimes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, at := range modified { // as if these writes were old
		b.watched[id].ModTime = at
	}
	if selected := b.selectDue(modified); len(selected) != 0 {
		t.Errorf("without changes: got %v selected, want none", selected)
	}
	s, err := all.FindIncludingSuspended(t.Context(), "two")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"name": "Two"})); err != nil {
		t.Fatal(err)
	}
	if modified, err = all.store.ModTimes(t.Context()); err != nil {
		t.Fatal(err)
	}
	if selected := b.selectDue(modified); len(selected) != 1 || selected[0] != "two" {
		t.Errorf("after a write to two: got %v selected", selected)
	}
	b.watched["one"].Due = all.now().Add(-time.Second)
	b.watched["two"].ModTime = modified["two"]
	if selected := b.selectDue(modified); len(selected) != 1 || selected[0] != "one" {
		t.Errorf("with one due: got %v selected", selected)
	}
}

// A file that cannot be opened does not delay the other shops, and is retried.
func TestBackground_UnreadableShop(t *testing.T) {
	t.Parallel()
	dir, invoice := idleShops(t)
	if err := os.WriteFile(filepath.Join(dir, "tenants", "one.db"), []byte("not a database, but long enough to be checked"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := openFolder(t, dir)
	b := newBackground(all, slog.New(slog.DiscardHandler))
	mustRunOnce(t, b)
	if st := statusOf(t, all, "waiting", invoice); st != status.OrderExpired {
		t.Errorf("order status: got %s, want expired", st)
	}
	if due := b.watched["one"].Due; !due.After(all.now()) {
		t.Errorf("unreadable shop: got due at %v, want a later retry", due)
	}
}

// RunBackground runs jobs only while its context is active, and saves the state when it returns.
func TestRunBackground_ContextCancelled(t *testing.T) {
	t.Parallel()
	dir, invoice := idleShops(t)
	all := openFolder(t, dir)
	file := filepath.Join(dir, backgroundFile)

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	all.RunBackground(cancelled, slog.New(slog.DiscardHandler))
	if st := statusOf(t, all, "waiting", invoice); st != status.OrderPendingPayment {
		t.Errorf("cancelled before the start: got order status %s, want pending_payment", st)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("cancelled before the start: got state file error %v, want no file", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		all.RunBackground(ctx, slog.New(slog.DiscardHandler))
	}()
	dbtest.Eventually(t, "the order expires", func() bool { return statusOf(t, all, "waiting", invoice) == status.OrderExpired })
	cancel()
	select {
	case <-returned:
	case <-time.After(time.Minute):
		t.Fatal("RunBackground did not return within a minute of the cancellation")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read state after the return: %v", err)
	}
	var state savedState
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(state.Jobs, jobNames()) || len(state.Shops) != 3 {
		t.Errorf("got state %s, want all jobs and 3 shops", text)
	}
}

// The next server continues a first check that the end of the server interrupted.
func TestRunBackground_InterruptedCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := openFolder(t, dir)
	const shops, before = 40, 10
	for n := range shops {
		uid := fmt.Sprintf("shop-%02d", n)
		settings := shoptest.Raw(t, map[string]any{"name": uid, "currency": "BDT", "country": "BD"})
		if _, err := all.Create(t.Context(), uid, settings); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range shops {
		setAge(t, dir, fmt.Sprintf("shop-%02d", n), 2*time.Hour)
	}
	// check runs a server until it has checked a number of shops, and returns their UIDs.
	check := func(most int) (checked []string) {
		all := openFolder(t, dir)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := newBackground(all, slog.New(slog.DiscardHandler))
		var mu sync.Mutex
		b.jobs = []shop.Work{{Name: "test", Run: func(s *shop.Shop, ctx context.Context) (time.Time, error) {
			mu.Lock()
			defer mu.Unlock()
			if len(checked) < most {
				checked = append(checked, s.UID())
			}
			if len(checked) == most {
				cancel()
			}
			return time.Time{}, ctx.Err()
		}}}
		if err := b.runOnce(ctx); err != nil {
			t.Fatal(err)
		}
		b.working.Wait()
		b.finish()
		if err := all.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		return checked
	}
	first := check(before)
	second := check(shops + 1)
	if n := len(second); n < shops-before || n > shops-before+backgroundSlots {
		t.Errorf("got %d shops checked after %d of %d, want the others", n, len(first), shops)
	}
	if third := check(shops + 1); len(third) != 0 {
		t.Errorf("got %d shops checked after all were, want none", len(third))
	}
}

// A job whose statement does not end is interrupted and tried again later; the shop stays usable.
func TestBackground_EndlessStatement(t *testing.T) {
	t.Parallel()
	all, err := Open(Config{Dir: t.TempDir(), Schema: shoptest.EndlessSchema(t, "payment_checks")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close(context.Background()) })
	settings := shoptest.Raw(t, map[string]any{"name": "Slow", "currency": "BDT", "country": "BD"})
	if _, err := all.Create(t.Context(), "slow", settings); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	b := newBackground(all, slog.New(slog.NewTextHandler(&log, nil)))
	b.jobTimeout = 50 * time.Millisecond
	mustRunOnce(t, b)
	if text := log.String(); !bytes.Contains(log.Bytes(), []byte("deadline exceeded")) {
		t.Errorf("got the log\n%s\nwant a deadline", text)
	}
	if b.watched["slow"].Due.IsZero() {
		t.Error("got no time at which the job is due again")
	}
}
