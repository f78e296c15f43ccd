package shop

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkMoves holds that a table's moves lead to states that it knows, that every state can be
// reached from where an axis starts, and that exactly these states are the end.
func checkMoves[S ~string](t *testing.T, axis string, table moves[S], starts, ends []S) {
	t.Helper()
	reached := slices.Clone(starts)
	for i := 0; i < len(reached); i++ {
		for _, to := range table[reached[i]] {
			if _, known := table[to]; !known || to == reached[i] {
				t.Errorf("%s: %s may become %s", axis, reached[i], to)
			}
			if !slices.Contains(reached, to) {
				reached = append(reached, to)
			}
		}
	}
	for state, moves := range table {
		if !slices.Contains(reached, state) {
			t.Errorf("%s: nothing becomes %s", axis, state)
		}
		if (len(moves) == 0) != slices.Contains(ends, state) {
			t.Errorf("%s: from %s: %v", axis, state, moves)
		}
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	checkMoves(t, "order", orderMoves, []OrderStatus{OrderPending, OrderPendingPayment}, []OrderStatus{OrderCancelled, OrderExpired, OrderReturned})
	checkMoves(t, "payment", paymentMoves, []PaymentStatus{PaymentUnpaid}, nil)
	checkMoves(t, "fulfilment", fulfillmentMoves, []FulfillmentStatus{Unfulfilled}, []FulfillmentStatus{Returned})
	checkMoves(t, "attempt", attemptMoves, []AttemptStatus{AttemptInitiated}, []AttemptStatus{AttemptRefunded})
	checkMoves(t, "shipment", shipmentMoves, []ShipmentStatus{ShipmentCreated},
		[]ShipmentStatus{ShipmentDelivered, ShipmentReturned, ShipmentCancelled, ShipmentExchanged})
}

// TestMoves_Messages holds that the timeline has words for every state that something can become.
func TestMoves_Messages(t *testing.T) {
	t.Parallel()
	for status := range shipmentMoves {
		if shipmentMessages[status] == "" {
			t.Errorf("no words for shipment %s", status)
		}
	}
	for status := range attemptMoves {
		if attemptMessages[status] == "" {
			t.Errorf("no words for attempt %s", status)
		}
	}
	for status := range paymentMoves {
		if paymentMessages[status] == "" {
			t.Errorf("no words for payment %s", status)
		}
	}
	for status := range orderMoves {
		if orderMessages[status] == "" && status != OrderPending && status != OrderPendingPayment {
			t.Errorf("no words for order %s", status)
		}
	}
}

// TestMoves_Schema holds the words of the tables equal to those that the file accepts.
func TestMoves_Schema(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, axis := range []struct {
		table, column string
		words         []string
	}{
		{"orders", "status", words(orderMoves)},
		{"orders", "payment_status", words(paymentMoves)},
		{"orders", "fulfillment_status", words(fulfillmentMoves)},
		{"payment_attempts", "status", words(attemptMoves)},
		{"shipments", "status", words(shipmentMoves)},
	} {
		_, table, _ := strings.Cut(string(schema), "CREATE TABLE "+axis.table+" (")
		table, _, _ = strings.Cut(table, ") STRICT")
		// Either column IN ('a', 'b') or column = 'a' OR column = 'b'.
		check := regexp.MustCompile(`CHECK \(` + axis.column + ` (?:IN \([^)]*|= [^()]*)\)`).FindString(table)
		if check == "" {
			t.Errorf("%s.%s has no CHECK", axis.table, axis.column)
			continue
		}
		var accepted []string
		for _, word := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(check, -1) {
			accepted = append(accepted, word[1])
		}
		slices.Sort(accepted)
		if !slices.Equal(accepted, axis.words) {
			t.Errorf("%s.%s accepts %v, its table has %v", axis.table, axis.column, accepted, axis.words)
		}
	}
}

func words[S ~string](table moves[S]) (all []string) {
	for state := range table {
		all = append(all, string(state))
	}
	slices.Sort(all)
	return all
}
