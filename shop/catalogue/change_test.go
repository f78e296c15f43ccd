package catalogue_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// copyClient is a client that stores a copy of the catalogue.
type copyClient struct {
	clock    *shoptest.Clock
	products map[string]catalogue.Product
	cursor   string
	refused  int
}

// poll applies one response and reports whether there is more.
func (c *copyClient) poll(t *testing.T, s *shop.Shop, limit int) bool {
	t.Helper()
	changes, err := s.Catalogue.ListChanges(t.Context(), c.cursor, &limit)
	if fault.HasCode(err, fault.CodeValidationFailed) && c.cursor != "" {
		c.refused++
		c.products, c.cursor = nil, ""
		return true
	}
	if err != nil {
		t.Fatalf("list changes since %q: %v", c.cursor, err)
	}
	if n := len(changes.Nodes) + len(changes.RemovedIDs); n > limit {
		t.Fatalf("got %d changes, want at most %d", n, limit)
	}
	if c.products == nil {
		c.products = map[string]catalogue.Product{}
	}
	for _, id := range changes.RemovedIDs {
		delete(c.products, id)
	}
	for _, p := range changes.Nodes {
		c.products[p.ID] = p
	}
	c.cursor = changes.Cursor
	return changes.HasMore
}

// check wants the copy to equal the list of all products.
func (c *copyClient) check(t *testing.T, s *shop.Shop) {
	t.Helper()
	for range 10_000 {
		if !c.poll(t, s, page.MaxLimit) {
			break
		}
	}
	all, err := s.Catalogue.FindProducts(t.Context(), catalogue.ProductFilter{Request: page.Request{Limit: new(page.NoLimit)}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]catalogue.Product{}
	for _, p := range all.Nodes {
		want[p.ID] = p
	}
	now, got := c.clock.Now(), maps.Clone(c.products)
	maps.DeleteFunc(got, func(_ string, p catalogue.Product) bool { return p.PublishedAt.After(now) }) // known before the clock was set back
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("the copy differs (-want +got):\n%s", d)
	}
	before := c.cursor
	if c.poll(t, s, 1) || c.cursor != before {
		t.Fatalf("without a change: got cursor %s, want the same as before, %s", c.cursor, before)
	}
}

// changingShop is a shop that random use cases change.
type changingShop struct {
	*shoptest.Stocked
	random  *rand.Rand
	handles []string
	clients []*copyClient
}

// pick returns one of the products.
func (s *changingShop) pick() string { return s.handles[s.random.IntN(len(s.handles))] }

