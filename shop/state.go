package shop

import "slices"

// orderMoves is where an order may go from each state. A state without moves is the end.
var orderMoves = map[OrderStatus][]OrderStatus{
	OrderPending:        {OrderConfirmed, OrderProcessing, OrderCancelled},
	OrderPendingPayment: {OrderConfirmed, OrderCancelled, OrderExpired},
	OrderConfirmed:      {OrderProcessing, OrderCancelled},
	OrderProcessing:     {OrderCompleted, OrderCancelled, OrderReturned},
	OrderCompleted:      {OrderReturned},
	OrderCancelled:      {},
	OrderExpired:        {},
	OrderReturned:       {},
}

// canBecome reports whether an order in state s may go to next.
func (s OrderStatus) canBecome(next OrderStatus) bool { return slices.Contains(orderMoves[s], next) }

// cancelBlocked says in words why this reader can not cancel the order; "": it can.
func (o *orderRow) cancelBlocked(as orderView) string {
	switch {
	case o.status == OrderCancelled:
		return "The order is cancelled already."
	case o.status == OrderExpired:
		return "The order has expired."
	case o.status == OrderReturned:
		return "The order was returned."
	case !o.status.canBecome(OrderCancelled):
		return "The order is completed."
	case o.fulfillment != Unfulfilled:
		return "The parcel has been picked up."
	case as == viewOwner:
		return ""
	case o.customerID == nil:
		return "The order was placed without an account: ask the shop to cancel it."
	}
	return "Sign in with the account that placed the order to cancel it."
}
