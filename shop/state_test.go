package shop

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkMoves checks that a table's transitions lead to listed statuses, that every status can be
// reached from the initial ones, and that exactly the given statuses are final.
func checkMoves[S ~string](t *testing.T, axis string, table moves[S], starts, ends []S) {
	t.Helper()
	reached := slices.Clone(starts)
	for i := 0; i < len(reached); i++ {
		for _, to := range table[reached[i]] {
			if _, listed := table[to]; !listed || to == reached[i] {
				t.Errorf("%s: got an unlisted transition from %s to %s", axis, reached[i], to)
			}
			if !slices.Contains(reached, to) {
				reached = append(reached, to)
			}
		}
	}
	for state, moves := range table {
		if !slices.Contains(reached, state) {
			t.Errorf("%s: no transition to %s", axis, state)
		}
		if (len(moves) == 0) != slices.Contains(ends, state) {
			t.Errorf("%s: from %s: got transitions %v", axis, state, moves)
		}
	}
}

func TestTransitions(t *testing.T) {
	t.Parallel()
	checkMoves(t, "order", orderMoves, []OrderStatus{OrderPending, OrderPendingPayment}, []OrderStatus{OrderCancelled, OrderExpired, OrderReturned})
	checkMoves(t, "payment", paymentMoves, []PaymentStatus{PaymentUnpaid}, nil)
	checkMoves(t, "fulfilment", fulfillmentMoves, []FulfillmentStatus{Unfulfilled}, []FulfillmentStatus{Returned})
	checkMoves(t, "attempt", attemptMoves, []AttemptStatus{AttemptInitiated}, []AttemptStatus{AttemptRefunded})
	checkMoves(t, "shipment", shipmentMoves, []ShipmentStatus{ShipmentCreated},
		[]ShipmentStatus{ShipmentDelivered, ShipmentReturned, ShipmentCancelled, ShipmentExchanged})
}

// TestTransitions_Messages checks that the timeline has a message for every target status.
func TestTransitions_Messages(t *testing.T) {
	t.Parallel()
	for status := range shipmentMoves {
		if shipmentMessages[status] == "" {
			t.Errorf("no message for shipment %s", status)
		}
	}
	for status := range attemptMoves {
		if attemptMessages[status] == "" {
			t.Errorf("no message for attempt %s", status)
		}
	}
	for status := range paymentMoves {
		if paymentMessages[status] == "" {
			t.Errorf("no message for payment %s", status)
		}
	}
	for status := range orderMoves {
		if orderMessages[status] == "" && status != OrderPending && status != OrderPendingPayment {
			t.Errorf("no message for order %s", status)
		}
	}
}

// TestTransitions_Schema checks that the tables list the values that the file accepts.
func TestTransitions_Schema(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, axis := range []struct {
		table, column string
		values        []string
	}{
		{"orders", "status", values(orderMoves)},
		{"orders", "payment_status", values(paymentMoves)},
		{"orders", "fulfillment_status", values(fulfillmentMoves)},
		{"payment_attempts", "status", values(attemptMoves)},
		{"shipments", "status", values(shipmentMoves)},
	} {
		_, table, _ := strings.Cut(string(schema), "CREATE TABLE "+axis.table+" (")
		table, _, _ = strings.Cut(table, ") STRICT")
		// The CHECK is column IN ('a', 'b'), or column = 'a' OR column = 'b'.
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
		if !slices.Equal(accepted, axis.values) {
			t.Errorf("%s.%s: got accepted values %v, want %v", axis.table, axis.column, accepted, axis.values)
		}
	}
}

func values[S ~string](table moves[S]) (all []string) {
	for state := range table {
		all = append(all, string(state))
	}
	slices.Sort(all)
	return all
}
