package shop

import "testing"

// TestOrderMoves holds that the end is the end, and that every state can be reached and named.
func TestOrderMoves(t *testing.T) {
	t.Parallel()
	reached := map[OrderStatus]bool{OrderPending: true, OrderPendingPayment: true} // where orders start
	for from, moves := range orderMoves {
		for _, to := range moves {
			if _, known := orderMoves[to]; !known || to == from {
				t.Errorf("%s may become %s", from, to)
			}
			reached[to] = true
		}
	}
	for _, end := range []OrderStatus{OrderCancelled, OrderExpired, OrderReturned} {
		if len(orderMoves[end]) != 0 {
			t.Errorf("%s is not the end: %v", end, orderMoves[end])
		}
	}
	for state := range orderMoves {
		if !reached[state] {
			t.Errorf("nothing becomes %s", state)
		}
	}
}
