package transport

import (
	"fmt"
	"sync"

	"storefront/shop/fault"
)

// SmallBytes is the size up to which a body or a response counts as small. Orders and sign-ins are
// small.
const SmallBytes = 64 << 10

// FreeBytes is the size up to which no response is counted: it fits into the system's send buffer
// and leaves the process immediately, whether or not the client reads.
const FreeBytes = 16 << 10

// Budget bounds the memory that requests hold in their bodies and in responses that are not sent
// yet. It is safe for concurrent use. Create one with [NewBudget].
//
// A client may hold a quarter of it. The last quarter is for requests that hold at most
// [SmallBytes], so that large ones do not exclude them.
type Budget struct {
	limit int64

	mu      sync.Mutex
	used    int64
	clients map[string]int64 // by client, for clients that hold bytes
	shared  map[any]*sharing // by identity
	refused uint64           // requests that had to be refused
}

// sharing counts the holders of bytes that several requests send.
type sharing struct {
	bytes   int64
	holders int
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, clients: map[string]int64{}, shared: map[any]*sharing{}}
}

// BudgetStats is the use of a budget.
type BudgetStats struct {
	Used, Limit int64  // in bytes
	Refused     uint64 // requests refused since the start
}

// Stats returns the current use.
func (b *Budget) Stats() BudgetStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return BudgetStats{Used: b.used, Limit: b.limit, Refused: b.refused}
}

// Hold is one request's share of a budget. The zero value belongs to no budget and is not limited.
// Its methods must not be called concurrently. [Hold.Release] ends it.
type Hold struct {
	budget *Budget
	client string
	bytes  int64    // counted for the client
	own    int64    // counted for this request alone
	shared *sharing // nil if the request sends no shared bytes
	key    any      // of shared
}

// Hold returns a hold for a request of a client, which is "" if it is unknown.
func (b *Budget) Hold(client string) Hold { return Hold{budget: b, client: client} }

// IsZero reports whether the hold belongs to no budget.
func (h *Hold) IsZero() bool { return h.budget == nil }

// Add adds n bytes that belong to the request. Codes: unavailable.
func (h *Hold) Add(n int64) error {
	b := h.budget
	if b == nil || n <= 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := h.add(n); err != nil {
		return err
	}
	h.own += n
	return nil
}

// AddResponse adds n bytes of a response that no other request sends, unless they are few. A
// response must be sent if it reports a completed change; it is counted even beyond the limit.
// Codes: unavailable, validation_failed (it is too large for any client).
func (h *Hold) AddResponse(n int64, must bool) error {
	b := h.budget
	switch {
	case b == nil || n <= FreeBytes:
		return nil
	case !must:
		if err := h.checkResponse(n); err != nil {
			return err
		}
		return h.Add(n)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h.count(n)
	h.own += n
	return nil
}

// AddShared adds n bytes that other requests may send too; they count once. key identifies them. A
// request can hold one such response. One of at most free bytes is not counted. Codes: unavailable,
// validation_failed (it is too large for any client).
func (h *Hold) AddShared(key any, n, free int64) error {
	b := h.budget
	if b == nil || n <= free || h.shared != nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := h.checkResponse(n); err != nil {
		return err
	}
	s := b.shared[key]
	if s == nil {
		if err := h.add(n); err != nil {
			return err
		}
		s = &sharing{bytes: n}
		b.shared[key] = s
	}
	s.holders++
	h.shared, h.key = s, key
	return nil
}

// checkResponse refuses a response that its client can never hold. Codes: validation_failed.
func (h *Hold) checkResponse(n int64) error {
	if most := h.budget.limit / 4; h.client != "" && n > most {
		return fault.InputError(fault.FieldError{
			Field: "limit", Code: fault.CodeTooLarge,
			Message: fmt.Sprintf("The response would have %d MiB, and may have %d: request a part of the list.", n>>20, most>>20),
		})
	}
	return nil
}

// add counts n bytes for the client, with the budget locked.
func (h *Hold) add(n int64) error {
	b := h.budget
	limit := b.limit
	if h.bytes+n > SmallBytes {
		limit = b.limit / 4 * 3
	}
	if b.used+n > limit || h.client != "" && b.clients[h.client]+n > b.limit/4 {
		b.refused++
		return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: 2, Message: "The server is busy. Try again in a moment."}
	}
	h.count(n)
	return nil
}

// count counts n bytes without a limit, with the budget locked.
func (h *Hold) count(n int64) {
	b := h.budget
	b.used += n
	h.bytes += n
	if h.client != "" {
		b.clients[h.client] += n
	}
}

// Release returns the request's share to the budget. Shared bytes remain counted while another
// request sends them, but not for this client.
func (h *Hold) Release() {
	b := h.budget
	if b == nil || h.own == 0 && h.shared == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= h.own
	if h.shared != nil {
		if h.shared.holders--; h.shared.holders == 0 {
			b.used -= h.shared.bytes
			delete(b.shared, h.key)
		}
	}
	if h.client != "" {
		if b.clients[h.client] -= h.bytes; b.clients[h.client] == 0 {
			delete(b.clients, h.client)
		}
	}
	*h = Hold{budget: b, client: h.client}
}

// Holder is a response writer for a request with a hold.
type Holder interface{ MemoryHold() *Hold }

// HoldOf returns the hold of the request that a writer responds to. Without one it is not limited.
func HoldOf(w any) *Hold {
	if holder, ok := w.(Holder); ok {
		return holder.MemoryHold()
	}
	return &Hold{}
}
