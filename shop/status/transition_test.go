package status_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/status"
)

// transitionsOf returns one line per status with the statuses that may follow it.
func transitionsOf[S ~string](transitions status.Transitions[S]) string {
	var lines []string
	for from, to := range transitions {
		names := make([]string, len(to))
		for i, s := range to {
			names[i] = string(s)
		}
		slices.Sort(names)
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s", from, strings.Join(names, " "))))
	}
	slices.Sort(lines)
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// The tables are written out, so that a changed transition is a changed line here.
func TestTransitions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ got, want string }{
		"Order": {transitionsOf(status.OrderTransitions), `
cancelled: completed processing
completed: returned
confirmed: cancelled processing
expired: completed processing
pending: cancelled confirmed expired processing
pending_payment: cancelled confirmed expired pending processing
processing: cancelled completed returned
returned:
`},
		"Payment": {transitionsOf(status.PaymentTransitions), `
needs_review: paid pending refund_due refunded unpaid
paid: needs_review partially_refunded refund_due refunded unpaid
partially_refunded: needs_review refund_due refunded
pending: needs_review paid refund_due unpaid
refund_due: needs_review paid partially_refunded refunded
refunded: needs_review refund_due
unpaid: needs_review paid pending refund_due
`},
		"Fulfillment": {transitionsOf(status.FulfillmentTransitions), `
delivered: returned
in_progress: delivered partially_delivered returned returning unfulfilled
partially_delivered: delivered returned
returned:
returning: delivered in_progress partially_delivered returned
unfulfilled: delivered in_progress partially_delivered returned returning
`},
		"Attempt": {transitionsOf(status.AttemptTransitions), `
cancelled: needs_review succeeded
expired: needs_review succeeded
failed: needs_review succeeded
initiated: cancelled expired failed needs_review pending succeeded
needs_review: failed succeeded
pending: cancelled expired failed needs_review succeeded
refund_due: refunded succeeded
refunded:
succeeded: refund_due refunded
`},
		"Shipment": {transitionsOf(status.ShipmentTransitions), `
at_hub: cancelled delivered delivery_failed exchanged in_transit on_hold out_for_delivery
  partially_delivered returned returning
cancelled:
created: at_hub cancelled delivered delivery_failed exchanged in_transit on_hold
  out_for_delivery partially_delivered picked pickup_requested returned returning
delivered:
delivery_failed: at_hub cancelled delivered exchanged in_transit on_hold out_for_delivery
  partially_delivered returned returning
exchanged:
in_transit: at_hub cancelled delivered delivery_failed exchanged on_hold out_for_delivery
  partially_delivered returned returning
on_hold: at_hub cancelled delivered delivery_failed exchanged in_transit out_for_delivery
  partially_delivered picked returned returning
out_for_delivery: at_hub cancelled delivered delivery_failed exchanged in_transit on_hold
  partially_delivered returned returning
partially_delivered: delivered exchanged
picked: at_hub cancelled delivered delivery_failed exchanged in_transit on_hold
  out_for_delivery partially_delivered returned returning
pickup_requested: at_hub cancelled delivered delivery_failed exchanged in_transit on_hold
  out_for_delivery partially_delivered picked returned returning
returned:
returning: delivered returned
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.ReplaceAll(test.want, "\n  ", " "), test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
