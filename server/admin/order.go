package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
)

// OrderPath has an order in the path.
type OrderPath struct {
	OrderID string `path:"orderId" doc:"The invoice UID, 16 characters" example:"7ZK3QW8N5T2M4R6V"`
}

// changeCodes are the codes of a change of an order.
var changeCodes = []fault.Code{fault.CodeNotFound, fault.CodeStateConflict}

// WorkCounts are the numbers of orders in each view, and of other work.
type WorkCounts struct {
	ToConfirm  int              `json:"toConfirm"`
	ToPack     int              `json:"toPack"`
	ToHandOver int              `json:"toHandOver"`
	OnTheWay   int              `json:"onTheWay"`
	Problems   int              `json:"problems"`
	Returning  int              `json:"returning"`
	ToRefund   int              `json:"toRefund"`
	Unpaid     int              `json:"unpaid"`
	Done       int              `json:"done"`
	Closed     int              `json:"closed"`
	All        int              `json:"all"`
	Bounded    []order.WorkView `json:"bounded" nullable:"false" doc:"The views that have more orders than were counted"`
	Incomplete int              `json:"incomplete" doc:"Orders that buyers have left; 0 without orders.write"`
	Wallets    int              `json:"walletPayments" doc:"Reported payments to wallets that wait for staff"`
}

func workCounts(work *order.Work) *WorkCounts {
	of := map[order.WorkView]int{}
	bounded := []order.WorkView{}
	for _, c := range work.Views {
		if of[c.View] = c.Count; c.Bounded {
			bounded = append(bounded, c.View)
		}
	}
	return &WorkCounts{
		of[order.ViewToConfirm], of[order.ViewToPack], of[order.ViewToHandOver], of[order.ViewOnTheWay], of[order.ViewProblems], of[order.ViewReturning],
		of[order.ViewToRefund], of[order.ViewUnpaid], of[order.ViewDone], of[order.ViewClosed], of[order.ViewAll], bounded,
		work.Incomplete, work.WalletPayments,
	}
}

func orderOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listOrders", Path: "orders", Tag: tagOrders, Use: access.ToListOrderRows, List: true,
			Summary: "List orders, newest first",
			Description: "Filters are combined; a filter with several values is repeated " +
				"(status=pending&status=confirmed). Pages of 50 orders, at most 100. Filtered " +
				"lists are counted up to 10,000; bounded is true if there are more.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			order.ListFilter
		}) (*page.List[order.Row], error) {
			in.Request = in.page()
			return in.shop().Orders.ListOrderRows(ctx, in.caller(), in.ListFilter)
		}),

		define(Operation{
			ID: "countOrders", Path: "counts/orders", Tag: tagOrders, Use: access.ToCountOrders,
			Summary: "Count the orders of each view, and other work",
			Description: "Counts are exact. There is one exception: while the daily sums of a " +
				"shop with more than 10,000 orders are counted, as after an upgrade, done, closed " +
				"and all are counted up to 10,000 and listed in bounded.",
		}, func(ctx context.Context, in *struct{ request }) (*WorkCounts, error) {
			counts, err := in.shop().Orders.CountOrders(ctx, in.caller())
			return workCounts(counts), err
		}),

		define(Operation{
			ID: "getOrder", Path: "orders/{orderId}",
			Tag: tagOrders, Use: access.ToFindOrderAsStaff, Versioned: true,
			Summary: "One order with its shipments, payments and flags",
			Description: "Includes data that the buyer must not see: the couriers' notes, the " +
				"gateways' words and the flags.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
		}) (*order.StaffOrder, error) {
			order, err := in.shop().Orders.FindOrderAsStaff(ctx, in.caller(), in.OrderID)
			if err == nil {
				in.setVersion(orderVersion(*order))
			}
			return order, err
		}),

		define(Operation{
			ID: "confirmOrder", Method: http.MethodPost, Path: "orders/{orderId}/confirm",
			Tag: tagOrders, Use: access.ToConfirmOrder, Idempotent: true, BodyOptional: true,
			Summary:     "Confirm a cash order",
			Description: "An order that is confirmed already is returned unchanged. An online order is confirmed by its payment.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Undoable
			NoBody
		}) (*order.Order, error) {
			return in.shop().Orders.ConfirmOrder(ctx, in.undoable(in.caller()), in.OrderID)
		}),

		define(Operation{
			ID: "cancelOrder", Method: http.MethodPost, Path: "orders/{orderId}/cancel",
			Tag: tagOrders, Use: access.ToCancelOrderAsStaff, Idempotent: true, BodyOptional: true,
			Summary: "Cancel an order",
			Description: "Possible until the courier picks the shipment up. Stock and the coupon " +
				"use are released, and a payment becomes refund_due. Cancelling again changes " +
				"nothing.",
			Codes:   []fault.Code{fault.CodeNotFound, fault.CodeNotCancellable},
			Example: map[string]any{"reason": "The buyer changed their mind"},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Undoable
			Body struct {
				Reason *string `json:"reason,omitempty" doc:"For staff, who see it as cancelReason; at most 500 characters"`
			}
		}) (*order.Order, error) {
			return in.shop().Orders.CancelOrderAsStaff(ctx, in.undoable(in.caller()), in.OrderID, textOf(in.Body.Reason))
		}),

		define(Operation{
			ID: "undoChange", Method: http.MethodPost, Path: "undo",
			Tag: tagOrders, Use: access.ToUndoChange,
			Summary: "Undo a change of orders",
			Description: "For changes with the parameter undo, within ten seconds, or thirty for changeOrders: confirmOrder, cancelOrder, " +
				"recordCall, addNote, deleteNote, setTags, and changeOrders for them. What leaves the shop because " +
				"of such a change waits so long: messages, webhooks and notifications. Undone, it never does, and " +
				"the orders are as before. A cancelled order has its stock again. An order that " +
				"was changed since, or lacks the stock now, remains as it is; if all do, the request " +
				"fails. Only who made a change can undo it.",
			Codes:   append([]fault.Code{fault.CodeValidationFailed, fault.CodeOutOfStock}, changeCodes...),
			Example: map[string]any{"undo": "0b6f1c1e-6a07-4a9c-8d6e-5d2c1f0a7b33"},
		}, func(ctx context.Context, in *struct {
			request
			Body struct {
				Undo string `json:"undo" doc:"The name of the change"`
			}
		}) (*order.Undone, error) {
			return in.shop().Orders.UndoChange(ctx, in.caller(), in.Body.Undo)
		}),

		define(Operation{
			ID: "deliverOrder", Method: http.MethodPost, Path: "orders/{orderId}/deliver",
			Tag: tagOrders, Use: access.ToMarkDelivered, Idempotent: true, BodyOptional: true,
			Summary: "Record that the buyer received an order",
			Description: "For delivery by courier or from the shop itself. Open shipments become " +
				"delivered, except those being returned. A cash order is then paid. Units in " +
				"restock are those that the buyer did not accept: they reduce the order by " +
				"credits, and those fit for sale are added to the stock. For an order that is " +
				"delivered already, restock corrects the earlier entry.",
			Codes:   append([]fault.Code{fault.CodeValidationFailed}, changeCodes...),
			Example: map[string]any{},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Body struct {
				Restock []order.RestockInput `json:"restock,omitempty" nullable:"false" doc:"Units that came back and are fit for sale. Defaults to none"`
			}
		}) (*order.Order, error) {
			return in.shop().Orders.MarkDelivered(ctx, in.caller(), in.OrderID, in.Body.Restock)
		}),

		define(Operation{
			ID: "returnOrder", Method: http.MethodPost, Path: "orders/{orderId}/return",
			Tag: tagOrders, Use: access.ToMarkReturned, Idempotent: true, BodyOptional: true,
			Summary: "Record that the goods of an order are back",
			Description: "All items count as returned: their stock is released, except what " +
				"deliverOrder has restocked, and a payment becomes refund_due. Units that restock " +
				"leaves out are subtracted from the stock as damaged. For an order that is " +
				"returned already, restock corrects the earlier entry.",
			Codes:   append([]fault.Code{fault.CodeValidationFailed}, changeCodes...),
			Example: map[string]any{},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Body struct {
				Restock []order.RestockInput `json:"restock,omitempty" nullable:"false" doc:"Units that came back and are fit for sale. Defaults to all"`
			}
		}) (*order.Order, error) {
			return in.shop().Orders.MarkReturned(ctx, in.caller(), in.OrderID, in.Body.Restock)
		}),

		define(Operation{
			ID: "refundOrder", Method: http.MethodPost, Path: "orders/{orderId}/refund",
			Tag: tagOrders, Use: access.ToMarkCashRefunded, Idempotent: true, BodyOptional: true,
			Summary: "Record that cash was refunded to the buyer",
			Description: "For orders paid in cash: without a body what is due for refund, otherwise an " +
				"amount or units of what the shop received. A second refund of the same amount " +
				"within an hour needs confirmDuplicate. Payments made online have refundPayment.",
			Codes:   append([]fault.Code{fault.CodeValidationFailed}, changeCodes...),
			Example: map[string]any{"amount": 15000, "reason": "damaged"},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Body order.RefundInput
		}) (*order.Order, error) {
			return in.shop().Orders.MarkCashRefunded(ctx, in.caller(), in.OrderID, in.Body)
		}),

		define(Operation{
			ID: "replaceOrderToken", Method: http.MethodPost, Path: "orders/{orderId}/token",
			Tag: tagOrders, Use: access.ToReplaceOrderToken,
			Idempotent: true, Secret: true, BodyOptional: true,
			Summary: "Replace an order's token",
			Description: "The token lets a guest read, pay and cancel the order. The earlier " +
				"token is refused from now on.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			NoBody
		}) (*OrderToken, error) {
			token, order, err := in.shop().Orders.ReplaceOrderToken(ctx, in.caller(), in.OrderID)
			if err != nil {
				return nil, err
			}
			return &OrderToken{token, *order}, nil
		}),

		define(Operation{
			ID: "listFlags", Path: "flags", Tag: tagOrders, Use: access.ToListFlags, List: true,
			Summary: "List the flags of orders",
			Description: "A flag is something that staff must check, such as cash that differs " +
				"from the amount due. Flags about cash disappear with their cause.",
			Codes: []fault.Code{fault.CodeValidationFailed, fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			order.FlagFilter
		}) (*page.List[order.Flag], error) {
			in.Request = in.page()
			return in.shop().Orders.ListFlags(ctx, in.caller(), in.FlagFilter)
		}),

		define(Operation{
			ID: "resolveFlags", Method: http.MethodPost, Path: "orders/{orderId}/resolve-flags",
			Tag: tagOrders, Use: access.ToResolveFlags, Idempotent: true, BodyOptional: true,
			Summary:     "Mark the flags of an order as checked",
			Description: "A flag is raised again when its cause changes.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			NoBody
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.ResolveFlags(ctx, in.caller(), in.OrderID)
		}),
	}
}

// OrderToken is a new token of an order.
type OrderToken struct {
	Token string      `json:"orderToken" doc:"Shown once"`
	Order order.Order `json:"order"`
}