// step does something, which may be refused: the product may be active, sold out or removed.
func (s *changingShop) step(t *testing.T, n int) (what string) {
	t.Helper()
	ctx := t.Context()
	update := func(change catalogue.ProductChange) {
		_, _ = s.Catalogue.UpdateProduct(ctx, access.Operator(), s.pick(), change)
	}
	archived, active, draft := catalogue.ProductArchived, catalogue.ProductActive, catalogue.ProductDraft
	switch s.random.IntN(14) {
	case 0, 1, 2:
		handle := fmt.Sprintf("new-%d", n)
		in := plainProduct(handle, 100)
		if s.random.IntN(2) == 0 {
			in.PublishedAt = new(s.Clock.Now().Add(time.Duration(s.random.IntN(120)-20) * time.Second))
		}
		if _, err := s.Catalogue.CreateProduct(ctx, access.Operator(), in); err != nil {
			t.Fatal(err)
		}
		s.handles = append(s.handles, handle)
		return "create " + handle
	case 3:
		title := fmt.Sprintf("title %d", n)
		update(catalogue.ProductChange{Title: &title})
		return title
	case 4:
		update(catalogue.ProductChange{Status: &archived})
		return "archive"
	case 5:
		update(catalogue.ProductChange{Status: &draft})
		return "draft"
	case 6:
		update(catalogue.ProductChange{Status: &active})
		return "activate"
	case 7:
		_ = s.Catalogue.DeleteProduct(ctx, access.Operator(), s.pick())
		return "delete"
	case 8:
		_, err := s.Orders.PlaceOrder(ctx, access.Caller{}, shoptest.GuestOrder(s.Lamp.ID, 1), "")
		return fmt.Sprintf("order: %v", err)
	case 9:
		_, _ = s.Catalogue.ChangeStock(ctx, access.Operator(), "MUG-1", catalogue.StockChange{Set: new(int64(n))})
		return "stock"
	case 10:
		rows := fmt.Sprintf("Handle,Title,Variant Price\nnew-%d,Imported %d,4\nmug,Mug %d,5\n", n, n, n)
		if _, err := s.Catalogue.ImportProducts(ctx, access.Operator(), strings.NewReader(rows), catalogue.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		s.handles = append(s.handles, fmt.Sprintf("new-%d", n))
		return "import"
	case 11:
		if s.random.IntN(8) == 0 {
			s.Clock.Advance(-30 * time.Second)
			return "clock set back"
		}
	case 12:
		if s.random.IntN(20) == 0 { // the shop becomes a copy, and its counters go back
			s.becomeCopy(t)
			return "become a copy"
		}
	}
	s.Clock.Advance(time.Duration(s.random.IntN(20_000)) * time.Millisecond)
	return "wait"
}

// becomeCopy adopts the shop's data like a restored copy, whose counters may be lower.
func (s *changingShop) becomeCopy(t *testing.T) {
	t.Helper()
	err := s.Store.Update(t.Context(), db.ID(s.UID()), func(ctx context.Context, tx *db.Tx) error {
		for _, query := range []string{`UPDATE counters SET value = value / 2 WHERE name = 'content'`,
			`UPDATE product_revisions SET changed = changed / 2`, `UPDATE product_removals SET changed = changed / 2`} {
			if _, err := tx.Exec(query); err != nil {
				return err
			}
		}
		return catalogue.RenewCursors(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// pollSome makes clients poll, each with a probability of a third.
func (s *changingShop) pollSome(t *testing.T) {
	for _, c := range s.clients {
		if s.random.IntN(3) == 0 {
			c.poll(t, s.Shop, 1+s.random.IntN(4))
		}
	}
}

// A client that polls at any moments, with pages of any size, has the whole catalogue in the end.
func TestCatalogue_ListChanges_AfterRandomChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := &changingShop{
				Stocked: shoptest.NewStocked(t, &shoptest.Options{}), random: rand.New(rand.NewPCG(seed, 49)), handles: []string{"mug", "shirt"},
			}
			for range 3 {
				s.clients = append(s.clients, &copyClient{clock: s.Clock})
			}
			for n := range 250 {
				what := s.step(t, n)
				s.pollSome(t)
				if s.random.IntN(15) > 0 {
					continue
				}
				if s.clients[0].check(t, s.Shop); t.Failed() {
					t.Fatalf("after step %d: %s", n, what)
				}
			}
			for _, c := range append(s.clients, &copyClient{clock: s.Clock}) {
				c.check(t, s.Shop)
			}
		})
	}
}

// The products of a large import are hidden while other content is committed, and then appear.
func TestCatalogue_ListChanges_DuringImport(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustSaveProduct(t, s, plainProduct("mug", 100))
	early, late := &copyClient{clock: s.clock}, &copyClient{clock: s.clock}
	early.check(t, s.Shop)
	done := make(chan error)
	go func() {
		_, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(stagedFile(staged, "10")), catalogue.ImportOptions{})
		done <- err
	}()
	for price, ended := int64(200), false; !ended; price++ { // the counter passes the products that are not visible yet
		mustSaveProduct(t, s, plainProduct("mug", price))
		early.poll(t, s.Shop, page.MaxLimit)
		late.poll(t, s.Shop, 1)
		select {
		case err := <-done:
			if ended = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
	}
	early.check(t, s.Shop)
	late.check(t, s.Shop)
	if got := len(early.products); got != staged+1 {
		t.Errorf("got %d products, want %d", got, staged+1)
	}
}

// A first copy omits what has never been in it, and later responses have what was in it.
func TestCatalogue_ListChanges_Removed(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	archive := func(handle string) {
		t.Helper()
		archived := catalogue.ProductArchived
		if _, err := s.Catalogue.UpdateProduct(t.Context(), access.Operator(), handle, catalogue.ProductChange{Status: &archived}); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for _, handle := range []string{"cup", "mug", "pot"} {
		ids = append(ids, mustSaveProduct(t, s, plainProduct(handle, 100)).ID)
	}
	archive("cup")
	limit := 1
	first, err := s.Catalogue.ListChanges(t.Context(), "", &limit)
	if err != nil || len(first.Nodes) != 1 || first.Nodes[0].ID != ids[1] || len(first.RemovedIDs) > 0 || !first.HasMore {
		t.Fatalf("got %+v, %v, want the mug and more", first, err)
	}
	archive("mug")
	if err := s.Catalogue.DeleteProduct(t.Context(), access.Operator(), "mug"); err != nil {
		t.Fatal(err)
	}
	next, err := s.Catalogue.ListChanges(t.Context(), first.Cursor, nil)
	if err != nil || len(next.Nodes) != 1 || next.Nodes[0].ID != ids[2] || !slices.Equal(next.RemovedIDs, ids[1:2]) || next.HasMore {
		t.Errorf("got %+v, %v, want the pot, and the mug removed", next, err)
	}
}

// Cursors that no response had, or one of other data, are refused as input.
func TestCatalogue_ListChanges_Refused(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	mustSaveProduct(t, s, plainProduct("mug", 100))
	c := &copyClient{clock: s.clock}
	c.check(t, s.Shop)
	plain, err := base64.RawURLEncoding.DecodeString(c.cursor)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(plain), "/")
	with := func(at int, text string) string {
		changed := slices.Clone(parts)
		changed[at] = text
		return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(changed, "/")))
	}
	for name, since := range map[string]string{
		"text": "x", "base64": "!!", "version": with(0, "2"), "epoch": with(1, "other"), "number": with(2, "-1"), "ahead": with(3, "999999"),
		"zero byte": with(4, "\x00"), "not UTF-8": with(6, "\xff"), "more": with(5, "1/2"), "too large": with(5, "99999999999999999999"),
	} {
		_, err := s.Catalogue.ListChanges(t.Context(), since, nil)
		if !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("%s: got %v, want validation_failed", name, err)
		}
	}
	for _, limit := range []int{-1, 0, 101} {
		if _, err := s.Catalogue.ListChanges(t.Context(), "", &limit); !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("limit %d: got %v, want validation_failed", limit, err)
		}
	}
	other := newCatalogueShop(t)
	if _, err := other.Catalogue.ListChanges(t.Context(), c.cursor, nil); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("another shop: got %v, want validation_failed", err)
	}
}

// Changes are read in the order of an index.
func TestCatalogue_ListChanges_UsesIndexes(t *testing.T) {
	t.Parallel()
	s := newCatalogueShop(t)
	for query, index := range catalogue.ChangeQueries() {
		plan := strings.Join(shoptest.QueryPlan(t, s.store, s.UID(), query, make([]any, strings.Count(query, "?"))), "; ")
		if strings.Contains(plan, "TEMP B-TREE") || !strings.Contains(plan, index) {
			t.Errorf("got plan %s, want the order of %s for %s", plan, index, query)
		}
	}
}
