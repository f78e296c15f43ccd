package order

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/shop/status"
)

// checkTransitions checks that a table's Transitions lead to listed statuses, that every status can
// be reached from the initial ones, and that exactly the given statuses are final.
func checkTransitions[S ~string](t *testing.T, axis string, table status.Transitions[S], starts, ends []S) {
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
	for status, next := range table {
		if !slices.Contains(reached, status) {
			t.Errorf("%s: no transition to %s", axis, status)
		}
		if (len(next) == 0) != slices.Contains(ends, status) {
			t.Errorf("%s: from %s: got transitions %v", axis, status, next)
		}
	}
}

func TestTransitions(t *testing.T) {
	t.Parallel()
	checkTransitions(
		t,
		"order",
		status.OrderTransitions,
		[]status.Order{status.OrderPending, status.OrderPendingPayment},
		[]status.Order{status.OrderReturned},
	)
	checkTransitions(t, "payment", status.PaymentTransitions, []status.Payment{status.PaymentUnpaid}, nil)
	checkTransitions(t, "fulfilment", status.FulfillmentTransitions, []status.Fulfillment{status.Unfulfilled}, []status.Fulfillment{status.Returned})
	checkTransitions(t, "attempt", status.AttemptTransitions, []status.Attempt{status.AttemptInitiated}, []status.Attempt{status.AttemptRefunded})
	checkTransitions(t, "shipment", status.ShipmentTransitions, []status.Shipment{status.ShipmentCreated},
		[]status.Shipment{status.ShipmentDelivered, status.ShipmentReturned, status.ShipmentCancelled, status.ShipmentExchanged})
}

// TestTransitions_Messages checks that the timeline has a message for every target status.
func TestTransitions_Messages(t *testing.T) {
	t.Parallel()
	for status := range status.ShipmentTransitions {
		if shipmentMessages[status] == "" {
			t.Errorf("no message for shipment %s", status)
		}
	}
	for status := range status.AttemptTransitions {
		if attemptMessages[status] == "" {
			t.Errorf("no message for attempt %s", status)
		}
	}
	for status := range status.PaymentTransitions {
		if paymentMessages[status] == "" {
			t.Errorf("no message for payment %s", status)
		}
	}
	for st := range status.OrderTransitions {
		if orderMessages[st] == "" && st != status.OrderPending && st != status.OrderPendingPayment {
			t.Errorf("no message for order %s", st)
		}
	}
}

// TestTransitions_Schema checks that the tables list the values that the file accepts.
func TestTransitions_Schema(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile("../../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, axis := range []struct {
		table, column string
		values        []string
	}{
		{"orders", "status", values(status.OrderTransitions)},
		{"orders", "payment_status", values(status.PaymentTransitions)},
		{"orders", "fulfillment_status", values(status.FulfillmentTransitions)},
		{"payment_attempts", "status", values(status.AttemptTransitions)},
		{"shipments", "status", values(status.ShipmentTransitions)},
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

func values[S ~string](table status.Transitions[S]) (all []string) {
	for state := range table {
		all = append(all, string(state))
	}
	slices.Sort(all)
	return all
}
