package notify

import (
	"storefront/shop/access"
	"storefront/shop/outbox"
)

// DailySummary is the summary of a day, which members choose like an event.
const DailySummary outbox.Type = "summary.daily"

// WeeklySummary is the summary of the shop's avoidable losses, which members choose like an event.
const WeeklySummary outbox.Type = "summary.weekly"

// eventRule is a type of event that members can be notified of.
type eventRule struct {
	kind outbox.Type
	// act is the permission that selects the members to notify by default; "" selects nobody.
	act access.Permission
}

// eventRules are the types that members can be notified of, in the order in which they are shown.
var eventRules = []eventRule{
	{outbox.OrderPlaced, access.OrdersWrite},
	{outbox.OrderPaid, ""},
	{outbox.OrderCancelled, ""},
	{outbox.OrderPaymentReview, access.PaymentsWrite},
	{outbox.OrderRefundDue, ""},
	{outbox.ShipmentProblem, access.OrdersFulfill},
	{outbox.ShipmentDelivered, ""},
	{outbox.ShipmentReturning, ""},
	{outbox.ShipmentReturned, ""},
	{outbox.StockLow, ""},
	{outbox.StockOut, access.StockWrite},
	{outbox.CashReconciled, ""},
	{outbox.ProviderWebhookFailed, access.ProvidersWrite},
	{outbox.WebhookEndpointDisabled, access.KeysWrite},
	{outbox.PlanWarning, access.ShopClose},
	{DailySummary, ""},
	{WeeklySummary, ""},
}

// Types returns the types of events that members can be notified of.
func Types() []outbox.Type {
	types := make([]outbox.Type, len(eventRules))
	for i, rule := range eventRules {
		types[i] = rule.kind
	}
	return types
}

func findRule(kind outbox.Type) *eventRule {
	for i := range eventRules {
		if eventRules[i].kind == kind {
			return &eventRules[i]
		}
	}
	return nil
}

// isOwn reports whether a member has caused an event, and so needs no notification.
func isOwn(event *outbox.Event, memberID string) bool {
	actor := event.Data.Actor
	return actor != nil && actor.Kind == string(access.ActorStaff) && actor.ID == memberID
}

// maySee reports whether a member may be notified of the events of a type.
func (n *Notify) maySee(m *Member, kind outbox.Type) bool {
	switch kind {
	case DailySummary:
		return m.Permits(access.OrdersRead)
	case WeeklySummary:
		return m.Permits(access.CashRead) || m.Permits(access.AnalyticsRead)
	}
	p := n.cfg.Visible(kind)
	return p != "" && (p == access.Any || m.Permits(p))
}

// channelsOf returns the channels by which a member is notified of the events of a type.
func (n *Notify) channelsOf(m *Member, kind outbox.Type) Channels {
	rule := findRule(kind)
	if rule == nil || !n.maySee(m, kind) {
		return Channels{}
	}
	if chosen, ok := m.Choices[kind]; ok {
		return chosen
	}
	acts := rule.act != "" && m.Permits(rule.act)
	return Channels{Push: acts, Email: acts && kind == outbox.PlanWarning} // it can cost money, and is rare
}
