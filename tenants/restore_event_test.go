package tenants_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/live"
	"storefront/shop/outbox"
	"storefront/tenants"
)

// After a restore in place, no webhook has the ID of one that was sent about an event that is lost,
// and streams of events begin with a reset.
func TestRestore_EventNumbers(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced, outbox.ShopRestored}})
	h.order()
	h.work()
	file := backUp(t, h.all, "acme")
	for range 3 {
		h.order()
		h.work()
	}
	before, err := h.Live.FollowEvents(t.Context(), access.Operator(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	seen := before.Last() // by a client that was connected before the restore
	if _, err := h.all.Restore(t.Context(), tenants.RestoreOptions{File: file}); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, r := range h.receiver.all() {
		used[r.id] = true
	}

	h.Shop = find(t, h.all, "acme")
	if _, err := h.Sales.CountDays(t.Context()); err != nil { // a consumer that compares its cursor with the last event
		t.Fatal(err)
	}
	h.order()
	h.work()
	var types []outbox.Type
	for _, r := range h.receiver.all()[len(used):] {
		if types = append(types, r.Type); used[r.id] {
			t.Errorf("%s has the webhook ID %s again", r.Type, r.id)
		}
	}
	slices.Sort(types) // events about different subjects are sent together
	if diff := cmp.Diff([]outbox.Type{outbox.OrderPlaced, outbox.ShopRestored}, types); diff != "" {
		t.Errorf("webhooks after the restore (-want +got):\n%s", diff)
	}

	stream, err := h.Live.FollowEvents(t.Context(), access.Operator(), &seen)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	events, err := stream.Next(t.Context())
	if err != nil || len(events) == 0 || events[0].Type != live.Reset || events[0].Seq < seen+10_000 {
		t.Errorf("got %+v, %v, want a reset beyond a gap after %d", events, err, seen)
	}
	last := events[0].Seq
	for _, event := range events[1:] {
		if event.Seq != last+1 {
			t.Errorf("got event %+v after %d, want no further gap", event, last)
		}
		last = event.Seq
	}
}

// A cursor of changes is refused after a restore and in a copy, in which its numbers may be those
// of other products: the client must begin again.
func TestRestore_CursorOfChanges(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	acme := create(t, all, "acme")
	first, err := acme.Catalogue.ListChanges(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	file := backUp(t, all, "acme")
	if _, err := acme.Catalogue.ListChanges(t.Context(), first.Cursor, nil); err != nil {
		t.Fatal(err)
	}
	restored := []tenants.RestoreOptions{{File: file, Of: "acme", As: "acme-copy"}}
	if !dbtest.OnPostgres() { // where a shop is not replaced
		restored = append(restored, tenants.RestoreOptions{File: file, Of: "acme"})
	}
	for _, o := range restored {
		done, err := all.Restore(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := all.FindIncludingSuspended(t.Context(), done.UID)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Catalogue.ListChanges(t.Context(), first.Cursor, nil)
		wantCode(t, err, fault.CodeValidationFailed)
	}
}
