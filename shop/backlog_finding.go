package shop

import (
	"fmt"
	"strings"

	"storefront/db"
)

// HealthCode is the code of a problem in a shop.
//
//api:enum HealthCode
type HealthCode string

// The findings.
const (
	HealthNeedReview HealthCode = "payments_need_review" // staff must decide payments
	HealthRefundDue  HealthCode = "payments_refund_due"  // payments are due for a refund
	// Gateways have not confirmed refunds.
	HealthUnclearRefunds HealthCode = "refunds_unclear"
	// Payments of the last day could not be started.
	HealthFailedStarts HealthCode = "payments_not_started"
	// Status checks at gateways are over an hour late.
	HealthOverdue HealthCode = "payment_checks_overdue"
	// Flags of orders are not checked.
	HealthFlags      HealthCode = "orders_flagged"
	HealthUnanswered HealthCode = "bookings_unanswered" // bookings have no response
	// Closed orders have a shipment under way.
	HealthStray     HealthCode = "shipments_stray"
	HealthUnmatched HealthCode = "webhooks_unmatched" // webhooks match no record
	// Webhooks could not be processed.
	HealthFailed HealthCode = "webhooks_failed"
	// Webhooks were stored over an hour ago and not applied.
	HealthStored HealthCode = "webhooks_stored"
	// Webhook endpoints were disabled.
	HealthEndpoints HealthCode = "webhook_endpoints_disabled"
	// Webhooks of the last day were refused.
	HealthRefused HealthCode = "webhooks_refused"
	HealthPlugins HealthCode = "plugin_settings_missing" // plugins lack settings
	// API keys have expired, or will within a week.
	HealthKeys HealthCode = "api_keys_ending"
	// The move of the shop to another place has begun and not ended.
	HealthMove HealthCode = "move_unfinished"
)

// HealthState is the severity of a finding, in the terms of the command doctor.
//
//api:enum HealthState
type HealthState string

// The states of findings.
const (
	HealthWarning HealthState = "warning" // somebody must act. The shop works.
	HealthFailing HealthState = "failing" // a part of the shop does not work
)

// HealthFinding is a problem in a shop that needs attention.
type HealthFinding struct {
	Code    HealthCode  `json:"code"`
	State   HealthState `json:"state"`
	Count   int         `json:"count"`
	Message string      `json:"message" doc:"The problem"`
	Remedy  string      `json:"remedy" doc:"The remedy"`
	Link    *string     `json:"link" doc:"Path of the operation that lists the records, such as payments?status=needs_review; null if there is none"`
	Orders  []string    `json:"orders" nullable:"false" doc:"The orders concerned, if they are known: at most 10"`
}

// healthLinks are the links of findings. It is not modified.
var healthLinks = map[HealthCode]string{
	HealthNeedReview: "payments?status=needs_review", HealthRefundDue: "payments?status=refund_due", HealthUnclearRefunds: "payments",
	HealthFailedStarts: "payments", HealthOverdue: "payments", HealthFlags: "flags", HealthUnanswered: "orders?view=problems",
	HealthStray: "orders?view=problems", HealthUnmatched: "provider-webhooks?verdict=unmatched",
	HealthFailed: "provider-webhooks?verdict=failed", HealthStored: "provider-webhooks?verdict=stored",
	HealthEndpoints: "webhook-endpoints", HealthRefused: "refused-webhooks", HealthPlugins: "providers", HealthKeys: "keys",
}

// Findings returns the findings of the backlog, with the remedies.
func (b *Backlog) Findings() []HealthFinding {
	findings := []HealthFinding{}
	add := func(code HealthCode, count int, remedy, format string, args ...any) {
		if count == 0 {
			return
		}
		f := HealthFinding{
			Code: code, State: HealthWarning, Count: count, Message: fmt.Sprintf(format, args...), Remedy: remedy,
			Link: db.NullText(healthLinks[code]), Orders: []string{},
		}
		if code == HealthOverdue {
			f.State = HealthFailing
		}
		findings = append(findings, f)
	}
	add(HealthNeedReview, b.NeedReview, "Compare each with the gateway's panel, and accept or fail it.", "Payments to review: %d.", b.NeedReview)
	add(HealthRefundDue, b.RefundDue, "Refund them, or mark them as refunded.", "Payments to refund: %d.", b.RefundDue)
	add(HealthUnclearRefunds, b.UnclearRefunds, "Look them up in the gateway's panel, and mark them as refunded if they are there.",
		"Refunds that the gateway has not confirmed: %d.", b.UnclearRefunds)
	add(HealthFailedStarts, b.FailedStarts, "Check the gateway's credentials with its validation.",
		"Payments of the last day that could not be started: %d. The last reason: %s", b.FailedStarts, strings.TrimSuffix(b.FailedStart, ".")+".")
	add(HealthOverdue, b.Overdue, "The operator must check that the server runs, and its log.",
		"Status checks at gateways that are over an hour late: %d.", b.Overdue)
	add(HealthFlags, b.Flags, "Check each flagged order, and mark its flags as checked.", "Flags for a staff member to check: %d.", b.Flags)
	add(HealthUnanswered, len(b.Unanswered), "Book them again: the program looks the shipments up first.",
		"Orders for which the courier did not respond to the booking: %d.", len(b.Unanswered))
	add(HealthStray, len(b.Stray), "Cancel the shipments in the courier's panel.", "Closed orders with a shipment under way: %d.", len(b.Stray))
	add(HealthUnmatched, b.Unmatched, "Record their shipments, or ignore webhooks of other shops.",
		"Webhooks that match no record: %d.", b.Unmatched)
	add(HealthFailed, b.Failed, "Replay them. If they fail again, report the error to the operator.",
		"Webhooks that could not be processed: %d.", b.Failed)
	add(HealthStored, b.Stored, "Replay them.", "Webhooks stored over an hour ago and not applied: %d.", b.Stored)
	add(HealthEndpoints, b.DisabledEndpoints, "Correct the receiver, set the endpoint to active, and redeliver the missed events.",
		"Webhook endpoints disabled, because their receiver no longer exists or failed for five days: %d.", b.DisabledEndpoints)
	add(HealthRefused, b.Refused, "Compare the secret in the provider's panel with the one of its webhook URL here.",
		"Webhooks refused in the last day: %d.", b.Refused)
	add(HealthPlugins, len(b.Incomplete), "Complete their settings, or remove them.", "Settings are missing: %s.", strings.Join(b.Incomplete, ", "))
	add(HealthKeys, b.KeysEnding, "Create their successors, then revoke them.", "API keys that have expired, or will within a week: %d.", b.KeysEnding)
	if b.Moving {
		add(HealthMove, 1, "If it does not end within minutes, the operator must run the command doctor, which reports how to end it.",
			"The move of the shop to another place has begun and not ended. New orders may wait until then.")
	}
	for i := range findings {
		switch findings[i].Code {
		case HealthUnanswered:
			findings[i].Orders = b.Unanswered
		case HealthStray:
			findings[i].Orders = b.Stray
		}
	}
	return findings
}
