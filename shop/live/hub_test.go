package live_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/live"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
)

// kit is a shop with a hub of its own.
type kit struct {
	*shoptest.Accounts
	t   *testing.T
	hub *live.Hub
}

func newKit(t *testing.T) *kit {
	t.Helper()
	k := &kit{Accounts: shoptest.NewAccounts(t), t: t}
	data := access.Data{Store: k.Store, ID: k.Config.ID, Authorize: k.Staff.Authorize}
	k.hub = live.New(data, slog.New(slog.DiscardHandler))
	return k
}

// follow returns a stream of the events after one.
func (k *kit) follow(caller access.Caller, after *int64) *live.Stream {
	k.t.Helper()
	stream, err := k.hub.FollowEvents(k.t.Context(), caller, after)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(stream.Close)
	return stream
}

// happen appends events of one transaction.
func (k *kit) happen(kinds ...outbox.Type) {
	k.t.Helper()
	err := k.Store.Update(k.t.Context(), k.Config.ID, func(_ context.Context, tx *db.Tx) error {
		var events []outbox.Event
		for _, kind := range kinds {
			events = append(events, outbox.Event{Type: kind, Subject: "S"})
		}
		return outbox.Append(tx, events...)
	})
	if err != nil {
		k.t.Fatal(err)
	}
}

// want checks the next events of a stream.
func (k *kit) want(what string, stream *live.Stream, want ...outbox.Type) {
	k.t.Helper()
	var got []outbox.Type
	for len(got) < len(want) {
		events, err := stream.Next(k.t.Context())
		if err != nil {
			k.t.Fatalf("%s: %v after %v", what, err, got)
		}
		for _, event := range events {
			got = append(got, event.Type)
		}
	}
	if !slices.Equal(got, want) {
		k.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Each caller receives new events that they may see, in their order.
func TestHub_Events(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.happen(outbox.OrderPlaced)
	owner, viewer := k.Member(
		t,
		"owner",
		"mina@example.com",
	), k.Member(
		t,
		"viewer",
		"vik@example.com",
	)
	all, some := k.follow(owner, nil), k.follow(viewer, nil)
	k.happen(outbox.OrderPaid, outbox.WebhookEndpointDisabled)
	k.happen(outbox.ProductCreated)
	k.want("an owner", all, outbox.OrderPaid, outbox.WebhookEndpointDisabled, outbox.ProductCreated)
	k.want("a viewer", some, outbox.OrderPaid, outbox.ProductCreated)
}

// A stream continues after the last event that its client has. If that is no longer possible, it
// begins with a reset.
func TestHub_Resume(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	first := k.follow(access.Operator(), nil)
	k.happen(outbox.OrderPlaced)
	k.want("new events", first, outbox.OrderPlaced)
	seen := first.Last()
	k.happen(outbox.OrderPaid)
	k.happen(outbox.OrderCancelled)
	k.want("resumed", k.follow(access.Operator(), &seen), outbox.OrderPaid, outbox.OrderCancelled)
	unknown := seen + 1000
	k.want("an event of another shop", k.follow(access.Operator(), &unknown), live.Reset)
	k.Exec(t, `DELETE FROM outbox WHERE type IN ('order.placed', 'order.paid')`)
	k.want("deleted events", k.follow(access.Operator(), &seen), live.Reset)
}

// A stream ends with its caller's session.
func TestHub_SessionEnded(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	owner := k.Member(t, "owner", "mina@example.com")
	stream, other := k.follow(owner, nil), k.follow(access.Operator(), nil)
	k.Exec(t, `DELETE FROM staff_sessions`)
	k.happen(outbox.OrderPlaced)
	if events, err := stream.Next(t.Context()); !fault.HasCode(err, fault.CodeUnauthenticated) {
		t.Errorf("got %v, %v, want unauthenticated", events, err)
	}
	k.want("another's stream", other, outbox.OrderPlaced)
}

// A caller can have ten streams. A reader that is too slow loses its stream.
func TestHub_Limits(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	owner := k.Member(t, "owner", "mina@example.com")
	var streams []*live.Stream
	for range live.MaxStreams {
		streams = append(streams, k.follow(owner, nil))
	}
	if _, err := k.hub.FollowEvents(t.Context(), owner, nil); !fault.HasCode(
		err,
		fault.CodeUnavailable,
	) {
		t.Errorf("one more stream: got %v, want unavailable", err)
	}
	slow := k.follow(access.Operator(), nil)
	streams[0].Close()
	k.follow(owner, nil)
	for i := range 3 {
		k.happen(slices.Repeat([]outbox.Type{outbox.OrderPaid}, 400)...)
		k.want(
			fmt.Sprint("a reader that reads, part ", i),
			streams[1],
			slices.Repeat([]outbox.Type{outbox.OrderPaid}, 400)...)
	}
	var err error
	for err == nil { // what waited for it comes first
		_, err = slow.Next(t.Context())
	}
	if !fault.HasCode(err, fault.CodeUnavailable) {
		t.Errorf("a slow reader: got %v, want unavailable", err)
	}
}
