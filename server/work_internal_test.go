package server

import (
	"context"
	"errors"
	"testing"

	"storefront/shop/fault"
)

func TestReadSlots(t *testing.T) {
	t.Parallel()
	s := readSlots{limit: 1, queue: maxReadQueue, clients: make(map[string]*readSlot)}
	release, err := s.acquire(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.acquire(t.Context(), "b")
	if err != nil {
		t.Fatalf("another client: got %v, want a slot", err)
	}
	other()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	for range maxReadQueue {
		go func() {
			_, err := s.acquire(ctx, "a")
			ended <- err
		}()
	}
	for waiting := 0; waiting < 1+maxReadQueue; {
		s.mu.Lock()
		waiting = s.clients["a"].users
		s.mu.Unlock()
	}
	if _, err := s.acquire(t.Context(), "a"); !fault.HasCode(err, fault.CodeRateLimited) {
		t.Errorf("beyond the queue: got %v, want %s", err, fault.CodeRateLimited)
	}
	cancel()
	for range maxReadQueue {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("in the queue: got %v, want %v", err, context.Canceled)
		}
	}
	release()
	if len(s.clients) != 0 {
		t.Errorf("got %d clients after all have left, want 0", len(s.clients))
	}
}
