package transport_test

import (
	"strings"
	"testing"

	"storefront/shop/fault"
	"storefront/transport"
)

func TestBudget_Client(t *testing.T) {
	t.Parallel()
	b := transport.NewBudget(400 << 10)
	attacker, again, buyer, unknown := b.Hold("192.0.2.1"), b.Hold("192.0.2.1"), b.Hold("192.0.2.2"), b.Hold("")
	for _, step := range []struct {
		name string
		hold *transport.Hold
		add  int64
		fits bool
	}{
		{"a quarter", &attacker, 100 << 10, true},
		{"more than a quarter", &attacker, 1, false},
		{"the same client in another request", &again, 1, false},
		{"another client", &buyer, 100 << 10, true},
		{"no address", &unknown, 100 << 10, true},
		{"the last quarter for large ones", &unknown, 1, false},
	} {
		if err := step.hold.Add(step.add); (err == nil) != step.fits || err != nil && !fault.HasCode(err, fault.CodeUnavailable) {
			t.Errorf("%s: got %v, want that it fits: %v", step.name, err, step.fits)
		}
	}
	small := b.Hold("192.0.2.3")
	if err := small.Add(transport.SmallBytes); err != nil {
		t.Errorf("small request: got %v, want it to fit into the last quarter", err)
	}
	for _, hold := range []*transport.Hold{&attacker, &again, &buyer, &unknown, &small, &small} {
		hold.Release()
	}
	if got, want := b.Stats(), (transport.BudgetStats{Limit: 400 << 10, Refused: 3}); got != want {
		t.Errorf("after all requests: got %+v, want %+v", got, want)
	}
	if err := again.Add(100 << 10); err != nil {
		t.Errorf("after all requests: got %v", err)
	}
}

// Many readers of one response count as one, the client only while its own request lasts.
func TestBudget_SharedResponse(t *testing.T) {
	t.Parallel()
	const size = 100 << 10
	b := transport.NewBudget(400 << 10)
	var holds []*transport.Hold
	for range 100 {
		hold := b.Hold("192.0.2.1")
		if err := hold.AddShared("list", size, transport.SmallBytes); err != nil {
			t.Fatal(err)
		}
		holds = append(holds, &hold)
	}
	if got := b.Stats().Used; got != size {
		t.Errorf("got %d bytes for 100 readers, want %d", got, size)
	}
	other := b.Hold("192.0.2.1")
	if err := other.AddShared("another list", size, transport.SmallBytes); err == nil {
		t.Error("a second list of the client fits")
	}
	holds[0].Release()
	if err := other.AddShared("another list", size, transport.SmallBytes); err != nil || b.Stats().Used != 2*size {
		t.Errorf("once the client's request has ended: got %v and %d bytes", err, b.Stats().Used)
	}
	for _, hold := range append(holds, &other) {
		hold.Release()
	}
	if got := b.Stats().Used; got != 0 {
		t.Errorf("after all requests: got %d bytes", got)
	}
	if hold := b.Hold(""); hold.AddShared("short", transport.SmallBytes, transport.SmallBytes) != nil || b.Stats().Used != 0 {
		t.Error("a small response is counted")
	}
}

func TestBudget_OwnResponse(t *testing.T) {
	t.Parallel()
	b := transport.NewBudget(400 << 10)
	hold := b.Hold("192.0.2.1")
	if err := hold.AddResponse(transport.FreeBytes, false); err != nil || b.Stats().Used != 0 {
		t.Errorf("a response for the send buffer: got %v and %d bytes, want it not counted", err, b.Stats().Used)
	}
	if err := hold.AddResponse(100<<10, false); err != nil {
		t.Errorf("a quarter: got %v", err)
	}
	if err := hold.AddResponse(20<<10, false); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Errorf("more than a quarter: got %v, want %s", err, fault.CodeUnavailable)
	}
	if err := hold.AddResponse(400<<10, true); err != nil || b.Stats().Used != 500<<10 {
		t.Errorf("a change that has been made: got %v and %d bytes, want 500 KiB counted", err, b.Stats().Used)
	}
	hold.Release()
	if got, want := b.Stats(), (transport.BudgetStats{Limit: 400 << 10, Refused: 1}); got != want {
		t.Errorf("after the request: got %+v, want %+v", got, want)
	}
}

func TestReadBody_Hold(t *testing.T) {
	t.Parallel()
	const body = 100 << 10
	b := transport.NewBudget(1 << 20)
	hold := b.Hold("192.0.2.1")
	got, err := transport.ReadBody(strings.NewReader(strings.Repeat("x", body)), -1, 1<<20, &hold)
	if err != nil || len(got) != body {
		t.Fatalf("got %d bytes, %v", len(got), err)
	}
	if used := b.Stats().Used; used < body || used > 2*body {
		t.Errorf("got %d bytes counted for a body of %d", used, body)
	}
	if _, err := transport.ReadBody(strings.NewReader(strings.Repeat("x", 300<<10)), 300<<10, 1<<20, &hold); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Errorf("beyond the client's share: got %v", err)
	}
	hold.Release()
	if used := b.Stats().Used; used != 0 {
		t.Errorf("after the request: got %d bytes", used)
	}
}
